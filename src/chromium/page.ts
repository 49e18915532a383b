/**
 * One page in its own browser context: a document and print settings in, the bytes of a PDF or an image out.
 *
 * A page serves many documents of one owner, each with an opaque origin. After a document that could run a script or leave
 * anything behind, the page is navigated to an empty document, so that no script, listener, timer or name is left. After a
 * document that provably could not, the next one is written in its place. After any failure the page is closed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Deadline } from '../deadline.ts';
import type { OutboundBudget, OutboundReport, ProxyListener } from '../egress/egress-proxy.ts';
import { HostedAssets, type HostedFiles, randomOrigin } from '../egress/hosted-assets.ts';
import { ServiceError } from '../errors.ts';
import type { FontKnowledge } from '../fonts/font-knowledge.ts';
import type { Clipped, UnrepeatedRows } from '../in-page/contract/questions.ts';
import type { DocumentStructure, ElementLocation, FormControl } from '../tag-structure.ts';
import { type Crash, isTrap } from './browser/crash-causes.ts';
import type { MemoryWatchdog, RunningPage } from './browser/memory-watchdog.ts';
import type { BrowserSettings } from './browser-settings.ts';
import type { CaptureQueue } from './capture/capture-queue.ts';
import type { CapturedImage, CaptureSettings } from './capture/capture-settings.ts';
import { takeScreenshot } from './capture/screenshot.ts';
import { type Connection, DevToolsError, type Events, type Session } from './devtools/connection.ts';
import { DEFAULT_WINDOW, Emulation, setMedia, setWindow } from './devtools/emulation.ts';
import { evaluate, interferes, shape } from './devtools/evaluate.ts';
import type { Step } from './devtools/step.ts';
import { joinLanguages } from './glyphs/han-fonts.ts';
import { documentAddress } from './load/document-address.ts';
import {
  type Attempt,
  DocumentLoader,
  type Findings,
  type LoadJob,
  type PaperView,
  type PrintJob,
} from './load/document-loader.ts';
import type { DocumentMetadata } from './load/html/document-metadata.ts';
import { DEFAULT_LOAD } from './load/load-settings.ts';
import { loadsTooMuch } from './load/monitors/network-monitor.ts';
import { withUprightPhotos } from './load/upright-photos.ts';
import { PageLayout } from './print/page-layout.ts';
import { type PageSize, possibleSizes } from './print/page-sizes.ts';
import { PageTemplates } from './print/page-templates.ts';
import { type PrintSettings, printParameters } from './print/print-options.ts';

export type { PaperView, PrintJob };

/** A document of which a screenshot is taken. */
export interface CaptureJob extends Omit<LoadJob, 'print'> {
  capture: CaptureSettings;
}

/** The bytes in chunks, as they came from the browser. */
interface PdfBytes {
  chunks: Buffer[];
  bytes: number;
}

/** A PDF and its properties. */
export interface RawPdf extends PdfBytes {
  /** The scale of the document. At 1, a CSS pixel is 1/96 inch. */
  scale: number;
  /** Sizes that its pages may have. Chromium does not print them exactly. */
  sizes: PageSize[];
  /** Metadata that the document states. Chromium writes only the title. */
  metadata: DocumentMetadata;
  /** The structure that the document states. Undefined unless `structureNeed` is set. */
  structure: DocumentStructure | undefined;
  /** The form fields that the PDF shows exactly once. Empty unless `fieldKey` is set. */
  fields: readonly FormControl[];
  report: PageReport;
  /** The random origin of the assets, which may occur in links of the PDF. */
  assetOrigin: string | undefined;
}

/** A screenshot and its properties. */
export interface RawImage extends CapturedImage {
  report: PageReport;
}

export interface PageReport extends Findings, LayoutLosses {
  network: OutboundReport;
}

/** Content that the paper does not show, or shows smaller than designed. */
interface LayoutLosses {
  /** Width of the document in CSS pixels that is not on the paper. */
  cutOffPx: number;
  /** Content that boxes of the document hide. */
  clipped: Clipped[];
  shrunkToPercent: number | undefined;
  /** Rows of tables that should be on every page and are not. */
  unrepeated: UnrepeatedRows[];
  /** Controls that should have become form fields, and are printed as they are. */
  printedFields: ElementLocation[];
}

/** The value for images, which have no paper. */
const NO_LOSSES: LayoutLosses = { cutOffPx: 0, clipped: [], shrunkToPercent: undefined, unrepeated: [], printedFields: [] };

