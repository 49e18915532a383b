/** Finds the margin boxes in which elements run, and where they are on each page: style sheets and a print in, boxes to paint out. */
import { type PageFacts, selectsPage, specificityOf } from '../../chromium/page-css/page-selectors.ts';
import type { MarginDeclaration } from '../../chromium/page-css/paged-properties.ts';
import type { OverlayBox } from '../../in-page/contract/overlay.ts';
import type { PageArea } from '../../pdf/paged/page-areas.ts';

/** An element that runs from the page with this index on. */
export interface RunningElement {
  name: string;
  /** The index of its painter. */
  index: number;
  page: number;
  /** Whether nothing is before it on its page. */
  isAtTop: boolean;
}

/** A page, and its area between the margins. */
export interface PageFrame extends PageArea {
  facts: PageFacts;
  scale: number;
}

type Winner = { value: string; element: MarginDeclaration['element'] };
type Rectangle = Record<'x' | 'y' | 'width' | 'height', number>;

const NOTHING = /^(?:none|normal)$/i;
/** The first, second or third of the three places along an edge. */
const PLACES: Record<string, number> = { left: 0, top: 0, center: 1, middle: 1, right: 2, bottom: 2 };
const ALIGNED = ['left', 'center', 'right'];

/** The boxes of one page. `numbers` are those that the pages show. */
export function runningBoxes(
  declarations: readonly MarginDeclaration[],
  running: readonly RunningElement[],
  frame: PageFrame,
  numbers: readonly number[],
): OverlayBox[] {
  const page = frame.facts.number - 1;
  const applied = declarations.filter((each) => selectsPage(each.pages, frame.facts)).sort(bySpecificity);
  const boxes = Map.groupBy(applied, ({ box }) => box);
  const winners = new Map(Array.from(boxes, ([box, all]) => [box, findWinner(all)]));
  return [...winners].flatMap(([box, winner]): OverlayBox[] => {
    const shown = winner?.element && elementOn(winner.element, running, page);
    if (!shown) return [];
    const styles = boxes.get(box)?.filter(({ property }) => property !== 'content' && property !== '') ?? [];
    const style = styles.map(({ property, value }) => `${property}: ${value}`).join('; ');
    const texts = { style, page: String(numbers[page]), pages: String(numbers.length), align: alignmentOf(box) };
    return [{ ...placeBox(box, winners, frame), scale: frame.scale, name: `running-${shown.index}`, texts }];
  });
}

function bySpecificity(one: MarginDeclaration, other: MarginDeclaration): number {
  return specificityOf(one.pages) - specificityOf(other.pages);
}

function findWinner(declarations: readonly MarginDeclaration[]): Winner | undefined {
  return declarations.findLast(({ property }) => property === 'content');
}

/** The element that is shown on a page: one that begins there, or the last before. */
function elementOn(
  { name, position }: NonNullable<Winner['element']>,
  running: readonly RunningElement[],
  page: number,
): RunningElement | undefined {
  const named = running.filter((each) => each.name === name);
  const before = named.findLast((each) => each.page < page);
  const on = named.filter((each) => each.page === page);
  if (!on.length) return before;
  if (position === 'first-except') return undefined;
  if (position === 'start' && !on[0]?.isAtTop) return before;
  return position === 'last' ? on.at(-1) : on[0];
}

function alignmentOf(box: string): string {
  return /-corner$|^(?:left|right)-/.test(box) ? 'center' : (ALIGNED[PLACES[box.split('-')[1] ?? ''] ?? 0] ?? 'left');
}

/** A box that is alone at its edge has all of it, others have a third each. */
function placeBox(box: string, winners: ReadonlyMap<string, Winner | undefined>, frame: PageFrame): Rectangle {
  const { left, top, width, height, pageWidth, pageHeight } = frame;
  const [edge = '', place = ''] = box.split('-');
  const columns: Span[] = [
    [0, left],
    [left, width],
    [left + width, pageWidth - left - width],
  ];
  const rows: Span[] = [
    [0, top],
    [top, height],
    [top + height, pageHeight - top - height],
  ];
  const isCorner = box.endsWith('-corner');
  const others = [...winners].filter(
    ([other, winner]) => isShown(winner) && other.startsWith(`${edge}-`) && !other.endsWith('-corner'),
  );
  const share = (span: Span): Span => (isCorner || others.length < 2 ? span : thirdOf(span, PLACES[place] ?? 0));
  const isRow = edge === 'top' || edge === 'bottom';
  const across = isRow && !isCorner ? share(columns[1] as Span) : columns[PLACES[isCorner ? place : edge] ?? 0];
  const down = isRow ? rows[PLACES[edge] ?? 0] : share(rows[1] as Span);
  const [[x, boxWidth], [y, boxHeight]] = [across as Span, down as Span];
  return { x, y, width: boxWidth, height: boxHeight };
}

type Span = [from: number, length: number];

function thirdOf([from, length]: Span, third: number): Span {
  return [from + (length * third) / 3, length / 3];
}

function isShown(winner: Winner | undefined): boolean {
  return winner !== undefined && !NOTHING.test(winner.value);
}
