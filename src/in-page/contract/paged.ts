/** What the service asks about content that depends on the pages of a document. */

/** Stands for the URL of the element itself in `target-counter()`. */
export const THIS_ELEMENT = 'platen-this';

/** Stands for the target of a reference to the number of all pages. */
export const ALL_PAGES = 'platen-pages';

/** Stands for the counter style in which a page shows its number. */
export const SHOWN_STYLE = 'platen-shown';

/** The limits of what is read. More is an error. */
export const PAGED_LIMITS = {
  strings: 20_000,
  references: 50_000,
  numbers: 20_000,
  bookmarks: 20_000,
  names: 20_000,
  running: 5_000,
} as const;
export const MAX_PAGED_TEXT = 2_000;
/** Numbers of pages are at most as large. */
export const MAX_PAGE_NUMBER = 1_000_000_000;

/** The fragment of a URL that leads to an element, which the PDF has as a destination. */
export type Target = string;

/** Stands for the element that refers to headings that the document does not have. */
export const CONTENTS_OPTION = 'options.toc';

export interface PagedElements {
  /** What `string-set` assigns, in the order of the document. */
  strings: Array<{ name: string; value: string; at: Target; spaceAbove: number }>;
  /** Where the page number is set: the number, and whether the page gets the next one. */
  numbers: Array<{ at: Target; number: number; isReset: boolean }>;
  /** The page numbers that generated content shows: of which element, or the number of all pages, and in which style. */
  references: Array<{ to: Target; style: string; element: string }>;
  /** Elements at which pages with another name begin, or a page break is forced. The name is empty for those without one. */
  names: Array<{ at: Target; name: string; isForced: boolean }>;
  /** Whether pages go from right to left, so that the first is a left one. */
  isReversed: boolean;
  /** Elements that margin boxes show, in the order of the document. Their index is that of their painter. */
  running: Array<{ name: string; at: Target; spaceAbove: number }>;
  bookmarks: Array<{ at: Target; level: number; label: string; isClosed: boolean }>;
  /** Targets that the document does not have, with the element that refers to them. */
  missing: Array<{ to: string; element: string }>;
}

export const MAX_FOOTNOTES = 10_000;

/** A footnote: the place of its call, and its number. */
export interface PagedFootnote {
  at: Target;
  number: number;
}

/** The footnotes of each page, and their width and height, in CSS pixels. */
export interface MeasuredFootnotes {
  widths: number[];
  groups: number[][];
  heights: number[];
}

/** Footnotes, and the height of their part on their page and on each of the next ones. */
export interface FootnoteParts {
  /** The index of the page. */
  page: number;
  numbers: number[];
  /** CSS pixels. */
  heights: number[];
}

/** Why footnotes cannot be divided between pages: a part of one is too high, or the last page is full. */
export type Crowding = (typeof CROWDINGS)[number];
export const CROWDINGS = ['undivided', 'no room'] as const;

/** Why nothing is read. */
export type PagedRefusal = { exceeded: keyof typeof PAGED_LIMITS } | { notFound: 'place' | 'selector' };

/** A table of contents to make from headings. */
export interface ContentsOrder {
  /** Selects the headings. */
  selector: string;
  title: string;
  /** How many levels of headings are listed. */
  depth: number;
  /** Selects the element before whose content it is placed. */
  place: string;
}

/** Elements that must begin on a page of one side. */
export const MAX_SIDED_BREAKS = 1_000;

export interface SidedBreak {
  /** The fragment of a URL that leads to it. */
  at: string;
  /** Whether its side is that of the first page. */
  isRecto: boolean;
}
