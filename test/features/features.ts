/** All documents of this folder, by subject. */
import { BREAKS, TABLE_BREAKS } from './breaks.ts';
import type { Area, Feature } from './feature.ts';
import { BOOKMARKS, LEADERS, REFERENCES, RUNNING, STRINGS } from './generated.ts';
import { MARGIN_BOXES, PAGE_NUMBERS } from './margins.ts';
import { FOOTNOTES, WORDS } from './notes.ts';
import { SELECTORS, SIZES } from './pages.ts';
import { Printed } from './printed.ts';

export const AREAS: readonly Area[] = [
  SIZES,
  SELECTORS,
  MARGIN_BOXES,
  PAGE_NUMBERS,
  STRINGS,
  RUNNING,
  REFERENCES,
  LEADERS,
  FOOTNOTES,
  BREAKS,
  TABLE_BREAKS,
  BOOKMARKS,
  WORDS,
];

export interface Outcome {
  isRight: boolean;
  pages: number;
  /** The text of each page, to see what is wrong. */
  texts: string[];
}

/** Says whether a PDF shows what the feature promises. A check that does not find what it looks for says no. */
export async function judge({ check }: Feature, pdf: Uint8Array): Promise<Outcome> {
  const print = await Printed.read(pdf);
  const isRight = await Promise.resolve()
    .then(() => check(print))
    .catch(() => false);
  return { isRight, pages: print.pages.length, texts: print.texts };
}
