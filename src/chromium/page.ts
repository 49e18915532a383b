/**
 * The life of a page in its own browser context: it opens, loads one document after the other, is emptied, is lost or closed.
 *
 * A page serves many documents of one owner, each with an opaque origin. After a document that could run a script or leave
 * anything behind, the page is navigated to an empty document, so that no script, listener, timer or name is left. After a
 * document that provably could not, the next one is written in its place. After any failure the page is closed.
 */
import { Type } from 'typebox';
import { Deadline } from '../deadline.ts';
import type { ProxyListener } from '../egress/egress-proxy.ts';
import { HostedAssets, type HostedFiles, randomOrigin } from '../egress/hosted-assets.ts';
import { ServiceError } from '../errors.ts';
import type { FontKnowledge } from '../fonts/font-knowledge.ts';
import type { RunningPage } from './browser/browser-memory-limit.ts';
import { type Crash, isTrap } from './browser/crash-causes.ts';
import type { MemoryWatchdog } from './browser/memory-watchdog.ts';
import type { BrowserSettings } from './browser-settings.ts';
import type { CaptureQueue } from './capture/capture-queue.ts';
import { takeFailurePicture } from './capture/failure-picture.ts';
import type { Connection, Events, Session } from './devtools/connection.ts';
import { Emulation, setMedia, setWindow } from './devtools/emulation.ts';
import { evaluate, shape } from './devtools/evaluate.ts';
import { joinLanguages } from './glyphs/han-fonts.ts';
import { documentAddress } from './load/document-address.ts';
import { DocumentLoad } from './load/document-load.ts';
import type { LoadJob } from './load/load-job.ts';
import type { Content, LoadSettings } from './load/load-settings.ts';
import { loadsTooMuch } from './load/monitors/network-monitor.ts';
import { createPageParts, type PageParts } from './load/page-parts.ts';
import { replaceDocument } from './load/replace-document.ts';
import { withUprightPhotos } from './load/upright-photos.ts';
import { LoadedDocument } from './loaded-document.ts';
import { NO_TEMPLATE_FINDINGS, PageTemplates } from './print/page-templates.ts';
import { printOnce, WARM_UP } from './print-once.ts';
import { RenderAttempt } from './render-attempt.ts';

const NO_FILES: HostedFiles = new Map();
const ORIGIN = shape(Type.String());
/** Limits the events of one render. They contain `data:` URLs in full, and the events of all pages of a browser share one pipe. */
const MAX_EVENT_BYTES = 128 * 1_048_576;
const STORAGE_QUOTA_BYTES = 128 * 1_048_576;
const OPEN_TIMEOUT_MS = 20_000;
const PRIME_TIMEOUT_MS = 10_000;
const RESET_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 1_000;
/** Chromium needs memory in proportion to the square of the pages of one table that is not printed in parts. */
const TOO_MUCH_MEMORY =
  'the document needs more memory than one render may take; if it is long, leave out what forbids to print it in parts (CSS counters, form fields, content that depends on pages), split a table after about 200 pages into several tables, or send the parts of the document as items of a batch and merge them';
const TOO_MUCH_STORED = 'the document stores more in the browser (blobs, caches, files, databases) than it may hold';
const TOO_MANY_EVENTS = 'the document causes too many browser events, for example by requesting long data: URLs';

/** The part of the browser that a page uses. */
interface PageHost {
  readonly connection: Connection;
  readonly memory: MemoryWatchdog;
  readonly settings: BrowserSettings;
  readonly fonts: FontKnowledge;
  readonly captureQueue: CaptureQueue;
  openListener(): Promise<ProxyListener>;
  /** Ends the whole browser. */
  kill(): void;
}

