/**
 * A document that is loaded and ready: what can be asked of it, and what can be made of it. All of it belongs to one render, and ends
 * when the document is disposed of.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import type { OutboundReport } from '../egress/egress-proxy.ts';
import { ServiceError } from '../errors.ts';
import type { PagedMentions } from '../in-page/contract/questions.ts';
import type { DocumentStructure } from '../tag-structure.ts';
import type { CapturedImage, CaptureSettings } from './capture/capture-settings.ts';
import { takeScreenshot } from './capture/screenshot.ts';
import { ask, coverAgain } from './devtools/ask.ts';
import type { Session } from './devtools/connection.ts';
import { DEFAULT_DEVICE } from './devtools/emulation.ts';
import { shape } from './devtools/evaluate.ts';
import type { Step } from './devtools/step.ts';
import { inspectDocument } from './glyphs/missing-glyphs.ts';
import type { DocumentLoad, Findings } from './load/document-load.ts';
import type { HtmlClass } from './load/html/classify-html.ts';
import type { DocumentMetadata } from './load/html/document-metadata.ts';
import type { LoadJob } from './load/load-job.ts';
import type { PageParts } from './load/page-parts.ts';
import { readDocumentStructure } from './load/structure/document-structure.ts';
import { type PreparedFields, prepareFields, restoreFields } from './load/structure/form-controls.ts';
import type { PagedStyles } from './page-css/paged-properties.ts';
import { PagedWorld } from './paged/paged-world.ts';
import type { MissingResource } from './print/missing-resource.ts';
import { PageLayout } from './print/page-layout.ts';
import { lowestSize, type PageSize, possibleSizes } from './print/page-sizes.ts';
import type { TemplateFindings } from './print/page-templates.ts';
import { type PrintSettings, pageHeight, printParameters } from './print/print-options.ts';
import { PrintWindows } from './print/print-windows.ts';
import { addBleed, type PrintersMarks } from './print/printers-marks.ts';
import type { RenderAttempt } from './render-attempt.ts';

/** A PDF in chunks, as they came from the browser. */
export interface PrintedPdf {
  chunks: Buffer[];
  bytes: number;
}

/** What loading a document has left. */
interface DocumentParts {
  load: DocumentLoad;
  job: LoadJob;
  attempt: RenderAttempt;
  templates: TemplateFindings;
  page: PageParts;
  /** Ends the attempt. */
  ending: Disposable;
}

const TITLES = shape(Type.Union([Type.Null(), Type.Array(Type.Union([Type.String(), Type.Null()]))]));
const READ_BYTES = 1_048_576;
const CRASH_REPORT_MS = 3_000;
/** The height of 150 pages. */
const LONG_PX = 150_000;

export class LoadedDocument implements AsyncDisposable {
  readonly #parts: DocumentParts;
  readonly #attempt: RenderAttempt;
  readonly #page: PageParts;
  /** Measures its layout, and changes it for a single page. */
  readonly layout: PageLayout;
  /** Shows a long document in parts. */
  readonly windows: PrintWindows;
  /** Asks about content that depends on its pages. */
  readonly paged: PagedWorld;
  #failures = 0;
  #isPrinting = false;

  constructor(parts: DocumentParts) {
    const { attempt, page } = parts;
    this.#parts = parts;
    this.#attempt = attempt;
    this.#page = page;
    const step: Step = (work) => attempt.run(() => attempt.step(work));
    this.layout = new PageLayout(page.session, page.emulation, step);
    const leaveTraces = () => parts.load.leaveTraces(true);
    this.windows = new PrintWindows(page.session, page.emulation, step, leaveTraces);
    this.paged = new PagedWorld(page.session, page.frameId, step, leaveTraces);
  }

  /** The settings with which it is printed, whose margins may be those that its header and footer need. */
  get settings(): PrintSettings | undefined {
    return this.#parts.load.print;
  }

  /** What its markup may contain. */
  get htmlClass(): HtmlClass {
    return this.#parts.load.htmlClass;
  }

  /** What it has that may depend on its pages. Of a static document, its markup tells. */
  get mentions(): PagedMentions {
    return this.#parts.load.loaded.mentions;
  }

  /** What its style sheets say about its pages that Chromium does not know. */
  get pagedStyles(): PagedStyles {
    return this.#parts.load.pagedStyles;
  }

  /** Metadata that the document states. Chromium writes only the title. */
  get metadata(): DocumentMetadata {
    return this.#parts.load.loaded.metadata;
  }

  /** The random origin of its assets, which may occur in links of the PDF. */
  get assetOrigin(): string | undefined {
    return this.#attempt.assetOrigin;
  }

