/**
 * Finds header and footer rows of tables that Chromium does not repeat on every page, because they are higher than a quarter of it or
 * may break (`NGTableAlgorithmUtils`: third_party/blink/renderer/core/layout/table/table_layout_algorithm.cc). The functions below
 * are sent as text and run in the page, so that they may use only each other.
 */
import { Type } from 'typebox';
import { shape } from '../devtools/evaluate.ts';
import { FRAMES, type selectIn as SelectIn } from '../in-page/page-frames.ts';
import { NAME_FUNCTIONS } from './content-clipping.ts';

/** Matches markup with rows that may be repeated. */
export const MAY_REPEAT = /<t(?:head|foot)\b|table-(?:header|footer)-group/i;

export interface UnrepeatedRows {
  element: string;
  /** `table-header-group` or `table-footer-group`. */
  display: string;
}

const MAX_TABLES = 1_000;
/** The layout on the screen is different, so that it only tells whether it is worthwhile to lay out the page. */
const SUSPICIOUS = 0.1;

/** Evaluates to a list of `UnrepeatedRows`, in a window of the size of the page. In another window, it may list too many. */
export function unrepeatedExpression(heightPx: number, isPage: boolean): string {
  const most = isPage ? heightPx / 4 : heightPx * SUSPICIOUS;
  const table = isPage ? heightPx : heightPx / 2;
  return `(() => { ${[...FRAMES, ...NAME_FUNCTIONS, unrepeatedRows].join('\n')}
    try { return unrepeatedRows(${most}, ${table}, ${MAX_TABLES}) } catch { return [] } })()`;
}

/** What `unrepeatedExpression` evaluates to. */
export const UNREPEATED = shape(
  Type.Array(
    Type.Object({
      element: Type.String(),
      display: Type.Union([Type.Literal('table-header-group'), Type.Literal('table-footer-group')]),
    }),
    { maxItems: MAX_TABLES },
  ),
);

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageElement {
  parentElement: PageElement | null;
  offsetHeight: number;
}
declare const document: object;
declare const selectIn: typeof SelectIn;
declare const nameOf: (element: PageElement) => string;
declare const getComputedStyle: (element: PageElement) => { display: string; breakInside: string };

function unrepeatedRows(mostPx: number, tablePx: number, atMost: number): UnrepeatedRows[] {
  const groups = [...selectIn<PageElement>(document, 'thead, tfoot')].slice(0, atMost);
  return groups.flatMap((group) => {
    const { display, breakInside } = getComputedStyle(group);
    const isRepeated = group.offsetHeight <= mostPx && breakInside.startsWith('avoid');
    const isGroup = display === 'table-header-group' || display === 'table-footer-group';
    if (isRepeated || !isGroup || !group.offsetHeight || (group.parentElement?.offsetHeight ?? 0) <= tablePx) return [];
    return [{ element: nameOf(group), display }];
  });
}
