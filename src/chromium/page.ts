/**
 * One page in a browser context of its own: an HTML document and print settings in, PDF bytes out.
 *
 * A page serves many documents of one owner, each with an opaque origin. After one that could run script, or leave
 * anything else behind, the page is sent to a new, empty document, so that no script, listener, timer or name is left; after
 * one that provably could not, the next is written in its place. After any failure the page is closed, not cleaned.
 */
import { Deadline } from '../deadline.ts';
import { ServiceError } from '../errors.ts';
import { type Connection, DevToolsError, type Events, type Session } from './connection.ts';
import { type DocumentTraits, traitsOf } from './document-traits.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { type PrintSettings, pageRule, printParameters } from './print-options.ts';
import { settleExpression } from './settle-document.ts';

/** The bytes of a PDF in pieces, as they came from the browser. */
export interface RawPdf {
  chunks: Buffer[];
  bytes: number;
}

/** Touches what most documents touch: the generic fonts in their cuts, tables, borders, several pages. */
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
};

/** What a page needs of its browser. */
export interface PageHost {
  readonly connection: Connection;
  readonly memory: MemoryWatch;
  readonly settings: { rendererMemoryBytes: number; rendererHeapBytes: number; maxPdfBytes: number };
  /** Ends the whole browser. */
  kill(): void;
}

/** Runs before any document's own script: a document cannot close our window, and does not see the name an earlier one gave it. */
const OWN_WINDOW = 'if (window === top) { window.close = () => {}; window.name = "" }';
const READ_BYTES = 1_048_576;
const OPEN_TIMEOUT_MS = 20_000;
const PRIME_TIMEOUT_MS = 10_000;
const RESET_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 1_000;
/** A renderer that dies so soon after the watch ended one died of that. */
const KILL_IS_REPORTED_WITHIN_MS = 2_000;

export class Page {
  readonly #browser: PageHost;
  readonly #session: Session;
  readonly #contextId: string;
  readonly #frameId: string;
  /** Fails the render that is under way. */
  #fail: ((error: ServiceError) => void) | undefined;
  #lost: ServiceError | undefined;
  #closing: Promise<void> | undefined;
  /** Whether the present document must go before the next may be written. */
  #dirty = false;
  /** Whether navigations wait for our word. That costs every later document some speed, so it begins when it is needed. */
  #guarded = false;
  #windowOwned = false;
  #loading = false;

