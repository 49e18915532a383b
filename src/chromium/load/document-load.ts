/**
 * The loading of one document, from markup or from a URL, until it is ready to print. It keeps the document from navigating away in the
 * meantime, and afterwards until it is disposed of.
 */
import { Type } from 'typebox';
import type { Deadline } from '../../deadline.ts';
import type { ProxyListener } from '../../egress/egress-proxy.ts';
import { hasCode, ServiceError } from '../../errors.ts';
import { MAX_ERROR_CHARACTERS, MAX_ERRORS } from '../../in-page/contract/limits.ts';
import type { AssetOptions, LoadedParts } from '../../in-page/contract/questions.ts';
import { ask, BOOLEAN, DONE } from '../devtools/ask.ts';
import { DEFAULT_DEVICE, DEFAULT_WINDOW, PAPER_RATIO, type Viewport } from '../devtools/emulation.ts';
import { ANYTHING, answerOr, type ExceptionDetails, evaluate, isUnanswered, shape } from '../devtools/evaluate.ts';
import { visitedWindow, WRITTEN_WINDOW } from '../devtools/in-page-program.ts';
import type { Step } from '../devtools/step.ts';
import { type GlyphCandidates, glyphCandidates } from '../glyphs/glyph-candidates.ts';
import { knownLanguages, SHOWN_LANGUAGES, showsHan } from '../glyphs/han-fonts.ts';
import { inspectDocument, NO_FINDINGS, readSeenText, type TextFindings } from '../glyphs/missing-glyphs.ts';
import { findSizes } from '../print/page-sizes.ts';
import type { TemplateFindings } from '../print/page-templates.ts';
import { needsPageRule, overridingRule, type PrintSettings, pageRule } from '../print/print-options.ts';
import { printWindow } from '../print/print-window.ts';
import { listClosedShadows } from './closed-shadows.ts';
import { awaitContent, checkSelector, untilTrue } from './content-waits.ts';
import { MAX_NAMED, requireResources } from './fail-conditions.ts';
import { finishDocument, type Unfinished } from './finish-document.ts';
import { ACTIVE, classifyHtml, type HtmlClass, mentionsNetworkApis, withBase } from './html/classify-html.ts';
import { type DocumentMetadata, parseDocumentMetadata, STATED_METADATA } from './html/document-metadata.ts';
import { insertInHead } from './html/insert-into-head.ts';
import { findLinkedStyles } from './html/linked-styles.ts';
import { DocumentInspection, type InspectionFindings } from './inspect/inspect-document.ts';
import {
  type AddedTag,
  type Content,
  type LoadSettings,
  MAX_DOCUMENT_BYTES,
  needsOwnPage,
  type WaitUntil,
} from './load-settings.ts';
import { type FailedResource, withMissing } from './monitors/network-monitor.ts';
import { Navigation } from './navigation.ts';
import type { PageParts } from './page-parts.ts';
import { mayTurnPhotos } from './upright-photos.ts';

/** A document to load. */
export interface LoadJob {
  content: Content;
  load: LoadSettings;
  /** The owner whose pace applies when the document fetches assets again. */
  shareOf?: string;
  /** Undefined for images, which have no paper. */
  print?: PrintSettings | undefined;
  /** The result of `hanLanguages`. */
  hanLanguages?: string;
}

/** Missing parts and other problems of a document. */
export interface Findings extends TextFindings, InspectionFindings {
  /** At most a hundred refused resources, and a hundred that failed in other ways. */
  failed: FailedResource[];
  failures: number;
  /** The first twenty errors. */
  consoleErrors: string[];
  /** What the document was still doing when it was printed. */
  unfinished: Unfinished | undefined;
}

/** The render for which a document is loaded: its deadline, and the function that fails it. */
export interface Attempt {
  deadline: Deadline;
  step: Step;
  fail(error: ServiceError): void;
}

/** What is known of a document that is ready. */
interface Loaded {
  consoleErrors: string[];
  text: TextFindings;
  unfinished: Unfinished | undefined;
  /** Sizes that readable `@page` rules name. */
  pageSizes: readonly string[];
  /** Metadata that the document states. */
  metadata: DocumentMetadata;
  /** The languages of the Chinese characters that it shows. */
  hanLanguages: readonly string[];
  /** Whether it may lose links, or content of closed elements. */
  mayLoseContent: boolean;
}

