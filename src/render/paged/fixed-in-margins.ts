/** Prints fixed boxes that lie in the margins of pages there, and not on the pages before and after. */
import { BOOLEAN } from '../../chromium/devtools/ask.ts';
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { isTurned, type PageArea, readPageView } from '../../pdf/paged/page-areas.ts';
import { POINTS_PER_PX } from '../../units.ts';
import type { OverlayBoxes } from './overlay.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';

/** Points by which a margin may be rounded. */
const TOLERANCE = 1;

export class FixedInMargins implements PagedPart {
  readonly settlesLater = true;
  readonly #document: LoadedDocument;
  #areTaken: boolean | undefined;
  overlay: OverlayBoxes = new Map();

  /** Returns undefined if there are no such boxes. */
  static async prepare(document: LoadedDocument): Promise<FixedInMargins | undefined> {
    if (!document.htmlClass.mayPlaceFixed) return undefined;
    const areFound = await document.paged.ask('findFixedOutside', [], BOOLEAN);
    return areFound ? new FixedInMargins(document) : undefined;
  }

  private constructor(document: LoadedDocument) {
    this.#document = document;
  }

  async settle({ file, print, frame }: PagedPrint): Promise<boolean> {
    const scale = readPageView(file, 0)?.scale ?? print.settings.scale;
    const areas = file.pages.map((_, page) => frame(page));
    const isFirst = this.#areTaken === undefined;
    const mayTake = isFirst && !areas.some((_, page) => isTurned(file, page));
    this.#areTaken ??= mayTake && (await this.#take(areas, scale * POINTS_PER_PX));
    if (!this.#areTaken) return false;
    this.overlay = new Map(
      areas.map(({ left: x, top: y, width, height }, page) => {
        const texts = { page: `${page + 1}`, pages: `${areas.length}` };
        return [page, [{ x, y, width, height, scale, name: 'fixed', texts }]];
      }),
    );
    return isFirst;
  }

  /** Boxes beside a page that do not fit into its margins are menus that web pages hide, and stay hidden. */
  #take(areas: readonly PageArea[], points: number): Promise<boolean> {
    const margins = areas.map(({ left, width, pageWidth }) => [left, pageWidth - left - width] as const);
    const leftPx = (Math.min(...margins.map(([left]) => left)) + TOLERANCE) / points;
    const rightPx = (Math.min(...margins.map(([, right]) => right)) + TOLERANCE) / points;
    return this.#document.paged.ask('takeFixedOutside', [leftPx, rightPx], BOOLEAN);
  }
}
