/** The name of the empty pages that are inserted, and of their elements. The rules for `:blank` apply to them. */
export const BLANK_PAGE = 'platen-blank';
/** Stand for `:left` and `:right`, which depend on the direction of the document. */
export const ODD_PAGES = ':platen-odd';
export const EVEN_PAGES = ':platen-even';
