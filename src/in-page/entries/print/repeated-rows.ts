/**
 * Finds header and footer rows of tables that Chromium does not repeat on every page, because they are higher than a quarter of it or
 * may break (`max_section_block_size`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/layout/table/table_layout_algorithm.cc).
 */
import { MAX_ROW_GROUPS } from '../../contract/limits.ts';
import type { UnrepeatedRows } from '../../contract/questions.ts';
import { elementName } from '../../dom/names.ts';
import { selectIn } from '../../dom/roots.ts';
import { isHiddenWhole } from '../../dom/visibility.ts';
import { withHeadsAlone } from './heads-alone.ts';

const HIGHEST_REPEATED = 1 / 4;
/** The layout on the screen is different, so that it only tells whether it is worthwhile to lay out the page. */
const SUSPICIOUS = 0.1;
/** Heads are as narrow and as high as they can become. */
const NARROW = `table { table-layout: auto !important; width: min-content !important; min-width: 0 !important }
td, th, col, colgroup { width: auto !important }`;

/**
 * Ask it in a window of the size of the page. In another window or of a hidden document, where `isPage` is false, it may list too many.
 */
export function findUnrepeatedRows(heightPx: number, isPage: boolean): UnrepeatedRows[] {
  if (!isHiddenWhole()) return findRows(heightPx * (isPage ? HIGHEST_REPEATED : SUSPICIOUS), heightPx / (isPage ? 1 : 2));
  return withHeadsAlone(() => findRows(isHiddenWhole() ? 0 : heightPx * SUSPICIOUS, 0), NARROW);
}

/** Lists groups that are higher than `rowsPx` in tables that are higher than `tablePx`. */
function findRows(rowsPx: number, tablePx: number): UnrepeatedRows[] {
  const groups = [...selectIn(document, 'thead, tfoot')].slice(0, MAX_ROW_GROUPS);
  return groups.flatMap((group) => {
    const { display, breakInside } = getComputedStyle(group);
    const isRepeated = group.offsetHeight <= rowsPx && breakInside.startsWith('avoid');
    const isGroup = display === 'table-header-group' || display === 'table-footer-group';
    if (isRepeated || !isGroup || !group.offsetHeight || (group.parentElement?.offsetHeight ?? 0) <= tablePx) return [];
    return [{ element: elementName(group), display }];
  });
}
