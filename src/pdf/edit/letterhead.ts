/**
 * A letterhead: a PDF of any program in, form XObjects that are drawn under the pages of prints out. It is prepared once, in a process for
 * untrusted PDFs, and then drawn without being parsed.
 */
import { PDF, PdfDict, PdfNumber, type PdfRef, PdfStream } from '@libpdf/core';
import { compressStreams } from '../compress/compress-streams.ts';
import { LETTERHEAD, type Letterhead } from '../finish-settings.ts';
import { listReachable } from '../objects/foreign-pdf.ts';
import type { PageView } from '../objects/page-view.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { replaceReferences, STREAM } from '../objects/raw-file.ts';
import { decimal, toText } from '../objects/syntax.ts';
import { ChangedPrint, streamOf } from './changed-print.ts';
import { embedPages, FILLING, placement } from './embedded-page.ts';
import { PrintedPages } from './printed-pages.ts';
import { BEGIN } from './stamp.ts';

/** `source` is a copy, which changes. */
export async function toLetterhead(source: PDF): Promise<Letterhead> {
  const own = PDF.create();
  const embedded = [...(await embedPages(own, source, Array(source.getPageCount()).keys())).values()];
  const forms = embedded.map(({ ref }) => ref);
  const reader = new PdfReader(own);
  const reached = [...listReachable(reader, forms)];
  const smaller = compressForms(reader, forms);
  const ids = new Map(reached.map(({ id }, index) => [id, index + 1]));
  const renumber = (id: number) => (ids.has(id) ? `${ids.get(id)} 0 R` : 'null');
  const objects = reached.map(({ id, value: original }) => {
    const value = smaller.get(id) ?? original;
    const data = value instanceof PdfStream ? Uint8Array.from(value.data) : undefined;
    if (data) (value as PdfStream).set('Length', PdfNumber.of(data.length));
    return { text: replaceReferences(toText(value), renumber), data };
  });
  const pages = embedded.map(({ ref, box, turn }) => ({ form: ids.get(ref.objectNumber) as number, box: { ...box }, turn }));
  const bytes = objects.reduce((sum, { text, data }) => sum + text.length + (data?.length ?? 0), 0);
  return { objects, pages, bytes };
}

/** Prints do not compress it again. */
function compressForms(reader: PdfReader, forms: readonly PdfRef[]): Map<number, PdfStream> {
  const smaller = new Map<number, PdfStream>();
  const drawn = PdfDict.of(Object.fromEntries(forms.map((ref, index) => [String(index), ref])));
  const page = PdfDict.of({ Resources: PdfDict.of({ XObject: drawn }) });
  compressStreams(reader, [page], ({ objectNumber }, stream) => smaller.set(objectNumber, stream));
  return smaller;
}

/**
 * Draws the pages of the letterhead under those of a print, as artifacts: the first under the first, and so on, and the last also under all
 * that follow.
 */
export function withLetterhead(printed: Buffer, letterhead: Letterhead | undefined): Buffer {
  if (!letterhead) return printed;
  const { objects, pages } = letterhead;
  const file = new PrintedPages(printed);
  const changed = new ChangedPrint(file, '1.7');
  const shift = file.size - 1;
  for (const [index, { text, data }] of objects.entries()) {
    const renumbered = replaceReferences(text, (id) => `${id + shift} 0 R`);
    changed.put(index + 1 + shift, renumbered, ...(data ? [`\n${STREAM}`, data, '\nendstream'] : []));
  }
  const drawings = new Map<string, number>();
  for (const index of file.pages.keys()) {
    const under = pages[Math.min(index, pages.length - 1)] as Letterhead['pages'][number];
    const matrix = placement(viewOf(file, index), under, FILLING).map(decimal).join(' ');
    const content = `${BEGIN} q ${matrix} cm /${LETTERHEAD} Do Q EMC`;
    const known = drawings.get(content) ?? shift + objects.length + drawings.size + 1;
    if (!drawings.has(content)) changed.put(known, streamOf(content));
    drawings.set(content, known);
    changed.drawOn(index, { name: LETTERHEAD, form: under.form + shift }, (own) => [known, ...own]);
  }
  return changed.end();
}

/** Pages of Chromium begin at 0, and are not turned. */
function viewOf(file: PrintedPages, page: number): PageView {
  return { left: 0, bottom: 0, ...file.pageSize(page), turn: 0 };
}
