/**
 * Footnotes: each is painted at the bottom of the page of its call. All pages reserve the room that the page with the most footnotes needs;
 * what does not fit goes on to the next page.
 */
import { measureFootnotes, reserveFootnotes } from '../../chromium/paged/footnotes.ts';
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
/** The share of a page that footnotes may take. */
const MAX_SHARE = 0.6;

export class Footnotes implements PagedPart {
  readonly #world: PagedWorld;
  readonly #footnotes: readonly PagedFootnote[];
  /** The pages as they are without a reserve. */
  #view: PrintedView | undefined;
  /** The height that all pages reserve, in CSS pixels. */
  #reservedPx = 0;
  overlay: OverlayBoxes = new Map();

  constructor(world: PagedWorld, footnotes: readonly PagedFootnote[]) {
    this.#world = world;
    this.#footnotes = footnotes;
  }

  async settle({ file }: PagedPrint): Promise<boolean> {
    const pages = this.#footnotes.map(({ at }) => file.destinationOf(at)?.index ?? -1);
    const groups = file.pages.map((_, page) => pages.flatMap((on, n) => (on === page ? n : [])));
    this.#view ??= firstView(file);
    const view = this.#view;
    if (!view) return false;
    const heights = await this.#measure(view, groups);
    const limit = view.heightPx * MAX_SHARE;
    const highest = Math.max(...heights);
    const wanted = Math.min(limit, Math.max(this.#reservedPx, Math.ceil(highest)));
    if (wanted > this.#reservedPx) {
      this.#reservedPx = wanted;
      await reserveFootnotes(this.#world, wanted);
      return true;
    }
    this.overlay = this.#place(view, await this.#distribute(view, groups));
    return false;
  }

  /** Puts what does not fit on a page before the footnotes of the next. Throws `print_failed` if the last page has no room. */
  async #distribute(view: PrintedView, groups: number[][]): Promise<number[][]> {
    const placed: number[][] = [];
    let waiting: number[] = [];
    for (const group of groups) {
      waiting = [...waiting, ...group];
      const fitting = await this.#countFitting(view, waiting);
      placed.push(waiting.slice(0, fitting));
      waiting = waiting.slice(fitting);
    }
    if (!waiting.length) return placed;
    const detail = `footnotes of the last page take more than ${MAX_SHARE * 100} % of it; shorten them, or add an empty page`;
    throw new ServiceError('print_failed', detail);
  }

  async #countFitting(view: PrintedView, numbers: number[]): Promise<number> {
    const fits = async (count: number) =>
      ((await this.#measure(view, [numbers.slice(0, count)]))[0] ?? 0) <= this.#reservedPx + 1;
    if (!numbers.length || (await fits(numbers.length))) return numbers.length;
    let [least, most] = [0, numbers.length];
    while (most - least > 1) {
      const middle = (least + most) >> 1;
      if (await fits(middle)) least = middle;
      else most = middle;
    }
    return least;
  }

  #measure(view: PrintedView, groups: number[][]): Promise<number[]> {
    return measureFootnotes(this.#world, view.widthPx, groups);
  }

  #place(view: PrintedView, groups: number[][]): OverlayBoxes {
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
    for (const [page, numbers] of groups.entries())
      if (numbers.length) boxes.set(page, [{ ...box, texts: { notes: numbers.join() } }]);
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
