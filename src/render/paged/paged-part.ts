/** What each capability that depends on the pages of a document does between its prints. */
import type { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import type { PageArea } from '../../pdf/paged/page-areas.ts';
import type { Place } from '../../pdf/paged/probes.ts';
import type { PagedOutcome } from '../paged-outcome.ts';
import type { Print } from '../steps/print.ts';
import type { OverlayBoxes } from './overlay.ts';

/** A print, and where it has the elements over which links were placed. */
export interface PagedPrint {
  print: Print;
  file: PrintedPages;
  /** By the name in the address of the link. */
  places: ReadonlyMap<string, readonly Place[]>;
  /** The area of a page in which the document is, by its index. */
  area: (page: number) => PageArea;
  /** The area of a page between its margins: that of the document, and what is reserved below it. */
  frame: (page: number) => PageArea;
}

export interface PagedPart {
  /** Whether it changes the document after the first print, of which it needs only destinations. */
  readonly fillsFirst?: boolean;
  /** Whether it can settle the second print instead of the first. */
  readonly settlesLater?: boolean;
  /** Whether it settles prints that no other part changes. It may need many. */
  readonly settlesLast?: boolean;
  /** The settings with which the document is printed first. */
  adjust?(settings: Print['settings']): Print['settings'];
  /** Changes the document as the print tells. Returns whether it must be printed again. */
  settle?(print: PagedPrint): Promise<boolean>;
  /** Tells what did not settle after the last print. */
  describeUnsettled?(): string;
  /** The height in points that the last print has free at the bottom of a page. */
  reservedOn?(page: number): number;
  /** What is painted over the pages of the document, by the last print that it settled. */
  overlay?: OverlayBoxes;
  /** Whether that is right on pages that `page-orientation` turns. */
  readonly paintsTurned?: boolean;
  /** Set if these are footnotes that have tags: with what the addresses of the links begin that tell their elements. */
  readonly noteKey?: string | undefined;
  /** Prints what is laid under the pages of the print that is kept. */
  printUnder?(print: PagedPrint): Promise<PrintedPages>;
  /** Looks at the print that is kept. */
  end?(print: PagedPrint): Promise<PagedOutcome>;
}
