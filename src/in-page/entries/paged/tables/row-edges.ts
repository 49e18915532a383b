/**
 * Tells how far rows that share borders with others reach around the paddings of their cells, when each is painted as a table of its own:
 * rows in, lengths in CSS pixels out. They must not be hidden yet.
 */
import { read } from '../../../dom/nodes.ts';

export interface RowEdges {
  top: number;
  bottom: number;
  left: number;
  /** At the left and the right. */
  across: number;
  /** Where the border of the next row of its section is that of this row. */
  shared: Array<'top' | 'bottom'>;
}

type Side = 'top' | 'right' | 'bottom' | 'left';

/**
 * Half of a shared border is in each row. Hidden rows have none, so that their paddings begin beside the border of a row that is shown, and
 * at the paddings of another hidden row. Links are on whole pixels: the middle of a pixel becomes its end.
 */
export function measureEdges(row: HTMLTableRowElement, hidden: readonly HTMLTableRowElement[]): RowEdges {
  const isHidden = (other: HTMLTableRowElement | undefined) => other !== undefined && hidden.includes(other);
  const [above, below] = [neighbourOf(row, 'previousElementSibling'), neighbourOf(row, 'nextElementSibling')];
  const [top, bottom] = [borderOf(row, 'top'), borderOf(row, 'bottom')];
  const sharesTop = isSibling(above, row) && borderOf(above, 'bottom') >= top;
  const sharesBottom = isSibling(below, row) && !isHidden(below) && borderOf(below, 'top') > bottom;
  return {
    top: sharesTop ? 0 : !above || isHidden(above) ? top : (top + borderOf(above, 'bottom')) / 2,
    bottom: sharesBottom ? 0 : !below || isHidden(below) ? bottom : (bottom + borderOf(below, 'top')) / 2,
    left: Math.ceil(borderOf(row, 'left') / 2),
    across: (borderOf(row, 'left') + borderOf(row, 'right')) / 2,
    shared: [...(sharesTop ? ['top' as const] : []), ...(sharesBottom ? ['bottom' as const] : [])],
  };
}

/** Rows of other sections may be different ones on each page. */
function isSibling(other: HTMLTableRowElement | undefined, row: HTMLTableRowElement): boolean {
  return other !== undefined && read(other, 'parentElement') === read(row, 'parentElement');
}

/** The next row in this direction, which may be in the next section. */
function neighbourOf(
  row: HTMLTableRowElement,
  direction: 'previousElementSibling' | 'nextElementSibling',
): HTMLTableRowElement | undefined {
  const sibling = read(row, direction) ?? read(read(row, 'parentElement') as Element, direction);
  if (sibling instanceof HTMLTableRowElement) return sibling;
  if (!(sibling instanceof HTMLTableSectionElement)) return undefined;
  return [...sibling.rows].at(direction === 'nextElementSibling' ? 0 : -1);
}

/** The thickest border of a row and of its cells at this side. */
function borderOf(row: HTMLTableRowElement | undefined, side: Side): number {
  const cells = [...(row?.cells ?? [])];
  const inOrder = row && getComputedStyle(row).direction === 'rtl' ? cells.toReversed() : cells;
  const outer = { top: cells, bottom: cells, left: inOrder.slice(0, 1), right: inOrder.slice(-1) }[side];
  const styles = [...(row ? [row] : []), ...outer].map((each) => getComputedStyle(each));
  return Math.max(0, ...styles.map((style) => Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) || 0));
}
