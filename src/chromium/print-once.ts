/** Prints a document once, as it is: for documents of the service itself, and where no step of the recipe is needed. */
import type { Deadline } from '../deadline.ts';
import type { OutboundReport } from '../egress/egress-proxy.ts';
import type { Findings } from './load/document-load.ts';
import type { LoadJob } from './load/load-job.ts';
import { DEFAULT_LOAD } from './load/load-settings.ts';
import type { LoadedDocument, PrintedPdf } from './loaded-document.ts';
import { NOTHING_ADDED, type PrintSettings } from './print/print-options.ts';

/** A document to print once. */
export interface PrintJob extends LoadJob {
  print: PrintSettings;
}

/** A document that was printed once, and what it lacks. */
export interface PagePrint extends PrintedPdf {
  findings: Findings;
  network: OutboundReport;
}

/** The part of a page that prints need. */
interface Loader {
  load(job: LoadJob, deadline: Deadline): Promise<LoadedDocument>;
}

/** Uses what most documents use: the generic fonts in all styles, tables, borders and several pages. */
const HTML = `<!doctype html><title>x</title><style>td { border: 1px solid #ccc; padding: 4px; background: #eee } p { break-before: page }</style>
<h1>Aa</h1><table><tr><td>0123 <b>bold</b> <i>italic</i></table><p style="font-family: sans-serif">Aa <b>Bb</b> <i>Ii</i></p><p style="font-family: monospace">Aa`;

/** Loads the fonts and the code that most documents need into the renderer of a page. */
export const WARM_UP: PrintJob = {
  content: { kind: 'html', html: HTML, baseUrl: undefined },
  load: DEFAULT_LOAD,
  print: {
    paper: { widthInches: 210 / 25.4, heightInches: 297 / 25.4 },
    paperChosenBy: 'document',
    margin: { top: 0.4, right: 0.4, bottom: 0.4, left: 0.4 },
    marginChosenBy: 'document',
    printBackground: true,
    ...NOTHING_ADDED,
  },
};

/** Throws the errors of `Page.load` and `LoadedDocument.print`. */
export async function printOnce(page: Loader, job: PrintJob, deadline: Deadline): Promise<PagePrint> {
  await using document = await page.load(job, deadline);
  const pdf = await document.print(document.settings ?? job.print);
  const findings = await document.findings();
  return { ...pdf, findings, network: document.endTraffic() };
}
