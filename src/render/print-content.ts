/** The core of every render: a document in, a finished PDF out. It knows no accounts; the caller has checked permissions. */
import { hanLanguages } from '../chromium/fonts/han-fonts.ts';
import { type Content, needsOwnPage } from '../chromium/load/load-settings.ts';
import type { Page, PageReport, PrintJob, RawPdf } from '../chromium/page.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { Markdown } from '../markdown/markdown.ts';
import { normalizeInfoDictionary, withMetadata } from '../pdf/edit/normalize-info-dictionary.ts';
import { correctPageSizes, type PageSize } from '../pdf/edit/page-boxes.ts';
import { makeLinksRelative } from '../pdf/edit/relative-links.ts';
import { type Conformance, type FinishSettings, needsFinishing } from '../pdf/finish-settings.ts';
import { countPages } from '../pdf/objects/inspect.ts';
import type { Workplace } from '../pool/pool.ts';
import { paperView } from './content-shrinking.ts';
import type { FinishPlan } from './finish-options.ts';
import { type FinishQueue, sizeOf } from './finish-queue.ts';
import { beyondTheEnd, mayLackPages, rangesOf } from './page-ranges.ts';
import type { RenderRequest } from './render-request.ts';
import { type RenderReport, reportOf } from './report.ts';
import { resolveWithoutTemplate, type SourceDocument } from './resolve-source.ts';
import { printStamp, type Watermark } from './watermark.ts';

export interface RenderedPdf {
  /** The file in chunks, so that a large file is never concatenated. */
  chunks: Buffer[];
  bytes: number;
  pages: number;
  report: RenderReport;
  /** Milliseconds spent in each phase. */
  timings: Record<Phase, number>;
}

/** The services that turn documents into PDFs. */
export interface PrintEngine {
  pool: Workplace<Page>;
  finishing: FinishQueue;
}

/** A document with its print and finish settings. */
export interface PrintOrder extends Omit<PrintJob, 'check' | 'pages' | 'view'> {
  finish: FinishPlan;
}

/** The owner of a render. */
export interface RenderOwner {
  /** The isolation boundary: a page that has served one boundary never serves another. */
  boundary: string;
  /** The owner whose share of places, threads and bytes the render uses. */
  shareOf: string;
}

/** Renders without an account, for the service itself and the command line. Templates are not available, and nothing is charged. */
export async function printAlone(
  engine: PrintEngine,
  { source, baseUrl, assets, load, print, finish, timeoutMs }: RenderRequest,
  owner?: RenderOwner,
  client?: AbortSignal,
): Promise<RenderedPdf> {
  using deadline = new Deadline(timeoutMs, client);
  const content = await deadline.race(resolveAlone({ source, baseUrl, assets }, deadline.signal));
  return await printContent(engine, { content, load, print, finish }, owner, deadline);
}

async function resolveAlone(document: SourceDocument, signal: AbortSignal): Promise<Content> {
  if (document.source.kind === 'template') throw new Error('templates belong to a key');
  const markdown = new Markdown();
  try {
    return await resolveWithoutTemplate(document, document.source, '', markdown, signal);
  } finally {
    await markdown.close();
  }
}

