/** Prints a block at the bottom of the last page: where a print has it tells how far it is moved down for the next. */
import { Type } from 'typebox';
import { DONE } from '../../../chromium/devtools/ask.ts';
import { shape } from '../../../chromium/devtools/evaluate.ts';
import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import type { PagedOutcome } from '../../paged-outcome.ts';
import type { PagedPart, PagedPrint } from '../paged-part.ts';

/** The answer to `prepareLastBlock`. */
const LAST_BLOCK = shape(Type.Union([Type.Null(), Type.Object({ tailPx: Type.Number({ minimum: 0 }) })]));
/** How often the block is moved. The last time, it is moved back. */
const MAX_MOVES = 3;
/** Links are on whole pixels. */
const TOLERANCE_PX = 1;

export class LastBlock implements PagedPart {
  /** Room for footnotes or another row of a table would move it once more. */
  readonly settlesLast = true;
  readonly settlesLater = true;
  readonly #document: LoadedDocument;
  readonly #tailPx: number;
  #moves = 0;
  /** How far it has been moved, and the page on which it should then be. */
  #movedPx = 0;
  #page: number | undefined;
  /** Whether it is the first on its page. */
  #beginsPage = false;

  /** Returns undefined if there is no such block. */
  static async prepare(document: LoadedDocument, key: string): Promise<LastBlock | undefined> {
    if (!document.htmlClass.mayPinBlock || !document.mentions.lastBlock) return undefined;
    const found = await document.paged.ask('prepareLastBlock', [key], LAST_BLOCK);
    return found ? new LastBlock(document, found.tailPx) : undefined;
  }

  private constructor(document: LoadedDocument, tailPx: number) {
    this.#document = document;
    this.#tailPx = tailPx;
  }

  async settle(print: PagedPrint): Promise<boolean> {
    const movePx = this.#moves < MAX_MOVES ? this.#nextMove(print) : undefined;
    if (movePx === undefined) return false;
    this.#moves++;
    this.#movedPx = movePx;
    await this.#document.paged.ask('moveLastBlock', [movePx, this.#beginsPage], DONE);
    return true;
  }

  async end(): Promise<PagedOutcome> {
    await this.#document.paged.ask('restoreLastBlock', [], DONE);
    return {};
  }

  /** Returns how far it should be moved from its place in the flow, undefined if it is where it should be, or is divided. */
  #nextMove({ places, area: areaOf }: PagedPrint): number | undefined {
    const [block] = places.get('last-block') ?? [];
    const end = places.get('last-end')?.at(-1);
    const area = end && areaOf(end.page);
    if (!block || !end || !area) return undefined;
    const scale = end.height; // the link is one pixel high
    if (this.#page !== undefined && end.page > this.#page) return this.#moveBack();
    if (block.page !== end.page) return undefined;
    this.#page = end.page;
    if (!this.#moves) this.#beginsPage = block.page > 0 && block.y - area.top < TOLERANCE_PX * scale;
    const roomPx = (area.top + area.height - end.y - end.height) / scale - this.#tailPx;
    return Math.abs(roomPx) > TOLERANCE_PX ? this.#movedPx + roomPx : undefined;
  }
  /** Less than a pixel of the box before may be on the page, or rounding may have pushed the block to a new one. */
  #moveBack(): number {
    const wasFirst = this.#beginsPage;
    this.#beginsPage = false;
    if (wasFirst) return this.#movedPx;
    return this.#moves < MAX_MOVES - 1 ? Math.max(0, this.#movedPx - 1) : 0;
  }
}
