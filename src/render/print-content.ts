/** The middle of every render: a document in, a finished PDF out. It knows no accounts: what may be rendered is settled before. */
import { type Content, needsOwnPage } from '../chromium/load-settings.ts';
import type { Page, PrintJob } from '../chromium/page.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { countPages } from '../pdf/inspect.ts';
import type { Pool } from '../pool/pool.ts';
import { beyondTheEnd, mayLackPages } from './page-ranges.ts';
import type { RenderRequest } from './render-request.ts';
import { type RenderReport, reportOf } from './report.ts';

export interface RenderedPdf {
  /** The file in pieces, so that a large one is never copied together. */
  chunks: Buffer[];
  bytes: number;
  pages: number;
  report: RenderReport;
  /** Milliseconds spent in each phase. */
  timings: Record<Phase, number>;
}

/** For the service's own renders, and those of the command line: no account, no templates, nothing charged. */
export async function printAlone(
  pool: Pool<Page>,
  { source, baseUrl, load, print, timeoutMs }: RenderRequest,
  owner?: string,
): Promise<RenderedPdf> {
  if (source.kind === 'template') throw new Error('templates belong to a key');
  const content: Content = source.kind === 'url' ? source : { ...source, baseUrl };
  using deadline = new Deadline(timeoutMs);
  return await printContent(pool, { content, load, print }, owner, deadline);
}

/** `owner` is the isolation boundary (the id of an API key); undefined renders on a page used once. */
export async function printContent(
  pool: Pool<Page>,
  job: PrintJob,
  owner: string | undefined,
  deadline: Deadline,
): Promise<RenderedPdf> {
  const once = needsOwnPage(job.content, job.load);
  const { pageRanges } = job.print;
  const checked = pageRanges ? { ...job, check: rangeCheck(pageRanges) } : job;
  const { chunks, bytes, report } = await pool.use(owner, deadline, (page) => page.print(checked, deadline), { once });
  deadline.enter('finish');
  const pages = countPages(chunks);
  const timings = deadline.timings();
  return { chunks, bytes, pages, report: reportOf(report, timings), timings };
}

/** Chromium does not say how many pages there are: where it matters that takes printing them. */
function rangeCheck(ranges: string): NonNullable<PrintJob['check']> {
  return async (printed, printAll) => {
    if (printed && !mayLackPages(ranges, countPages(printed))) return;
    const error = beyondTheEnd(ranges, countPages(await printAll()));
    if (error) throw error;
  };
}
