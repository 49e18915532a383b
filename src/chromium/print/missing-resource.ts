/** A part that a document or a header names and that was not loaded. */
export interface MissingResource {
  /** The URL as the document writes it, or resolved. */
  url: string;
  reason: string;
  /** Alternative URLs, of which one would have been enough. */
  others: string[];
}
