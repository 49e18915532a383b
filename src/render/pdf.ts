/**
 * The recipe of a PDF: a document in, a finished PDF out. It knows the order of the steps, and not how each is done. It knows no
 * accounts; the caller has checked permissions.
 */
import { hanLanguages } from '../chromium/glyphs/han-fonts.ts';
import type { Findings, LoadJob } from '../chromium/load/document-load.ts';
import { type Content, needsOwnPage } from '../chromium/load/load-settings.ts';
import type { Page } from '../chromium/page.ts';
import type { PrintSettings } from '../chromium/print/print-options.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { forOperator, invalidRequest } from '../errors.ts';
import { Markdown } from '../markdown/markdown.ts';
import { needsFinishing } from '../pdf/finish-settings.ts';
import { losslessPictures } from '../pdf/images/lossless-pictures.ts';
import { countPages } from '../pdf/objects/inspect.ts';
import type { PagePool } from '../pool/pool.ts';
import type { RenderOwner } from './render-owner.ts';
import { type RenderReport, toReport, withPictures } from './report.ts';
import type { FinishPlan } from './request/finish-options.ts';
import type { RenderRequest } from './request/render-request.ts';
import { resolveWithoutTemplate, type SourceDocument } from './resolve-source.ts';
import { paperView } from './steps/content-shrinking.ts';
import { correctPrint } from './steps/correct-print.ts';
import { fieldKey } from './steps/field-appearances.ts';
import { finishPdf, layOutWatermark } from './steps/finish.ts';
import { type FinishQueue, totalLength } from './steps/finish-queue.ts';
import { placeFields, prepareFields } from './steps/form-fields.ts';
import { findScale, measureLosses } from './steps/layout-losses.ts';
import { namingOption } from './steps/name-option.ts';
import { printPages, requirePages } from './steps/page-ranges.ts';
import { printForm } from './steps/print-form.ts';
import type { PrintedDocument } from './steps/printed-document.ts';
import { placedAppearance, printPlaced } from './steps/signature-appearance.ts';
import { type Signing, toSignatureField } from './steps/signing.ts';
import { joinPages, layOut } from './steps/single-page.ts';
import { readStructure, toStructureSettings } from './steps/structure.ts';
import { printStamp } from './steps/watermark.ts';

export interface RenderedPdf {
  /** Media type. */
  type: string;
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
  pool: PagePool<Page>;
  finishing: FinishQueue;
}

/** A document with its print and finish settings. */
export interface PrintOrder extends LoadJob {
  print: PrintSettings;
  finish: FinishPlan;
  /** Set if `finish` requests a signature. */
  signing?: Signing | undefined;
}

