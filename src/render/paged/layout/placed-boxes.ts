/** Where boxes of a document are on its pages, and why each page begins with what it begins. */
import type { LayoutBox } from '../../../in-page/contract/layout.ts';
import type { Place } from '../../../pdf/paged/probes.ts';
import type { LocatedElement } from '../../report-schema.ts';

export type BreakCause = LocatedElement['fragments'][number]['break_before'];

/** The part of a box on a page, with the reason for the page break before it. */
export interface PlacedFragment extends Place {
  cause: BreakCause;
}

const POINTS_PER_PX = 0.75;
/** Chromium rounds the edges of links to whole pixels. */
const TOLERANCE_PX = 2;
const NO_BOX = { x: 0, y: 0, width: 0, height: 0 };

export class PlacedBoxes {
  readonly #places: ReadonlyMap<string, readonly Place[]>;
  readonly #boxes: readonly LayoutBox[];
  /** Points per CSS pixel. */
  readonly #scale: number;
  /** The edges of each page between its margins. */
  readonly #areas = new Map<number, Record<'top' | 'right' | 'bottom', number>>();
  readonly #parts = new Map<number, Place[]>();

  /**
   * Links to `KEY:pages`, `KEY:layout-N` and `KEY:layout-N-end` are as `placeLayoutLinks` places them. `morePx` is what boxes are wider than
   * the links over pages.
   */
  constructor(places: ReadonlyMap<string, readonly Place[]>, boxes: readonly LayoutBox[], scale: number, morePx: number) {
    this.#places = places;
    this.#boxes = boxes;
    this.#scale = scale * POINTS_PER_PX;
    for (const { page, x, y, width, height } of places.get('pages') ?? []) {
      const { top, bottom } = this.#areas.get(page) ?? { top: y, bottom: y };
      this.#areas.set(page, {
        top: Math.min(top, y),
        right: x + width + morePx * this.#scale,
        bottom: Math.max(bottom, y + height),
      });
    }
  }

  fragments(number: number): PlacedFragment[] {
    const parts = this.#partsOf(number);
    const isRepeated =
      parts.length > 1 && (this.#places.get(`layout-${number}`)?.length ?? 0) > 1 && !this.#places.has(`layout-${number}-end`);
    return parts.map((part, index) => ({ ...part, cause: isRepeated ? null : this.#causeBefore(number, parts, index) }));
  }

  /** The box on each page. */
  #partsOf(number: number): Place[] {
    const known = this.#parts.get(number);
    if (known) return known;
    const parts = this.#boxes[number]?.fromLink ? this.#partsFromLink(number) : this.#partsOfLink(number);
    this.#parts.set(number, parts);
    return parts;
  }

  /** A link over a box reaches to the end of the last page. */
  #partsOfLink(number: number): Place[] {
    const byPage = Map.groupBy(this.#places.get(`layout-${number}`) ?? [], ({ page }) => page);
    const end = this.#places.get(`layout-${number}-end`)?.at(-1);
    return Array.from(byPage.values(), enclose)
      .filter(({ page }) => !end || page <= end.page)
      .map((part) => (part.page === end?.page ? { ...part, height: Math.max(0, end.y + end.height - part.y) } : part));
  }

  /** A link in a box is at its end. Without the box at the top of a page, its beginning is on the page before. */
  #partsFromLink(number: number): Place[] {
    const { fromLink, toRightPx = null } = this.#boxes[number] ?? {};
    const { x: left, y: above, width, height } = fromLink ?? NO_BOX;
    const scale = this.#scale;
    const widthAt = (page: number, from: number) => {
      const right = toRightPx === null ? undefined : this.#areas.get(page)?.right;
      return right === undefined ? width * scale : right - (toRightPx ?? 0) * scale - from;
    };
    const links = new Map(this.#places.get(`layout-${number}`)?.map((link) => [link.page, link])); // Chromium writes one in a line twice
    return [...links.values()].flatMap(({ page, x, y }) => {
      const from = x + left * scale;
      return this.#divide({ page, x: from, y: y + above * scale, width: widthAt(page, from), height: height * scale });
    });
  }

  #divide(part: Place): Place[] {
    const { page, y, height } = part;
    const [area, before] = [this.#areas.get(page), this.#areas.get(page - 1)];
    const missing = (area?.top ?? 0) - y;
    if (!area || !before || missing <= TOLERANCE_PX * this.#scale) return [part];
    const earlier = { ...part, page: page - 1, y: before.bottom - missing, height: missing };
    return [...this.#divide(earlier), { ...part, y: area.top, height: height - missing }];
  }

  #causeBefore(number: number, parts: readonly Place[], index: number): BreakCause {
    const part = parts[index];
    if (!part || part.page === 0) return null;
    if (index === 0) return this.#begins(number, part) ? this.#causeOf(number, part) : null;
    const last = this.#boxes[number]?.last ?? number;
    for (let inner = number + 1; inner <= last; inner++) {
      const [first] = this.#partsOf(inner);
      if (first?.page === part.page && this.#begins(inner, first)) return this.#causeOf(inner, first);
    }
    return this.#keepsLines(number, parts, index) ? 'widows' : 'does_not_fit';
  }

  /** Whether the box is the first on its page. */
  #begins(number: number, { page, y }: Place): boolean {
    const { leadPx = 0, previous = null } = this.#boxes[number] ?? {};
    if (previous !== null && this.#partsOf(previous).at(-1)?.page === page) return false;
    return y - (this.#areas.get(page)?.top ?? 0) <= (leadPx + TOLERANCE_PX) * this.#scale;
  }

  #causeOf(number: number, { page }: Place): BreakCause {
    const box = this.#boxes[number];
    if (!box || box.isForced) return 'forced';
    if (box.isMonolithic) return 'monolithic';
    const room = this.#roomBefore(box, page);
    const fitsLine = room === undefined || room >= box.linePx * this.#scale;
    if (box.isAvoided) return fitsLine ? 'avoided' : 'does_not_fit';
    return room !== undefined && fitsLine && box.lines > 1 ? 'widows' : 'does_not_fit';
  }

  /** The room that is left on the page before, if the box before is known. */
  #roomBefore({ previous }: LayoutBox, page: number): number | undefined {
    const before = previous === null ? undefined : this.#partsOf(previous).at(-1);
    const area = this.#areas.get(page - 1);
    return before && area && before.page === page - 1 ? area.bottom - before.y - before.height : undefined;
  }

  /** Whether a line more would fit on the page before the last part of a text. */
  #keepsLines(number: number, parts: readonly Place[], index: number): boolean {
    const { lines = 0, linePx = 0 } = this.#boxes[number] ?? {};
    const line = linePx * this.#scale;
    if (!lines || index < parts.length - 1) return false;
    const countLines = (part: Place | undefined) => Math.floor((part?.height ?? 0) / line + 0.05);
    const earlier = parts.slice(0, index - 1).reduce((sum, part) => sum + countLines(part), 0);
    const last = Math.round((parts[index]?.height ?? 0) / line);
    return countLines(parts[index - 1]) > lines - last - earlier;
  }
}

function enclose(places: readonly Place[]): Place {
  const [x, y] = [Math.min(...places.map((each) => each.x)), Math.min(...places.map((each) => each.y))];
  const right = Math.max(...places.map((each) => each.x + each.width));
  const bottom = Math.max(...places.map((each) => each.y + each.height));
  return { page: places[0]?.page ?? 0, x, y, width: right - x, height: bottom - y };
}