/** Without an owner it renders on a page used once. */
export async function printContent(
  { pool, finishing }: PrintEngine,
  { finish, ...job }: PrintOrder,
  owner: RenderOwner | undefined,
  deadline: Deadline,
): Promise<RenderedPdf> {
  const { boundary = '', shareOf = '' } = owner ?? {};
  const { watermark } = finish;
  if (needsFinishing(finish)) finishing.expect(shareOf);
  const { pageRanges } = job.print;
  const view = (chunks: Buffer[]) => paperView(job.content, job.print, chunks);
  const { header, footer } = job.print.templates;
  const languages = languagesOf(job.content, header, footer, watermark?.html);
  const check = pageRanges && { check: rangeCheck(pageRanges) };
  const asksStructure = finish.conformance !== undefined;
  const checked = { ...job, view, pages: countPages, hanLanguages: languages, asksStructure, ...check };
  const printed = await pool.use(
    owner?.boundary,
    deadline,
    async (page) => {
      const stamp = watermark && (await printStamp(page, watermark, languages, deadline));
      return { stamp, raw: await page.print(checked, deadline) };
    },
    { once: needsOwnPage(job.content, job.load), shareOf, suits: (page) => page.suits(checked) },
  );
  deadline.enter('finish');
  const { raw, stamp } = printed;
  if (raw.assetOrigin) makeLinksRelative(raw.chunks, raw.assetOrigin);
  correctPageSizes(raw.chunks, raw.sizes.map(inPoints));
  const pages = countPages(raw.chunks);
  const conformance = finish.conformance && { claims: finish.conformance, stated: statedBy(raw, pageRanges === '') };
  const settings = { ...finish, boundary, conformance, watermark: laidOut(watermark, stamp?.chunks, pages) };
  const chunks = await finished(finishing, raw, settings, shareOf, deadline);
  const timings = deadline.timings();
  return { chunks, bytes: sizeOf(chunks), pages, report: reportOf(withStamp(raw.report, stamp?.report), timings), timings };
}

/** Links to assets are relative in the PDF, as they are in the document. */
function statedBy({ structure, assetOrigin, report }: RawPdf, isWhole: boolean): Conformance['stated'] {
  if (!structure) throw new Error('the document was not asked for its structure');
  const isAsset = (target: string) => assetOrigin !== undefined && target.startsWith(`${assetOrigin}/`);
  const relative = (target: string) => (isAsset(target) ? target.slice(`${assetOrigin}/`.length) : target);
  const links = structure.links.map(({ target, name }) => ({ target: relative(target), name }));
  return { ...structure, links, isWhole, missingGlyphs: report.missingGlyphs.map(({ characters }) => characters) };
}

/** Of everything that is shown on the page. */
export function languagesOf(content: Content, ...others: Array<string | undefined>): string {
  return content.kind === 'url' ? '' : hanLanguages([content.html, ...others]); // the page of an address is used once
}

function inPoints({ widthInches, heightInches }: RawPdf['sizes'][number]): PageSize {
  return { width: widthInches * 72, height: heightInches * 72 };
}

/** Adds the missing glyphs of the watermark to those of the document. */
function withStamp(report: PageReport, stamp: PageReport | undefined): PageReport {
  return stamp ? { ...report, missingGlyphs: [...report.missingGlyphs, ...stamp.missingGlyphs] } : report;
}

async function finished(
  finishing: FinishQueue,
  { chunks, stated }: Pick<RawPdf, 'chunks' | 'stated'>,
  settings: FinishSettings,
  shareOf: string,
  deadline: Deadline,
): Promise<Buffer[]> {
  const metadata = { ...stated, ...settings.metadata };
  if (needsFinishing(settings)) return finishing.finish(shareOf, chunks, { ...settings, metadata }, deadline);
  normalizeInfoDictionary(chunks);
  return withMetadata(chunks, stated);
}

/** Throws `print_failed` if the ranges name pages that the document does not have. */
function laidOut(watermark: Watermark | undefined, stamp: Buffer[] | undefined, pages: number): FinishSettings['watermark'] {
  if (!watermark || !stamp) return undefined;
  const error = beyondTheEnd('options.watermark.pages', watermark.pages, pages);
  if (error) throw error;
  return { stamp, pages: rangesOf(watermark.pages), opacity: watermark.opacity, layer: watermark.layer };
}

/** Chromium does not report the number of pages, so that the document must be printed to count them. */
function rangeCheck(ranges: string): NonNullable<PrintJob['check']> {
  return async (printed, printAll) => {
    if (printed && !mayLackPages(ranges, countPages(printed))) return;
    const error = beyondTheEnd('options.pageRanges', ranges, countPages(await printAll()));
    if (error) throw error;
  };
}
