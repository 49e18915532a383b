/** Print settings of generated documents that are placed on pages: one page without margins. Callers add the paper. */
import type { PrintSettings } from '../../chromium/print/print-options.ts';

export const GENERATED_PAGE: Omit<PrintSettings, 'paper' | 'paperChosenBy' | 'marginChosenBy'> = {
  margin: { top: 0, right: 0, bottom: 0, left: 0 },
  printBackground: true,
  scale: 1,
  pageRanges: '1',
  tagged: false,
  outline: false,
  singlePage: false,
  templates: { header: undefined, footer: undefined, addressed: false },
};
