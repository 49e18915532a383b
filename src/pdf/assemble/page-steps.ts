/** Steps that select and turn pages. */
import { PdfNumber } from '@libpdf/core';
import { pageView } from '../objects/page-view.ts';
import { selectPages } from '../select/select-pages.ts';
import { type OpenDocument, StepError } from './open-document.ts';
import { choosePages } from './page-choice.ts';

export interface PageStep {
  /** As in `page-choice.ts`. Undefined for all pages. */
  pages: string | undefined;
}

/** The indexes of the pages. Throws `StepError` for a page that the document does not have, or if there is none. */
export function chosenPages(pages: string | undefined, count: number, field = 'pages'): number[] {
  const chosen = choosePages(pages, count);
  const has = `the document has ${count} ${count === 1 ? 'page' : 'pages'}`;
  if ('missing' in chosen) throw new StepError(field, `names page ${chosen.missing}, but ${has}`);
  if (!chosen.length) throw new StepError(field, `leaves no page: ${has}`);
  return chosen;
}

export function selectStep(document: OpenDocument, { pages }: PageStep): void {
  const chosen = chosenPages(pages, document.places.length);
  document.dropped.push(...selectPages(document.pdf, chosen));
  document.places = chosen.map((index) => document.places[index] as OpenDocument['places'][number]);
}

/** `angle` is clockwise. */
export function rotatePages({ pdf, places }: OpenDocument, { pages, angle }: PageStep & { angle: number }): void {
  const all = pdf.pages();
  for (const index of chosenPages(pages, places.length)) {
    const { ref, page } = all[index] as (typeof all)[number];
    const turn = pageView(pdf, page).turn + angle;
    pdf.update(ref, { Rotate: PdfNumber.of(((turn % 360) + 360) % 360) });
  }
}
