/** The middle of every render: a document in, a finished PDF out. It knows no accounts: what may be rendered is settled before. */
import { type Content, needsOwnPage } from '../chromium/load-settings.ts';
import type { Page, PageReport, PrintJob } from '../chromium/page.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { type FinishSettings, needsFinishing } from '../pdf/finish-settings.ts';
import { settleIdentity } from '../pdf/identity.ts';
import { countPages } from '../pdf/inspect.ts';
import type { Workplace } from '../pool/pool.ts';
import { type FinishLine, sizeOf } from './finish-line.ts';
import type { FinishPlan } from './finish-options.ts';
import { beyondTheEnd, mayLackPages, rangesOf } from './page-ranges.ts';
import { roomOf } from './paper-room.ts';
import type { RenderRequest } from './render-request.ts';
import { type RenderReport, reportOf } from './report.ts';
import { printStamp, type Watermark } from './watermark.ts';

export interface RenderedPdf {
  /** The file in pieces, so that a large one is never copied together. */
  chunks: Buffer[];
  bytes: number;
  pages: number;
  report: RenderReport;
  /** Milliseconds spent in each phase. */
  timings: Record<Phase, number>;
}

/** What turns documents into PDFs. */
export interface PrintEngine {
  pool: Workplace<Page>;
  finishing: FinishLine;
}

/** A document, and what is to become of it. */
export interface PrintOrder extends Omit<PrintJob, 'check' | 'room'> {
  finish: FinishPlan;
}

/** For the service's own renders, and those of the command line: no account, no templates, nothing charged. */
export async function printAlone(
  engine: PrintEngine,
  { source, baseUrl, load, print, finish, timeoutMs }: RenderRequest,
  owner?: string,
  client?: AbortSignal,
): Promise<RenderedPdf> {
  if (source.kind === 'template') throw new Error('templates belong to a key');
  const content: Content = source.kind === 'url' ? source : { ...source, baseUrl };
  using deadline = new Deadline(timeoutMs, client);
  return await printContent(engine, { content, load, print, finish }, owner, deadline);
}

/** `owner` is the isolation boundary (the id of an API key); undefined renders on a page used once. */
export async function printContent(
  { pool, finishing }: PrintEngine,
  { finish, ...job }: PrintOrder,
  owner: string | undefined,
  deadline: Deadline,
): Promise<RenderedPdf> {
  const { watermark } = finish;
  if (needsFinishing(finish)) finishing.expect(owner ?? '');
  const { pageRanges } = job.print;
  const room = (chunks: Buffer[]) => roomOf(job.content, job.print, chunks);
  const checked = { ...job, room, ...(pageRanges && { check: rangeCheck(pageRanges) }) };
  const printed = await pool.use(
    owner,
    deadline,
    async (page) => {
      const stamp = watermark && (await printStamp(page, watermark, deadline));
      return { stamp, raw: await page.print(checked, deadline) };
    },
    { once: needsOwnPage(job.content, job.load) },
  );
  deadline.enter('finish');
  const { raw, stamp } = printed;
  const pages = countPages(raw.chunks);
  const settings = { ...finish, boundary: owner ?? '', watermark: laidOut(watermark, stamp?.chunks, pages) };
  const chunks = await finished(finishing, raw.chunks, settings, deadline);
  const timings = deadline.timings();
  return { chunks, bytes: sizeOf(chunks), pages, report: reportOf(withStamp(raw.report, stamp?.report), timings), timings };
}

/** What a watermark lacks, its document lacks. */
function withStamp(report: PageReport, stamp: PageReport | undefined): PageReport {
  return stamp ? { ...report, missingGlyphs: [...report.missingGlyphs, ...stamp.missingGlyphs] } : report;
}

async function finished(
  finishing: FinishLine,
  chunks: Buffer[],
  settings: FinishSettings,
  deadline: Deadline,
): Promise<Buffer[]> {
  if (needsFinishing(settings)) return finishing.finish(settings.boundary, chunks, settings, deadline);
  settleIdentity(chunks);
  return chunks;
}

/** Throws `print_failed` where it asks for pages the document has not. */
function laidOut(watermark: Watermark | undefined, stamp: Buffer[] | undefined, pages: number): FinishSettings['watermark'] {
  if (!watermark || !stamp) return undefined;
  const error = beyondTheEnd('options.watermark.pages', watermark.pages, pages);
  if (error) throw error;
  return { stamp, pages: rangesOf(watermark.pages), opacity: watermark.opacity, layer: watermark.layer };
}

/** Chromium does not say how many pages there are: where it matters that takes printing them. */
function rangeCheck(ranges: string): NonNullable<PrintJob['check']> {
  return async (printed, printAll) => {
    if (printed && !mayLackPages(ranges, countPages(printed))) return;
    const error = beyondTheEnd('options.pageRanges', ranges, countPages(await printAll()));
    if (error) throw error;
  };
}
