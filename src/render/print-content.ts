/** The core of every render: a document in, a finished PDF out. It knows no accounts; the caller has checked permissions. */
import { hanLanguages } from '../chromium/glyphs/han-fonts.ts';
import { type Content, needsOwnPage } from '../chromium/load/load-settings.ts';
import type { Page, PageReport, PrintJob, RawPdf } from '../chromium/page.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { forOperator, invalidRequest } from '../errors.ts';
import { Markdown } from '../markdown/markdown.ts';
import { scaleLinkDestinations } from '../pdf/edit/link-destinations.ts';
import { normalizeElementIds } from '../pdf/edit/normalize-element-ids.ts';
import { normalizeInfoDictionary, withMetadata } from '../pdf/edit/normalize-info-dictionary.ts';
import { correctPageSizes, type PageSize } from '../pdf/edit/page-boxes.ts';
import { makeLinksRelative } from '../pdf/edit/relative-links.ts';
import { hasDuplicates } from '../pdf/edit/remove-duplicates.ts';
import { type FinishSettings, needsFinishing, type SignatureHole } from '../pdf/finish-settings.ts';
import { fieldSizes } from '../pdf/forms/field-places.ts';
import type { Forms } from '../pdf/forms/forms.ts';
import { losslessPictures } from '../pdf/images/lossless-pictures.ts';
import { countPages } from '../pdf/objects/inspect.ts';
import type { PagePool } from '../pool/pool.ts';
import { type RenderReport, reportOf, withPictures } from './report.ts';
import type { FinishPlan } from './request/finish-options.ts';
import type { RenderRequest } from './request/render-request.ts';
import { POINTS_PER_INCH } from './request/values/lengths.ts';
import { beyondTheEnd, mayLackPages, rangesOf } from './request/values/page-ranges.ts';
import type { Watermark } from './request/watermark-options.ts';
import { resolveWithoutTemplate, type SourceDocument } from './resolve-source.ts';
import { paperView } from './steps/content-shrinking.ts';
import { fieldAppearances, fieldKey, unplacedFields } from './steps/field-appearances.ts';
import { type FinishQueue, sizeOf } from './steps/finish-queue.ts';
import { appearanceOf, namedField, placedAppearance, printAppearance } from './steps/signature-appearance.ts';
import { completeSignature, fieldOf, type ShownSignature, type Signing } from './steps/signing.ts';
import { printStamp } from './steps/watermark.ts';

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
  pool: PagePool<Page>;
  finishing: FinishQueue;
}

/** A document with its print and finish settings. */
export interface PrintOrder extends Omit<PrintJob, 'check' | 'pages' | 'view'> {
  finish: FinishPlan;
  /** Set if `finish` requests a signature. */
  signing?: Signing | undefined;
}

