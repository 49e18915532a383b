/** Limits of answers. The program applies them, and the service checks them on arrival. */

export const MAX_ERRORS = 20;
export const MAX_ERROR_CHARACTERS = 500;
/** Shadow roots that a window registers. */
export const MAX_SHADOWS = 10_000;
/** The workers of all documents of a page that can access each other. The render fails when a page starts this many. */
export const MAX_WORKERS = 128;
/** The workers of a worker, and of a frame that cannot access the top window. */
export const MAX_WORKERS_OF_OTHERS = 4;
/** `meta` elements that are read for metadata, and characters of each text. The options have the same limit of characters. */
export const MAX_METADATA_ELEMENTS = 1_000;
export const MAX_METADATA_TEXT = 4_096;
/** Distinct characters and families of an active document. */
export const MAX_SEEN_CHARACTERS = 20_000;
export const MAX_FAMILIES = 50;
/** Elements in which clipped content is searched for. */
export const MAX_CLIPPING_ELEMENTS = 100_000;
/** Blocks of a document that is printed in windows. */
export const MAX_BLOCKS = 1_000_000;
/** Headers and footers of tables that are checked. */
export const MAX_ROW_GROUPS = 1_000;
/** Characters of a header or footer with the files that it names. Chromium repeats it on every page. */
export const MAX_FILLED_BYTES = 4 * 1_048_576;
/** Style sheets of each document or shadow root, and characters of all of them, because reading these blocks for about 100 ms. */
export const MAX_STYLE_SHEETS = 100;
export const MAX_STYLE_CHARACTERS = 524_288;
/** Languages without a dictionary, and characters of each. */
export const MAX_LANGUAGES = 20;
export const MAX_LANGUAGE_CHARACTERS = 40;
/** Characters of a word that the memory of a module of patterns has room for. */
export const MAX_HYPHENATED_WORD = 61;
/** Characters of all distinct words that are hyphenated. */
export const MAX_HYPHENATED_CHARACTERS = 1_048_576;
/** Links that cannot be resolved, and characters of each. */
export const MAX_LOST_LINKS = 100;
export const MAX_LOST_URL = 500;
/** Missing parts, characters of each URL, and alternatives of each part. */
export const MAX_MISSING_PARTS = 1_000;
export const MAX_MISSING_URL = 500;
export const MAX_ALTERNATIVES = 10;
/** Elements whose places on pages a caller asks for, and boxes that may explain the breaks in them. */
export const MAX_LAYOUT_ELEMENTS = 5_000;
export const MAX_LAYOUT_BOXES = 2_000;
/** What may look wrong on pages. */
export const MAX_PAGE_RISKS = 1_000;

/** The window is as low as no page is, so that a document can tell prints from the screen by this media query. */
export const LOW_WINDOW_PX = 1;
export const BETWEEN_PRINTS = `(max-height: ${LOW_WINDOW_PX}px)`;
