/**
 * The recipe of a PDF: a document in, a finished PDF out. It knows the order of the steps, and not how each is done. It knows no
 * accounts; the caller has checked permissions.
 */
import { hanLanguages } from '../chromium/glyphs/han-fonts.ts';
import type { Findings } from '../chromium/load/document-load.ts';
import { type Content, needsOwnPage } from '../chromium/load/load-settings.ts';
import type { Page } from '../chromium/page.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { forOperator, invalidField } from '../errors.ts';
import { Markdown } from '../markdown/markdown.ts';
import { losslessPictures } from '../pdf/images/lossless-pictures.ts';
import { countPages } from '../pdf/objects/inspect.ts';
import type { PagePool } from '../pool/pool.ts';
import type { CombinedPrints } from './combining/combined-prints.ts';
import { withPicture } from './failure-picture.ts';
import { lookAgain, preparePaged } from './paged/prepare-paged.ts';
import type { PagedOutcome } from './paged-outcome.ts';
import type { PrintOrder } from './print-order.ts';
import { probeKey } from './probe-key.ts';
import type { RenderOwner } from './render-owner.ts';
import { toReport } from './report.ts';
import type { RenderReport } from './report-schema.ts';
import { listMarkup } from './request/paged-options.ts';
import type { RenderRequest } from './request/render-request.ts';
import { resolveWithoutTemplate, type SourceDocument } from './resolve-source.ts';
import { paperView } from './steps/content-shrinking.ts';
import { correctPrint } from './steps/correct-print.ts';
import { expectPdf, finishPdf, layOutWatermark } from './steps/finish.ts';
import { type FinishQueue, totalLength } from './steps/finish-queue.ts';
import { placeFields, prepareFields } from './steps/form-fields.ts';
import { findScale, measureLosses, withoutShown } from './steps/layout-losses.ts';
import { namingOption } from './steps/name-option.ts';
import { printPages, requirePages } from './steps/page-ranges.ts';
import { fitWidth } from './steps/pages/fit-width.ts';
import { keepLines, printKeptLines } from './steps/pages/kept-lines.ts';
import { toPressSettings } from './steps/pages/press.ts';
import { printForm } from './steps/print-form.ts';
import type { PrintedDocument } from './steps/printed-document.ts';
import { placedAppearance, printPlaced } from './steps/signature-appearance.ts';
import { toSignatureField } from './steps/signing.ts';
import { joinPages, layOut } from './steps/single-page.ts';
import { readStructure, toStructureSettings } from './steps/structure.ts';
import { printStamp } from './steps/watermark.ts';
import { canDivide, printInWindows } from './windows.ts';

export interface RenderedFile {
  /** Media type. */
  type: string;
  /** The file in chunks, so that a large file is never concatenated. */
  chunks: Buffer[];
  bytes: number;
  report: RenderReport;
  /** Milliseconds spent in each phase. */
  timings: Record<Phase, number>;
}

export interface RenderedPdf extends RenderedFile {
  pages: number;
}

/** The services that turn documents into PDFs. */
export interface PrintEngine {
  pool: PagePool<Page>;
  finishing: FinishQueue;
  /** Set if documents may be printed together. */
  combined?: CombinedPrints;
}

/** What a page of the pool prints for an order. */
interface PagePlan extends PrintOrder {
  shareOf: string;
  /** The languages of everything that the page prints. */
  hanLanguages: string;
  /** Undefined if no form fields are wanted. */
  key: string | undefined;
  /** The appearance of a signature with a position from the request. */
  placed: ReturnType<typeof placedAppearance>;
}

/** What a page has printed for an order. */
type PagePrints = Awaited<ReturnType<typeof printOnPage>>;

/** Pages of renders without an owner are used once. */
const NOBODY: RenderOwner = { boundary: undefined, shareOf: '' };

/**
 * Renders without an account, for the service itself and the command line. Templates are not available, and nothing is charged.
 * `printOrder` is needed for letterheads (`printOnLetterhead`).
 */
