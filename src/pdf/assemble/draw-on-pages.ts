/** Steps that draw pages of one PDF over or under those of another. */
import { PDF } from '@libpdf/core';
import { balanceOf } from '../content/graphics-balance.ts';
import { EmbeddedLayers } from '../edit/embedded-layers.ts';
import { type EmbeddedPage, embedPages, FILLING, isCut, type Placement, placement } from '../edit/embedded-page.ts';
import { PageDrawing } from '../edit/stamp.ts';
import { pageView } from '../objects/page-view.ts';
import { type OpenDocument, StepError } from './open-document.ts';
import { chosenPages } from './page-steps.ts';

export interface DrawStep extends Placement {
  source: Uint8Array;
  /** Whether another program made the source. */
  isForeign: boolean;
  /** The member that names the source. */
  sourceField?: string | undefined;
  /** For each page, what is drawn on it if it is chosen: the index of a page of the source. Empty for its first page. */
  sourcePages: number[];
  /** Whether it is a text, all of which is meant to be seen. */
  isText?: boolean;
  pages: string | undefined;
  layer: 'over' | 'under';
  opacity: number;
}

export async function drawOnPages({ pdf, places, check, cut }: OpenDocument, step: DrawStep): Promise<void> {
  const drawing = new PageDrawing(pdf, step);
  const source = await openSource(step, check);
  const layers = new EmbeddedLayers(pdf, source);
  const chosen = chosenPages(step.pages, places.length);
  const sourceOf = (index: number) => step.sourcePages[index] ?? 0;
  const embedded = await embedPages(pdf.pdf, source, chosen.map(sourceOf));
  const forms = [...embedded.values()].map(({ ref }) => ref);
  layers.adopt(forms);
  if (step.opacity < 1) for (const form of forms) drawing.makeGroup(form);
  const pages = pdf.pages();
  for (const index of chosen) {
    const { ref, page } = pages[index] as (typeof pages)[number];
    const drawn = embedded.get(sourceOf(index)) as EmbeddedPage;
    const balance = step.layer === 'over' ? balanceOf(pdf, page) : undefined;
    const view = pageView(pdf, page);
    const matrix = placement(view, drawn, step);
    if (step.isText && isCut(view, drawn, matrix)) cut.push(index + 1);
    drawing.drawOn(ref, drawn, matrix, balance);
  }
}

async function openSource(
  { source: content, sourceField = 'file' }: Pick<DrawStep, 'source' | 'sourceField'>,
  check: OpenDocument['check'],
): Promise<PDF> {
  try {
    check(content);
    const source = await PDF.load(content);
    if (source.isEncrypted && !source.isAuthenticated) throw new Error('it has a password');
    if (source.getPageCount()) return source;
  } catch {}
  throw new StepError(sourceField, 'is damaged, is protected by a password, or is not a PDF');
}

export interface LetterheadStep extends Pick<DrawStep, 'source' | 'sourceField'> {
  pages: string | undefined;
}

/** The first page of the letterhead is below the first page, and so on. Its last page is also below all that follow. */
export async function putOnLetterhead(document: OpenDocument, step: LetterheadStep): Promise<void> {
  const { source, pages } = step;
  const count = (await openSource(step, document.check)).getPageCount();
  const sourcePages: number[] = [];
  for (const [number, index] of chosenPages(pages, document.places.length).entries())
    sourcePages[index] = Math.min(number, count - 1);
  await drawOnPages(document, { source, isForeign: true, pages, sourcePages, layer: 'under', opacity: 1, ...FILLING });
}