/** Uses what most documents use: the generic fonts in all styles, tables, borders and several pages. */
const PRIMER = `<!doctype html><title>x</title><style>td { border: 1px solid #ccc; padding: 4px; background: #eee } p { break-before: page }</style>
<h1>Aa</h1><table><tr><td>0123 <b>bold</b> <i>italic</i></table><p style="font-family: sans-serif">Aa <b>Bb</b> <i>Ii</i></p><p style="font-family: monospace">Aa`;
const PRIMER_SETTINGS: PrintSettings = {
  paper: { widthInches: 210 / 25.4, heightInches: 297 / 25.4 },
  paperChosenBy: 'document',
  margin: { top: 0.4, right: 0.4, bottom: 0.4, left: 0.4 },
  marginChosenBy: 'document',
  printBackground: true,
  scale: 1,
  pageRanges: '',
  tagged: false,
  outline: false,
  singlePage: false,
  templates: { header: undefined, footer: undefined, addressed: false },
};

/** The part of the browser that a page uses. */
export interface PageHost {
  readonly connection: Connection;
  readonly memory: MemoryWatchdog;
  readonly settings: BrowserSettings;
  readonly fonts: FontKnowledge;
  readonly captureQueue: CaptureQueue;
  openListener(): Promise<ProxyListener>;
  /** Ends the whole browser. */
  kill(): void;
}

const NO_FILES: HostedFiles = new Map();
/** A document that is printed larger than this counts as printed in its size, because the difference is not visible. */
const SHRUNK_PERCENT = 98;
/** How often a single page that became several is measured again. */
const MAX_MEASURES = 2;
const ORIGIN = shape(Type.String());
const READ_BYTES = 1_048_576;
/** Limits the events of one render. They contain `data:` URLs in full, and the events of all pages of a browser share one pipe. */
const MAX_EVENT_BYTES = 128 * 1_048_576;
const STORAGE_QUOTA_BYTES = 128 * 1_048_576;
const OPEN_TIMEOUT_MS = 20_000;
const PRIME_TIMEOUT_MS = 10_000;
const RESET_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 1_000;
const CRASH_REPORT_MS = 3_000;
/** Chromium needs memory in proportion to the square of the pages of one table, but not of a document. */
const SPLIT =
  'split a table after about 200 pages into several tables, or send the parts of the document as items of a batch and merge them';
const NO_ROOM = 'the margins leave no room on the paper; a number without a unit is CSS pixels, so write "8.27in" for inches';

export class Page implements RunningPage {
  readonly #browser: PageHost;
  readonly #session: Session;
  readonly #proxy: ProxyListener;
  readonly #contextId: string;
  readonly #targetId: string;
  /** Fails the running render. */
  #fail: ((error: ServiceError) => void) | undefined;
  #lost: ServiceError | undefined;
  #closing: Promise<void> | undefined;
  /** Is set if the page is ended because of the browser's memory: whether this page caused it. */
  #wasCause: Promise<boolean> | undefined;
  readonly #loader: DocumentLoader;
  readonly #layout: PageLayout;
  readonly #templates: PageTemplates;
  /** The languages of the Chinese characters that the page has shown. Empty before the first. */
  #hanLanguages = '';
  readonly #stopListening: () => void;
  /** Bytes of events in this render. */
  #eventBytes = 0;
  /** The origin of the assets of documents that have it as their address. */
  readonly #assetOrigin = randomOrigin();
  /** The address of the last document that had one. The next is expected to have the same. */
  #lastAddress: string | undefined;
  /** The address of the page, which the present document need not know. Undefined for about:blank. */
  #address: string | undefined;
  #isOpening = false;
  /** Whether the last document requested something. */
  #hasLoaded = false;
  /** Whether the page had a document or frame of a site, which would find its stored data in the same context. */
  #mayHaveStored = false;