/** Renders without an account, for the service itself and the command line. Templates are not available, and nothing is charged. */
export async function printAlone(
  engine: PrintEngine,
  { source, baseUrl, assets, load, print, finish, timeoutMs }: RenderRequest,
  owner?: RenderOwner,
  client?: AbortSignal,
): Promise<RenderedPdf> {
  if (finish.signature)
    throw invalidRequest([{ path: 'options.signature', message: 'needs the service, which keeps the certificates of a key' }]);
  using deadline = new Deadline(timeoutMs, client);
  const content = await deadline.race(resolveAlone({ source, baseUrl, assets }, deadline.signal));
  return await renderPdf(engine, { content, load, print, finish }, owner, deadline).catch((error: unknown) => {
    throw owner?.isOperator ? forOperator(error) : error;
  });
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

const NO_PICTURES = { count: 0, bytes: 0 };

/** Renders a document. Without an owner, it uses a page once. */
export function renderPdf(
  engine: PrintEngine,
  order: PrintOrder,
  owner: RenderOwner | undefined,
  deadline: Deadline,
): Promise<RenderedPdf> {
  return namingOption(renderSteps(engine, order, owner, deadline));
}

async function renderSteps(
  { pool, finishing }: PrintEngine,
  { finish, signing, ...job }: PrintOrder,
  owner: RenderOwner | undefined,
  deadline: Deadline,
): Promise<RenderedPdf> {
  const { boundary = '', shareOf = '' } = owner ?? {};
  const { watermark } = finish;
  if (needsFinishing(finish)) finishing.expect(shareOf);
  const placed = placedAppearance(signing);
  const { header, footer } = job.print.templates;
  const languages = contentLanguages(job.content, header, footer, watermark?.html, placed?.html);
  const key = finish.forms ? fieldKey(job.content) : undefined;
  const order = { ...job, finish, shareOf, hanLanguages: languages };
  const { stamp, appearance, document } = await pool.use(
    owner?.boundary,
    deadline,
    async (page) => ({
      stamp: watermark && (await printStamp(page, watermark, languages, deadline)),
      appearance: placed && (await printPlaced(page, placed, languages, deadline)),
      document: await printDocument(page, order, key, deadline),
    }),
    { once: needsOwnPage(job.content, job.load), shareOf, suits: (page) => page.suits(order) },
  );
  const { forms, signature: inField, ...form } = await printForm(pool, document, key, signing, owner, deadline);
  const shown = appearance ?? inField;
  deadline.enter('finish');
  await correctPrint(document, deadline);
  const pages = countPages(document.chunks);
  const pictures = finish.images ? NO_PICTURES : losslessPictures(document.chunks); // the caller may have chosen their size
  const reportWithFields = addMissingGlyphs(document.report, [shown?.printed.findings, ...form.findings]);
  const chunks = await finishPdf(
    finishing,
    document,
    {
      ...finish,
      boundary,
      structure: toStructureSettings(document, reportWithFields.missingGlyphs),
      forms,
      signature: signing && toSignatureField(signing, shown),
      watermark: layOutWatermark(watermark, stamp?.chunks, pages),
    },
    signing,
    shareOf,
    deadline,
  );
  deadline.leave();
  const timings = deadline.timings();
  const { isOperator } = owner ?? {};
  const wholeReport = addMissingGlyphs(reportWithFields, [stamp?.findings]);
  const report = withPictures(toReport(wholeReport, timings, { isOperator, content: job.content }), pictures);
  return { type: 'application/pdf', chunks, bytes: totalLength(chunks), pages, report, timings };
}

/** Prints a document until it is as the order wants it. */
async function printDocument(
  page: Page,
  { content, finish, ...job }: PrintOrder,
  key: string | undefined,
  deadline: Deadline,
): Promise<PrintedDocument> {
  await using document = await page.load({ ...job, content }, deadline);
  const settings = document.settings ?? job.print;
  const structure = await readStructure(document, finish);
  const controls = await prepareFields(document, key);
  const first = await printPages(document, await layOut(document, settings));
  const findings = await document.findings();
  const joined = await joinPages(document, first);
  const { fields, printedFields, ...print } = await placeFields(document, joined, controls, key, job.print.scale);
  await requirePages(document, print);
  const view = paperView(content, print.settings, print.chunks);
  const scale = await findScale(document, print, view);
  const losses = await measureLosses(document, print, view, scale);
  const report = { ...findings, ...losses, printedFields, network: document.endTraffic() };
  const { metadata, assetOrigin } = document;
  return { ...print, scale, sizes: document.possibleSizes(print.settings), metadata, structure, fields, report, assetOrigin };
}

/** The languages of the Chinese characters in all content of the page. */
export function contentLanguages(content: Content, ...others: Array<string | undefined>): string {
  return content.kind === 'url' ? '' : hanLanguages([content.html, ...others]); // a page that loads a URL is used only once
}

/** Adds the missing glyphs of the watermark, the signature and the fields to those of the document. */
function addMissingGlyphs<R extends Pick<Findings, 'missingGlyphs'>>(report: R, others: Array<Findings | undefined>): R {
  const missingGlyphs = others.flatMap((other) => other?.missingGlyphs ?? []);
  return missingGlyphs.length ? { ...report, missingGlyphs: [...report.missingGlyphs, ...missingGlyphs] } : report;
}
