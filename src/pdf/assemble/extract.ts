/** Reads what a PDF holds: text, Markdown, images, metadata, bookmarks, form fields and attachments. */
import type { PdfDict, PdfRef } from '@libpdf/core';
import { readXmp } from '../edit/read-xmp.ts';
import { type ExtractedImage, PageImages, TooManyImagesError } from '../extract/images.ts';
import { toMarkdown } from '../extract/markdown.ts';
import { MarkedTexts } from '../extract/marked-text.ts';
import { type Box, type PageContent, PageReader, type TextLine } from '../extract/page-text.ts';
import { readTags } from '../extract/tags.ts';
import { exportedValue, resolveOptions } from '../forms/foreign-values.ts';
import { mergedTooLarge } from '../merge/merge.ts';
import type { Dropped } from '../merge/merge-catalog.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { type PageView, pageView } from '../objects/page-view.ts';
import { type Bookmark, toBookmarks } from '../structure/outline.ts';
import { readFiles } from './files.ts';
import { type InformationEntries, readInformation } from './information.ts';
import { StepError } from './open-document.ts';

export const EXTRACTED = ['text', 'lines', 'markdown', 'metadata', 'bookmarks', 'fields', 'attachments', 'images'] as const;
/** Images can be large. */
export const EXTRACTED_BY_DEFAULT = EXTRACTED.filter((each) => each !== 'images');

export interface ExtractStep {
  what: ReadonlyArray<(typeof EXTRACTED)[number]>;
}

export interface Extracted {
  pages: Array<{ width: number; height: number; text?: string; lines?: Array<Box & { text: string }> }>;
  /** Null if the PDF has no tags. */
  markdown?: string | null;
  /** Entries of the information dictionary, and properties of the XMP packet by their names. */
  metadata?: InformationEntries & { xmp: ReturnType<typeof readXmp> };
  bookmarks?: Bookmark[];
  fields?: Array<{ name: string; type: string; value: unknown }>;
  attachments?: ExtractedAttachment[];
  images?: ExtractedImage[];
}

interface ExtractedAttachment {
  name: string;
  type: string | null;
  description: string | null;
  /** `AFRelationship`, such as `Alternative`. */
  relationship: string | null;
  bytes: number;
  content: string;
}

type Wants = (each: (typeof EXTRACTED)[number]) => boolean;

/**
 * Writes `Extracted` as JSON, each page when it was read, so that what was read of it is not kept. The pages of the PDF may be others
 * afterwards. Returns what `keep` was not given. Throws `StepError`, and `resource_limit` for more than `maxBytes`.
 */
export async function extract(
  pdf: ForeignPdf,
  { what }: ExtractStep,
  lost: Dropped[],
  { maxBytes, keep }: { maxBytes: number; keep: ((bytes: Uint8Array) => Promise<void>) | undefined },
): Promise<Uint8Array> {
  const wants: Wants = (each) => what.includes(each);
  const images = wants('images') ? new PageImages(pdf, lost) : undefined;
  const json = new JsonWriter(maxBytes, keep);
  try {
    const others: Omit<Extracted, 'pages'> = {
      ...(await extractContent(pdf, wants, images, lost, (page) => json.addPage(page))),
      ...(wants('metadata') && { metadata: { ...readInformation(pdf), xmp: readPacket(pdf, lost) } }),
      ...(wants('bookmarks') && { bookmarks: toBookmarks(pdf) }),
      ...(wants('fields') && { fields: readFields(pdf) }),
      ...(wants('attachments') && { attachments: readAttachments(pdf, lost) }),
      ...(images && { images: await images.read(maxBytes) }),
    };
    return json.end({ ...others, ...(lost.length && { dropped: lost }) });
  } catch (error) {
    throw error instanceof TooManyImagesError ? new StepError('what', error.message) : error;
  }
}

/** What is kept elsewhere at once. */
const CHUNK_LENGTH = 65_536;

class JsonWriter {
  readonly #maxBytes: number;
  readonly #keep: ((bytes: Uint8Array) => Promise<void>) | undefined;
  #text = '{"pages":[';
  #chunks: Buffer[] = [];
  #bytes = 0;
  #separator = '';

  constructor(maxBytes: number, keep: ((bytes: Uint8Array) => Promise<void>) | undefined) {
    this.#maxBytes = maxBytes;
    this.#keep = keep;
  }