  /** Throws `browser_unavailable`. */
  static async open(browser: PageHost): Promise<Page> {
    const { browser: root } = browser.connection;
    const proxy = await browser.openListener();
    const context = { disposeOnDetach: true, proxyServer: proxy.proxyUrl, proxyBypassList: '<-loopback>' };
    const { browserContextId } = await root.send('Target.createBrowserContext', context).catch(async (error: unknown) => {
      await proxy.close();
      return cannotOpen(error);
    });
    const giveUp = () => {
      void proxy.close();
      root.send('Target.disposeBrowserContext', { browserContextId }).catch(() => {});
    };
    const timer = setTimeout(giveUp, OPEN_TIMEOUT_MS); // pending commands then fail
    let targetId: string | undefined;
    let page: Page | undefined;
    try {
      root.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }).catch(() => {});
      targetId = await browser.memory.create(async () => {
        const created = await root.send('Target.createTarget', { url: 'about:blank', browserContextId });
        return created.targetId;
      });
      const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
      page = new Page(browser, browser.connection.openSession(sessionId), proxy, browserContextId, targetId);
      await page.#prepare();
      return page;
    } catch (error) {
      giveUp();
      if (page) page.#lose(crashed());
      if (targetId) browser.memory.forget(targetId);
      return cannotOpen(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private constructor(browser: PageHost, session: Session, proxy: ProxyListener, contextId: string, targetId: string) {
    this.#browser = browser;
    this.#session = session;
    this.#proxy = proxy;
    this.#contextId = contextId;
    this.#targetId = targetId;
    session.onClose = (reason) => this.#end(crashed(reason));
    this.#stopListening = browser.connection.browser.on('Target.targetCrashed', (crash) => {
      if (crash.targetId === targetId) void this.#noticeCrash(crash);
    });
    session.on('Page.javascriptDialogOpening', (dialog) => this.#dismiss(dialog));
    session.on('Page.frameNavigated', ({ frame }) => {
      const isSandboxed = this.#isOpening && !frame.parentId; // although DevTools reports the origin of its URL
      if (!isSandboxed) this.#limitStorage(frame.securityOrigin);
    });
    const { connection, settings, fonts } = browser;
    // The main frame has the id of its target.
    const emulation = new Emulation(session);
    const openSession = (id: string) => connection.openSession(id, session);
    const place = { frameId: targetId, contextId, settings, fonts, openSession };
    session.onEventBytes = (bytes) => this.#countEvents(bytes);
    this.#loader = new DocumentLoader(connection.browser, session, proxy, emulation, place);
    this.#layout = new PageLayout(session, emulation);
    this.#templates = new PageTemplates(session, targetId, fonts);
  }

  /** Whether the page can be used. */
  get alive(): boolean {
    return !this.#lost && !this.#closing;
  }

  /**
   * Whether earlier documents do not influence how this one looks. Fonts for Chinese characters that a renderer has found stay with
   * it, and move even the lines of documents that have none.
   */
  suits({ hanLanguages = '', ...job }: Pick<LoadJob, 'hanLanguages'> & Partial<Pick<LoadJob, 'content' | 'load'>>): boolean {
    return (!this.#hanLanguages || hanLanguages === this.#hanLanguages) && this.#suitsSite(job);
  }

  /** Chromium would move the page to another process for the address of another site. */
  #suitsSite({ content, load }: Partial<Pick<LoadJob, 'content' | 'load'>>): boolean {
    if (!this.#lastAddress || !content || !load) return true;
    const isHosted = content.kind === 'html' && content.assets !== undefined;
    const address = documentAddress(isHosted ? { ...content, baseUrl: this.#assetOrigin } : content, load);
    return !address || URL.parse(address)?.origin === URL.parse(this.#lastAddress)?.origin;
  }

  /** Resident bytes of the renderer at the last measurement. Undefined while its process is unknown. */
  get memoryBytes(): number | undefined {
    return this.#browser.memory.bytesOf(this.#targetId);
  }

  /** The pid of the renderer. Undefined while it is unknown. */
  get pid(): number | undefined {
    return this.#browser.memory.processOf(this.#targetId);
  }

  /**
   * Prints a document. Its memory is watched until the page is reset or closed, because its scripts keep running. Throws
   * `render_timeout`, `print_failed`, `navigation_failed`, `forbidden_url`, `content_too_large`, `render_gate_failed`,
   * `wait_failed`, `invalid_request` (a selector), `resource_limit` or `page_crashed` (which may be tried again on another page).
   */
  print(given: PrintJob, deadline: Deadline): Promise<RawPdf> {
    return this.#browser.captureQueue.print(() => this.#printOnce(given, deadline));
  }

  #printOnce(given: PrintJob, deadline: Deadline): Promise<RawPdf> {
    return this.#attempt(withPhotosUpright(given), deadline, async (job, attempt, assetOrigin) => {
      const { step } = attempt;
      const settings = await this.#templates.prepare(job.print, filesOf(job), step);
      if (settings !== job.print) await step(this.#openEmptyDocument());
      await this.#load({ ...job, print: settings }, attempt);
      await this.#templates.loadFonts(settings, step);
      const windowPx = (job.load.device.viewport ?? DEFAULT_WINDOW).height;
      const first = settings.singlePage ? await this.#layout.onOnePage(settings, windowPx, step) : settings;
      const stream = await this.#printChecked(first, job, step);
      const findings = await step(this.#loader.judge(job.load, this.#templates.findings));
      const { printedWith, ...whole } = await this.#onOnePage(first, await this.#read(stream, step), job, step);
      const { fields, printedFields, ...pdf } = await this.#withFields(whole, printedWith, job, step);
      await job.check?.(pdf.chunks, () => this.#printAll(printedWith, step));
      const view = job.view?.(pdf.chunks);
      const scale = view ? await this.#scaleOf(view, printedWith, step) : printedWith.scale;
      const countPages = () => job.pages?.(pdf.chunks) ?? 0;
      const losses = { ...(await this.#losses(view, { scale, requested: printedWith.scale, countPages }, step)), printedFields };
      const sizes = possibleSizes(printedWith, this.#loader.pageSizes);
      const { documentMetadata: metadata, documentStructure: structure } = this.#loader;
      return { ...pdf, scale, sizes, metadata, structure, fields, report: this.#report(findings, losses), assetOrigin };
    });
  }

  /** Takes a screenshot of a document. Throws the same errors as `print`. */
  capture(given: CaptureJob, deadline: Deadline): Promise<RawImage> {
    return this.#attempt(given, deadline, async (job, attempt) => {
      await this.#load(job, attempt);
      const image = await takeScreenshot(this.#session, job.capture, this.#browser, attempt.step);
      const findings = await attempt.step(this.#loader.judge(job.load));
      return { ...image, report: this.#report(findings, NO_LOSSES) };
    });
  }

  /** Runs the work of every render, and removes the random origin of its assets from the report and from errors. */
  async #attempt<J extends LoadJob, R extends { report: PageReport }>(
    job: J,
    deadline: Deadline,
    work: (job: J, attempt: Attempt, assetOrigin?: string) => Promise<R>,
  ): Promise<R> {
    const { content } = job;
    if (content.kind === 'url' || !content.assets) return this.#attemptWith(job, deadline, undefined, work);
    const maxBytes = this.#browser.settings.renderMaxNetworkBytes;
    const onExcess = () => this.#fail?.(loadsTooMuch(maxBytes));
    const isAddressed = documentAddress({ ...content, baseUrl: this.#assetOrigin }, job.load) !== undefined;
    const origin = isAddressed ? this.#assetOrigin : undefined;
    const assets = new HostedAssets(content.assets, { owner: job.shareOf ?? '', maxBytes, onExcess }, origin);
    try {
      const hosted = { ...job, content: { ...content, baseUrl: `${assets.origin}/` } };
      const result = await this.#attemptWith(hosted, deadline, assets, (given, attempt) => work(given, attempt, assets.origin));
      return { ...result, report: assets.withoutOrigin(result.report) };
    } catch (error) {
      throw error instanceof ServiceError ? withoutOrigin(error, assets) : error;
    }
  }

  async #attemptWith<J extends LoadJob, R>(
    job: J,
    deadline: Deadline,
    assets: HostedAssets | undefined,
    work: (job: J, attempt: Attempt) => Promise<R>,
  ): Promise<R> {
    if (this.#lost) throw this.#lost;
    if (this.#proxy.lateRequests) throw crashed(); // a part of an earlier document still runs
    const { promise: failed, reject: fail } = Promise.withResolvers<never>();
    failed.catch(() => {});
    this.#fail = fail;
    this.#eventBytes = 0;
    const step = <S>(awaited: Promise<S>) => deadline.race(Promise.race([awaited, failed]));
    this.#browser.memory.begin(this);
    this.#proxy.startRender(this.#budgetFor(job, deadline), assets);
    try {
      deadline.enter('load');
      return await work(job, { deadline, step, fail });
    } catch (error) {
      // A page that is closed to free memory is gone before it is known whether it was the cause.
      const wasCause = error instanceof ServiceError || this.#lost ? undefined : this.#wasCause;
      if (wasCause) throw (await wasCause) ? this.#storageExceeded() : crashed();
      throw this.#explain(error);
    } finally {
      this.#proxy.endRender();
      this.#loader.end();
      this.#fail = undefined;
    }
  }

  async #load(job: LoadJob, attempt: Attempt): Promise<void> {
    const address = documentAddress(job.content, job.load);
    if (address) this.#lastAddress = address;
    if (address !== this.#address) await attempt.step(this.#openAt(address));
    await this.#loader.load(job, attempt);
    const said = job.hanLanguages?.split(',') ?? [];
    this.#hanLanguages = joinLanguages(this.#hanLanguages, [...said, ...this.#loader.hanLanguages]);
    attempt.deadline.enter('print');
  }

  /** Ends the traffic of the render, so that nothing is sent after the print, and builds the report. */
  #report(findings: Findings, losses: LayoutLosses): PageReport {
    const network = this.#proxy.endRender();
    this.#hasLoaded ||= network.requests > 0 || findings.failures > 0; // Chromium also remembers requests that it has refused by itself
    return { ...findings, ...losses, network };
  }

  /** Renders a warm-up document, so that fonts and code of the renderer are loaded before the first real one. */
  async prime(): Promise<void> {
    using deadline = new Deadline(PRIME_TIMEOUT_MS);
    const content = { kind: 'html' as const, html: PRIMER, baseUrl: undefined };
    await this.print({ content, load: DEFAULT_LOAD, print: PRIMER_SETTINGS }, deadline);
    this.#browser.memory.end(this);
  }

  /** Prepares the page for its owner's next document. If it rejects, the page must be closed. */
  async reset(): Promise<void> {
    if (this.#mayHaveStored) throw crashed(new Error('a frame of a site may have stored something'));
    if (this.#loader.needsReset || this.#hasLoaded) await this.#empty();
    this.#browser.memory.end(this);
  }

  async #empty(): Promise<void> {
    const timer = setTimeout(() => this.#lose(crashed()), RESET_TIMEOUT_MS);
    try {
      await this.#openEmptyDocument();
      this.#session.send('Page.resetNavigationHistory').catch(() => {});
      if (this.#hasLoaded) await this.#clearBrowsingData();
      if (this.#proxy.lateRequests) throw crashed(new Error('requests outlive the document'));
      if (this.#lost) throw this.#lost;
      await this.#loader.forgetTraces();
      if (this.#lastAddress) await this.#openAt(this.#lastAddress); // only now, because a policy that is ignored would be no sandbox
    } catch (error) {
      throw error instanceof ServiceError ? error : crashed(error as Error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lowers the CPU priority of its renderer for good, because only root could raise it again. */
  lowerPriority(): void {
    this.#browser.memory.lowerPriority(this.#targetId);
  }

  /** Closes the page and its context. A renderer that does not end is killed, and if necessary the browser. */
  close(): Promise<void> {
    this.#closing ??= this.#dispose();
    return this.#closing;
  }

  /** The watchdog calls this, see `RunningPage`. */
  endToFreeMemory(wasCause: Promise<boolean>): Promise<void> {
    this.#wasCause = wasCause;
    this.#browser.memory.kill(this.#targetId);
    return this.close();
  }

  async #dispose(): Promise<void> {
    const { connection, memory } = this.#browser;
    const killRenderer = setTimeout(() => memory.kill(this.#targetId), CLOSE_TIMEOUT_MS);
    const killBrowser = setTimeout(() => this.#browser.kill(), 3 * CLOSE_TIMEOUT_MS);
    await connection.browser.send('Target.disposeBrowserContext', { browserContextId: this.#contextId }).catch(() => {});
    clearTimeout(killRenderer);
    clearTimeout(killBrowser);
    memory.end(this);
    memory.forget(this.#targetId);
    await this.#proxy.close();
    this.#end(crashed());
  }

  async #prepare(): Promise<void> {
    // This event is repeated for a document that has loaded already. Asking the document would start its script engine.
    const loaded = this.#session.next('Page.lifecycleEvent', ({ name }) => name === 'load');
    await Promise.all([
      this.#session.send('Page.enable'),
      this.#session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      setMedia(this.#session),
      setWindow(this.#session),
      loaded,
    ]);
    await Promise.all([
      this.#session.send('Page.setLifecycleEventsEnabled', { enabled: false }),
      this.#browser.memory.found(this.#targetId),
    ]);
  }

  /** Opens an empty document with an opaque origin at this URL. One that Chromium refuses, for example for its port, has no effect. */
  async #openAt(address: string | undefined): Promise<void> {
    if (address === undefined) return this.#openEmptyDocument();
    this.#isOpening = true;
    await this.#loader.openAddress(() => this.#openEmptyDocument(address)).catch(() => this.#openEmptyDocument());
    this.#isOpening = false;
    this.#address = address;
    if ((await evaluate(this.#session, { expression: 'origin' }, ORIGIN)) !== 'null') throw crashed();
    await this.#session.send('Page.resetNavigationHistory');
  }

  async #openEmptyDocument(url = 'about:blank'): Promise<void> {
    const session = this.#session;
    // No script runs on unload, because its requests would fall into the time of the next document.
    if (this.#loader.mayRunOnUnload) await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    this.#address = undefined;
    const committed = new Set<string>();
    const stop = session.on('Page.frameNavigated', ({ frame }) => committed.add(frame.loaderId));
    try {
      const loaded = session.next('Page.loadEventFired', () => committed.size > 0);
      const { loaderId, errorText } = await session.send('Page.navigate', { url });
      await loaded;
      if (errorText || !loaderId || !committed.has(loaderId)) throw new Error('the page could not be emptied');
      if (this.#loader.mayRunOnUnload) await session.send('Emulation.setScriptExecutionDisabled', { value: false });
    } finally {
      stop();
    }
  }

  /** Checks the page ranges, because Chromium prints nothing if they name no page of the document. */
  async #printChecked(printedWith: PrintSettings, { check }: PrintJob, step: Step): Promise<string> {
    try {
      return await this.#printToPdf(printedWith, step);
    } catch (error) {
      if (error instanceof DevToolsError && printedWith.pageRanges)
        await check?.(undefined, () => this.#printAll(printedWith, step));
      throw error;
    }
  }

  /** Prints a single page again with more height if it became several pages. */
  async #onOnePage(
    first: PrintSettings,
    printed: PdfBytes,
    { pages }: PrintJob,
    step: Step,
  ): Promise<PdfBytes & { printedWith: PrintSettings }> {
    let [printedWith, pdf] = [first, printed];
    if (!first.singlePage || !pages) return { printedWith, ...pdf };
    for (let more = 0; pages(pdf.chunks) > 1; more++) {
      if (more === MAX_MEASURES)
        throw new ServiceError(
          'print_failed',
          'options.singlePage: the document grows with its page, so that it never fits on one; give its parts heights of their own',
        );
      printedWith = await this.#layout.higher(printedWith, pages(pdf.chunks), step);
      pdf = await this.#read(await this.#printToPdf(printedWith, step), step);
    }
    return { printedWith, ...pdf };
  }

  /** Restores controls that the PDF shows twice or not at all, because these cannot become fields, and prints again. */
  async #withFields(
    printed: PdfBytes,
    printedWith: PrintSettings,
    { unplaced }: PrintJob,
    step: Step,
  ): Promise<PdfBytes & Pick<RawPdf, 'fields'> & Pick<LayoutLosses, 'printedFields'>> {
    const loader = this.#loader;
    const printedFields = [...loader.printedFields];
    if (!unplaced || loader.formControls.length === 0) return { ...printed, fields: [], printedFields };
    const missing = unplaced(printed.chunks, loader.formControls);
    let pdf = printed;
    if (missing.length) {
      const left = loader.formControls.filter(({ number }) => missing.includes(number));
      if (!printedWith.pageRanges) printedFields.push(...left); // else most of them are on pages that are not printed
      await loader.restoreFields(missing, step);
      pdf = await this.#read(await this.#printToPdf(printedWith, step), step);
    }
    const fields = loader.formControls;
    if (unplaced(pdf.chunks, fields).length)
      throw new ServiceError('print_failed', 'options.forms: the form fields of the document have no fixed position');
    const numbers = fields.map(({ number }) => number);
    await loader.restoreFields(numbers, step); // clipped content is searched for in the document as it was
    return { ...pdf, fields, printedFields };
  }

  async #losses(
    view: PaperView | undefined,
    { scale, requested, countPages }: { scale: number; requested: number; countPages(): number },
    step: Step,
  ): Promise<Omit<LayoutLosses, 'printedFields'>> {
    const percent = Math.round((100 * scale) / requested);
    const cutOffPx = view?.roomPx === undefined ? 0 : await this.#layout.overflow(view.roomPx, step);
    const factor = (view?.scale ?? scale) / scale;
    const page = view && { widthPx: view.widthPx * factor, heightPx: view.heightPx * factor };
    const clipped = page && this.#loader.mayClip ? await this.#layout.clipped(page, step) : [];
    const mayRepeat = this.#loader.mayRepeatRows && countPages() > 1;
    const unrepeated = page && mayRepeat ? await this.#layout.unrepeated(page, step) : [];
    return { cutOffPx, clipped, unrepeated, shrunkToPercent: percent <= SHRUNK_PERCENT ? percent : undefined };
  }

  /**
   * The scale at which the document was printed. A document that looks shrunk in the PDF, because its own styles scale all of its first
   * page down, is told apart by its layout. The PDF of a document that shows only pictures does not tell the scale at all.
   */
  async #scaleOf({ scale, roomPx, widthPx }: PaperView, requested: PrintSettings, step: Step): Promise<number> {
    if (scale === undefined) return requested.scale * (await this.#layout.shrinking(roomPx ?? widthPx, step));
    const isShrunk = Math.round((100 * scale) / requested.scale) <= SHRUNK_PERCENT;
    if (!isShrunk || (await this.#layout.shrinking((widthPx * scale) / requested.scale, step)) < 1) return scale;
    return requested.scale;
  }

  async #printAll(printedWith: PrintSettings, step: Step): Promise<Buffer[]> {
    const stream = await this.#printToPdf({ ...printedWith, pageRanges: '' }, step);
    return (await this.#read(stream, step)).chunks;
  }

  async #printToPdf(settings: PrintSettings, step: Step): Promise<string> {
    const printing = this.#session.send('Page.printToPDF', printParameters(settings));
    const { stream } = await step(printing.catch((error: unknown) => this.#afterCrash(error)));
    if (!stream) throw new ServiceError('print_failed', 'the browser returned no PDF');
    return stream;
  }

  /**
   * Rethrows the error of a print, at once if the renderer still answers. A print also fails because its renderer ends, shortly
   * before the browser reports that, and the render then fails with the cause.
   */
  async #afterCrash(error: unknown): Promise<never> {
    const crash = sleep(CRASH_REPORT_MS, undefined, { ref: false });
    await Promise.race([this.#session.send('Runtime.evaluate', { expression: '0' }).catch(() => crash), crash]);
    throw error;
  }

  /** Removes cookies of images and fonts. The cache stays, because it belongs to this owner alone. */
  async #clearBrowsingData(): Promise<void> {
    const { browser: root } = this.#browser.connection;
    await root.send('Storage.clearCookies', { browserContextId: this.#contextId });
    this.#hasLoaded = false;
  }

  /** The document itself may take as long as the render. Its resources may not. */
  #budgetFor({ content, load }: LoadJob, deadline: Deadline): OutboundBudget {
    const { renderMaxRequests, renderMaxNetworkBytes, renderMaxConnections, resourceTimeoutMs } = this.#browser.settings;
    return {
      requests: load.offline ? 0 : renderMaxRequests,
      bytes: renderMaxNetworkBytes,
      connections: renderMaxConnections,
      silenceMs: content.kind === 'url' ? Math.ceil(deadline.remainingMs) : (load.resourceTimeoutMs ?? resourceTimeoutMs),
    };
  }

  async #read(handle: string, step: Step): Promise<PdfBytes> {
    const pdf = { chunks: [] as Buffer[], bytes: 0 };
    const read = () => {
      const part = this.#session.send('IO.read', { handle, size: READ_BYTES });
      part.catch(() => {}); // it may reject when nobody waits for it
      return part;
    };
    // Reads ahead by one chunk, because only the read after the last byte reports the end, and that is usually the second read.
    const ahead = [read(), read()];
    for (let eof = false; !eof; ) {
      const part = await step(ahead.shift() ?? read());
      eof = part.eof;
      const chunk = Buffer.from(part.data, part.base64Encoded ? 'base64' : 'latin1');
      if (chunk.length) pdf.chunks.push(chunk);
      pdf.bytes += chunk.length;
      if (pdf.bytes > this.#browser.settings.maxPdfBytes) throw this.#tooLarge();
      if (chunk.length === READ_BYTES) ahead.push(read());
    }
    this.#session.send('IO.close', { handle }).catch(() => {});
    return pdf;
  }

  #tooLarge(): ServiceError {
    const limit = this.#browser.settings.maxPdfBytes;
    return new ServiceError('resource_limit', `the PDF is larger than ${limit} bytes`, { members: { limit } });
  }

  /**
   * Limits storage, which the browser keeps in memory. Documents from HTML have an opaque origin, which cannot store anything.
   */
  #limitStorage(origin: string): void {
    if (!origin.startsWith('http')) return;
    this.#mayHaveStored = true;
    this.#session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: STORAGE_QUOTA_BYTES }).catch(() => {});
  }

  /** Dismisses dialogs, because nobody can answer them, and lets the page unload. */
  #dismiss({ type }: Events['Page.javascriptDialogOpening'][0]): void {
    this.#session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(() => {});
  }

  async #noticeCrash(crash: Crash): Promise<void> {
    const { memory, settings } = this.#browser;
    // Allocators other than V8's heap report nothing, so that the size of the renderer decides.
    const wasLarge = isTrap(crash) && memory.lastBytesOf(this.#targetId) > settings.rendererHeapBytes / 2;
    this.#end((await memory.crashes.isOutOfMemory(crash)) || wasLarge ? this.#outOfMemory() : crashed());
  }

  /**
   * Marks the page as lost. If it was ended because of the browser's memory, the error depends on whether it was the cause.
   */
  #end(loss: ServiceError): void {
    if (!this.#wasCause) this.#lose(loss);
    else void this.#wasCause.then((wasCause) => this.#lose(wasCause ? this.#storageExceeded() : crashed()));
  }

  /** Kills the renderer of a document with too many events, because it holds up the other pages of the browser. */
  #countEvents(bytes: number): void {
    this.#eventBytes += bytes;
    if (this.#lost || this.#eventBytes <= MAX_EVENT_BYTES) return;
    this.#lose(tooManyEvents());
    this.#browser.memory.kill(this.#targetId);
  }

  #lose(loss: ServiceError): void {
    if (this.#lost) return;
    this.#lost = loss;
    this.#stopListening();
    this.#loader.close();
    this.#fail?.(loss);
    this.#session.close(loss);
  }

  #outOfMemory(): ServiceError {
    const limit = this.#browser.settings.rendererMemoryBytes;
    const what = `the document needs more memory than one render may take; if it is long, ${SPLIT}`;
    return new ServiceError('resource_limit', what, { members: { limit } });
  }

  #storageExceeded(): ServiceError {
    const limit = this.#browser.settings.browserMemoryBytes;
    const what = 'the document stores more in the browser (blobs, caches, files, databases) than it may hold';
    return new ServiceError('resource_limit', what, { members: { limit } });
  }

  #explain(error: unknown): unknown {
    if (this.#lost && !(error instanceof ServiceError)) return this.#lost;
    if (error instanceof DevToolsError && error.method === 'Page.printToPDF')
      return new ServiceError('print_failed', `the document could not be printed: ${reasonOf(error)}`);
    if (error instanceof DevToolsError && error.method === 'Page.captureScreenshot')
      return new ServiceError('print_failed', `no image could be made of the document: ${error.reason}`);
    if (error instanceof DevToolsError && error.method.startsWith('Runtime.')) return interferes(error); // such as a value without JSON
    return error;
  }
}

function reasonOf({ reason }: DevToolsError): string {
  return reason.includes('content area is empty') ? NO_ROOM : reason;
}

function filesOf({ content }: LoadJob): HostedFiles {
  return (content.kind === 'html' && content.assets) || NO_FILES;
}

function withPhotosUpright(job: PrintJob): PrintJob {
  return job.content.kind === 'url' ? job : { ...job, content: withUprightPhotos(job.content) };
}

function withoutOrigin({ code, message, members, cause, retryAfterSeconds }: ServiceError, assets: HostedAssets): ServiceError {
  return new ServiceError(code, assets.withoutOrigin(message), {
    members: assets.withoutOrigin(members),
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function crashed(cause?: Error): ServiceError {
  return new ServiceError('page_crashed', 'the page crashed while it was rendering', { cause });
}

function tooManyEvents(): ServiceError {
  const detail = 'the document causes too many browser events, for example by requesting long data: URLs';
  return new ServiceError('resource_limit', detail, { members: { limit: MAX_EVENT_BYTES } });
}

function cannotOpen(cause: unknown): never {
  throw new ServiceError('browser_unavailable', 'the browser could not open a page', { cause });
}