  /** Whether a style sheet mentions breaks to a page of one side. */
  get hasSidedBreaks(): boolean {
    return this.#parts.load.hasSidedBreaks;
  }

  /** Whether all elements begin on a page of their side. If they do not, that is reported. */
  set keepsSides(keepsSides: boolean) {
    this.#parts.load.keepsSides = keepsSides;
  }

  /** Whether rules for pages by their number have sizes and margins. If they have none, that is reported. */
  set placesPages(placesPages: boolean) {
    this.#parts.load.placesPages = placesPages;
  }

  /** The marks that its style sheets ask for. Its pages include the bleed. */
  get printersMarks(): PrintersMarks | undefined {
    return this.#parts.load.printersMarks;
  }

  /** Whether it may be printed in windows, and may have 150 pages or more. */
  get mayBeLong(): boolean {
    const { load, job } = this.#parts;
    return (job.mayDivide ?? false) && (load.htmlClass.mayBeLong || load.loaded.heightPx >= LONG_PX);
  }

  /** Whether it was laid out on the screen, in memory in proportion to its length. */
  get wasLaidOut(): boolean {
    return this.#parts.load.loaded.heightPx > 0;
  }

  /** Whether it stays the same while it is hidden: no script notices that, and no animation begins again. */
  get mayBeHidden(): boolean {
    const { runsAfterLoad, mayBeAnimated } = this.htmlClass;
    return !runsAfterLoad && !mayBeAnimated && this.#parts.job.load.device === DEFAULT_DEVICE;
  }

  /** Throws `resource_limit` if a PDF has too many bytes. */
  requireSize(bytes: number): void {
    const { maxPdfBytes } = this.#page.settings;
    if (bytes > maxPdfBytes) throw tooLarge(maxPdfBytes);
  }

  /** Throws `print_failed`, `resource_limit` and the errors of `Page.load`. */
  print(settings: PrintSettings): Promise<PrintedPdf> {
    this.#enterPrint();
    return this.#attempt.run(async () => this.#read(await this.#printToPdf(settings)));
  }

  /** Takes a screenshot. Throws the same errors as `print`, and `invalid_request` for a selector. */
  screenshot(settings: CaptureSettings): Promise<CapturedImage> {
    this.#enterPrint();
    return this.#attempt.run(() => takeScreenshot(this.#page.session, settings, this.#page, this.#attempt.step));
  }

