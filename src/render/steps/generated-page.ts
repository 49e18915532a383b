/** Print jobs of generated documents that are placed on pages: HTML and the size of its page in, a job without margins out. */
import { DEFAULT_DEVICE } from '../../chromium/devtools/emulation.ts';
import { DEFAULT_LOAD } from '../../chromium/load/load-settings.ts';
import { NOTHING_ADDED } from '../../chromium/print/print-options.ts';
import type { PrintJob } from '../../chromium/print-once.ts';

/** Nothing is loaded, and no script runs. */
export function generatedPage(html: string, widthInches: number, heightInches: number): PrintJob {
  return {
    content: { kind: 'html', html, baseUrl: undefined },
    load: { ...DEFAULT_LOAD, device: { ...DEFAULT_DEVICE, javascript: false }, offline: true },
    print: {
      paper: { widthInches, heightInches },
      paperChosenBy: 'caller',
      margin: { top: 0, right: 0, bottom: 0, left: 0 },
      marginChosenBy: 'caller',
      printBackground: true,
      ...NOTHING_ADDED,
      pageRanges: '1',
    },
  };
}
