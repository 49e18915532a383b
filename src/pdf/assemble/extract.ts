/** Reads what a PDF holds: text, Markdown, images, metadata, bookmarks, form fields and attachments. */
import { readXmp } from '../edit/read-xmp.ts';
import { type ExtractedImage, PageImages, TooManyImagesError } from '../extract/images.ts';
import { toMarkdown } from '../extract/markdown.ts';
import { MarkedTexts } from '../extract/marked-text.ts';
import { type PageContent, PageReader, type TextLine } from '../extract/page-text.ts';
import { readTags } from '../extract/tags.ts';
import { exportedValue, resolveOptions } from '../forms/foreign-values.ts';
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
  pages: Array<{ width: number; height: number; text?: string; lines?: TextLine[] }>;
  /** Null if the PDF has no tags. */
  markdown?: string | null;
  /** Entries of the information dictionary, and properties of the XMP packet by their names. */
  metadata?: InformationEntries & { xmp: ReturnType<typeof readXmp> };
  bookmarks?: Bookmark[];
  fields?: Array<{ name: string; type: string; value: unknown }>;
  attachments?: Array<{ name: string; type: string | null; description: string | null; bytes: number; content: string }>;
  images?: ExtractedImage[];
}

type Wants = (each: (typeof EXTRACTED)[number]) => boolean;

/** The pages of the PDF may be others afterwards. Throws `StepError`. */
export async function extract(pdf: ForeignPdf, { what }: ExtractStep, lost: Dropped[], maxBytes: number): Promise<Extracted> {
  const wants: Wants = (each) => what.includes(each);
  const images = wants('images') ? new PageImages(pdf, lost) : undefined;
  try {
    return {
      ...extractContent(pdf, wants, images, lost),
      ...(wants('metadata') && { metadata: { ...readInformation(pdf), xmp: readPacket(pdf, lost) } }),
      ...(wants('bookmarks') && { bookmarks: toBookmarks(pdf) }),
      ...(wants('fields') && { fields: readFields(pdf) }),
      ...(wants('attachments') && { attachments: readAttachments(pdf, lost) }),
      ...(images && { images: await images.read(maxBytes) }),
    };
  } catch (error) {
    throw error instanceof TooManyImagesError ? new StepError('what', error.message) : error;
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
function extractContent(
  pdf: ForeignPdf,
  wants: Wants,
  images: PageImages | undefined,
  lost: Dropped[],
): Pick<Extracted, 'pages' | 'markdown'> {
  const reader = new PageReader(pdf);
  const tags = wants('markdown') ? readTags(pdf) : undefined;
  const marked = tags && new MarkedTexts(tags.marks);
  const wantsLines = wants('text') || wants('lines');
  const pages = pdf.pages().map(({ ref, page }, index) => {
    const view = pageView(pdf, page);
    const [width, height] = view.turn % 180 ? [view.height, view.width] : [view.width, view.height];
    if (!wantsLines && !marked && !images) return { width, height };
    const read = reader.read(ref, page);
    collect(read, index + 1, view, { wantsLines, marked, images, lost });
    const lines = wantsLines ? reader.lines(read, index, view) : [];
    const text = lines.map((line) => line.text).join('\n');
    return { width, height, ...(wants('text') && { text }), ...(wants('lines') && { lines }) };
  });
  lost.push(...[...(tags?.problems ?? [])].map((why) => ({ what: 'markdown', why })));
  const markdown = tags && marked ? toMarkdown(tags.kids, marked) : null;
  return { pages, ...(wants('markdown') && { markdown }) };
}

interface Collected {
  wantsLines: boolean;
  marked: MarkedTexts | undefined;
  images: PageImages | undefined;
  lost: Dropped[];
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
  return readFiles(pdf, lost).map(({ name, type = null, description = null, content }) => ({
    ...{ name, type, description, bytes: content.length },
    content: Buffer.from(content).toString('base64'),
  }));
}
