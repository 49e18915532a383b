/**
 * Content that is generated from the pages of a document: page numbers in references and contents, strings and page numbers in margin
 * boxes, bookmarks and page labels.
 */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import type { PageFacts } from '../../chromium/page-css/page-selectors.ts';
import { setMarginRules, showReferences } from '../../chromium/paged/paged-content.ts';
import { writeNumber } from '../../in-page/contract/counter-styles.ts';
import type { OverlayBox } from '../../in-page/contract/overlay.ts';
import { ALL_PAGES, type PagedElements, SHOWN_STYLE } from '../../in-page/contract/paged.ts';
import type { Destination } from '../../pdf/edit/printed-pages.ts';
import { pageHeights } from '../../pdf/paged/probes.ts';
import { POINTS_PER_PX } from '../../units.ts';
import type { PagedOutcome } from '../paged-outcome.ts';
import { pagesWithin } from '../request/values/page-ranges.ts';
import { marginRules, type SetString } from './margin-texts.ts';
import type { OverlayBoxes } from './overlay.ts';
import { labelPages, type NumberedPages, namePages, numberPages } from './page-numbers.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';
import { runningBoxes } from './running-margins.ts';
import type { SidedBreaks } from './sided-breaks.ts';

/** Points by which the first element of a page may be lower than the page. */
const TOLERANCE = 2;
const NO_PAGES: NumberedPages = { numbers: [], ofSection: [], sectionPages: [] };

export class GeneratedContent implements PagedPart {
  readonly #document: LoadedDocument;
  readonly #elements: PagedElements;
  readonly #sidedBreaks: SidedBreaks | undefined;
  #shown: string[] = [];
  #rules = '';
  #pages = NO_PAGES;
  #facts: PageFacts[] = [];
  /** What runs in margin boxes, by the index of its page. */
  overlay: OverlayBoxes = new Map();
  /** The reference that changed last. */
  #moved = '';

  constructor(document: LoadedDocument, elements: PagedElements, sidedBreaks: SidedBreaks | undefined) {
    this.#document = document;
    this.#elements = elements;
    this.#sidedBreaks = sidedBreaks;
  }

  /** Whether it shows anything that only a print tells. */
  get fillsFirst(): boolean {
    const { references, running } = this.#elements;
    const isShown = references.length > 0 || this.#document.pagedStyles.marginTexts.size > 0;
    return isShown && !running.length && !this.#sidedBreaks;
  }

  /** The numbers of the pages of the last print. */
  get pages(): NumberedPages {
    return this.#pages;
  }

  /** What selectors ask of each page. */
  get facts(): readonly PageFacts[] {
    return this.#facts;
  }

  async settle(print: PagedPrint): Promise<boolean> {
    const pageOf = (at: string) => print.file.destinationOf(at)?.index;
    const { pagedStyles } = this.#document;
    const changes = this.#elements.numbers.flatMap(({ at, ...change }) => {
      const page = pageOf(at);
      return page === undefined ? [] : [{ ...change, page }];
    });
    this.#facts = this.#readFacts(print);
    this.#pages = numberPages(this.#facts, pagedStyles.pageCounters, changes);
    this.overlay = this.#placeRunning(print);
    const areShown = await this.#showNumbers(pageOf);
    const rules = marginRules(pagedStyles.marginTexts, this.#pages, this.#placeStrings(print));
    if (rules === this.#rules) return !areShown;
    this.#rules = rules;
    await setMarginRules(this.#document.paged, rules);
    return true;
  }

  describeUnsettled(): string {
    return this.#moved && `the page number in ${this.#moved} changes the page to which it refers`;
  }

  async end({ print }: PagedPrint): Promise<PagedOutcome> {
    const { bookmarks, missing } = this.#elements;
    const names = this.#facts.map(({ name }) => name);
    const labels = labelPages(this.#pages.numbers, names, this.#document.pagedStyles.numberStyles);
    const isShown = pagesWithin(print.settings.pageRanges);
    return {
      labels: labels?.filter((_, page) => isShown(page)),
      bookmarks: bookmarks.length ? bookmarks.map(({ at, ...bookmark }) => ({ ...bookmark, destination: at })) : undefined,
      missing,
    };
  }

  /** Returns whether the document showed the right numbers already. */
  async #showNumbers(pageOf: (at: string) => number | undefined): Promise<boolean> {
    const { references } = this.#elements;
    const numbers = references.map(({ to, style }) => {
      if (to === ALL_PAGES) return writeNumber(this.#pages.numbers.length, style);
      const page = pageOf(to);
      if (page === undefined) return '';
      return writeNumber(this.#pages.numbers[page] ?? 0, style === SHOWN_STYLE ? this.#styleOf(page) : style);
    });
    const moved = numbers.findIndex((number, n) => number !== this.#shown[n]);
    if (moved < 0) return true;
    this.#moved = references[moved]?.element ?? '';
    this.#shown = numbers;
    await showReferences(this.#document.paged, numbers);
    return false;
  }

  /** The counter style in which a page shows its number. */
  #styleOf(page: number): string {
    const { numberStyles } = this.#document.pagedStyles;
    return numberStyles.get(this.#facts[page]?.name ?? '') ?? numberStyles.get('') ?? 'decimal';
  }

  #readFacts({ file }: PagedPrint): PageFacts[] {
    const { names, isReversed } = this.#elements;
    const begun = names.map(({ at, ...begins }) => ({ ...begins, page: file.destinationOf(at)?.index }));
    const blank = this.#sidedBreaks?.findAdded(file);
    return namePages(file.pages.length, begun).map((named, page) => ({
      ...named,
      number: page + 1,
      isLeft: (page % 2 === 1) !== isReversed,
      isBlank: blank?.has(page) ?? false,
    }));
  }

  #placeRunning({ file, print, frame: frameOf }: PagedPrint): OverlayBoxes {
    const { marginBoxes } = this.#document.pagedStyles;
    const heights = this.#elements.running.length ? pageHeights(file) : [];
    const running = this.#elements.running.flatMap(({ name, at, spaceAbove }, index) => {
      const place = file.destinationOf(at);
      return place ? [{ name, index, page: place.index, isAtTop: isAtTop(place, heights, spaceAbove) }] : [];
    });
    const boxes = new Map<number, OverlayBox[]>();
    for (const page of running.length ? file.pages.keys() : []) {
      const facts = this.#facts[page];
      if (!facts) continue;
      const frame = { ...frameOf(page), scale: print.settings.scale, facts };
      boxes.set(page, runningBoxes(marginBoxes, running, frame, this.#pages.numbers));
    }
    return boxes;
  }

  #placeStrings({ file }: PagedPrint): SetString[] {
    const { strings } = this.#elements;
    const heights = strings.length ? pageHeights(file) : [];
    return strings.flatMap(({ name, value, at, spaceAbove }) => {
      const place = file.destinationOf(at);
      if (!place || place.index < 0) return [];
      return [{ name, value, page: place.index, isAtTop: isAtTop(place, heights, spaceAbove) }];
    });
  }
}

/** Whether nothing but space is above a place. Chromium leaves the margin of the page out of its height. */
function isAtTop({ index, top }: Destination, heights: readonly number[], spaceAbove: number): boolean {
  return (heights[index] ?? 0) - top - spaceAbove * POINTS_PER_PX <= TOLERANCE;
}
