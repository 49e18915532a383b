/** Removes streams of text in which a redaction finds something: attachments, and those of scripts, rich text and forms. */
import { PdfArray, PdfDict, PdfNull, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { decodeXML } from 'entities';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';
import { decode, UnreadableError } from './read-content.ts';
import type { Search } from './search.ts';

const FONT_PROGRAMS = new Set(['Type1C', 'CIDFontType0C', 'OpenType']);
/** Entries of streams that have no text: fonts, functions, shadings, patterns, colour profiles. */
const WITHOUT_TEXT = ['Length1', 'FunctionType', 'ShadingType', 'PatternType', 'HalftoneType', 'N'];
const CMAP = '/CIDInit';

export interface StreamsFound {
  /** Names of removed attachments. */
  attachments: string[];
  /** The number of other streams that were removed. */
  streams: number;
}

/** `contents` are the streams of pages. Throws `UnreadableError`. */
export function redactStreams(
  pdf: EditablePdf,
  search: Search,
  contents: ReadonlySet<number>,
  dropsAttachments: boolean,
): StreamsFound {
  const isNeeded = !search.isEmpty || dropsAttachments;
  const attachments = isNeeded ? redactAttachments(pdf, search, dropsAttachments) : NO_ATTACHMENTS;
  const metadata = pdf.catalog.get('Metadata');
  const handled = new Set([...attachments.kept, ...contents]);
  if (metadata instanceof PdfRef) handled.add(metadata.objectNumber);
  const streams = search.isEmpty ? 0 : redactOthers(pdf, search, handled);
  return { attachments: attachments.removed, streams };
}

/** Empties streams of text. Returns their number. */
function redactOthers(pdf: EditablePdf, search: Search, handled: ReadonlySet<number>): number {
  let count = 0;
  for (const object of [...pdf.objects()]) {
    if (!('value' in object) || !(object.value instanceof PdfStream) || handled.has(object.id)) continue;
    if (isWithoutText(pdf, object.value) || !textMatches(decode(object.value), search)) continue;
    pdf.change(PdfRef.of(object.id), PdfStream.fromDict({}, new Uint8Array()));
    count++;
  }
  return count;
}

function textMatches(content: Buffer, search: Search): boolean {
  const isMap = content.subarray(0, CMAP.length).equals(Buffer.from(CMAP)); // of the characters of a font
  return !isMap && hasText(content, search);
}

function isWithoutText(pdf: EditablePdf, stream: PdfStream): boolean {
  const [type, subtype] = [pdf.name(stream, 'Type'), pdf.name(stream, 'Subtype')];
  if (type === 'CMap' || subtype === 'Image' || subtype === 'Form' || FONT_PROGRAMS.has(subtype)) return true;
  return WITHOUT_TEXT.some((entry) => stream.has(entry));
}

/** Whether the metadata of the document has what is searched, or cannot be read. */
export function metadataMatches(pdf: EditablePdf, search: Search): boolean {
  const packet = pdf.stream(pdf.catalog, 'Metadata');
  if (!packet || search.isEmpty) return false;
  try {
    return hasText(decode(packet), search);
  } catch {
    return true;
  }
}

/** Searches bytes in all encodings that text may have, also as XML. */
function hasText(content: Buffer, search: Search): boolean {
  const texts = [content.toString(), content.toString('latin1')];
  const even = content.subarray(0, content.length & ~1);
  if (isMarked(content) || content.includes(0))
    texts.push(even.toString('utf16le'), Buffer.from(even).swap16().toString('utf16le'));
  return texts.some((text) => search.matches(text) || (text.includes('&') && search.matches(decodeXML(text))));
}

interface Attachments {
  removed: string[];
  /** The streams of those that stay. */
  kept: Set<number>;
}

const NO_ATTACHMENTS: Attachments = { removed: [], kept: new Set() };

function redactAttachments(pdf: EditablePdf, search: Search, dropsAll: boolean): Attachments {
  const found: Attachments = { removed: [], kept: new Set() };
  const files = [...pdf.objects()].flatMap((each) => specificationsIn('value' in each ? each.value : undefined, 0));
  for (const file of files) {
    const embedded = embeddedIn(pdf, file);
    const refs = embedded.filter((each) => each instanceof PdfRef);
    const name = pdf.text(file, 'UF') || pdf.text(file, 'F') || 'file';
    if (!dropsAll && !attachmentMatches(pdf, embedded, name, search)) {
      for (const ref of refs) found.kept.add(ref.objectNumber);
      continue;
    }
    for (const ref of refs) pdf.change(ref, PdfNull.instance);
    file.delete('EF');
    found.removed.push(name);
  }
  if (found.removed.length) dropRemoved(pdf);
  return found;
}

function embeddedIn(pdf: EditablePdf, file: PdfDict): PdfObject[] {
  return [...(pdf.dict(file, 'EF') ?? [])].map(([, stream]) => stream);
}

/** The file specifications with content in an object. */
function specificationsIn(value: PdfObject | undefined, depth: number): PdfDict[] {
  if (depth > 100) return [];
  if (value instanceof PdfArray) return value.toArray().flatMap((item) => specificationsIn(item, depth + 1));
  if (!(value instanceof PdfDict)) return [];
  const own = value.has('EF') ? [value] : [];
  return [...own, ...[...value].flatMap(([, item]) => specificationsIn(item, depth + 1))];
}

/** Throws `UnreadableError` for a file that is no text. */
function attachmentMatches(pdf: EditablePdf, embedded: readonly PdfObject[], name: string, search: Search): boolean {
  const streams = embedded.map((each) => pdf.resolve(each)).filter((each) => each instanceof PdfStream);
  const contents = streams.map((stream) => decode(stream));
  if (contents.some((content) => hasText(content, search))) return true;
  if (contents.every(isText)) return false;
  const shown = search.remove(name).slice(0, 100);
  throw new UnreadableError(
    `has the attachment ${shown}, which is no text and cannot be searched; remove it with drop_attachments`,
  );
}

/** Whether bytes are text in UTF-8, in UTF-16 with a mark, or in an encoding of one byte each. */
function isText(content: Buffer): boolean {
  return isMarked(content) || !content.some((byte) => byte < 9 || (byte > 13 && byte < 32));
}

/** Whether bytes begin with the mark of UTF-16. */
function isMarked(content: Buffer): boolean {
  return content.length > 1 && [0xfeff, 0xfffe].includes(content.readUInt16BE(0));
}

/** Leaves out the entries of files that are gone. */
function dropRemoved(pdf: EditablePdf): void {
  const isThere = (value: PdfObject) => pdf.asDict(value)?.has('EF') ?? false;
  const names = pdf.copyDictionary(pdf.catalog, 'Names');
  const left = [...treeEntries(pdf, names.get('EmbeddedFiles'), 'Names')].filter(([, file]) => isThere(file));
  if (left.length) names.set('EmbeddedFiles', PdfDict.of({ Names: PdfArray.of(...left.flat()) }));
  else names.delete('EmbeddedFiles');
  pdf.catalog.set('Names', names);
  const associated = pdf.list(pdf.catalog, 'AF').filter(isThere);
  if (associated.length) pdf.catalog.set('AF', PdfArray.of(...associated));
  else pdf.catalog.delete('AF');
}
