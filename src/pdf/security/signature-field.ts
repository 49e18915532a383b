/**
 * Signature fields (ISO 32000-1, 12.7.4.5 and 12.8): an editable PDF in; a field with room for its signature out, and once the file is
 * written, where that room is and what is to be signed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { PDF, PdfArray, PdfBool, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import { StructureTree } from '../conformance/structure-tree.ts';
import type { FieldPosition, SignatureField, SignatureHole, VisibleField } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { viewOf } from '../objects/page-view.ts';
import { numbers, rounded, textString } from '../objects/syntax.ts';

/** The name of the field. */
export const SIGNATURE_NAME = 'Signature1';
/** Ten digits, as many as an offset may have. */
export const PLACEHOLDER = 9_999_999_999;
const MARKER_BYTES = 16;
/** In points: sizes of pages are rounded. */
const TOLERANCE = 1;
/** Print and Locked (table 165). */
const FIELD_FLAGS = 132;
/** SignaturesExist and AppendOnly (table 219). */
export const FORM_FLAGS = 3;

/** The field is on no page, or not wholly on its page. */
export class MisplacedField extends Error {
  override name = 'MisplacedField';
}

/** Tells the signature from everything else in the file. */
export type SignatureMarker = string;

/** Where a field is, and what it shows. */
export interface FieldPlace {
  /** Undefined for a field that the document has. */
  position: NewPosition | undefined;
  /** A form XObject; undefined where nothing is shown. */
  shown: PdfRef | undefined;
}

interface NewPosition {
  page: PdfRef;
  /** In the coordinates of the page: left, bottom, right, top. */
  rect: number[];
}

/** Brings what the field shows into the draft, but not yet the field itself. Throws `MisplacedField`. */
export async function placeField(draft: EditablePdf, visible: VisibleField | undefined): Promise<FieldPlace> {
  const place = visible?.place;
  const position = place && 'number' in place ? undefined : positionOf(draft, place);
  if (!visible) return { position, shown: undefined };
  const { ref } = await draft.pdf.embedPage(await PDF.load(Buffer.concat(visible.appearance)), 0);
  return { position, shown: ref };
}

function positionOf(draft: EditablePdf, visible: FieldPosition | undefined): NewPosition {
  const pages = draft.pdf.getPages();
  const page = pages.at(visible ? (visible.page > 0 ? visible.page - 1 : visible.page) : 0)?.ref;
  if (!page)
    throw new MisplacedField(
      `the PDF has ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}, and no page ${visible?.page}`,
    );
  return { page, rect: visible ? rectOf(draft, page, visible) : [0, 0, 0, 0] };
}

/** `ownField` is the field of the document that is signed, if there is one. Nothing may change the draft afterwards. */
export function addSignatureField(
  draft: EditablePdf,
  field: SignatureField,
  { position, shown }: FieldPlace,
  ownField: PdfRef | undefined,
): SignatureMarker {
  const marker = newMarker();
  const signature = draft.add(signatureDictionary(field, marker));
  draft.signature = signature;
  const entries: Record<string, PdfObject> = {
    ...{ V: signature, F: PdfNumber.of(FIELD_FLAGS) },
    ...(shown && { AP: PdfDict.of({ N: shown }) }),
  };
  const description = textString(field.description);
  const own = { T: textString(SIGNATURE_NAME), TU: description, Contents: description };
  if (position) addWidget(draft, position, { ...entries, ...own });
  else completeWidget(draft, ownField, entries);
  return marker.toString('hex');
}

function addWidget(draft: EditablePdf, { page, rect }: NewPosition, entries: Record<string, PdfObject>): void {
  const widget = draft.add(new PdfDict());
  placeOn(draft, page, widget);
  const key = isOutside(draft, rect) ? undefined : adopt(draft, widget, page);
  const all = {
    ...{ Type: PdfName.of('Annot'), Subtype: PdfName.of('Widget'), FT: PdfName.of('Sig'), P: page },
    ...{ ...entries, Rect: PdfArray.of(...rect.map((value) => PdfNumber.of(value))) },
    ...(key !== undefined && { StructParent: PdfNumber.of(key) }),
  };
  draft.change(widget, PdfDict.of(all));
  const form = formOf(draft);
  const fields = draft.resolve(form.get('Fields'));
  form.set('Fields', PdfArray.of(...(fields instanceof PdfArray ? fields.toArray() : []), widget));
  draft.catalog.set('AcroForm', form);
}

/** A field that the document has for it, with its own name and description. */
function completeWidget(draft: EditablePdf, ref: PdfRef | undefined, entries: Record<string, PdfObject>): void {
  const widget = ref && draft.resolve(ref);
  if (!(ref && widget instanceof PdfDict)) throw new Error('the place for the signature is missing');
  const copy = widget.clone();
  for (const [name, value] of Object.entries(entries)) copy.set(name, value);
  draft.change(ref, copy);
  draft.catalog.set('AcroForm', formOf(draft));
}

/** What a signature begins with until it is made. */
export function newMarker(): Buffer {
  return randomBytes(MARKER_BYTES);
}