  async addPage(page: Extracted['pages'][number]): Promise<void> {
    this.#text += this.#separator + JSON.stringify(page);
    this.#separator = ',';
    if (this.#text.length > CHUNK_LENGTH) await this.#keepText();
  }

  end(others: object): Uint8Array {
    const members = JSON.stringify(others).slice(1);
    this.#text += members === '}' ? ']}' : `],${members}`;
    return Buffer.concat([...this.#chunks, this.#takeText()]);
  }

  async #keepText(): Promise<void> {
    const bytes = this.#takeText();
    if (this.#keep) await this.#keep(bytes);
    else this.#chunks.push(bytes);
  }

  #takeText(): Buffer {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) throw mergedTooLarge(this.#maxBytes);
    return bytes;
  }
}

function readPacket(pdf: ForeignPdf, lost: Dropped[]): ReturnType<typeof readXmp> {
  try {
    return readXmp(Buffer.from(pdf.stream(pdf.catalog, 'Metadata')?.getDecodedData() ?? []).toString());
  } catch {
    lost.push({ what: 'xmp', why: 'the XMP packet cannot be read' });
    return {};
  }
}

/** Each page is read once. */
async function extractContent(
  pdf: ForeignPdf,
  wants: Wants,
  images: PageImages | undefined,
  lost: Dropped[],
  addPage: (page: Extracted['pages'][number]) => Promise<void>,
): Promise<Pick<Extracted, 'markdown'>> {
  const reader = new PageReader(pdf);
  const tags = wants('markdown') ? readTags(pdf) : undefined;
  const marked = tags && new MarkedTexts(tags.marks);
  const collected = { wantsLines: wants('text') || wants('lines'), marked, images, lost };
  for (const [index, { ref, page }] of pdf.pages().entries()) {
    const view = pageView(pdf, page);
    const lines = readLines(reader, { ref, page, view, index }, collected);
    const [width, height] = view.turn % 180 ? [view.height, view.width] : [view.width, view.height];
    const text = lines.map((line) => line.text).join('\n');
    const placed = () => lines.map((line) => ({ text: line.text, ...line.box() }));
    await addPage({ width, height, ...(wants('text') && { text }), ...(wants('lines') && { lines: placed() }) });
  }
  lost.push(...[...(tags?.problems ?? [])].map((why) => ({ what: 'markdown', why })));
  const markdown = tags && marked ? toMarkdown(tags.kids, marked) : null;
  return wants('markdown') ? { markdown } : {};
}

interface Collected {
  wantsLines: boolean;
  marked: MarkedTexts | undefined;
  images: PageImages | undefined;
  lost: Dropped[];
}

/** Reads the page for all that is wanted of it. */
function readLines(
  reader: PageReader,
  { ref, page, view, index }: { ref: PdfRef; page: PdfDict; view: PageView; index: number },
  collected: Collected,
): TextLine[] {
  const { wantsLines, marked, images } = collected;
  if (!wantsLines && !marked && !images) return [];
  const read = reader.read(ref, page);
  collect(read, index + 1, view, collected);
  return wantsLines ? reader.lines(read, index, view) : [];
}

function collect(
  { content, unreadable }: PageContent,
  page: number,
  view: PageView,
  { wantsLines, marked, images, lost }: Collected,
): void {
  const why = `page ${page} ${unreadable}`;
  if (unreadable && wantsLines) lost.push({ what: 'text', why });
  if (unreadable && marked) lost.push({ what: 'markdown', why });
  if (!content && images) lost.push({ what: 'images', why });
  if (!content) return;
  marked?.addPage(content.glyphs);
  images?.addPage(page, view, content.root);
}

function readFields(pdf: ForeignPdf): NonNullable<Extracted['fields']> {
  const fields = pdf.pdf.getForm()?.getFields() ?? [];
  resolveOptions(pdf, fields);
  return fields.map((field) => ({ name: field.name, type: field.type, value: exportedValue(field) }));
}

function readAttachments(pdf: ForeignPdf, lost: Dropped[]): NonNullable<Extracted['attachments']> {
  return readFiles(pdf, lost).map(({ name, type = null, description = null, relationship = null, content }) => ({
    ...{ name, type, description, relationship, bytes: content.length },
    content: Buffer.from(content).toString('base64'),
  }));
}
