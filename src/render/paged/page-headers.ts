/**
 * Headers and footers that are elements of the document: the markup for each page in, what is painted over the margins out. With automatic
 * margins, the pages get the margins that the highest of them need.
 */

import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { findMissingInHeaders, measureHeaders, prepareHeaders, setHeaderMargins } from '../../chromium/paged/header-questions.ts';
import { clearance, EDGE_INCHES } from '../../chromium/print/header-footer.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import { ServiceError } from '../../errors.ts';
import type { OverlayBox } from '../../in-page/contract/overlay.ts';
import type { HeaderMargins } from '../../in-page/contract/page-headers.ts';
import type { PageArea } from '../../pdf/paged/page-areas.ts';
import { POINTS_PER_INCH, POINTS_PER_PX, PX_PER_INCH } from '../../units.ts';
import { type HeaderOrder, listMarkup, type PagedPlan } from '../request/paged-options.ts';
import type { GeneratedContent } from './generated-content.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';

const EDGE = EDGE_INCHES * POINTS_PER_INCH;
/** Points, or pixels, by which rounding may change a length. */
const TOLERANCE = 1;

const IMAGE = /<img/i;

type Side = 'header' | 'footer';

/** Measures headers before the first print, so that it mostly has the right margins already. */
export async function preparePageHeaders(
  document: LoadedDocument,
  content: GeneratedContent,
  plan: PagedPlan,
  settings: PrintSettings,
): Promise<PagedPart> {
  const headers = new PageHeaders(document, content, plan, settings);
  await headers.prepare();
  return headers;
}

class PageHeaders implements PagedPart {
  readonly settlesLater = true;
  readonly overlay = new Map<number, OverlayBox[]>();
  readonly paintsTurned = true;
  readonly #document: LoadedDocument;
  readonly #content: GeneratedContent;
  readonly #plan: PagedPlan;
  readonly #settings: PrintSettings;
  /** All that is painted on some page. */
  readonly #markup: readonly string[];
  #widths: number[] = [];
  #heights: number[] = [];
  #margins: HeaderMargins = { top: undefined, bottom: undefined };

  constructor(document: LoadedDocument, content: GeneratedContent, plan: PagedPlan, settings: PrintSettings) {
    this.#document = document;
    this.#content = content;
    this.#plan = plan;
    this.#settings = settings;
    this.#markup = [...new Set([...listMarkup(plan.header), ...listMarkup(plan.footer)])];
  }

  async prepare(): Promise<void> {
    await prepareHeaders(this.#document.paged, [...this.#markup]);
    const { paper, margin } = this.#settings;
    await this.#measure([(paper.widthInches - margin.left - margin.right) * PX_PER_INCH]);
    if (this.#markup.some((markup) => IMAGE.test(markup)))
      this.#document.addMissing(await findMissingInHeaders(this.#document.paged));
  }

  adjust(settings: PrintSettings): PrintSettings {
    const { top = settings.margin.top, bottom = settings.margin.bottom } = this.#margins;
    return { ...settings, margin: { ...settings.margin, top, bottom } };
  }

  async settle({ file, frame }: PagedPrint): Promise<boolean> {
    const areas = Array.from(file.pages.keys(), frame);
    const widths = areas.map(({ width }) => width / POINTS_PER_PX);
    if (await this.#measure([Math.min(...widths), Math.max(...widths)])) return true;
    this.overlay.clear();
    for (const [page, area] of areas.entries()) this.overlay.set(page, this.#paint(page, area, areas.length));
    return false;
  }

  describeUnsettled(): string {
    return 'the header or footer has another height each time';
  }

  /** Measures headers in these widths if they are others than before. Returns whether the margins change. */
  async #measure(widths: number[]): Promise<boolean> {
    const isSame = widths.every((width) => this.#widths.some((known) => Math.abs(known - width) < TOLERANCE));
    if (isSame) return false;
    this.#widths = widths;
    this.#heights = await measureHeaders(this.#document.paged, widths);
    if (!this.#plan.hasAutoMargin) return false;
    const margins = { top: this.#marginFor('header'), bottom: this.#marginFor('footer') };
    if (isSameLength(margins.top, this.#margins.top) && isSameLength(margins.bottom, this.#margins.bottom)) return false;
    this.#margins = margins;
    await setHeaderMargins(this.#document.paged, margins);
    return true;
  }

  #marginFor(side: Side): number | undefined {
    const order = this.#plan[side];
    return order && clearance(Math.max(...listMarkup(order).map((markup) => this.#heightOf(markup))));
  }

  #heightOf(markup: string): number {
    return this.#heights[this.#markup.indexOf(markup)] ?? 0;
  }

  #paint(page: number, area: PageArea, pages: number): OverlayBox[] {
    const { numbers, ofSection, sectionPages } = this.#content.pages;
    const texts = {
      pageNumber: String(numbers[page] ?? page + 1),
      totalPages: String(pages),
      sectionPage: String(ofSection[page] ?? page + 1),
      sectionPages: String(sectionPages[page] ?? pages),
    };
    const name = this.#content.facts[page]?.name ?? '';
    return (['header', 'footer'] as const).flatMap((side) => {
      const markup = choose(this.#plan[side], page, pages, name);
      if (!markup) return [];
      const height = this.#heightOf(markup) * POINTS_PER_PX;
      const y = placeIn(side, area, height);
      return [{ x: area.left, y, width: area.width, height, scale: 1, name: `header${this.#markup.indexOf(markup)}`, texts }];
    });
  }
}

/** The markup for a page. What is for fewer pages comes first. */
function choose(order: HeaderOrder | undefined, page: number, pages: number, name: string): string | undefined {
  if (!order) return undefined;
  const { all, first, last, left, right } = order;
  const named = order.pages && Object.hasOwn(order.pages, name) ? order.pages[name] : undefined;
  const ofSide = page % 2 ? left : right;
  return named ?? (page === 0 ? first : undefined) ?? (page === pages - 1 ? last : undefined) ?? ofSide ?? all;
}

/** Returns the upper edge: as far from the edge of the sheet as templates are, or nearer if there is less room. Throws `print_failed`. */
function placeIn(side: Side, { top, height: content, pageHeight }: PageArea, height: number): number {
  const room = side === 'header' ? top : pageHeight - top - content;
  if (height > room + TOLERANCE) throw tooHigh(side, height, room);
  const distance = Math.min(EDGE, Math.max(0, room - height));
  return side === 'header' ? distance : pageHeight - distance - height;
}

function tooHigh(side: Side, height: number, room: number): ServiceError {
  const [needed, has] = [height, room].map((points) => Math.round(points / POINTS_PER_PX));
  const detail = `{option}: it is ${needed} CSS pixels high, and the margin is ${has}: send margin: "auto", or a larger margin`;
  return new ServiceError('print_failed', detail, { about: `page_${side}` });
}

function isSameLength(one: number | undefined, other: number | undefined): boolean {
  return one === other || Math.abs((one ?? 0) - (other ?? 0)) < TOLERANCE / PX_PER_INCH;
}
