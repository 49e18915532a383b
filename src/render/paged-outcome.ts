/** What depends on the pages of a document and is known when it has been printed. */
import type { Bookmark } from '../pdf/paged/bookmarks.ts';
import type { PageLabel } from '../pdf/paged/page-labels.ts';
import type { LocatedElement, Warning } from './report-schema.ts';

export interface PagedOutcome {
  /** The numbers of pages over or under which something is painted. */
  painted?: number[] | undefined;
  /** The labels of the pages that are printed, if they are not simply numbered. */
  labels?: PageLabel[] | undefined;
  bookmarks?: Bookmark[] | undefined;
  /** Where the elements are that the request asks for. */
  layout?: LocatedElement[] | undefined;
  /** What looks wrong at the ends of its pages. */
  pageWarnings?: Warning[] | undefined;
  /** Targets that the document does not have, and the elements that refer to them. */
  missing?: ReadonlyArray<{ to: string; element: string }>;
}