export async function printAlone(
  engine: PrintEngine,
  { source, baseUrl, assets, load, print, paged, finish, timeoutMs }: RenderRequest,
  owner: RenderOwner = NOBODY,
  client?: AbortSignal,
  printOrder = renderPdf,
): Promise<RenderedPdf> {
  if (finish.signature) throw invalidField('options.signature', 'needs the service, which keeps the certificates of a key');
  if (finish.letterhead && printOrder === renderPdf) throw invalidField('options.letterhead', 'needs the service');
  using deadline = new Deadline(timeoutMs, client);
  const content = await deadline.race(resolveAlone({ source, baseUrl, assets }, deadline.signal));
  return await printOrder(engine, { content, load, print, paged, finish }, owner, deadline).catch((error: unknown) => {
    throw owner.isOperator ? forOperator(error) : error;
  });
}

async function resolveAlone(document: SourceDocument, signal: AbortSignal): Promise<Content> {
  if (document.source.kind === 'template') throw new Error('templates belong to a key');
  const markdown = new Markdown();
  try {
    return await resolveWithoutTemplate(document, document.source, '', markdown, signal);
  } finally {
    markdown.close();
  }
}

export function renderPdf(engine: PrintEngine, order: PrintOrder, owner: RenderOwner, deadline: Deadline): Promise<RenderedPdf> {
  return namingOption(renderSteps(engine, order, owner, deadline));
}

async function renderSteps(engine: PrintEngine, order: PrintOrder, owner: RenderOwner, deadline: Deadline): Promise<RenderedPdf> {
  const { pool, finishing } = engine;
  const { content, finish, signing } = order;
  const { boundary, shareOf, isOperator } = owner;
  expectPdf(finishing, finish, content, shareOf);
  const plan = planPage(order, shareOf);
  const printed = await printPlan(engine, plan, owner, deadline);
  const { document, stamp } = printed;
  const form = await printForm(pool, document, plan.key, signing, owner, deadline);
  deadline.enter('finish');
  await correctPrint(document, deadline);
  const pages = countPages(document.chunks);
  const pictures = finish.images ? undefined : losslessPictures(document.chunks); // the caller may have chosen their size
  const shown = printed.appearance ?? form.signature;
  const missingGlyphs = joinMissingGlyphs(document.report, shown?.printed.findings, ...form.findings);
  const settings = {
    ...finish,
    labels: document.paged?.labels,
    bookmarks: document.paged?.bookmarks,
    boundary: boundary ?? '',
    joinsWords: printed.document.isHyphenated,
    printersMarks: toPressSettings(printed.document),
    structure: toStructureSettings(document, missingGlyphs),
    forms: form.forms,
    signature: signing && toSignatureField(signing, shown),
    letterhead: order.letterhead,
    watermark: layOutWatermark(finish.watermark, stamp?.chunks, pages),
  };
  const chunks = await finishPdf(finishing, document, settings, signing, shareOf, deadline);
  deadline.leave();
  const timings = deadline.timings();
  const findings = { ...document.report, missingGlyphs: joinMissingGlyphs({ missingGlyphs }, stamp?.findings) };
  const report = toReport(findings, timings, { isOperator, content, pictures });
  return { type: 'application/pdf', chunks, bytes: totalLength(chunks), pages, report, timings };
}

function planPage(order: PrintOrder, shareOf: string): PagePlan {
  const { content, print, finish, signing } = order;
  const { header, footer } = print.templates;
  const placed = placedAppearance(signing);
  const hanLanguages = contentLanguages(content, header, footer, finish.watermark?.html, placed?.html);
  return { ...order, shareOf, hanLanguages, key: finish.forms ? probeKey(content, 'field') : undefined, placed };
}