/** What `awaitAssets` has found out. */
interface AwaitedParts extends Pick<Loaded, 'consoleErrors' | 'metadata' | 'pageSizes' | 'mayLoseContent'> {
  /** The characters and fonts that an active document shows, if it answers. */
  seen: GlyphCandidates | undefined;
}

/** Steps that are not repeated if the document navigates to another. */
interface Done {
  /** Added tags, each with the document that it was added to. */
  tags: Map<AddedTag, number | undefined>;
  awaited: boolean;
}

/** The parts of an answer, each of which is read by itself, so that a document that spoils one does not spoil the others. */
const LOADED_PARTS = shape(
  Type.Object({
    errors: Type.Unknown(),
    seen: Type.Unknown(),
    sizes: Type.Unknown(),
    metadata: Type.Unknown(),
    mayLoseContent: Type.Unknown(),
  }),
);
const ERROR_MESSAGES = shape(Type.Array(Type.String({ maxLength: MAX_ERROR_CHARACTERS }), { maxItems: MAX_ERRORS }));
/** A style sheet may name more sizes than were to be read. */
const PAGE_SIZES = shape(Type.Array(Type.String()));
const COUNT = shape(Type.Integer());
/** The answer of a document that gives none, of which the worst is assumed. */
const NO_PARTS: Record<keyof LoadedParts, unknown> = { errors: [], seen: null, sizes: [], metadata: null, mayLoseContent: true };
/** The number of requests that may still be in progress. */
const IDLE: Partial<Record<WaitUntil, number>> = { networkidle0: 0, networkidle2: 2 };
/** Permissions are denied, because there is nobody to ask. */
const PERMISSIONS = [
  'geolocation',
  'notifications',
  'midi',
  'camera',
  'microphone',
  'background-sync',
  'background-fetch',
  'persistent-storage',
  'clipboard-read',
  'clipboard-write',
  'local-fonts',
  'storage-access',
  'window-management',
  'idle-detection',
  'screen-wake-lock',
];
const MAX_LEAVING_MS = 5_000;

export class DocumentLoad implements Disposable {
  readonly #parts: PageParts;
  readonly #job: LoadJob;
  readonly #attempt: Attempt;
  readonly #inspection: DocumentInspection;
  readonly #unsubscribe: Array<() => void>;
  /** Is set while the document may navigate to another. */
  #navigation: Navigation | undefined;
  /** Whether markup is being written that has not loaded yet. */
  #isWriting = false;
  #htmlClass = ACTIVE;
  /** Sizes in the markup. */
  #writtenSizes: string[] = [];
  #loaded: Loaded | undefined;

  /** Throws the errors of `Page.load`. */
  static async load(parts: PageParts, job: LoadJob, attempt: Attempt): Promise<DocumentLoad> {
    const load = new DocumentLoad(parts, job, attempt);
    try {
      await load.#load();
      return load;
    } catch (error) {
      load[Symbol.dispose]();
      throw error;
    }
  }

