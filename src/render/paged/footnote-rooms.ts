/**
 * Gives each page as much room for footnotes as it needs: a print in which the lines of calls are as much higher as their footnotes are tells
 * where pages end, and pages get names with a padding each. See docs/decisions/0109-footnotes.md.
 */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { measureFootnotes, reserveFootnotes, spreadCalls } from '../../chromium/paged/footnotes.ts';
import { namePages, preparePageNames, removePageNames } from '../../chromium/paged/page-styles.ts';
import type { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import type { GeneratedContent } from './generated-content.ts';
import { classifyPages, countShown, knownSelectors, showSamePages } from './page-naming.ts';

/** How often other footnotes may come to a page because rooms changed. */
const MAX_CORRECTIONS = 8;
/** More pages take more corrections, each of which is a print. */
const MAX_PAGES = 60;
/** Precedes all rules of the document. */
const STRONGEST = 1_000_000;

/** The footnotes of each page of a print, and their height in CSS pixels. */
export interface PrintedFootnotes {
  file: PrintedPages;
  heights: readonly number[];
  /** The number of all footnotes, and the width of the narrowest page. */
  count: number;
  widthPx: number;
  /** The most that the footnotes of a page may take of it, and that a footnote may that is not divided. */
  limitPx: number;
  wholePx: number;
}

export class FootnoteRooms {
  readonly #document: LoadedDocument;
  readonly #content: GeneratedContent;
  /** What the next print shows: the document as it is, with unused names, with higher lines of calls, or with rooms. */
  #step: 'plain' | 'named' | 'spread' | 'given' | 'impossible' = 'plain';
  #plain: PrintedPages | undefined;
  #corrections = 0;
  /** The room of each page in CSS pixels. */
  roomsPx: readonly number[] = [];

  constructor(document: LoadedDocument, content: GeneratedContent) {
    this.#document = document;
    this.#content = content;
  }

  /** Whether a print was changed. */
  get isUsed(): boolean {
    return this.#step !== 'plain';
  }

  /** Returns whether another print is needed. Undefined if pages cannot have rooms of their own. Throws `resource_limit`. */
  async settle(printed: PrintedFootnotes): Promise<boolean | undefined> {
    if (this.#step === 'impossible') return undefined;
    const isChanged = await this.#nextStep(printed);
    if (isChanged === undefined) await this.#giveUp();
    return isChanged;
  }

  async #nextStep(printed: PrintedFootnotes): Promise<boolean | undefined> {
    const { file, heights, limitPx } = printed;
    const { paged } = this.#document;
    switch (this.#step) {
      case 'plain':
        this.#plain = file;
        this.#step = 'named';
        return (file.pages.length <= MAX_PAGES && (await preparePageNames(paged))) || undefined;
      case 'named':
        this.#step = 'spread';
        return (this.#plain && showSamePages(this.#plain, file) && (await this.#spread(printed))) || undefined;
      case 'spread':
        await spreadCalls(paged, []);
        this.#step = 'given';
        return Math.max(...heights) <= limitPx ? this.#give(heights, file) : undefined;
      default:
        return Math.max(...heights) <= limitPx ? this.#correct(printed) : undefined;
    }
  }

  /** All pages have what is around the footnotes of a page, such as the line above them. */
  async #spread({ count, widthPx, wholePx }: PrintedFootnotes): Promise<boolean> {
    const { paged } = this.#document;
    const groups = [...Array.from({ length: count }, (_, n) => [n]), ...(count > 1 ? [[0, 1]] : [])];
    const heights = await measureFootnotes(
      paged,
      groups.map(() => widthPx),
      groups,
    );
    const [first = 0, second = 0] = heights;
    const around = count > 1 ? Math.max(0, first + second - (heights[count] ?? 0)) : 0;
    const own = heights.slice(0, count);
    if (Math.max(...own) > wholePx) return false;
    await spreadCalls(
      paged,
      own.map((height) => Math.max(0, height - around)),
    );
    await reserveFootnotes(paged, { '': around });
    return true;
  }

  /** At first, rooms become what the pages need. Later, they only grow, so that they settle: where the last call moves on, some room is free. */
  async #correct({ file, heights }: PrintedFootnotes): Promise<boolean | undefined> {
    const rooms = this.roomsPx.slice(0, file.pages.length);
    const wanted = heights.map((height, page) => Math.max(Math.ceil(height), this.#corrections === 0 ? 0 : (rooms[page] ?? 0)));
    if (wanted.every((height, page) => height === (rooms[page] ?? 0))) return false;
    return this.#corrections++ < MAX_CORRECTIONS ? this.#give(wanted, file) : undefined;
  }

  /** Names the pages up to the last one with footnotes by their rooms. */
  async #give(heights: readonly number[], file: PrintedPages): Promise<true> {
    const { paged } = this.#document;
    this.roomsPx = heights.slice(0, countShown(file)).map(Math.ceil);
    const last = this.roomsPx.findLastIndex((room) => room > 0);
    const rooms = new Map(this.roomsPx.map((room) => [`platen-room-${room}`, room]));
    await reserveFootnotes(paged, Object.fromEntries(rooms));
    const all = this.#content.facts
      .slice(0, last + 1)
      .map((facts, page) => ({ ...knownSelectors(facts), [`platen-room-${this.roomsPx[page]}`]: STRONGEST }));
    const { classes, pages } = classifyPages(all);
    await namePages(paged, classes, pages);
    return true;
  }

  async #giveUp(): Promise<void> {
    const { paged } = this.#document;
    this.#step = 'impossible';
    this.roomsPx = [];
    await spreadCalls(paged, []);
    await reserveFootnotes(paged, {});
    await removePageNames(paged);
  }
}
