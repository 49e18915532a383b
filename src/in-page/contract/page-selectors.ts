/** The name of the empty pages that are inserted, and of their elements. The rules for `:blank` apply to them. */
export const BLANK_PAGE = 'platen-blank';
/** Stand for `:left` and `:right`, which depend on the direction of the document. */
export const ODD_PAGES = ':platen-odd';
export const EVEN_PAGES = ':platen-even';

/** The selectors that Chromium knows of a page, with their specificity. */
export type PageClass = Record<string, number>;
/** What came of giving names to pages: whether the document must be printed again, or the rules are too long. */
export type Naming = 'changed' | 'same' | 'too long';
/** The rules of all classes of pages have at most so many characters. */
export const MAX_PAGE_CSS = 4_194_304;