  private constructor(parts: PageParts, job: LoadJob, attempt: Attempt) {
    this.#parts = parts;
    this.#job = job;
    this.#attempt = attempt;
    const { session, network } = parts;
    this.#inspection = new DocumentInspection(session, parts.frameId, (url) => network.styleText(url), job.print);
    this.#unsubscribe = [
      session.on('Page.frameNavigated', ({ frame }) => frame.parentId ?? this.#navigated(frame.url)),
      session.on('Page.loadEventFired', () => {
        this.#isWriting = false;
      }),
      session.on('Page.frameStartedNavigating', (event) => this.#judgeNavigation(event.frameId)),
    ];
  }

  /** What is known of the document. */
  get loaded(): Loaded {
    if (!this.#loaded) throw new Error('the document is not ready');
    return this.#loaded;
  }

  get htmlClass(): HtmlClass {
    return this.#htmlClass;
  }

  /** Collects the findings. Throws `render_gate_failed` if the caller wants no PDF in that case. */
  async findings(templates: TemplateFindings): Promise<Findings> {
    const { failsOn, device } = this.#job.load;
    const found = await this.#parts.network.findings(this.#attempt.deadline.remainingMs / 2);
    const mayLoseContent = this.#htmlClass.mayLoseContent && this.loaded.mayLoseContent;
    const inspected = { ...this.#htmlClass, mayLoseContent };
    const { missing, ...losses } = await this.#inspection.findings(inspected, device.javascript);
    const { failed, failures } = withMissing(found, [...missing, ...templates.missing]);
    requireResources(failed, failures, failsOn);
    const firstFailed = (refused: boolean) => failed.filter((each) => each.refused === refused).slice(0, MAX_NAMED);
    const { consoleErrors, unfinished, text } = this.loaded;
    return {
      failed: [...firstFailed(true), ...firstFailed(false)],
      failures,
      ...losses,
      consoleErrors,
      unfinished,
      missingGlyphs: [...text.missingGlyphs, ...templates.missingGlyphs],
      substituted: [...new Set([...text.substituted, ...templates.substituted])],
    };
  }

  /** The page must be emptied before its next document. */
  leaveTraces(): void {
    this.#parts.traces.needReset = true;
  }

  /** Its cookies must be removed before the next document. */
  leaveCookies(): void {
    this.#parts.traces.mayHaveCookies = true;
  }

  /** The document is not watched any more. */
  [Symbol.dispose](): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#preventNavigation();
    this.#parts.network.end();
    this.#parts.console.end();
  }

  async #load(): Promise<void> {
    const { content } = this.#job;
    await this.#prepare();
    this.#htmlClass = await (content.kind === 'url'
      ? this.#visit(content.url)
      : this.#write(withBase(content.html, content.baseUrl)));
    this.#loaded = await this.#complete();
    this.#preventNavigation();
  }

  /** Completes a loaded document. If it navigates to another in the meantime, the steps are repeated. */
  async #complete(): Promise<Loaded> {
    const done: Done = { tags: new Map(), awaited: false };
    for (;;) {
      const loaded = await this.#completeDocument(done);
      if (loaded && !(await this.#navigatesOn())) return loaded;
    }
  }

  /** Whether a complete document navigates to another. A navigation that does not commit soon is not waited for. */
  async #navigatesOn(): Promise<boolean> {
    const { step, deadline } = this.#attempt;
    const navigation = this.#navigation;
    if (!navigation?.isNavigating) return false;
    const { documents } = navigation;
    await step(navigation.untilSettled(Math.min(MAX_LEAVING_MS, deadline.remainingMs / 2)));
    if (navigation.documents === documents && navigation.isNavigating) await step(this.#parts.session.send('Page.stopLoading'));
    return navigation.documents !== documents;
  }

  /** Returns undefined if there is another document afterwards. */
  async #completeDocument(done: Done): Promise<Loaded | undefined> {
    const { load } = this.#job;
    const { step, deadline } = this.#attempt;
    const navigation = this.#navigation;
    const arrived = async () => navigation && step(navigation.until(load.waitUntil));
    await arrived();
    const documents = navigation?.documents;
    const isSame = async () => {
      await arrived(); // it may have navigated in the meantime
      return navigation?.documents === documents;
    };
    try {
      await this.#addAll(documents, done);
      if (!done.awaited) await awaitContent(this.#parts.session, load, step, deadline);
      done.awaited = true;
      const unfinished = this.#htmlClass.runsAfterLoad && (await isSame()) ? await this.#finish() : undefined;
      const loaded = (await isSame()) ? { unfinished, ...(await this.#waitAndInspect()) } : undefined;
      return navigation?.documents === documents ? loaded : undefined;
    } catch (error) {
      if (await this.#wasNavigating(error, navigation, documents)) return undefined;
      throw error;
    }
  }

  /** Whether the error is only due to a navigation of the document. */
  async #wasNavigating(error: unknown, navigation: Navigation | undefined, documents: number | undefined): Promise<boolean> {
    if (navigation && hasCode(error, 'wait_failed')) await this.#nextTask(navigation);
    const hasNavigated = navigation?.isNavigating || navigation?.documents !== documents;
    return hasNavigated && (isUnanswered(error) || hasCode(error, 'wait_failed'));
  }

  /** Waits for work that the document has begun, and runs its time forward, as the caller's options say. */
  async #finish(): Promise<Unfinished | undefined> {
    const { waitUntil, finishesAnimations, device } = this.#job.load;
    const waits = waitUntil === 'finished';
    if (!device.javascript || waitUntil === 'domcontentloaded' || !(waits || finishesAnimations)) return undefined;
    const { declaresShadows } = this.#htmlClass;
    const leaving = this.#navigation?.untilNavigating();
    const options = { ...this.#attempt, waits, finishesAnimations, declaresShadows, leaving };
    const unfinished = await finishDocument(this.#parts.session, this.#parts, options);
    await this.#navigatesOn(); // the next document may never answer
    return unfinished;
  }

  /** A script may navigate before it throws, and Chromium reports that in the next task of the page. */
  async #nextTask(navigation: Navigation): Promise<void> {
    const expression = 'new Promise((resolve) => setTimeout(resolve))';
    const task = evaluate(this.#parts.session, { expression }, ANYTHING);
    await this.#attempt.step(Promise.race([task.catch(() => {}), navigation.untilNavigating()])); // a document that navigates may not answer
  }

  /** Scripts run once, even if they navigate. Styles are added to every document. */
  async #addAll(document: number | undefined, done: Done): Promise<void> {
    for (const tag of this.#job.load.added) {
      if (done.tags.has(tag) && (tag.element === 'script' || done.tags.get(tag) === document)) continue;
      await this.#add(tag);
      done.tags.set(tag, document);
    }
  }

  async #waitAndInspect(): Promise<Omit<Loaded, 'unfinished'>> {
    const { content } = this.#job;
    const { step } = this.#attempt;
    const { session, frameId, fonts, settings, traces } = this.#parts;
    const { seen, pageSizes, ...awaited } = await this.#awaitAssets();
    const sizes = await this.#inspection.readStyles(this.#htmlClass, step);
    if (sizes.length) traces.needReset = true; // adopted style sheets would otherwise stay
    const known = { ...awaited, pageSizes: [...pageSizes, ...sizes], hanLanguages: [], text: NO_FINDINGS };
    const candidates = seen ?? (content.kind === 'html' ? glyphCandidates(content.html) : undefined);
    if (!candidates) return known;
    const text = await inspectDocument(session, frameId, fonts, candidates, step);
    if (!showsHan(candidates.characters)) return { ...known, text };
    const guesses = settings.fontsDir === '';
    const shownLanguages = answerOr(ask(session, 'appendCjkFonts', [guesses], SHOWN_LANGUAGES), ['']);
    return { ...known, text, hanLanguages: knownLanguages(await step(shownLanguages)) };
  }

  async #prepare(): Promise<void> {
    const { content, load, print } = this.#job;
    const { session, emulation, interception, console, traces } = this.#parts;
    const { step, fail } = this.#attempt;
    if (needsOwnPage(content, load) || load.device !== DEFAULT_DEVICE || print?.singlePage) traces.needReset = true;
    const { target, failsOn, added, waitForSelector } = load;
    const preparations: Array<Promise<unknown>> = [];
    if (load.device !== DEFAULT_DEVICE) preparations.push(emulation.apply(load.device));
    preparations.push(emulation.resize(chooseWindow(content, load, print)));
    if (added.length) preparations.push(emulation.ignorePolicy());
    if (target) preparations.push(interception.setTarget(target, content.kind));
    const turnsPhotos = print !== undefined && mayLoadImages(content, load) && mayTurnPhotos(content);
    interception.turnsPhotos = turnsPhotos;
    if (turnsPhotos) preparations.push(interception.interceptPhotos());
    if (failsOn.consoleError) preparations.push(console.begin(fail));
    if (waitForSelector) preparations.push(checkSelector(session, waitForSelector));
    await step(Promise.all(preparations));
  }

  /** Writes a document from markup, in the opaque origin of an empty page. */
  async #write(html: string): Promise<HtmlClass> {
    const { load, print } = this.#job;
    const { step } = this.#attempt;
    const { session, frameId, network, traces } = this.#parts;
    const addsScript = load.added.length > 0 || load.waitForFunction !== undefined; // the caller added a script
    const htmlClass = addsScript ? ACTIVE : classifyHtml(html);
    if (!htmlClass.isStatic) await this.#prepareWindow(htmlClass);
    const idle = IDLE[load.waitUntil];
    const usesNetwork = mentionsNetworkApis(html) || addsScript;
    const watching = this.#watch(usesNetwork, htmlClass);
    if (watching) await step(watching);
    traces.mayRunOnUnload = usesNetwork && !htmlClass.isStatic;
    const event = load.waitUntil === 'domcontentloaded' ? 'Page.domContentEventFired' : 'Page.loadEventFired';
    const loaded = session.next(event);
    this.#isWriting = true;
    if (htmlClass.hasPageRules) this.#writtenSizes = findSizes(html);
    const written = htmlClass.isStatic && print ? withPageRule(html, htmlClass, print) : html;
    await step(session.send('Page.setDocumentContent', { frameId, html: written }));
    await step(loaded);
    if (htmlClass.declaresClosed) await step(listClosedShadows(session).catch(() => {})); // the tree is too deep
    // Chromium reports idleness once for each navigation, and this document was written without one
    // (`WillCommitLoad`:
    // https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/loader/idleness_detector.cc).
    if (idle !== undefined) await step(network.idle(idle));
    return htmlClass;
  }

  /** Loads a document from a URL, in a page that is used only once. */
  async #visit(url: string): Promise<HtmlClass> {
    const { load, print } = this.#job;
    const { fail, step } = this.#attempt;
    const { session, proxy, frameId, interception, workers, traces } = this.#parts;
    const navigation = new Navigation(session, proxy, frameId, load.failsOn.httpStatus.document, fail);
    this.#navigation = navigation;
    interception.blocksNavigation = false;
    for (const name of PERMISSIONS) this.#deny(name);
    const source = visitedWindow(isForPaper(load, print) ? PAPER_RATIO : undefined);
    const written = traces.preparing.splice(0); // a watermark may have been written into the page before
    await step(
      Promise.all([
        ...written.map((identifier) => session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier })),
        session.send('Page.addScriptToEvaluateOnNewDocument', { source }),
        session.send('Network.setBypassServiceWorker', { bypass: true }),
        workers.begin(fail),
        this.#watchNetwork(navigation),
      ]),
    );
    await navigation.open(url, load.waitUntil, step);
    return ACTIVE;
  }

  /** Denies a permission for all origins. If the browser does not know it, no document can ask for it. */
  #deny(name: string): void {
    const { root, contextId } = this.#parts;
    const permission = { permission: { name }, setting: 'denied' as const, browserContextId: contextId };
    root.send('Browser.setPermission', permission).catch(() => {});
  }

  #watch(usesNetwork: boolean, { hasWorkers }: HtmlClass): Promise<unknown> | undefined {
    const awaited: Array<Promise<unknown>> = [];
    if (usesNetwork || IDLE[this.#job.load.waitUntil] !== undefined) awaited.push(this.#watchNetwork());
    if (usesNetwork || hasWorkers) awaited.push(this.#parts.workers.begin(this.#attempt.fail));
    return awaited.length ? Promise.all(awaited) : undefined;
  }

  #watchNetwork(navigation?: Navigation): Promise<void> {
    const { resourceTimeoutMs, failsOn } = this.#job.load;
    const { fail, deadline } = this.#attempt;
    const { settings, network, proxy } = this.#parts;
    const limitMs = resourceTimeoutMs ?? settings.resourceTimeoutMs;
    return network.begin({
      resourceTimeoutMs: limitMs,
      maxBytes: settings.renderMaxNetworkBytes,
      countsAsFailed: (status) => failsOn.httpStatus.resources.has(status),
      fail,
      ...(navigation && {
        main: {
          maxBytes: MAX_DOCUMENT_BYTES,
          onBegin: () => proxy.limitSilence(Math.ceil(deadline.remainingMs)),
          onResponse: (response) => navigation.onResponse(response),
          onFailure: (url, netError) => navigation.onFailure(url, netError),
          onCanceled: (loaderId) => navigation.onCanceled(loaderId),
          onLoaded: () => proxy.limitSilence(limitMs), // the document itself had the whole time of the render
        },
      }),
    });
  }

  /** From now on, the document may run scripts, navigate or close its window, and must be replaced afterwards. */
  async #prepareWindow({ mayNavigate }: HtmlClass): Promise<void> {
    const { session, interception, traces } = this.#parts;
    const { load, print } = this.#job;
    const { step } = this.#attempt;
    traces.needReset = true;
    if (mayNavigate) await step(interception.interceptNavigations());
    if (!traces.preparing.length) {
      const script = { source: WRITTEN_WINDOW, runImmediately: true };
      const { identifier } = await step(session.send('Page.addScriptToEvaluateOnNewDocument', script));
      traces.preparing = [identifier];
      if (!load.device.javascript) await step(evaluate(session, { expression: WRITTEN_WINDOW }, ANYTHING)); // is not run where scripts are disabled
    }
    if (isForPaper(load, print)) ask(session, 'setPixelRatio', [PAPER_RATIO], DONE).catch(() => {}); // the loss of a page is reported elsewhere
  }

  /** Throws `navigation_failed` if the tag cannot be loaded. */
  async #add(tag: AddedTag): Promise<void> {
    const { element, from, type = '' } = tag;
    const { session, proxy } = this.#parts;
    const { javascript } = this.#job.load.device;
    const onThrow = ({ exception, text }: ExceptionDetails) => {
      throw addFailed(tag, exception?.description ?? text, proxy);
    };
    const added = ask(session, 'addElement', [{ element, from, type }], ANYTHING, { awaitPromise: javascript, onThrow });
    await this.#attempt.step(added);
  }

  async #awaitAssets(): Promise<AwaitedParts> {
    const { load } = this.#job;
    const { step } = this.#attempt;
    const { session, frameId, console } = this.#parts;
    const htmlClass = this.#htmlClass;
    const nothing: AwaitedParts = {
      consoleErrors: [],
      metadata: {},
      pageSizes: this.#writtenSizes,
      seen: undefined,
      mayLoseContent: true,
    };
    const waits = htmlClass.loadsLate && load.waitUntil !== 'domcontentloaded';
    const finishesAnimations = htmlClass.mayBeAnimated && load.finishesAnimations;
    const { mentionsMetadata: readsMetadata, declaresShadows } = htmlClass;
    const active = htmlClass.isStatic ? null : { rule: await this.#overridePageRules() };
    if (htmlClass.isStatic && !(waits || finishesAnimations || readsMetadata)) return nothing;
    const options = { waits, finishesAnimations, readsMetadata, declaresShadows, active };
    if (!load.device.javascript) return { ...nothing, metadata: await this.#awaitAssetsWithoutScript(options) };
    const answer = ask(session, 'awaitAssets', [options], LOADED_PARTS).catch((error: unknown) => {
      if (this.#navigation?.isNavigating || !isUnanswered(error)) throw error;
      return NO_PARTS;
    });
    const { errors, seen, sizes, metadata: stated, mayLoseContent: mayLose } = await step(answer);
    const mayLoseContent = BOOLEAN.read(mayLose) ?? true;
    const metadata = parseDocumentMetadata(STATED_METADATA.read(stated) ?? []);
    const consoleErrors = await step(console.explain(ERROR_MESSAGES.read(errors) ?? [], htmlClass, frameId));
    if (htmlClass.isStatic) return { ...nothing, metadata, consoleErrors, mayLoseContent };
    return { metadata, consoleErrors, pageSizes: PAGE_SIZES.read(sizes) ?? [], seen: readSeenText(seen), mayLoseContent };
  }

  /** Without scripts no listener is called, so that the state is polled. */
  async #awaitAssetsWithoutScript({ waits, finishesAnimations, declaresShadows }: AssetOptions): Promise<DocumentMetadata> {
    const { session } = this.#parts;
    const { step } = this.#attempt;
    if (waits) await untilTrue(() => ask(session, 'haveAssetsLoaded', [declaresShadows], BOOLEAN), step);
    if (finishesAnimations) await step(answerOr(ask(session, 'finishAnimations', [declaresShadows], COUNT), 0));
    return parseDocumentMetadata(await step(answerOr(ask(session, 'readMetadata', [], STATED_METADATA), [])));
  }

  /**
   * Inserts the caller's choices as a rule. Otherwise it returns the rule to suggest to the document. A single page gets its rule
   * when its height is known.
   */
  async #overridePageRules(): Promise<string> {
    const { print } = this.#job;
    if (!print || print.singlePage) return '';
    const rule = pageRule(print);
    const overruling = overridingRule(print);
    if (!overruling) return rule;
    await this.#attempt.step(ask(this.#parts.session, 'addRule', [rule, overruling], DONE));
    return '';
  }

  #preventNavigation(): void {
    this.#navigation?.close();
    this.#navigation = undefined;
    this.#parts.interception.blocksNavigation = true;
  }

  /**
   * Stops a loaded document from navigating. If it navigates while it is still loading, it is incomplete, and the render fails.
   * Frames inside a document may load.
   */
  #judgeNavigation(frameId: string): void {
    if (frameId !== this.#parts.frameId || this.#navigation) return;
    if (this.#isWriting) this.#navigatedAway();
    else this.#parts.session.send('Page.stopLoading').catch(() => {});
  }

  #navigated(url: string): void {
    if (!this.#navigation) this.#navigatedAway();
    else this.#parts.interception.checkOrigin(url);
  }

  /** Also called for immediate navigations (`reload`, `blob:`), which cannot be stopped. */
  #navigatedAway(): void {
    const detail = 'the document navigated away from itself (a new location, a form, a reload) before it could be printed';
    this.#attempt.fail(new ServiceError('navigation_failed', detail));
  }
}