export class Page implements RunningPage {
  readonly #browser: PageHost;
  readonly #session: Session;
  readonly #targetId: string;
  readonly #parts: PageParts;
  /** The running render. */
  #attempt: RenderAttempt | undefined;
  #lost: ServiceError | undefined;
  #closing: Promise<void> | undefined;
  /** Is set if the page is ended because of the browser's memory: what that means for its render. */
  #memoryError: Promise<ServiceError> | undefined;
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
      targetId = await browser.memory.renderers.create(async () => {
        const created = await root.send('Target.createTarget', { url: 'about:blank', browserContextId });
        return created.targetId;
      });
      const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
      page = new Page(browser, browser.connection.openSession(sessionId), proxy, browserContextId, targetId);
      await page.#prepare();
      return page;
    } catch (error) {
      giveUp();
      if (page) page.#lose(pageCrashed());
      if (targetId) browser.memory.forget(targetId);
      return cannotOpen(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private constructor(browser: PageHost, session: Session, proxy: ProxyListener, contextId: string, targetId: string) {
    this.#browser = browser;
    this.#session = session;
    this.#targetId = targetId;
    session.onClose = (reason) => this.#end(pageCrashed(reason));
    this.#stopListening = browser.connection.browser.on('Target.targetCrashed', (crash) => {
      if (crash.targetId === targetId) void this.#noticeCrash(crash);
    });
    session.on('Page.javascriptDialogOpening', (dialog) => this.#dismiss(dialog));
    const leave = () => {
      this.#parts.traces.needNavigation = true;
    };
    session.on('Page.navigatedWithinDocument', leave); // a replacement would have its address and state
    session.on('Page.frameRequestedNavigation', leave); // it may commit only after a replacement
    session.on('Page.frameStartedNavigating', leave);
    session.on('Page.frameAttached', leave); // its callbacks may outlast it, see `replace-document.ts`
    session.on('Page.frameNavigated', ({ frame }) => {
      const isSandboxed = this.#isOpening && !frame.parentId; // although DevTools reports the origin of its URL
      if (!isSandboxed) this.#limitStorage(frame.securityOrigin);
    });
    session.onEventBytes = (bytes) => this.#countEvents(bytes);
    const { connection, settings, fonts, captureQueue } = browser;
    this.#parts = createPageParts({
      ...{ session, proxy, contextId, settings, fonts, captureQueue },
      root: connection.browser,
      frameId: targetId, // the main frame has the id of its target
      emulation: new Emulation(session),
      openSession: (id) => connection.openSession(id, session),
    });
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

  /**
   * Chromium would move the page to another process for the address of another site:
   * https://source.chromium.org/chromium/chromium/src/+/main:docs/process_model_and_site_isolation.md
   */
  #suitsSite({ content, load }: Partial<Pick<LoadJob, 'content' | 'load'>>): boolean {
    if (!this.#lastAddress || !content || !load) return true;
    const address = this.#findAddress(content, load);
    return !address || URL.parse(address)?.origin === URL.parse(this.#lastAddress)?.origin;
  }

  /** The address at which a document is loaded. Undefined for about:blank. */
  #findAddress(content: Content, load: LoadSettings): string | undefined {
    return documentAddress(hasAssets(content) ? { ...content, baseUrl: this.#assetOrigin } : content, load);
  }

  /** Resident bytes of the renderer at the last measurement. Undefined while its process is unknown. */
  get memoryBytes(): number | undefined {
    return this.#browser.memory.renderers.find(this.#targetId)?.bytes;
  }

  /** The pid of the renderer. Undefined while it is unknown. */
  get pid(): number | undefined {
    return this.#browser.memory.renderers.find(this.#targetId)?.pid;
  }

  /**
   * Loads a document until it is ready to print or to capture. Dispose of the result before the next is loaded. Its memory is watched
   * until the page is reset or closed, because its scripts keep running. Throws `render_timeout`, `print_failed`, `navigation_failed`,
   * `forbidden_url`, `content_too_large`, `render_gate_failed`, `wait_failed`, `invalid_request` (a selector), `resource_limit` or
   * `page_crashed` (which may be tried again on another page).
   */
  async load(given: LoadJob, deadline: Deadline): Promise<LoadedDocument> {
    if (this.#lost) throw this.#lost;
    if (this.#parts.proxy.lateRequests) throw pageCrashed(); // a part of an earlier document still runs
    const upright = given.print ? withUprightPhotos(given.content) : given.content;
    const address = this.#findAddress(upright, given.load);
    const assets = hasAssets(upright) ? this.#hostAssets(upright.assets, address, given.shareOf) : undefined;
    const content = assets ? { ...upright, baseUrl: `${assets.origin}/` } : upright;
    const job = { ...given, content };
    const attempt = this.#begin(job, deadline, assets);
    const ended = Promise.withResolvers<void>();
    if (job.print) void this.#browser.captureQueue.print(() => ended.promise); // images wait for it
    using ending = new DisposableStack();
    ending.defer(ended.resolve);
    ending.use(attempt);
    return await attempt.run(() => this.#loadIn(job, address, attempt, ending));
  }

  /** Files that the document names are served at a random origin. */
  #hostAssets(files: HostedFiles, address: string | undefined, owner = ''): HostedAssets {
    const maxBytes = this.#browser.settings.renderMaxNetworkBytes;
    const onExcess = () => this.#attempt?.fail(loadsTooMuch(maxBytes));
    return new HostedAssets(files, { owner, maxBytes, onExcess }, address ? this.#assetOrigin : undefined);
  }

  #begin(job: LoadJob, deadline: Deadline, assets: HostedAssets | undefined): RenderAttempt {
    const { settings, memory } = this.#browser;
    this.#eventBytes = 0;
    memory.begin(this);
    const place = { proxy: this.#parts.proxy, settings, lost: () => this.#lost, memoryError: () => this.#memoryError };
    this.#attempt = new RenderAttempt(place, job, deadline, assets);
    return this.#attempt;
  }

  /** `ending` ends the attempt, unless the document takes it over. */
  async #loadIn(
    given: LoadJob,
    address: string | undefined,
    attempt: RenderAttempt,
    ending: DisposableStack,
  ): Promise<LoadedDocument> {
    const { step } = attempt;
    const job = await this.#prepareTemplates(given, attempt);
    if (address) this.#lastAddress = address;
    if (address !== this.#address) await step(this.#openAt(address));
    const load = ending.use(await DocumentLoad.load({ parts: this.#parts, job, attempt }));
    const ownLanguages = job.hanLanguages?.split(',') ?? [];
    this.#hanLanguages = joinLanguages(this.#hanLanguages, [...ownLanguages, ...load.loaded.hanLanguages]);
    if (job.print) await this.#templates.loadFonts(job.print, step);
    const templates = job.print ? this.#templates.findings : NO_TEMPLATE_FINDINGS;
    return new LoadedDocument({ load, job, attempt, templates, page: this.#parts, ending: ending.move() });
  }

  /** Puts files into header and footer, which are measured in a document of their own. */
  async #prepareTemplates(job: LoadJob, { step }: RenderAttempt): Promise<LoadJob> {
    if (!job.print) return job;
    const print = await this.#templates.prepare(job.print, hostedFiles(job), step);
    if (print !== job.print) await step(this.#openEmptyDocument());
    return { ...job, print };
  }

  /** Renders a warm-up document, so that fonts and code of the renderer are loaded before the first real one. */
  async prime(): Promise<void> {
    using deadline = new Deadline(PRIME_TIMEOUT_MS);
    await printOnce(this, WARM_UP, deadline);
    this.#browser.memory.end(this);
  }

  /** Shows what the page shows when a render has failed, as a JPEG. Undefined if there is no picture within a second. */
  async picture(): Promise<Buffer | undefined> {
    return this.alive ? takeFailurePicture(this.#session, this.#browser.captureQueue) : undefined;
  }

  /** Prepares the page for its owner's next document. If it rejects, the page must be closed. */
  async reset(): Promise<void> {
    if (this.#mayHaveStored) throw pageCrashed(new Error('a frame of a site may have stored something'));
    const { needReset, mayHaveCookies } = this.#parts.traces;
    if (needReset || mayHaveCookies) await this.#empty();
    this.#browser.memory.end(this);
  }

  async #empty(): Promise<void> {
    const timer = setTimeout(() => this.#lose(pageCrashed()), RESET_TIMEOUT_MS);
    try {
      if (!(await this.#replaceDocument())) await this.#leaveDocument();
      const { root, contextId, traces } = this.#parts;
      // Those of images and fonts. The cache stays, because it belongs to this owner alone.
      if (traces.mayHaveCookies) await root.send('Storage.clearCookies', { browserContextId: contextId });
      if (this.#parts.proxy.lateRequests) throw pageCrashed(new Error('requests outlive the document'));
      if (this.#lost) throw this.#lost;
      await this.#forgetTraces();
      if (this.#lastAddress && this.#lastAddress !== this.#address) await this.#openAt(this.#lastAddress); // only now, because a policy that is ignored would be no sandbox
    } catch (error) {
      throw error instanceof ServiceError ? error : pageCrashed(error as Error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #replaceDocument(): Promise<boolean> {
    const { session, frameId, traces } = this.#parts;
    if (traces.needNavigation || !(await replaceDocument(session, frameId))) return false;
    return !traces.needNavigation; // the document may have caused it in the meantime
  }

  async #leaveDocument(): Promise<void> {
    await this.#openEmptyDocument();
    this.#session.send('Page.resetNavigationHistory').catch(() => {});
  }

  async #forgetTraces(): Promise<void> {
    const { emulation, traces } = this.#parts;
    await emulation.undo();
    traces.mayRunOnUnload = false;
    traces.needReset = false;
    traces.mayHaveCookies = false;
  }

  trim(): void {
    this.#session.send('HeapProfiler.collectGarbage').catch(() => {}); // the loss of a page is reported elsewhere
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
    const exceeded = exceeds(this.#browser.settings.browserMemoryBytes, TOO_MUCH_STORED);
    this.#memoryError = wasCause.then((isCause) => (isCause ? exceeded : pageCrashed()));
    this.#browser.memory.kill(this.#targetId);
    return this.close();
  }

  async #dispose(): Promise<void> {
    const { connection, memory } = this.#browser;
    const killRenderer = setTimeout(() => memory.kill(this.#targetId), CLOSE_TIMEOUT_MS);
    const killBrowser = setTimeout(() => this.#browser.kill(), 3 * CLOSE_TIMEOUT_MS);
    await connection.browser.send('Target.disposeBrowserContext', { browserContextId: this.#parts.contextId }).catch(() => {});
    clearTimeout(killRenderer);
    clearTimeout(killBrowser);
    memory.end(this);
    memory.forget(this.#targetId);
    await this.#parts.proxy.close();
    this.#end(pageCrashed());
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
      this.#browser.memory.renderers.waitUntilFound(this.#targetId),
    ]);
  }

  /**
   * Opens an empty document with an opaque origin at this URL. One that Chromium refuses, for example for its port, has no effect
   * (`kRestrictedPorts`: https://source.chromium.org/chromium/chromium/src/+/main:net/base/port_util.cc).
   */
  async #openAt(address: string | undefined): Promise<void> {
    if (address === undefined) return this.#openEmptyDocument();
    this.#isOpening = true;
    await this.#parts.interception.openEmpty(() => this.#openEmptyDocument(address)).catch(() => this.#openEmptyDocument());
    this.#isOpening = false;
    this.#address = address;
    if ((await evaluate(this.#session, { expression: 'origin' }, ORIGIN)) !== 'null') throw pageCrashed();
    await this.#session.send('Page.resetNavigationHistory');
  }

  async #openEmptyDocument(url = 'about:blank'): Promise<void> {
    const session = this.#session;
    // No script runs on unload, because its requests would fall into the time of the next document.
    if (this.#parts.traces.mayRunOnUnload) await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    this.#address = undefined;
    const committed = new Set<string>();
    const stop = session.on('Page.frameNavigated', ({ frame }) => committed.add(frame.loaderId));
    try {
      const loaded = session.next('Page.loadEventFired', () => committed.size > 0);
      const { loaderId, errorText } = await session.send('Page.navigate', { url });
      await loaded;
      if (errorText || !loaderId || !committed.has(loaderId)) throw new Error('the page could not be emptied');
      this.#parts.traces.needNavigation = false; // its own navigation was reported, too
      if (this.#parts.traces.mayRunOnUnload) await session.send('Emulation.setScriptExecutionDisabled', { value: false });
    } finally {
      stop();
    }
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
    const wasLarge = isTrap(crash) && memory.renderers.lastKnownBytes(this.#targetId) > settings.rendererHeapBytes / 2;
    const isOutOfMemory = (await memory.crashes.isOutOfMemory(crash)) || wasLarge;
    this.#end(isOutOfMemory ? exceeds(settings.rendererMemoryBytes, TOO_MUCH_MEMORY) : pageCrashed());
  }

  /**
   * Marks the page as lost. If it was ended because of the browser's memory, the error depends on whether it was the cause.
   */
  #end(loss: ServiceError): void {
    if (!this.#memoryError) this.#lose(loss);
    else void this.#memoryError.then((known) => this.#lose(known));
  }

  /** Kills the renderer of a document with too many events, because it holds up the other pages of the browser. */
  #countEvents(bytes: number): void {
    this.#eventBytes += bytes;
    if (this.#lost || this.#eventBytes <= MAX_EVENT_BYTES) return;
    this.#lose(exceeds(MAX_EVENT_BYTES, TOO_MANY_EVENTS));
    this.#browser.memory.kill(this.#targetId);
  }

  #lose(loss: ServiceError): void {
    if (this.#lost) return;
    this.#lost = loss;
    this.#stopListening();
    this.#parts.workers.close();
    this.#attempt?.fail(loss);
    this.#session.close(loss);
  }
}

function hostedFiles({ content }: LoadJob): HostedFiles {
  return (content.kind === 'html' && content.assets) || NO_FILES;
}

function hasAssets(content: Content): content is Extract<Content, { kind: 'html' }> & { assets: HostedFiles } {
  return content.kind === 'html' && content.assets !== undefined;
}

function pageCrashed(cause?: Error): ServiceError {
  return new ServiceError('page_crashed', 'the page crashed while it was rendering', { cause });
}

function exceeds(limit: number, detail: string): ServiceError {
  return new ServiceError('resource_limit', detail, { members: { limit } });
}

function cannotOpen(cause: unknown): never {
  throw new ServiceError('browser_unavailable', 'the browser could not open a page', { cause });
}