/** `ByteRange` stands right before `Contents`, where `findHole` looks for it. */
function signatureDictionary(field: SignatureField, marker: Buffer): PdfDict {
  const { reason, location, contact, name, signedAt, reservedBytes } = field;
  const Contents = new PdfString(Buffer.concat([marker, Buffer.alloc(reservedBytes - marker.length)]));
  const texts = Object.entries({ Name: name, Reason: reason, Location: location, ContactInfo: contact });
  return PdfDict.of({
    ...{ Type: PdfName.of('Sig'), Filter: PdfName.of('Adobe.PPKLite'), SubFilter: PdfName.of('ETSI.CAdES.detached') },
    M: textString(dateOf(signedAt)),
    ...Object.fromEntries(texts.flatMap(([entry, text]) => (text === undefined ? [] : [[entry, textString(text)]]))),
    ByteRange: numbers(0, PLACEHOLDER, PLACEHOLDER, PLACEHOLDER),
    Contents,
  });
}

/** In UTC (7.9.4). */
function dateOf(milliseconds: number): string {
  return `D:${new Date(milliseconds).toISOString().replace(/\D/g, '').slice(0, 14)}+00'00'`;
}

function rectOf(draft: EditablePdf, page: PdfRef, visible: FieldPosition): number[] {
  const dict = draft.resolve(page);
  if (!(dict instanceof PdfDict)) throw new Error('a page is missing');
  const { left, bottom, width, height } = viewOf(draft, dict);
  if (visible.x + visible.width > width + TOLERANCE || visible.y + visible.height > height + TOLERANCE)
    throw new MisplacedField(`the field reaches beyond its page, which is ${inWords(width)} wide and ${inWords(height)} high`);
  const [x, top] = [left + visible.x, bottom + height - visible.y];
  return [x, top - visible.height, x + visible.width, top].map((value) => Number(rounded(value)));
}

/** In millimetres. */
function inWords(points: number): string {
  return `${Math.round((points / 72) * 25.4)} mm`;
}

/** What is not shown is no part of the structure of a PDF 2.0 (ISO 14289-2, 8.9.2.4.13), and of one of an earlier version it is. */
function isOutside({ version }: EditablePdf, [left, bottom, right, top]: readonly number[]): boolean {
  return version === '2.0' && left === right && bottom === top;
}

function placeOn(draft: EditablePdf, ref: PdfRef, widget: PdfRef): void {
  const page = draft.resolve(ref);
  if (!(page instanceof PdfDict)) throw new Error('a page is missing');
  const copy = page.clone();
  const annotations = draft.resolve(page.get('Annots'));
  copy.set('Annots', PdfArray.of(...(annotations instanceof PdfArray ? annotations.toArray() : []), widget));
  copy.set('Tabs', PdfName.of('S'));
  draft.change(ref, copy);
}

/** Where the PDF is tagged, the field is a part of the structure (ISO 14289-1, 7.18.4). Its key in the parent tree. */
function adopt(draft: EditablePdf, widget: PdfRef, page: PdfRef): number | undefined {
  if (!draft.catalog.has('StructTreeRoot')) return undefined;
  const tree = StructureTree.read(draft);
  const { key } = tree.adopt('Form', widget, page);
  tree.write({});
  return key;
}

/** A form that has a signature. */
function formOf(draft: EditablePdf): PdfDict {
  const form = draft.copyOf(draft.catalog, 'AcroForm');
  form.set('SigFlags', PdfNumber.of(FORM_FLAGS));
  if (form.has('NeedAppearances')) form.set('NeedAppearances', PdfBool.FALSE);
  return form;
}

/** Writes into the finished file which of its bytes are signed: all but the room for the signature. */
export function findHole(file: Buffer, marker: SignatureMarker, digest: SignatureField['digest']): SignatureHole {
  const start = file.indexOf(marker, 0, 'latin1') - 1;
  const end = file.indexOf('>', start) + 1;
  const at = file.lastIndexOf('[0 ', start);
  const range = `[0 ${start} ${end} ${file.length - end}]`;
  const room = file.indexOf(']', at) + 1 - at;
  if (start < 0 || end <= 0 || at < 0 || room < range.length) throw new Error('the signature has no room');
  file.write(range.padEnd(room), at, 'latin1');
  const signed = [file.subarray(0, start), file.subarray(end)];
  const hash = createHash(digest);
  for (const part of signed) hash.update(part);
  return { start: start + 1, digits: end - start - 2, digest: Uint8Array.from(hash.digest()) };
}

/** Whether a PDF has a field with a signature, which any change makes worthless. A signature is never packed into an object stream. */
export async function isSigned(file: Buffer): Promise<boolean> {
  return file.includes('/ByteRange') && hasSignature(await PDF.load(file)); // mostly spares the parsing
}

export function hasSignature(pdf: PDF): boolean {
  const resolve = (value: PdfObject | undefined) => (value instanceof PdfRef ? (pdf.getObject(value) ?? undefined) : value);
  const form = resolve(pdf.context.catalog.getDict().get('AcroForm'));
  const waiting = form instanceof PdfDict ? [form.get('Fields')] : [];
  const seen = new Set<PdfObject>();
  while (waiting.length) {
    const value = resolve(waiting.pop());
    if (!value || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof PdfArray) waiting.push(...value.toArray());
    if (!(value instanceof PdfDict)) continue;
    if (value.getName('FT')?.value === 'Sig' && value.has('V')) return true;
    waiting.push(value.get('Kids'));
  }
  return false;
}
