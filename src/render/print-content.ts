/** The middle of every render: a document in, a finished PDF out. It knows no accounts: what may be rendered is settled before. */
import { type Content, needsOwnPage } from '../chromium/load-settings.ts';
import type { Page, PrintJob } from '../chromium/page.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { type FinishSettings, needsFinishing } from '../pdf/finish-settings.ts';
import type { Finisher } from '../pdf/finisher.ts';
import { settleIdentity } from '../pdf/identity.ts';
import { countPages } from '../pdf/inspect.ts';
import type { Workplace } from '../pool/pool.ts';
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
  finisher: Finisher;
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
): Promise<RenderedPdf> {
  if (source.kind === 'template') throw new Error('templates belong to a key');
  const content: Content = source.kind === 'url' ? source : { ...source, baseUrl };
  using deadline = new Deadline(timeoutMs);
  return await printContent(engine, { content, load, print, finish }, owner, deadline);
}

/** `owner` is the isolation boundary (the id of an API key); undefined renders on a page used once. */
export async function printContent(
  { pool, finisher }: PrintEngine,
  { finish, ...job }: PrintOrder,
  owner: string | undefined,
  deadline: Deadline,
): Promise<RenderedPdf> {
  const { watermark } = finish;
  if (needsFinishing(finish)) finisher.prepare();
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
  const chunks = await finished(finisher, raw.chunks, { ...finish, watermark: laidOut(watermark, stamp, pages) }, deadline);
  const timings = deadline.timings();
  return { chunks, bytes: sizeOf(chunks), pages, report: reportOf(raw.report, timings), timings };
}

async function finished(finisher: Finisher, chunks: Buffer[], settings: FinishSettings, deadline: Deadline): Promise<Buffer[]> {
  if (needsFinishing(settings)) return deadline.race(finisher.finish(chunks, settings, deadline.signal));
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

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((total, { length }) => total + length, 0);
}

/** Chromium does not say how many pages there are: where it matters that takes printing them. */
function rangeCheck(ranges: string): NonNullable<PrintJob['check']> {
  return async (printed, printAll) => {
    if (printed && !mayLackPages(ranges, countPages(printed))) return;
    const error = beyondTheEnd('options.pageRanges', ranges, countPages(await printAll()));
    if (error) throw error;
  };
}
