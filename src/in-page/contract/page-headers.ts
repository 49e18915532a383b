/** Headers and footers that are elements of the document. */

/** The places in a header that are filled in, by their class. */
export const HEADER_FIELDS = ['pageNumber', 'totalPages', 'sectionPage', 'sectionPages', 'title', 'date', 'url'] as const;
/** Of all headers and footers of a document. */
export const MAX_HEADERS = 100;

/** The margins of all pages in inches. Undefined if they stay. */
export interface HeaderMargins {
  top: number | undefined;
  bottom: number | undefined;
}