/** The owner of a render. */
export interface RenderOwner {
  /** The isolation boundary: a page that has served one boundary never serves another. */
  boundary: string;
  /** The owner whose share of pages, threads and memory the render uses. */
  shareOf: string;
  /** Whether the operator renders, who may learn which settings would help. */
  isOperator?: boolean | undefined;
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
  return await printContent(engine, { content, load, print, finish }, owner, deadline).catch((error: unknown) => {
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

/** The caller has chosen the size of pictures. */
const NO_PICTURES = { count: 0, bytes: 0 };

/** Without an owner it renders on a page used once. */
export async function printContent(
  { pool, finishing }: PrintEngine,
  { finish, signing, ...job }: PrintOrder,
  owner: RenderOwner | undefined,
  deadline: Deadline,
): Promise<RenderedPdf> {
  const { boundary = '', shareOf = '' } = owner ?? {};
  const { watermark } = finish;
  if (needsFinishing(finish)) finishing.expect(shareOf);
  const { pageRanges } = job.print;
  const view = (chunks: Buffer[]) => paperView(job.content, job.print, chunks);
  const { header, footer } = job.print.templates;
  const placed = placedAppearance(signing);
  const languages = languagesOf(job.content, header, footer, watermark?.html, placed?.html);
  const check = pageRanges && { check: rangeCheck(pageRanges) };
  const key = finish.forms ? fieldKey(job.content) : undefined;
  const fields = key && { fieldKey: key, unplaced: unplacedFields(key, job.print.scale) };
  const need = structureNeed(finish);
  const checked = { ...job, shareOf, view, pages: countPages, hanLanguages: languages, structureNeed: need, ...fields, ...check };
  const printed = await pool.use(
    owner?.boundary,
    deadline,
    async (page) => {
      const stamp = watermark && (await printStamp(page, watermark, languages, deadline));
      const field = placed?.field;
      const shown = field && { field, printed: await printAppearance(page, placed.html, field, languages, deadline) };
      return { stamp, shown, raw: await page.print(checked, deadline) };
    },
    { once: needsOwnPage(job.content, job.load), shareOf, suits: (page) => page.suits(checked) },
  );
  const { raw, stamp } = printed;
  const style = { background: job.print.printBackground, scale: raw.scale };
  const { forms, reports = [], place } = key ? await printForm(pool, raw, key, style, signing, owner, deadline) : {};
  const shown = printed.shown ?? place;
  deadline.enter('finish');
  await correctPrinted(raw, job.print, deadline);
  const pages = countPages(raw.chunks);
  const pictures = finish.images ? NO_PICTURES : losslessPictures(raw.chunks);
  const structure = structureOf(raw, [shown?.printed.report, ...reports], pageRanges === '');
  const signature = signing && fieldOf(signing, shown);
  const settings = { ...finish, boundary, structure, forms, signature, watermark: laidOut(watermark, stamp?.chunks, pages) };
  const chunks = await finished(finishing, raw, settings, signing, shareOf, deadline);
  deadline.leave();
  const timings = deadline.timings();
  return {
    chunks,
    bytes: sizeOf(chunks),
    pages,
    report: withPictures(
      reportOf(addMissingGlyphs(raw.report, stamp?.report, shown?.printed.report, ...reports), timings, {
        isOperator: owner?.isOperator,
        content: job.content,
      }),
      pictures,
    ),
    timings,
  };
}

/** Corrects what Chromium writes in another way than the document says it: links, page sizes and the ids of elements. */
async function correctPrinted(
  { chunks, assetOrigin, sizes, scale }: RawPdf,
  { tagged, outline }: PrintJob['print'],
  deadline: Deadline,
): Promise<void> {
  if (assetOrigin) makeLinksRelative(chunks, assetOrigin);
  scaleLinkDestinations(chunks, scale);
  correctPageSizes(chunks, sizes.map(inPoints));
  if (tagged || outline) await deadline.race(normalizeElementIds(chunks));
}

/** The form data to add to a printed PDF, with the reports of the prints of the appearances. */
interface PrintedForm {
  forms: Forms;
  reports: PageReport[];
  /** The appearance of a signature in a signature field of the document. */
  place: ShownSignature | undefined;
}

/** Prints the appearances of form fields. This is done after the document, whose PDF has the positions of the fields. */
async function printForm(
  pool: PrintEngine['pool'],
  { chunks, fields }: RawPdf,
  key: string,
  style: { background: boolean; scale: number },
  signing: Signing | undefined,
  owner: RenderOwner | undefined,
  deadline: Deadline,
): Promise<PrintedForm> {
  const sizes = fieldSizes(chunks, key);
  /** Runs `work` on a page of the owner. */
  const print = <T>(languages: string, work: (page: Page) => Promise<T>): Promise<T> => {
    const suits = (page: Page) => page.suits({ hanLanguages: languages });
    return pool.use(owner?.boundary, deadline, work, { shareOf: owner?.shareOf ?? '', suits });
  };
  const { scale, shown, jobs, pages: expected } = fieldAppearances(fields, sizes, style);
  const languages = hanLanguages(jobs.map(({ content }) => (content.kind === 'html' ? content.html : '')));
  const printed = jobs.length ? await print(languages, (page) => printJobs(page, jobs, languages, deadline)) : [];
  const pages = printed.reduce((sum, each) => sum + countPages(each.chunks), 0);
  if (pages !== expected) throw new Error('what the form fields show is not on one page each');
  const forms = { key, fields, scale, shown, appearances: printed.map((each) => each.chunks) };
  const reports = printed.map(({ report }) => report);
  const named = signing && namedField(signing, fields, sizes);
  if (!named) return { forms, reports, place: undefined };
  const html = appearanceOf(signing, named);
  const own = hanLanguages([html]);
  const appearance = await print(own, (page) => printAppearance(page, html, named, own, deadline));
  return { forms, reports, place: { field: { number: named.number }, printed: appearance } };
}

/** Prints several jobs one after the other on the same page. */
async function printJobs(page: Page, jobs: PrintJob[], languages: string, deadline: Deadline): Promise<RawPdf[]> {
  const printed: RawPdf[] = [];
  for (const job of jobs) {
    if (printed.length) await page.reset();
    printed.push(await page.print({ ...job, hanLanguages: languages }, deadline));
  }
  return printed;
}

/** A repair of tags uses the structure of the document if it can be read; a claim of conformance requires it. */
function structureNeed({ conformance, repairsTags }: FinishPlan): PrintJob['structureNeed'] {
  if (conformance) return 'demanded';
  return repairsTags ? 'wanted' : undefined;
}

/** The structure of the document for the finisher. Links to assets become relative again, as they are in the PDF. */
function structureOf(
  { structure, assetOrigin, report }: RawPdf,
  others: Array<PageReport | undefined>,
  isWhole: boolean,
): FinishSettings['structure'] {
  if (!structure) return undefined;
  const isAsset = (target: string) => assetOrigin !== undefined && target.startsWith(`${assetOrigin}/`);
  const relative = (target: string) => (isAsset(target) ? target.slice(`${assetOrigin}/`.length) : target);
  const links = structure.links.map((link) => ({ ...link, target: relative(link.target) }));
  const missingGlyphs = addMissingGlyphs(report, ...others).missingGlyphs.map(({ characters }) => characters);
  return { ...structure, links, isWhole, missingGlyphs };
}

/** The languages of the Chinese characters in all content of the page. */
export function languagesOf(content: Content, ...others: Array<string | undefined>): string {
  return content.kind === 'url' ? '' : hanLanguages([content.html, ...others]); // a page that loads a URL is used only once
}

function inPoints({ widthInches, heightInches }: RawPdf['sizes'][number]): PageSize {
  return { width: widthInches * POINTS_PER_INCH, height: heightInches * POINTS_PER_INCH };
}

/** Adds the missing glyphs of the watermark, the signature and the fields to those of the document. */
function addMissingGlyphs(report: PageReport, ...stamps: Array<PageReport | undefined>): PageReport {
  const missingGlyphs = stamps.flatMap((stamp) => stamp?.missingGlyphs ?? []);
  return missingGlyphs.length ? { ...report, missingGlyphs: [...report.missingGlyphs, ...missingGlyphs] } : report;
}

async function finished(
  finishing: FinishQueue,
  { chunks, metadata: own }: Pick<RawPdf, 'chunks' | 'metadata'>,
  settings: FinishSettings,
  signing: Signing | undefined,
  shareOf: string,
  deadline: Deadline,
): Promise<Buffer[]> {
  const metadata = { ...own, ...settings.metadata };
  const { signature } = settings;
  if (signature && signing) {
    const fill = async (pieces: Buffer[], hole: SignatureHole) =>
      signing.isTrial ? pieces : completeSignature(pieces, hole, signing, finishing, { owner: shareOf, deadline });
    return finishing.sign(shareOf, chunks, { ...settings, metadata, signature }, fill, deadline);
  }
  if (needsFinishing(settings) || hasDuplicates(chunks))
    return finishing.finish(shareOf, chunks, { ...settings, metadata }, deadline);
  normalizeInfoDictionary(chunks);
  return withMetadata(chunks, own);
}

/** Throws `print_failed` if the ranges name pages that the document does not have. */
function laidOut(watermark: Watermark | undefined, stamp: Buffer[] | undefined, pages: number): FinishSettings['watermark'] {
  if (!watermark || !stamp) return undefined;
  const error = beyondTheEnd('options.watermark.pages', watermark.pages, pages);
  if (error) throw error;
  const { opacity, layer, rotate } = watermark;
  return { stamp, pages: rangesOf(watermark.pages), opacity, layer, rotate };
}

/** Chromium does not report the number of pages, so that the document must be printed to count them. */
function rangeCheck(ranges: string): NonNullable<PrintJob['check']> {
  return async (printed, printAll) => {
    if (printed && !mayLackPages(ranges, countPages(printed))) return;
    const error = beyondTheEnd('options.pageRanges', ranges, countPages(await printAll()));
    if (error) throw error;
  };
}
