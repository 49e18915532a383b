/** Reports where the elements that a caller selects are on pages: links over them in a print in, their boxes out. */
import { Type } from 'typebox';
import { DONE } from '../../../chromium/devtools/ask.ts';
import { shape } from '../../../chromium/devtools/evaluate.ts';
import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import type { PrintSettings } from '../../../chromium/print/print-options.ts';
import { invalidField, ServiceError } from '../../../errors.ts';
import { type LayoutBox, layoutPrefix } from '../../../in-page/contract/layout.ts';
import { MAX_LAYOUT_ELEMENTS } from '../../../in-page/contract/limits.ts';
import type { Questions } from '../../../in-page/contract/questions.ts';
import { readPageView } from '../../../pdf/paged/page-areas.ts';
import type { PagedOutcome } from '../../paged-outcome.ts';
import type { PrintOrder } from '../../print-order.ts';
import type { LocatedElement } from '../../report-schema.ts';
import { pagesWithin } from '../../request/values/page-ranges.ts';
import { type Corner, readCorner } from '../corners.ts';
import type { PagedPart, PagedPrint } from '../paged-part.ts';
import { PlacedBoxes } from './placed-boxes.ts';

const Length = Type.Number();
/** The answer to `placeLayoutLinks`. */
const LAYOUT_LINKS = shape(
  Type.Object({
    invalid: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 99 })]),
    selected: Type.Union([
      Type.Null(),
      Type.Array(Type.Array(Type.Integer({ minimum: -1 }), { maxItems: MAX_LAYOUT_ELEMENTS }), { maxItems: 100 }),
    ]),
    boxes: Type.Array(
      Type.Object({
        last: Type.Integer(),
        previous: Type.Union([Type.Null(), Type.Integer()]),
        fromMark: Type.Union([Type.Null(), Type.Object({ x: Length, y: Length, width: Length, height: Length })]),
        destination: Type.Union([Type.Null(), Type.String()]),
        toRightPx: Type.Union([Type.Null(), Length]),
        isForced: Type.Boolean(),
        isAvoided: Type.Boolean(),
        isMonolithic: Type.Boolean(),
        leadPx: Length,
        linePx: Length,
        lines: Length,
      }),
    ),
  }),
);

/** The numbers of the selected elements of each selector. */
type Selected = Array<{ selector: string; numbers: number[] }>;

export class LayoutReport implements PagedPart {
  readonly settlesLater = true;
  readonly #document: LoadedDocument;
  readonly #key: string;
  readonly #settings: PrintSettings;
  readonly #selected: Selected;
  readonly #boxes: LayoutBox[];
  /** The places in the whole document, if only a part of it is kept. */
  #whole: PlacedBoxes | undefined;

  /** Throws `invalid_request` if a selector is not valid, and `resource_limit` if they select too many elements. */
  static async prepare(
    document: LoadedDocument,
    key: string,
    { print, load }: PrintOrder,
    selectors: readonly string[],
  ): Promise<LayoutReport> {
    const order: Parameters<Questions['placeLayoutLinks']> = [[...selectors], key, load.device.viewport === undefined];
    const { invalid, selected, boxes } = await document.paged.ask('placeLayoutLinks', order, LAYOUT_LINKS);
    if (invalid !== null)
      throw invalidField(`options.layout[${invalid}]`, 'is not a CSS selector that Chromium can read: use one such as h2');
    if (!selected)
      throw new ServiceError('resource_limit', `options.layout: selects more than ${MAX_LAYOUT_ELEMENTS} elements`, {
        members: { limit: MAX_LAYOUT_ELEMENTS },
      });
    const bySelector = selectors.map((selector, index) => ({ selector, numbers: selected[index] ?? [] }));
    return new LayoutReport(document, key, print, bySelector, boxes);
  }

  private constructor(document: LoadedDocument, key: string, settings: PrintSettings, selected: Selected, boxes: LayoutBox[]) {
    this.#document = document;
    this.#key = key;
    this.#settings = settings;
    this.#selected = selected;
    this.#boxes = boxes;
  }

  async settle(print: PagedPrint): Promise<boolean> {
    if (this.#settings.pageRanges) this.#whole = this.#place(print);
    return false;
  }

  async end(print: PagedPrint): Promise<PagedOutcome> {
    await this.#document.paged.ask('removeLayoutLinks', [], DONE);
    const placed = this.#whole ?? this.#place(print);
    print.file.removeDestinations(layoutPrefix(this.#key));
    return { layout: this.#selected.flatMap((each) => this.#locate(each, placed)) };
  }

  /** Chromium shrinks a document that is too wide. */
  #place({ places, area, file }: PagedPrint): PlacedBoxes {
    const scale = readPageView(file, 0)?.scale ?? this.#settings.scale;
    return new PlacedBoxes({ places, area, corners: this.#readCorners(file) }, this.#boxes, scale);
  }

  /** Where destinations have the corners of boxes. */
  #readCorners(file: PagedPrint['file']): Map<number, Corner> {
    const corners = new Map<number, Corner>();
    for (const [number, { destination }] of this.#boxes.entries()) {
      const corner = destination === null ? undefined : readCorner(file, destination);
      if (corner) corners.set(number, corner);
    }
    return corners;
  }

  #locate({ selector, numbers }: Selected[number], placed: PlacedBoxes): LocatedElement[] {
    const deliveredPage = numberPages(this.#settings.pageRanges);
    return numbers.map((number, index) => {
      const fragments = placed.fragments(number).flatMap(({ page, x, y, width, height, cause }) => {
        const delivered = deliveredPage(page + 1);
        return delivered ? { page: delivered, ...rounded({ x, y, width, height }), break_before: cause } : [];
      });
      return { selector, index, fragments };
    });
  }
}

/** Makes a function that tells which page of the PDF a page of the document is, undefined for one that is left out. */
function numberPages(ranges: string): (page: number) => number | undefined {
  const isWithin = pagesWithin(ranges);
  const isWanted = (page: number) => isWithin(page - 1);
  const delivered: number[] = [0];
  return (page) => {
    for (let next = delivered.length; next <= page; next++)
      delivered[next] = (delivered[next - 1] ?? 0) + (isWanted(next) ? 1 : 0);
    return isWanted(page) ? delivered[page] : undefined;
  };
}

function rounded<Name extends string>(lengths: Record<Name, number>): Record<Name, number> {
  const round = (length: number) => Math.round(length * 100) / 100;
  return Object.fromEntries(Object.entries<number>(lengths).map(([name, length]) => [name, round(length)])) as Record<
    Name,
    number
  >;
}