/** Prints the document together with others if possible, else on a page of its own. */
async function printPlan(engine: PrintEngine, plan: PagePlan, owner: RenderOwner, deadline: Deadline): Promise<PagePrints> {
  const combined = await engine.combined?.print(engine, plan, owner, deadline);
  if (combined) return { document: combined, stamp: undefined, appearance: undefined };
  const { content, load, shareOf } = plan;
  const suitable = { once: needsOwnPage(content, load), shareOf, suits: (page: Page) => page.suits(plan) };
  const work = withPicture(owner, (page) => printOnPage(page, plan, deadline));
  return engine.pool.use(owner.boundary, deadline, work, suitable);
}

/** Prints the document, and before it what is placed on its pages, because that resets the page. */
async function printOnPage(page: Page, plan: PagePlan, deadline: Deadline) {
  const stamp = await printStamp(page, plan.finish.watermark, plan.hanLanguages, deadline);
  const appearance = await printPlaced(page, plan.placed, plan.hanLanguages, deadline);
  const document = await printDocument(page, plan, deadline);
  return { stamp, appearance, document };
}

/** Prints a document until it is as the order wants it. */
async function printDocument(page: Page, plan: PagePlan, deadline: Deadline): Promise<PrintedDocument> {
  const { content, load, print: wanted, paged: order, shareOf, hanLanguages, finish, key } = plan;
  const mayDivide = canDivide(plan);
  const headerMarkup = [...listMarkup(order?.header), ...listMarkup(order?.footer)].join('');
  await using document = await page.load(
    { content, load, print: wanted, shareOf, hanLanguages, mayDivide, headerMarkup },
    deadline,
  );
  const chosen = document.settings ?? wanted;
  await document.releaseSticky();
  const prepared = await preparePaged(document, plan, chosen);
  const settings = prepared?.adjust(chosen) ?? chosen;
  const structure = await readStructure(document, finish);
  const controls = await prepareFields(document, key);
  const isHyphenated = await document.hyphenate();
  await keepLines(document, settings, prepared !== undefined);
  const divided = prepared ? undefined : await printInWindows(document, settings);
  const laidOut = await layOut(document, settings);
  await prepared?.fill(laidOut);
  const printed = divided ?? (await printPages(document, laidOut));
  const first = prepared ? printed : await printKeptLines(document, printed);
  const joined = await joinPages(document, await fitWidth(document, content, first));
  const late = prepared ? undefined : await lookAgain(document, plan, joined);
  const paged = prepared ?? late;
  const again = late ? await printPages(document, joined.settings) : joined;
  const settled = paged ? await paged.settle(again) : again;
  const findings = await document.findings();
  const { fields, printedFields, ...placed } = await placeFields(document, settled, controls, key, joined.settings.scale);
  if (!divided) await requirePages(document, placed);
  const view = paperView(content, placed.settings, placed.chunks);
  const scale = await findScale(document, placed, view);
  const losses = await measureLosses(document, placed, view, scale, wanted.scale);
  const print: typeof placed & { paged?: PagedOutcome } = paged ? await paged.end(placed) : placed;
  const { missing: missingTargets, layout, pageWarnings } = print.paged ?? {};
  const blankPages = withoutShown(losses.blankPages, print.paged);
  const network = document.endTraffic();
  const report = { ...findings, ...losses, blankPages, printedFields, missingTargets, layout, pageWarnings, network };
  const { metadata, assetOrigin } = document;
  return {
    ...print,
    scale,
    sizes: document.possibleSizes(print.settings),
    metadata,
    structure,
    fields,
    report,
    assetOrigin,
    isHyphenated,
    printersMarks: document.printersMarks,
  };
}

/** The languages of the Chinese characters in all content of the page. */
export function contentLanguages(content: Content, ...others: Array<string | undefined>): string {
  return content.kind === 'url' ? '' : hanLanguages([content.html, ...others]); // a page that loads a URL is used only once
}

function joinMissingGlyphs(...prints: Array<Pick<Findings, 'missingGlyphs'> | undefined>): Findings['missingGlyphs'] {
  return prints.flatMap((print) => print?.missingGlyphs ?? []);
}