/** Whether canvases are drawn for paper: the caller has chosen no other device. */
function isForPaper({ device }: LoadSettings, print: PrintSettings | undefined): boolean {
  return print !== undefined && !device.viewport;
}

function chooseWindow(content: Content, { device, added }: LoadSettings, print: PrintSettings | undefined): Viewport {
  if (device.viewport || !print) return device.viewport ?? DEFAULT_WINDOW;
  const styles = added.flatMap(({ element, from }) => (element === 'style' && 'content' in from ? from.content : []));
  return printWindow(print, content.kind === 'html' ? content.html : '', { linked: findLinkedStyles(content), added: styles });
}

/** Whether images may come from the network. Those among the assets are upright already. */
function mayLoadImages(content: Content, { offline, added }: LoadSettings): boolean {
  if (offline || content.kind === 'url') return !offline;
  const { html, baseUrl, assets } = content;
  return mentionsNetworkApis(html) || added.length > 0 || (baseUrl !== undefined && !assets);
}

/** Adds the rule to the markup of a static document, so that it disappears with the document. A single page gets its rule later. */
function withPageRule(html: string, { hasPageRules }: HtmlClass, settings: PrintSettings): string {
  if (settings.singlePage || !needsPageRule(settings, hasPageRules)) return html;
  return insertInHead(html, `<style>${pageRule(settings)}</style>`);
}

function addFailed({ element, from }: AddedTag, description: string, proxy: ProxyListener): ServiceError {
  const about = element === 'style' ? 'added_style' : 'added_script';
  const failure = 'url' in from ? proxy.findFailure(URL.parse(from.url)) : undefined;
  if (failure?.refusedBy)
    return new ServiceError('forbidden_url', '{option}: the URL is not allowed by the network policy of this service', {
      remedy: failure.remedy,
      about,
    });
  const reason = failure?.netError ?? description.split('\n')[0]?.replace(/^Error: /, '');
  const members = failure ? { net_error: failure.netError } : {};
  return new ServiceError('navigation_failed', `{option}: ${reason}`, { members, about });
}
