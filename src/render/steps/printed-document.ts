/** A document as it was printed, with all that later steps need to know of it. */

import type { Findings } from '../../chromium/load/document-load.ts';
import type { DocumentMetadata } from '../../chromium/load/html/document-metadata.ts';
import type { PageSize } from '../../chromium/print/page-sizes.ts';
import type { PrintersMarks } from '../../chromium/print/printers-marks.ts';
import type { OutboundReport } from '../../egress/egress-proxy.ts';
import type { DocumentStructure, ElementLocation } from '../../tag-structure.ts';
import type { PagedOutcome } from '../paged-outcome.ts';
import type { PlacedFields } from './form-fields.ts';
import type { LayoutLosses } from './layout-losses.ts';
import type { Print } from './print.ts';

export interface PrintedDocument extends Print {
  /** The scale of the document. At 1, a CSS pixel is 1/96 inch. */
  scale: number;
  /** Sizes that its pages may have. Chromium does not print them exactly. */
  sizes: PageSize[];
  /** Metadata that the document states. Chromium writes only the title. */
  metadata: DocumentMetadata;
  /** The structure that the document states, if it was read. */
  structure: DocumentStructure | undefined;
  fields: PlacedFields['fields'];
  /** What its pages have decided. Undefined if nothing of it depends on them. */
  paged?: PagedOutcome | undefined;
  /** Whether words have got soft hyphens, which the PDF should not have. */
  isHyphenated: boolean;
  /** The marks around its pages, which include their bleed. */
  printersMarks: PrintersMarks | undefined;
  /** What the document lacks, and what the paper does not show of it. */
  report: PageReport;
  /** The random origin of the assets, which may occur in links of the PDF. */
  assetOrigin: string | undefined;
}

export interface PageReport extends Findings, LayoutLosses, Pick<PagedOutcome, 'layout' | 'pageWarnings'> {
  network: OutboundReport;
  /** Controls that should have become form fields, and are printed as they are. */
  printedFields: ElementLocation[];
  /** Targets of references that the document does not have. */
  missingTargets?: PagedOutcome['missing'] | undefined;
}
