/** Where boxes of a document are on its pages, and why each page begins with what it begins. */
import type { LayoutBox } from '../../../in-page/contract/layout.ts';
import type { Place } from '../../../pdf/paged/probes.ts';
import { POINTS_PER_PX } from '../../../units.ts';
import type { LocatedElement } from '../../report-schema.ts';
import type { Corner } from '../corners.ts';
import type { PagedPrint } from '../paged-part.ts';

export type BreakCause = LocatedElement['fragments'][number]['break_before'];

/** The part of a box on a page, with the reason for the page break before it. */
export interface PlacedFragment extends Place {
  cause: BreakCause;
}

/** Chromium rounds the edges of links to whole pixels. */
const TOLERANCE_PX = 2;
const NO_BOX = { x: 0, y: 0, width: 0, height: 0 };

/** What a print tells of boxes. */
interface Found extends Pick<PagedPrint, 'places' | 'area'> {
  /** By the numbers of boxes. */
  corners: ReadonlyMap<number, Corner>;
}

export class PlacedBoxes {
  readonly #places: ReadonlyMap<string, readonly Place[]>;
  readonly #corners: Found['corners'];
  readonly #boxes: readonly LayoutBox[];
  /** Points per CSS pixel. */
  readonly #scale: number;
  readonly #areaOf: PagedPrint['area'];
  readonly #parts = new Map<number, Place[]>();

  /** Links to `KEY:layout-N` and `KEY:layout-N-end` are as `placeLayoutLinks` places them. */
  constructor({ places, corners, area }: Found, boxes: readonly LayoutBox[], scale: number) {
    this.#places = places;
    this.#corners = corners;
    this.#areaOf = area;
    this.#boxes = boxes;
    this.#scale = scale * POINTS_PER_PX;
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
    const parts = this.#boxes[number]?.fromMark ? this.#partsFromMark(number) : this.#partsOfLink(number);
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
  #partsFromMark(number: number): Place[] {
    const { fromMark, toRightPx = null } = this.#boxes[number] ?? {};
    const { x: left, y: above, width, height } = fromMark ?? NO_BOX;
    const scale = this.#scale;
    const widthAt = (page: number, from: number) => {
      if (toRightPx === null) return width * scale;
      const area = this.#areaOf(page);
      const areaPx = Math.ceil(area.width / scale); // boxes are laid out in whole pixels
      return area.left + (areaPx - toRightPx) * scale - from;
    };
    return this.#startsOf(number).flatMap(({ page, x, y }) => {
      const from = x + left * scale;
      return this.#divide({ page, x: from, y: y + above * scale, width: widthAt(page, from), height: height * scale });
    });
  }

  /** Where the links in a box are, or its destination. */
  #startsOf(number: number): Array<Pick<Place, 'page' | 'x' | 'y'>> {
    const corner = this.#corners.get(number);
    if (!corner) return [...new Map(this.#places.get(`layout-${number}`)?.map((link) => [link.page, link])).values()]; // Chromium writes one in a line twice
    const { left, top } = this.#areaOf(corner.page);
    return [{ page: corner.page, x: left + corner.xPx * this.#scale, y: top + corner.yPx * this.#scale }];
  }

  #divide(part: Place): Place[] {
    const { page, y, height } = part;
    const area = this.#areaOf(page);
    const missing = area.top - y;
    if (page === 0 || missing <= TOLERANCE_PX * this.#scale) return [part];
    const before = this.#areaOf(page - 1);
    const earlier = { ...part, page: page - 1, y: before.top + before.height - missing, height: missing };
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
    return y - this.#areaOf(page).top <= (leadPx + TOLERANCE_PX) * this.#scale;
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
    if (before?.page !== page - 1) return undefined;
    const area = this.#areaOf(page - 1);
    return area.top + area.height - before.y - before.height;
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
