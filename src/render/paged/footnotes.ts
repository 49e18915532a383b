/**
 * Footnotes: each is painted at the bottom of the page of its call. Each page has the room that it needs. Where that is not possible, all
 * pages reserve the same room, which the first print chooses, and what does not fit goes on to the next page.
 */
import { distributeFootnotes, measureFootnotes, numberFootnotes, reserveFootnotes } from '../../chromium/paged/footnotes.ts';
import type { PagedWorld } from '../../chromium/paged/paged-world.ts';
import { ServiceError } from '../../errors.ts';
import type { OverlayBox } from '../../in-page/contract/overlay.ts';
import type { Crowding, FootnoteParts, MeasuredFootnotes, PagedFootnote } from '../../in-page/contract/paged.ts';
import type { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { type PageArea, readPageView } from '../../pdf/paged/page-areas.ts';
import { POINTS_PER_PX } from '../../units.ts';
import type { PagedOutcome } from '../paged-outcome.ts';
import type { FootnoteRooms } from './footnote-rooms.ts';
import type { OverlayBoxes } from './overlay.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';

/** The share of a page that footnotes take without being divided, unless a style sheet keeps them whole. */
const MAX_WHOLE = 0.3;
const MAX_SHARE = 0.7;
/** The shares of a page that are reserved for more, of which the first counts that leaves none on more than two pages. */
const SHARES = [MAX_WHOLE, 0.4, 0.5, 0.6, MAX_SHARE];
/** The share that a single one takes of a page with a room of its own. */
const MAX_SINGLE = 0.5;
/** Rooms of their own are for pages on which the footnotes take more than this share, unless a style sheet keeps the footnotes whole. */
const MIN_SHARE = 0.08;
/** How often the reserve grows because other footnotes came to a page. After that, they are divided. */
const MAX_RAISES = 2;

const LIMIT = `more than ${Math.round(MAX_SHARE * 100)} % of a page`;
const CROWDING: Record<Crowding, string> = {
  undivided: `a footnote has a part that cannot be divided and takes ${LIMIT}; make it smaller`,
  'no room': `footnotes of the last page take ${LIMIT}; shorten them, or add an empty page`,
};

/** Where a page has room for text and footnotes. */
interface Room {
  /** Points. */
  x: number;
  bottom: number;
  widthPx: number;
  heightPx: number;
}

interface Options {
  /** With what the names of destinations begin. */
  key: string;
  isTagged: boolean;
  /** Whether numbers begin again on each page. */
  restarts: boolean;
  /** Whether footnotes are divided only where a page has no room for them. */
  keepsWhole: boolean;
  /** Undefined if all pages have the same room. */
  rooms: FootnoteRooms | undefined;
}

export class Footnotes implements PagedPart {
  readonly settlesLast = true;
  readonly #world: PagedWorld;
  readonly #footnotes: readonly PagedFootnote[];
  /** The numbers that the footnotes show. */
  #numbers: number[];
  readonly #restarts: boolean;
  readonly #keepsWhole: boolean;
  #rooms: FootnoteRooms | undefined;
  #scale: number | undefined;
  /** The height that all pages reserve, in CSS pixels. */
  #reservedPx = 0;
  #raises = 0;
  overlay: OverlayBoxes = new Map();
  readonly #key: string;
  readonly noteKey: string | undefined;

  constructor(world: PagedWorld, footnotes: readonly PagedFootnote[], options: Options) {
    const { key, restarts, keepsWhole, isTagged, rooms } = options;
    this.#world = world;
    this.#key = key;
    this.noteKey = isTagged ? key : undefined;
    this.#footnotes = footnotes;
    this.#numbers = footnotes.map(({ number }) => number);
    this.#restarts = restarts;
    this.#keepsWhole = keepsWhole;
    this.#rooms = rooms;
  }

  async settle(print: PagedPrint): Promise<boolean> {
    const { file } = print;
    const pages = this.#footnotes.map(({ at }) => file.destinationOf(at)?.index ?? -1);
    const groups = file.pages.map((_, page) => pages.flatMap((on, n) => (on === page ? n : [])));
    this.#scale ??= readScale(file);
    if (this.#scale === undefined) return false;
    const rooms = file.pages.map((_, page) => this.#roomOn(print.frame(page)));
    const isNumbered = this.#restarts && (await this.#number(groups));
    const widths = rooms.map(({ widthPx }) => widthPx);
    const heightPx = Math.min(...rooms.map((room) => room.heightPx));
    const measured = { widths, groups, heights: await measureFootnotes(this.#world, widths, groups) };
    if (isNumbered && this.#rooms?.isUsed === false) return true; // the next prints are compared
    const hasRooms = await this.#settleRooms(file, measured, heightPx);
    if (hasRooms) return true;
    if (hasRooms === false) {
      const parts = groups.map((numbers, page) => ({ page, numbers, heights: [measured.heights[page] ?? 0] }));
      this.overlay = this.#place(
        rooms,
        parts.filter(({ numbers }) => numbers.length),
      );
      return isNumbered;
    }
    const wanted = this.#raises++ < MAX_RAISES ? await this.#findReserve(heightPx, measured) : 0;
    if (wanted > this.#reservedPx) return this.#reserve(wanted);
    const parts = await distributeFootnotes(this.#world, measured, this.#reservedPx);
    const limit = Math.floor(heightPx * MAX_SHARE);
    if (typeof parts === 'string' && this.#reservedPx < limit) return this.#reserve(limit);
    if (typeof parts === 'string') throw new ServiceError('print_failed', CROWDING[parts]);
    this.overlay = this.#place(rooms, parts);
    return isNumbered;
  }

  async end({ file }: PagedPrint): Promise<PagedOutcome> {
    file.removeDestinations(this.#key);
    return {};
  }

  /** The height in points that the last print has free at the bottom of a page. */
  reservedOn(page: number): number {
    return (this.#rooms?.roomsPx[page] ?? this.#reservedPx) * this.#pointsPerPx;
  }

  /** Returns whether another print is needed. Undefined if all pages have the same room. */
  async #settleRooms(file: PrintedPages, { heights, widths }: MeasuredFootnotes, heightPx: number): Promise<boolean | undefined> {
    const isSmall = !this.#keepsWhole && Math.max(...heights) < heightPx * MIN_SHARE;
    if (isSmall && !this.#rooms?.isUsed) this.#rooms = undefined;
    const [limitPx, wholePx] = [heightPx * MAX_SHARE, heightPx * (this.#keepsWhole ? MAX_SHARE : MAX_SINGLE)];
    const [count, widthPx] = [this.#footnotes.length, Math.min(...widths)];
    const isChanged = await this.#rooms?.settle({ file, heights, count, widthPx, limitPx, wholePx });
    if (isChanged === undefined) this.#rooms = undefined;
    return isChanged;
  }

  #roomOn({ left, top, width, height }: PageArea): Room {
    const points = this.#pointsPerPx;
    return { x: left, bottom: top + height, widthPx: width / points, heightPx: height / points };
  }

  get #pointsPerPx(): number {
    return (this.#scale ?? 1) * POINTS_PER_PX;
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
    await reserveFootnotes(this.#world, { '': heightPx });
    return true;
  }

  async #findReserve(heightPx: number, measured: MeasuredFootnotes): Promise<number> {
    const highest = Math.max(...measured.heights);
    if (highest <= heightPx * (this.#keepsWhole ? MAX_SHARE : MAX_WHOLE)) return Math.ceil(highest);
    const reserves = SHARES.map((share) => Math.floor(share * heightPx));
    for (const reserve of reserves) {
      const parts = await distributeFootnotes(this.#world, measured, reserve);
      if (typeof parts !== 'string' && parts.every(({ heights }) => heights.length <= 2)) return reserve;
    }
    return reserves[0] ?? 0;
  }

  #place(rooms: readonly Room[], parts: readonly FootnoteParts[]): OverlayBoxes {
    const points = this.#pointsPerPx;
    const narrowest = Math.min(...rooms.map(({ widthPx }) => widthPx));
    const boxes = new Map<number, OverlayBox[]>();
    for (const { page: first, numbers, heights } of parts)
      for (const [part, partPx] of heights.entries()) {
        const page = first + part;
        const { x, bottom, widthPx } = rooms[page] as Room;
        const isDivided = heights.length > 1;
        const width = (isDivided ? narrowest : widthPx) * points;
        const height = this.reservedOn(page);
        const texts = { notes: numbers.join(), ...(isDivided && { part: `${part}`, height: `${partPx}` }) };
        boxes.set(page, [{ x, y: bottom - height, width, height, scale: this.#scale ?? 1, name: 'notes', texts }]);
      }
    return boxes;
  }
}

/** The scale of the first page that shows the document. */
function readScale(file: PrintedPages): number | undefined {
  for (const index of file.pages.keys()) {
    const view = readPageView(file, index);
    if (view) return view.scale;
  }
  return undefined;
}
