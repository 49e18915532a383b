/** Removes what a PDF says of all of its pages together and what cannot be divided, when some of the pages go. */
import { PdfStream } from '@libpdf/core';
import type { Dropped } from '../merge/merge-catalog.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';

export type Lost = Omit<Dropped, 'part'>;

const WHY = 'it may tell what was on pages that were removed';
/** Entries of the catalog, or of a dictionary in it. */
const OF_ALL_PAGES = [
  ['AcroForm', 'XFA', 'XFA'],
  ['', 'PieceInfo', 'private data of applications'],
  ['', 'DPartRoot', 'document parts'],
  ['', 'SpiderInfo', 'web capture data'],
  ['Names', 'IDS', 'web capture data'],
  ['Names', 'URLS', 'web capture data'],
] as const;

export function dropDataOfWhole(pdf: ForeignPdf): Lost[] {
  const lost = new Set<string>();
  for (const [parent, entry, what] of OF_ALL_PAGES) {
    const holder = parent ? pdf.dict(pdf.catalog, parent)?.clone() : pdf.catalog;
    if (!holder?.has(entry)) continue;
    holder.delete(entry);
    if (parent) pdf.catalog.set(parent, holder);
    lost.add(what);
  }
  if (lost.has('document parts')) leaveDocumentParts(pdf);
  dropThumbnails(pdf);
  return [...lost].map((what) => ({ what, why: WHY }));
}

/** Pages lead back to their parts (ISO 16612-2). */
function leaveDocumentParts(pdf: ForeignPdf): void {
  for (const { ref, page } of pdf.pages()) {
    const copy = page.clone();
    copy.delete('DPart');
    pdf.change(ref, copy);
  }
}

const THUMBNAILS = /<(\w{1,20}:Thumbnails)[\s>]/;

/** Pictures of pages in the XMP packet, mostly of the first one. */
function dropThumbnails(pdf: ForeignPdf): void {
  const packet = decode(pdf.stream(pdf.catalog, 'Metadata'));
  const name = THUMBNAILS.exec(packet)?.[1];
  const end = packet.indexOf(`</${name}>`);
  if (!name || end < 0) return;
  const left = packet.slice(0, packet.indexOf(`<${name}`)) + packet.slice(end + `</${name}>`.length);
  const entries = [...(pdf.stream(pdf.catalog, 'Metadata') ?? [])].filter(([{ value }]) => !ENCODING.includes(value));
  pdf.catalog.set(
    'Metadata',
    pdf.add(
      new PdfStream(
        entries.map(([{ value }, entry]) => [value, entry]),
        Buffer.from(left, 'latin1'),
      ),
    ),
  );
}

const ENCODING = ['Filter', 'DecodeParms', 'Length'];

/** Empty for a stream that cannot be read. */
function decode(stream: PdfStream | undefined): string {
  try {
    return Buffer.from(stream?.getDecodedData() ?? []).toString('latin1');
  } catch {
    return '';
  }
}