  /** The sizes that printed pages may have. Chromium does not print them exactly. */
  possibleSizes(settings: PrintSettings): PageSize[] {
    const sizes = possibleSizes(settings, this.#parts.load.loaded.pageSizes);
    const marks = this.printersMarks;
    return marks ? [...sizes, ...sizes.map((size) => addBleed(size, marks))] : sizes;
  }

  /** The height of its lowest page between the margins in its CSS pixels, if its own page rules have none. */
  pageHeight(settings: PrintSettings): number {
    return pageHeight({ ...settings, paper: lowestSize(settings, this.#parts.load.loaded.pageSizes) });
  }

  /** Adds to what the document lacks. */
  addMissing(missing: readonly MissingResource[]): void {
    const { templates } = this.#parts;
    this.#parts.templates = { ...templates, missing: [...templates.missing, ...missing] };
  }

  /** Collects what the document lacks. Throws `render_gate_failed` if the caller wants no PDF in that case. */
  findings(): Promise<Findings> {
    return this.#attempt.run(async () => {
      const findings = await this.#attempt.step(this.#parts.load.findings(this.#parts.templates));
      this.#failures = findings.failures;
      return this.#attempt.withoutOrigin(findings);
    });
  }

  /** Ends the traffic of the document, after which nothing can be made of it, and reports it. Call `findings` before. */
  endTraffic(): OutboundReport {
    const network = this.#attempt.endTraffic();
    if (network.requests > 0 || this.#failures > 0) this.#parts.load.leaveCookies(); // Chromium also counts requests that it has refused by itself
    return this.#attempt.withoutOrigin(network);
  }

  /**
   * Reads the structure that the document states. If it cannot be read, returns undefined if it is only `wanted`; if it is `demanded`,
   * throws `print_failed`, or `resource_limit` if there is too much of it.
   */
  readStructure(need: 'wanted' | 'demanded'): Promise<DocumentStructure | undefined> {
    const { session, frameId } = this.#page;
    const reading = { ...this.#attempt, runsScripts: this.#parts.job.load.device.javascript };
    const frame = this.htmlClass.isStatic ? undefined : frameId;
    return this.#attempt.run(() => readDocumentStructure(session, frame, reading, need));
  }

  /**
   * Prepares form fields to become fields of the PDF: links to `KEY:0` and so on are placed over them. Throws `resource_limit` and
   * `print_failed`.
   */
  prepareFields(key: string): Promise<PreparedFields> {
    const { session, frameId } = this.#page;
    this.#parts.load.leaveTraces();
    return this.#attempt.run(() => prepareFields(session, frameId, key, this.#attempt.step));
  }

  /**
   * Puts documents with the same head as this one into it, to be printed at once. Returns the title of each, or null for one that is left
   * out, such as one that is higher than a page; null if all are. Throws `print_failed`.
   */
  combine(documents: string[], key: string, heightPx: number): Promise<Array<string | null> | null> {
    this.#parts.load.leaveTraces();
    const { session } = this.#page;
    return this.#attempt.run(() => this.#attempt.step(ask(session, 'combineDocuments', [documents, key, heightPx], TITLES)));
  }

  /** Keeps sticky boxes in their places. */
  releaseSticky(): Promise<void> {
    return this.#attempt.run(() => this.#parts.load.releaseSticky());
  }

  /** Keeps paragraphs whole that are too short for `orphans` and `widows`. Returns whether there are any. */
  keepShortParagraphs(): Promise<boolean> {
    return this.#attempt.run(() => this.#parts.load.keepShortParagraphs());
  }

  /** Hyphenates text for which styles ask. Returns whether the print has soft hyphens of it. */
  hyphenate(): Promise<boolean> {
    return this.#attempt.run(() => this.#parts.load.hyphenate());
  }

  /** Returns those of the families that text of the document names, and another font replaces. */
  findSubstituted(families: Set<string>): Promise<string[]> {
    const { session, frameId, fonts } = this.#page;
    const interest = { characters: new Set<string>(), families };
    const { step } = this.#attempt;
    return this.#attempt.run(async () => (await inspectDocument(session, frameId, fonts, interest, step)).substituted);
  }

  /** Undoes the preparation of form fields. Throws `print_failed`. */
  restoreFields(numbers: number[]): Promise<void> {
    const { session, frameId } = this.#page;
    return this.#attempt.run(() => restoreFields(session, frameId, numbers, this.#attempt.step));
  }

  /** Computes a sheet that is as high as the document, and lays it out for that. Throws `print_failed`. */
  fitOnOnePage(settings: PrintSettings): Promise<PrintSettings> {
    this.#enterPrint();
    this.#parts.load.leaveTraces(true);
    return this.layout.onOnePage(settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.ending[Symbol.dispose]();
  }

  /** What is read of the document before is a part of loading it. */
  #enterPrint(): void {
    if (!this.#isPrinting) this.#attempt.deadline.enter('print');
    this.#isPrinting = true;
  }

  async #printToPdf(settings: PrintSettings): Promise<string> {
    const { session } = this.#page;
    // Text is laid out for paper faster if it has been laid out before, and tables are not.
    if (this.htmlClass.mayRepeatRows) coverAgain(session).catch(() => {}); // the loss of a page is reported by the print
    const printing = session.send('Page.printToPDF', printParameters(settings));
    const { stream } = await this.#attempt.step(printing.catch((error: unknown) => awaitCrash(session, error)));
    if (!stream) throw new ServiceError('print_failed', 'the browser returned no PDF');
    return stream;
  }

  async #read(handle: string): Promise<PrintedPdf> {
    const { session } = this.#page;
    const pdf: PrintedPdf = { chunks: [], bytes: 0 };
    const read = () => {
      const part = session.send('IO.read', { handle, size: READ_BYTES });
      part.catch(() => {}); // it may reject when nobody waits for it
      return part;
    };
    // Reads ahead by one chunk, because only the read after the last byte reports the end, and that is usually the second read.
    const ahead = [read(), read()];
    for (let eof = false; !eof; ) {
      const part = await this.#attempt.step(ahead.shift() ?? read());
      eof = part.eof;
      const chunk = Buffer.from(part.data, part.base64Encoded ? 'base64' : 'latin1');
      if (chunk.length) pdf.chunks.push(chunk);
      pdf.bytes += chunk.length;
      this.requireSize(pdf.bytes);
      if (chunk.length === READ_BYTES) ahead.push(read());
    }
    session.send('IO.close', { handle }).catch(() => {});
    return pdf;
  }
}

/**
 * Rethrows the error of a print, at once if the renderer still answers. A print also fails because its renderer ends, shortly before
 * the browser reports that, and the render then fails with the cause.
 */
async function awaitCrash(session: Session, error: unknown): Promise<never> {
  const crash = sleep(CRASH_REPORT_MS, undefined, { ref: false });
  await Promise.race([session.send('Runtime.evaluate', { expression: '0' }).catch(() => crash), crash]);
  throw error;
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('resource_limit', `the PDF is larger than ${limit} bytes`, { members: { limit } });
}
