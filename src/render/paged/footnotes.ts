/**
 * Footnotes: each is painted at the bottom of the page of its call. All pages reserve the same room, which the first print chooses; what does
 * not fit goes on to the next page.
 */
import { divideFootnotes, measureFootnotes, numberFootnotes, reserveFootnotes } from '../../chromium/paged/footnotes.ts';
import type { PagedWorld } from '../../chromium/paged/paged-world.ts';
import { ServiceError } from '../../errors.ts';
import type { OverlayBox } from '../../in-page/contract/overlay.ts';
import type { PagedFootnote } from '../../in-page/contract/paged.ts';
import type { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import type { PrintedView } from '../../pdf/objects/inspect.ts';
import { readPageView } from '../../pdf/paged/page-areas.ts';
import type { OverlayBoxes } from './overlay.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';

const POINTS_PER_PX = 0.75;
/** The share of a page that footnotes take without being divided. */
const MAX_WHOLE = 0.3;
/** The shares of a page that are reserved for more, of which the first counts that leaves none on more than two pages. */
const SHARES = [MAX_WHOLE, 0.4, 0.5, 0.6, 0.7];
const MAX_SHARE = 0.7;
/** How often the reserve grows because other footnotes came to a page. After that, they are divided. */
const MAX_RAISES = 2;

const LIMIT = `more than ${Math.round(MAX_SHARE * 100)} % of a page`;
const UNDIVIDED = `a footnote has a part that cannot be divided and takes ${LIMIT}; make it smaller`;
const NO_ROOM = `footnotes of the last page take ${LIMIT}; shorten them, or add an empty page`;

/** The footnotes of a page, or the part of it of footnotes that are divided between pages. */
interface Portion {
  numbers: number[];
  part: number;
  parts: number;
  /** CSS pixels. */
  height: number;
}

export class Footnotes implements PagedPart {
  readonly #world: PagedWorld;
  readonly #footnotes: readonly PagedFootnote[];
  /** The numbers that the footnotes show. */
  #numbers: number[];
  readonly #restarts: boolean;
  /** The pages as they are without a reserve. */
  #view: PrintedView | undefined;
  /** The height that all pages reserve, in CSS pixels. */
  #reservedPx = 0;
  #raises = 0;
  overlay: OverlayBoxes = new Map();

  /** `restarts` tells whether numbers begin again on each page. */
  constructor(world: PagedWorld, footnotes: readonly PagedFootnote[], restarts: boolean) {
    this.#world = world;
    this.#footnotes = footnotes;
    this.#numbers = footnotes.map(({ number }) => number);
    this.#restarts = restarts;
  }

  async settle({ file }: PagedPrint): Promise<boolean> {
    const pages = this.#footnotes.map(({ at }) => file.destinationOf(at)?.index ?? -1);
    const groups = file.pages.map((_, page) => pages.flatMap((on, n) => (on === page ? n : [])));
    this.#view ??= firstView(file);
    const view = this.#view;
    if (!view) return false;
    const isNumbered = this.#restarts && (await this.#number(groups));
    const wanted = this.#raises++ < MAX_RAISES ? await this.#findReserve(view, groups) : 0;
    if (wanted > this.#reservedPx) return this.#reserve(wanted);
    const portions = await this.#distribute(view, groups, this.#reservedPx);
    const limit = Math.floor(view.heightPx * MAX_SHARE);
    if (typeof portions === 'string' && this.#reservedPx < limit) return this.#reserve(limit);
    if (typeof portions === 'string') throw new ServiceError('print_failed', portions);
    this.overlay = this.#place(view, portions);
    return isNumbered;
  }

  /** Numbers the footnotes of each page from 1. Returns whether any has another number now. */
  async #number(groups: number[][]): Promise<boolean> {
    const numbers = [...this.#numbers];
    for (const group of groups) for (const [index, n] of group.entries()) numbers[n] = index + 1;
    if (numbers.every((number, n) => number === this.#numbers[n])) return false;
    this.#numbers = numbers;
    await numberFootnotes(this.#world, numbers);
    return true;
  }

  async #reserve(heightPx: number): Promise<true> {
    this.#reservedPx = heightPx;
    await reserveFootnotes(this.#world, heightPx);
    return true;
  }

  async #findReserve(view: PrintedView, groups: number[][]): Promise<number> {
    const highest = Math.max(...(await measureFootnotes(this.#world, view.widthPx, groups)));
    if (highest <= view.heightPx * MAX_WHOLE) return Math.ceil(highest);
    const heights = SHARES.map((share) => Math.floor(share * view.heightPx));
    for (const height of heights) {
      const portions = await this.#distribute(view, groups, height);
      if (typeof portions !== 'string' && [...portions.values()].every(({ parts }) => parts <= 2)) return height;
    }
    return heights[0] ?? 0;
  }

  /** Footnotes that do not fit go on to the next pages, before those of these. Returns what is wrong if there is no room. */
  async #distribute(view: PrintedView, groups: number[][], heightPx: number): Promise<Map<number, Portion> | string> {
    const placed = new Map<number, Portion>();
    let numbers: number[] = [];
    let from = 0;
    for (const [page, group] of groups.entries()) {
      if (!numbers.length) from = page;
      numbers = [...numbers, ...group];
      if (!numbers.length) continue;
      const heights = await divideFootnotes(this.#world, view.widthPx, heightPx, numbers);
      if (Math.max(...heights) > heightPx + 1) return UNDIVIDED;
      if (heights.length > page - from + 1) continue;
      for (const [part, height] of heights.entries()) placed.set(from + part, { numbers, part, height, parts: heights.length });
      numbers = [];
    }
    return numbers.length ? NO_ROOM : placed;
  }

  #place(view: PrintedView, portions: ReadonlyMap<number, Portion>): OverlayBoxes {
    const points = view.scale * POINTS_PER_PX;
    const height = this.#reservedPx * points;
    const box = {
      x: view.leftPoints,
      y: view.topPoints + (view.heightPx - this.#reservedPx) * points,
      width: view.widthPx * points,
      height,
      scale: view.scale,
      name: 'notes',
    };
    const boxes = new Map<number, OverlayBox[]>();
    for (const [page, { numbers, part, parts, height: partPx }] of portions) {
      const texts = { notes: numbers.join(), ...(parts > 1 && { part: `${part}`, height: `${partPx}` }) };
      boxes.set(page, [{ ...box, texts }]);
    }
    return boxes;
  }
}

/** The view of the first page that shows the document. */
function firstView(file: PrintedPages): PrintedView | undefined {
  for (const index of file.pages.keys()) {
    const view = readPageView(file, index);
    if (view) return view;
  }
  return undefined;
}
