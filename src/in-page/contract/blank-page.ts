/** The name of the empty pages that are inserted, and of their elements. The rules for `:blank` apply to them. */
export const BLANK_PAGE = 'platen-blank';
