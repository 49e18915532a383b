/**
 * Margin boxes and backgrounds of pages that are selected by their number, which is known when they have been laid out: empty pages with
 * them are printed and laid under those of the document. See docs/decisions/0110-rules-by-page-number.md.
 */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { type PageFacts, parsePageSelector, selectsPage, specificityOf } from '../../chromium/page-css/page-selectors.ts';
import { hidePageStyles, showPageStyles } from '../../chromium/paged/page-styles.ts';
import { NOTHING_ADDED } from '../../chromium/print/print-options.ts';
import { ServiceError } from '../../errors.ts';
import { BLANK_PAGE, type PageClass } from '../../in-page/contract/page-selectors.ts';
import { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import type { GeneratedContent } from './generated-content.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';

export class PageStyles implements PagedPart {
  readonly #document: LoadedDocument;
  readonly #content: GeneratedContent;

  private constructor(document: LoadedDocument, content: GeneratedContent) {
    this.#document = document;
    this.#content = content;
  }

  /** Takes them off the pages of the document. */
  static async prepare(document: LoadedDocument, content: GeneratedContent): Promise<PageStyles> {
    await hidePageStyles(document.paged);
    return new PageStyles(document, content);
  }

  /** Prints a page for each page of a print. Throws `print_failed` and `resource_limit`. */
  async printUnder({ print, file }: PagedPrint): Promise<PrintedPages> {
    const classes: PageClass[] = [];
    const numbers = new Map<string, number>();
    const pages = this.#content.facts.map((facts) => {
      const selectors = this.#classify(facts);
      const text = JSON.stringify(selectors);
      const number = numbers.get(text) ?? classes.push(selectors) - 1;
      numbers.set(text, number);
      return number;
    });
    await showPageStyles(this.#document.paged, classes, pages);
    const { scale, pageRanges } = print.settings;
    const { chunks } = await this.#document.print({ ...print.settings, ...NOTHING_ADDED, scale, pageRanges });
    const under = new PrintedPages(Buffer.concat(chunks));
    if (under.pages.length === file.pages.length) return under;
    throw new ServiceError('print_failed', 'the margin boxes of the document have other pages than its content');
  }

  /** The selectors of a page: those that Chromium knows, and the names of rules that it does not. */
  #classify(facts: PageFacts): PageClass {
    const { number, isLeft, isBlank } = facts;
    const kinds = ['', isLeft ? ':left' : ':right', ...(number === 1 ? [':first'] : [])];
    const known = ['', isBlank ? BLANK_PAGE : facts.name].flatMap((name) => kinds.map((kind) => name + kind));
    const selectors = new Map(known.map((text) => [text, parsePageSelector(text)]));
    for (const [text, selector] of this.#document.pagedStyles.numbered)
      if (selectsPage(selector, facts)) selectors.set(text, selector);
    return Object.fromEntries(Array.from(selectors, ([text, selector]) => [text, selector ? specificityOf(selector) : 0]));
  }
}
