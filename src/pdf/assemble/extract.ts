/** Reads what a PDF holds: text, metadata, bookmarks, form fields and the names of attachments. */
import { readXmp } from '../edit/read-xmp.ts';
import type { Dropped } from '../merge/merge-catalog.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { pageView } from '../objects/page-view.ts';
import { PageTexts, type TextLine } from '../redact/page-text.ts';
import { type Bookmark, toBookmarks } from '../structure/outline.ts';
import { readFiles } from './files.ts';
import { type InformationEntries, readInformation } from './information.ts';

export const EXTRACTED = ['text', 'lines', 'metadata', 'bookmarks', 'fields', 'attachments'] as const;

export interface ExtractStep {
  what: ReadonlyArray<(typeof EXTRACTED)[number]>;
}

export interface Extracted {
  pages: Array<{ width: number; height: number; text?: string; lines?: TextLine[] }>;
  /** Entries of the information dictionary, and properties of the XMP packet by their names. */
  metadata?: InformationEntries & { xmp: ReturnType<typeof readXmp> };
  bookmarks?: Bookmark[];
  fields?: Array<{ name: string; type: string; value: unknown }>;
  attachments?: Array<{ name: string; type: string | null; description: string | null; bytes: number; content: string }>;
}

export function extract(pdf: ForeignPdf, { what }: ExtractStep, lost: Dropped[]): Extracted {
  const wants = (each: (typeof EXTRACTED)[number]) => what.includes(each);
  return {
    pages: extractPages(pdf, wants('text'), wants('lines')),
    ...(wants('metadata') && { metadata: { ...readInformation(pdf), xmp: readPacket(pdf, lost) } }),
    ...(wants('bookmarks') && { bookmarks: toBookmarks(pdf) }),
    ...(wants('fields') && { fields: readFields(pdf) }),
    ...(wants('attachments') && { attachments: readAttachments(pdf, lost) }),
  };
}

function readPacket(pdf: ForeignPdf, lost: Dropped[]): ReturnType<typeof readXmp> {
  try {
    return readXmp(Buffer.from(pdf.stream(pdf.catalog, 'Metadata')?.getDecodedData() ?? []).toString());
  } catch {
    lost.push({ what: 'xmp', why: 'the XMP packet cannot be read' });
    return {};
  }
}

function extractPages(pdf: ForeignPdf, hasText: boolean, hasLines: boolean): Extracted['pages'] {
  const texts = new PageTexts(pdf);
  return pdf.pages().map(({ ref, page }, index) => {
    const view = pageView(pdf, page);
    const [width, height] = view.turn % 180 ? [view.height, view.width] : [view.width, view.height];
    const lines = hasText || hasLines ? texts.read(index, ref, page, view) : [];
    const text = lines.map((line) => line.text).join('\n');
    return { width, height, ...(hasText && { text }), ...(hasLines && { lines }) };
  });
}

function readFields(pdf: ForeignPdf): NonNullable<Extracted['fields']> {
  const fields = pdf.pdf.getForm()?.getFields() ?? [];
  return fields.map((field) => ({ name: field.name, type: field.type, value: 'getValue' in field ? field.getValue() : null }));
}

function readAttachments(pdf: ForeignPdf, lost: Dropped[]): NonNullable<Extracted['attachments']> {
  return readFiles(pdf, lost).map(({ name, type = null, description = null, content }) => ({
    ...{ name, type, description, bytes: content.length },
    content: Buffer.from(content).toString('base64'),
  }));
}
