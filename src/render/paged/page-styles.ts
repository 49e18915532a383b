/**
 * Rules for pages that are selected by their number, which is known when they have been laid out. Their sizes and margins are those of names
 * that the pages get for another print; see docs/decisions/0128-areas-of-pages-by-number.md. Their margin boxes and backgrounds are on
 * empty pages, which are printed and laid under those of the document; see docs/decisions/0110-rules-by-page-number.md.
 */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { type PageFacts, selectsPage, specificityOf } from '../../chromium/page-css/page-selectors.ts';
import { movesContent } from '../../chromium/page-css/selector-rules.ts';
import {
  hidePageStyles,
  namePages,
  preparePageNames,
  removePageNames,
  showPageStyles,
} from '../../chromium/paged/page-styles.ts';
import { NOTHING_ADDED } from '../../chromium/print/print-options.ts';
import { ServiceError } from '../../errors.ts';
import type { PageClass } from '../../in-page/contract/page-selectors.ts';
import { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { PX_PER_POINT } from '../../units.ts';
import type { GeneratedContent } from './generated-content.ts';
import { type Classified, classifyPages, countShown, knownSelectors, showSamePages } from './page-naming.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';

export class PageStyles implements PagedPart {
  readonly settlesLast = true;
  readonly #document: LoadedDocument;
  readonly #content: GeneratedContent;
  /** Whether pages have names: not needed yet, to be compared with the print without them, given, or impossible. */
  #naming: 'unused' | PrintedPages | 'used' | 'impossible' = 'unused';
  /** The first pages, which have names. */
  #named: Classified = { classes: [], pages: [] };
  #mayGrow = true;

  private constructor(document: LoadedDocument, content: GeneratedContent) {
    this.#document = document;
    this.#content = content;
  }

  /** Takes margin boxes and backgrounds off the pages of the document. */
  static async prepare(document: LoadedDocument, content: GeneratedContent): Promise<PageStyles> {
    await hidePageStyles(document.paged);
    return new PageStyles(document, content);
  }

  /** Gives sizes and margins to the pages that the print tells. Throws `resource_limit`. */
  async settle({ file }: PagedPrint): Promise<boolean> {
    const isChanged = await this.#nextStep(file);
    this.#document.placesPages = this.#naming !== 'impossible';
    return isChanged;
  }

  async #nextStep(file: PrintedPages): Promise<boolean> {
    const { paged } = this.#document;
    if (this.#naming === 'impossible') return false;
    if (this.#naming === 'unused') {
      if (!this.#content.facts.some((facts) => this.#isMoved(facts))) return false;
      // Footnotes are all in the same place on their pages.
      const isPossible = !this.#document.pagedStyles.hasFootnotes && (await preparePageNames(paged));
      this.#naming = isPossible ? file : 'impossible';
      return this.#naming === file;
    }
    if (this.#naming !== 'used' && !showSamePages(this.#naming, file)) {
      this.#naming = 'impossible';
      await removePageNames(paged);
      return true;
    }
    this.#naming = 'used';
    this.#named = this.#classify(this.#factsToName(countShown(file)), true);
    return namePages(paged, this.#named.classes, this.#named.pages);
  }

  /** Whether a page has a size or margins by its number. */
  #isMoved(facts: PageFacts): boolean {
    return this.#selectorsOf(facts).some(movesContent);
  }

  /** The pages that need names. Some more than there are at first, because smaller areas make more pages; unused ones tell that these are enough. */
  #factsToName(shown: number): PageFacts[] {
    const facts = this.#content.facts.slice(0, shown);
    this.#mayGrow &&= this.#named.pages.length <= shown;
    const all = this.#mayGrow ? [...facts, ...continuePages(facts)] : facts;
    const last = all.findLastIndex((each) => this.#isMoved(each));
    return all.slice(0, last + 1);
  }

  describeUnsettled(): string {
    return 'the sizes and margins in rules for pages by their number change too often which pages these are';
  }

  /** Prints a page for each page of a print. Throws `print_failed` and `resource_limit`. */
  async printUnder({ print, file, frame }: PagedPrint): Promise<PrintedPages> {
    const { classes, pages } = this.#classify(this.#content.facts, false);
    await removePageNames(this.#document.paged);
    const { scale, pageRanges } = print.settings;
    const heights = file.pages.map((_, page) => (frame(page).height * PX_PER_POINT) / scale);
    await showPageStyles(this.#document.paged, classes, pages, heights);
    const { chunks } = await this.#document.print({ ...print.settings, ...NOTHING_ADDED, scale, pageRanges });
    const under = new PrintedPages(Buffer.concat(chunks));
    if (under.pages.length === file.pages.length) return under;
    throw new ServiceError('print_failed', 'the margin boxes of the document have other pages than its content');
  }

  /** The classes of pages. All of them may have sizes and margins of their own, or only those that have names. */
  #classify(pagesFacts: readonly PageFacts[], getNames: boolean): Classified {
    return classifyPages(pagesFacts.map((facts, page) => this.#toClass(facts, getNames || page < this.#named.pages.length)));
  }

  /** The selectors of a page: those that Chromium knows, and the names of rules that it does not. */
  #toClass(facts: PageFacts, isPlaced: boolean): PageClass {
    const { numbered } = this.#document.pagedStyles;
    const selectors = knownSelectors(facts);
    for (const text of this.#selectorsOf(facts)) {
      const selector = isPlaced || !movesContent(text) ? numbered.get(text) : undefined;
      if (selector) selectors[text] = specificityOf(selector);
    }
    return selectors;
  }

  /** The names of the rules that select a page. */
  #selectorsOf(facts: PageFacts): string[] {
    const { numbered } = this.#document.pagedStyles;
    return Array.from(numbered, ([text, selector]) => (selectsPage(selector, facts) ? text : [])).flat();
  }
}

/** As many pages as there are, after them, with the name of the last. */
function continuePages(facts: readonly PageFacts[]): PageFacts[] {
  const last = facts.at(-1);
  if (!last) return [];
  return facts.map((_, index) => ({
    ...last,
    number: last.number + index + 1,
    numberInGroup: last.numberInGroup + index + 1,
    isLeft: last.isLeft === (index % 2 === 1),
    isBlank: false,
  }));
}
