/** The print of a document between two steps. */
import type { PrintedPdf } from '../../chromium/loaded-document.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';

export interface Print extends PrintedPdf {
  /** The settings with which it was printed. */
  settings: PrintSettings;
}