  /** Throws `browser_unavailable`. */
  static async open(browser: PageHost): Promise<Page> {
    const { browser: root } = browser.connection;
    const { browserContextId } = await root.send('Target.createBrowserContext', { disposeOnDetach: true }).catch(cannotOpen);
    const giveUp = () => root.send('Target.disposeBrowserContext', { browserContextId }).catch(() => {});
    const timer = setTimeout(giveUp, OPEN_TIMEOUT_MS); // whatever is pending then fails
    try {
      root.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }).catch(() => {});
      const { targetId } = await root.send('Target.createTarget', { url: 'about:blank', browserContextId });
      const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
      const page = new Page(browser, browser.connection.openSession(sessionId), browserContextId, targetId);
      await page.#prepare();
      return page;
    } catch (error) {
      void giveUp();
      return cannotOpen(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private constructor(browser: PageHost, session: Session, contextId: string, targetId: string) {
    this.#browser = browser;
    this.#session = session;
    this.#contextId = contextId;
    this.#frameId = targetId; // the main frame carries its target's id
    browser.memory.announce(this);
    session.onClose = () => this.#lose(crashed());
    session.on('Inspector.targetCrashed', () => this.#lose(this.#ranOutOfMemory() ? this.#tooHungry() : crashed()));
    session.on('Page.javascriptDialogOpening', (dialog) => this.#dismiss(dialog));
    session.on('Page.frameNavigated', ({ frame }) => frame.parentId ?? this.#navigatedAway());
    session.on('Page.loadEventFired', () => {
      this.#loading = false;
    });
    session.on('Fetch.requestPaused', (request) => this.#answerNavigation(request));
    session.on('Page.frameStartedNavigating', ({ frameId }) => this.#judgeNavigation(frameId));
  }

  /** Whether the page can be used at all. */
  get alive(): boolean {
    return !this.#lost && !this.#closing;
  }

  /** Resident bytes of the renderer when last seen. */
  get memoryBytes(): number | undefined {
    return this.#browser.memory.bytesOf(this);
  }

  /**
   * Renders one document. Throws `render_timeout`, `print_failed`, `navigation_failed`, `resource_limit` or `page_crashed`
   * (which may be tried again on another page).
   */
  async print(html: string, settings: PrintSettings, deadline: Deadline): Promise<RawPdf> {
    if (this.#lost) throw this.#lost;
    const { promise: failed, reject } = Promise.withResolvers<never>();
    failed.catch(() => {});
    this.#fail = reject;
    const step = <T>(work: Promise<T>) => deadline.race(Promise.race([work, failed]));
    this.#browser.memory.begin();
    try {
      deadline.enter('load');
      const traits = traitsOf(html);
      if (!traits.inert) await this.#beginActiveDocument(traits, step);
      await this.#load(html, step);
      await this.#settle(traits, settings, step);
      deadline.enter('print');
      const stream = await this.#printToPdf(settings, step);
      return await this.#read(stream, step);
    } catch (error) {
      throw this.#explain(error);
    } finally {
      this.#browser.memory.end();
      this.#fail = undefined;
    }
  }

  /** Renders a document of our own, so that fonts and the ways of the renderer are loaded before the first real one. */
  async prime(): Promise<void> {
    using deadline = new Deadline(PRIME_TIMEOUT_MS);
    await this.print(PRIMER, PRIMER_SETTINGS, deadline);
  }

  /** Makes the page ready for its owner's next document. Rejects when it cannot be; then it must be closed. */
  async reset(): Promise<void> {
    if (!this.#dirty) return;
    const timer = setTimeout(() => this.#lose(crashed()), RESET_TIMEOUT_MS);
    try {
      await this.#openEmptyDocument();
      this.#session.send('Page.resetNavigationHistory').catch(() => {});
      if (this.#lost) throw this.#lost;
      this.#dirty = false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the page and its context; a renderer that does not go is killed, and if need be the browser. */
  close(): Promise<void> {
    this.#closing ??= this.#dispose();
    return this.#closing;
  }

  async #dispose(): Promise<void> {
    const { connection, memory } = this.#browser;
    const killRenderer = setTimeout(() => memory.kill(this), CLOSE_TIMEOUT_MS);
    const killBrowser = setTimeout(() => this.#browser.kill(), 3 * CLOSE_TIMEOUT_MS);
    await connection.browser.send('Target.disposeBrowserContext', { browserContextId: this.#contextId }).catch(() => {});
    clearTimeout(killRenderer);
    clearTimeout(killBrowser);
    memory.forget(this);
    this.#lose(crashed());
  }

  async #prepare(): Promise<void> {
    // Said again for a document that has loaded already. Asking the document itself would wake its script engine.
    const loaded = this.#session.next('Page.lifecycleEvent', ({ name }) => name === 'load');
    await Promise.all([
      this.#session.send('Page.enable'),
      this.#session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      this.#session.send('Emulation.setEmulatedMedia', { media: 'print' }), // so that fonts and images of print rules are loaded too
      loaded,
    ]);
    await Promise.all([this.#session.send('Page.setLifecycleEventsEnabled', { enabled: false }), this.#browser.memory.refresh()]);
  }

  async #openEmptyDocument(): Promise<void> {
    const session = this.#session;
    const committed = new Set<string>();
    const stop = session.on('Page.frameNavigated', ({ frame }) => committed.add(frame.loaderId));
    try {
      const loaded = session.next('Page.loadEventFired', () => committed.size > 0);
      const { loaderId } = await session.send('Page.navigate', { url: 'about:blank' });
      await loaded;
      if (!loaderId || !committed.has(loaderId)) throw new Error('the page could not be emptied');
    } finally {
      stop();
    }
  }

  /** From here on the document may run script, navigate, close its window; and it will have to be replaced. */
  async #beginActiveDocument({ mayNavigate }: DocumentTraits, step: Step): Promise<void> {
    this.#dirty = true;
    if (mayNavigate && !this.#guarded) {
      this.#guarded = true;
      await step(this.#session.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] }));
    }
    if (this.#windowOwned) return;
    this.#windowOwned = true;
    await Promise.all([
      step(this.#session.send('Page.addScriptToEvaluateOnNewDocument', { source: OWN_WINDOW })),
      step(this.#session.send('Runtime.evaluate', { expression: OWN_WINDOW })),
    ]);
  }

  async #load(html: string, step: Step): Promise<void> {
    const loaded = this.#session.next('Page.loadEventFired');
    this.#loading = true;
    await step(this.#session.send('Page.setDocumentContent', { frameId: this.#frameId, html }));
    await step(loaded);
  }

  async #settle(traits: DocumentTraits, settings: PrintSettings, step: Step): Promise<void> {
    const rule = traits.hasPageRules ? pageRule(settings) : '';
    if (!rule && !traits.loadsLate) return;
    if (rule) this.#dirty = true; // the added style sheet would stay
    await step(this.#session.send('Runtime.evaluate', { expression: settleExpression(rule), awaitPromise: true }));
  }

  async #printToPdf(settings: PrintSettings, step: Step): Promise<string> {
    const { stream } = await step(this.#session.send('Page.printToPDF', printParameters(settings)));
    if (!stream) throw new ServiceError('print_failed', 'the browser returned no PDF');
    return stream;
  }

  async #read(handle: string, step: Step): Promise<RawPdf> {
    const pdf: RawPdf = { chunks: [], bytes: 0 };
    const read = () => this.#session.send('IO.read', { handle, size: READ_BYTES });
    // One read ahead: the end is only told by the read after the last byte.
    for (let eof = false, next = read(); !eof; ) {
      const current = next;
      next = read();
      next.catch(() => {}); // past the end
      const part = await step(current);
      eof = part.eof;
      const chunk = Buffer.from(part.data, part.base64Encoded ? 'base64' : 'latin1');
      if (chunk.length) pdf.chunks.push(chunk);
      pdf.bytes += chunk.length;
      if (pdf.bytes > this.#browser.settings.maxPdfBytes) throw this.#tooLarge();
    }
    this.#session.send('IO.close', { handle }).catch(() => {});
    return pdf;
  }

  #tooLarge(): ServiceError {
    const limit = this.#browser.settings.maxPdfBytes;
    return new ServiceError('resource_limit', `the PDF is larger than ${limit} bytes`, { members: { limit } });
  }

  /** Nobody is there to answer; a page that is being left may go. */
  #dismiss({ type }: Events['Page.javascriptDialogOpening'][0]): void {
    this.#session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(() => {});
  }

  /**
   * A loaded document stays where it is: its attempts to go elsewhere are stopped. One that leaves while it is still loading
   * is cut off there, so there is nothing whole to print. Frames inside a document may load.
   */
  #judgeNavigation(frameId: string): void {
    if (frameId !== this.#frameId || !this.#fail) return;
    if (this.#loading) this.#navigatedAway();
    else this.#session.send('Page.stopLoading').catch(() => {});
  }

  #answerNavigation({ requestId, frameId }: Events['Fetch.requestPaused'][0]): void {
    const answer =
      frameId === this.#frameId
        ? this.#session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        : this.#session.send('Fetch.continueRequest', { requestId });
    answer.catch(() => {}); // the frame is gone
  }

  /** Also for navigations that are done at once (`reload`, `blob:`) and cannot be stopped. */
  #navigatedAway(): void {
    const detail = 'the document navigated away from itself (a new location, a form, a reload) before it could be printed';
    this.#fail?.(new ServiceError('navigation_failed', detail));
  }

  #lose(loss: ServiceError): void {
    if (this.#lost) return;
    this.#lost = loss;
    this.#fail?.(loss);
    this.#session.close(loss);
  }

  #tooHungry(): ServiceError {
    const limit = this.#browser.settings.rendererMemoryBytes;
    return new ServiceError('resource_limit', 'the document needs more memory than one render may take', { members: { limit } });
  }

  /** Ended by the memory watch, or by V8 at the limit of its heap. */
  #ranOutOfMemory(): boolean {
    const { memory, settings } = this.#browser;
    return memory.killedWithin(KILL_IS_REPORTED_WITHIN_MS) || (this.memoryBytes ?? 0) > settings.rendererHeapBytes / 2;
  }

  #explain(error: unknown): unknown {
    if (this.#lost && !(error instanceof ServiceError)) return this.#lost;
    if (error instanceof DevToolsError && error.method === 'Page.printToPDF')
      return new ServiceError('print_failed', `the document could not be printed: ${error.reason}`);
    return error;
  }
}

function crashed(): ServiceError {
  return new ServiceError('page_crashed', 'the page crashed while it was rendering');
}

function cannotOpen(cause: unknown): never {
  throw new ServiceError('browser_unavailable', 'the browser could not open a page', { cause });
}

type Step = <T>(work: Promise<T>) => Promise<T>;
