/**
 * Loads documents into a page, one after the other, from markup or from a URL, until they are ready to print. It keeps a
 * document from navigating away in the meantime.
 */
import { Type } from 'typebox';
import type { Deadline } from '../../deadline.ts';
import type { ProxyListener } from '../../egress/egress-proxy.ts';
import { hasCode, ServiceError } from '../../errors.ts';
import type { FontKnowledge } from '../../fonts/font-knowledge.ts';
import { MAX_ERROR_CHARACTERS, MAX_ERRORS } from '../../in-page/contract/limits.ts';
import type { AssetOptions, LoadedParts } from '../../in-page/contract/questions.ts';
import type { DocumentStructure, ElementLocation, FormControl } from '../../tag-structure.ts';
import type { BrowserSettings } from '../browser-settings.ts';
import { ask, DONE } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import { DEFAULT_DEVICE, DEFAULT_WINDOW, type Emulation, PAPER_RATIO, type Viewport } from '../devtools/emulation.ts';
import { ANYTHING, answerOr, type ExceptionDetails, evaluate, isUnanswered, shape } from '../devtools/evaluate.ts';
import { visitedWindow, WRITTEN_WINDOW } from '../devtools/in-page-program.ts';
import type { Step } from '../devtools/step.ts';
import { type GlyphCandidates, glyphCandidates } from '../glyphs/glyph-candidates.ts';
import { knownLanguages, SHOWN_LANGUAGES, showsHan } from '../glyphs/han-fonts.ts';
import { inspectDocument, NO_FINDINGS, readSeenText, type TextFindings } from '../glyphs/missing-glyphs.ts';
import { sizesIn } from '../print/page-sizes.ts';
import { NO_TEMPLATE_FINDINGS } from '../print/page-templates.ts';
import { needsPageRule, overridingRule, type PrintSettings, pageRule } from '../print/print-options.ts';
import { printWindow } from '../print/print-window.ts';
import { listClosedShadows } from './closed-shadows.ts';
import { awaitContent, BOOLEAN, checkSelector, untilTrue } from './content-waits.ts';
import { finishDocument, type Unfinished } from './finish-document.ts';
import { ACTIVE, classifyHtml, type HtmlClass, mentionsNetworkApis, withBase } from './html/classify-html.ts';
import { type DocumentMetadata, parseDocumentMetadata, STATED_METADATA } from './html/document-metadata.ts';
import { insertInHead } from './html/insert-into-head.ts';
import { linkedStyles } from './html/linked-styles.ts';
import { DocumentInspection, type InspectionFindings } from './inspect/inspect-document.ts';
import { Interception } from './interception.ts';
import {
  type AddedTag,
  type Content,
  type LoadSettings,
  MAX_DOCUMENT_BYTES,
  needsOwnPage,
  type WaitUntil,
} from './load-settings.ts';
import { ConsoleMonitor } from './monitors/console-monitor.ts';
import { type FailedResource, NetworkMonitor, withMissing } from './monitors/network-monitor.ts';
import { WorkerMonitor } from './monitors/worker-monitor.ts';
import { Navigation } from './navigation.ts';
import { readDocumentStructure } from './structure/document-structure.ts';
import { type PreparedFields, prepareFields, restoreFields } from './structure/form-controls.ts';
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
  /** Whether to read the structure that the document states. The render fails if it cannot be read and is `demanded`. */
  structureNeed?: 'wanted' | 'demanded' | undefined;
  /** If it is set, form fields are prepared to become fields of the PDF: links to `KEY:0` and so on are placed over them. */
  fieldKey?: string | undefined;
}

/** A document to print. */
export interface PrintJob extends LoadJob {
  print: PrintSettings;
  /**
   * Checks the PDF of the requested pages, which is undefined if Chromium would print none. `printAll` prints all pages of
   * the same document.
   */
  check?: (printed: Buffer[] | undefined, printAll: () => Promise<Buffer[]>) => Promise<void>;
  /** Counts the pages of the PDF. If it is set, a single page that became several is printed again. */
  pages?: (printed: Buffer[]) => number;
  /** The numbers of form fields that the PDF does not show exactly once. Must be set with `fieldKey`. */
  unplaced?: (printed: Buffer[], fields: readonly FormControl[]) => number[];
  /** Reads the layout from the PDF. If it is set, content that is cut off or shrunk is reported. */
  view?: (printed: Buffer[]) => PaperView;
}

/** Lengths in CSS pixels of the document. */
export interface PaperView {
  /** The scale of the document. At 1, a CSS pixel is 1/96 inch. Undefined if the PDF does not tell it. */
  scale: number | undefined;
  /** Width between the margins of the widest page. Undefined if the document was not shrunk to the minimum. */
  roomPx: number | undefined;
  /** The width between the margins of the first page. */
  widthPx: number;
  heightPx: number;
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

/** Steps that are not repeated if the document navigates to another. */
interface Done {
  /** Added tags, each with the document that it was added to. */
  tags: Map<AddedTag, number | undefined>;
  awaited: boolean;
}

/** The parts of an answer, each of which is read by itself, so that a document that spoils one does not spoil the others. */
const LOADED_PARTS = shape(
  Type.Object({ errors: Type.Unknown(), seen: Type.Unknown(), sizes: Type.Unknown(), metadata: Type.Unknown() }),
);
const ERROR_MESSAGES = shape(Type.Array(Type.String({ maxLength: MAX_ERROR_CHARACTERS }), { maxItems: MAX_ERRORS }));
/** A style sheet may name more sizes than were to be read. */
const PAGE_SIZES = shape(Type.Array(Type.String()));
const COUNT = shape(Type.Integer());
/** The answer of a document that gives none. */
const NO_PARTS: Record<keyof LoadedParts, unknown> = { errors: [], seen: null, sizes: [], metadata: null };
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
/** Number of missing resources that are named. */
const MAX_NAMED = 100;

export class DocumentLoader {
  readonly #root: Session;
  readonly #session: Session;
  readonly #proxy: ProxyListener;
  readonly #frameId: string;
  readonly #contextId: string;
  readonly #settings: BrowserSettings;
  readonly #fonts: FontKnowledge;
  readonly #interception: Interception;
  readonly #network: NetworkMonitor;
  readonly #workers: WorkerMonitor;
  readonly #console: ConsoleMonitor;
  readonly #emulation: Emulation;
  readonly #inspection: DocumentInspection;
  #htmlClass = ACTIVE;
  #attempt: Attempt | undefined;
  /** Is set while the document may navigate to another. */
  #navigation: Navigation | undefined;
  #consoleErrors: string[] = [];
  #textFindings = NO_FINDINGS;
  #unfinished: Unfinished | undefined;
  #pageSizes: string[] = [];
  #metadata: DocumentMetadata = {};
  #structure: DocumentStructure | undefined;
  #fields: PreparedFields = { fields: [], printed: [] };
  #runsOnUnload = false;
  #loading = false;
  #windowPrepared = false;
  #hanLanguages: string[] = [];
  /** Whether a document since `forgetTraces` has left anything behind. */
  #hasTraces = false;

  constructor(
    root: Session,
    session: Session,
    proxy: ProxyListener,
    emulation: Emulation,
    {
      frameId,
      contextId,
      settings,
      fonts,
      openSession,
    }: {
      frameId: string;
      contextId: string;
      settings: BrowserSettings;
      fonts: FontKnowledge;
      openSession(id: string): Session;
    },
  ) {
    this.#root = root;
    this.#session = session;
    this.#proxy = proxy;
    this.#frameId = frameId;
    this.#contextId = contextId;
    this.#settings = settings;
    this.#fonts = fonts;
    this.#interception = new Interception(root, session, { frameId, contextId });
    this.#network = new NetworkMonitor(session, proxy, frameId);
    this.#workers = new WorkerMonitor(session, this.#network, { root, contextId, openSession });
    this.#console = new ConsoleMonitor(session);
    this.#emulation = emulation;
    this.#inspection = new DocumentInspection(session, frameId, (url) => this.#network.styleText(url));
    session.on('Page.frameNavigated', ({ frame }) => frame.parentId ?? this.#navigated(frame.url));
    session.on('Page.loadEventFired', () => {
      this.#loading = false;
    });
    session.on('Page.frameStartedNavigating', (event) => this.#judgeNavigation(event.frameId));
  }

  /** Whether the present document must be replaced by an empty one before the next may be written. */
  get needsReset(): boolean {
    return this.#hasTraces;
  }

  /** Whether a script of the present document may run when it unloads. */
  get mayRunOnUnload(): boolean {
    return this.#runsOnUnload;
  }

  /** The languages of the Chinese characters that the present document shows. */
  get hanLanguages(): readonly string[] {
    return this.#hanLanguages;
  }

  /** Sizes that readable `@page` rules of the present document name. */
  get pageSizes(): readonly string[] {
    return this.#pageSizes;
  }

  /** Metadata that the present document states. */
  get documentMetadata(): DocumentMetadata {
    return this.#metadata;
  }

  /** The structure that the present document states. Undefined unless `structureNeed` is set. */
  get documentStructure(): DocumentStructure | undefined {
    return this.#structure;
  }

  /** The prepared form fields of the present document. Empty unless `fieldKey` is set. */
  get formControls(): readonly FormControl[] {
    return this.#fields.fields;
  }

  /** Its controls that were not prepared to become fields. */
  get printedFields(): readonly ElementLocation[] {
    return this.#fields.printed;
  }

  /** Whether boxes of the document may hide a part of it. */
  get mayClip(): boolean {
    return this.#htmlClass.mayClip;
  }

  /** Whether tables may have rows that belong to every page. */
  get mayRepeatRows(): boolean {
    return this.#htmlClass.mayRepeatRows;
  }

  /** `navigate` opens an empty document at the address of the next one. */
  async openAddress(navigate: () => Promise<void>): Promise<void> {
    await this.#interception.openEmpty(navigate);
  }

  /** Call it when an empty document has been loaded. It resets the emulation. */
  async forgetTraces(): Promise<void> {
    await this.#emulation.undo();
    this.#runsOnUnload = false;
    this.#hasTraces = false;
  }

  /** Resolves when the document is ready to print or to capture. Call `end` afterwards, on every path. */
  async load(job: LoadJob, attempt: Attempt): Promise<void> {
    const { content, load } = job;
    this.#attempt = attempt;
    await this.#prepare(job, attempt);
    const htmlClass = await (content.kind === 'url'
      ? this.#loadUrl(content.url, job, attempt)
      : this.#write(withBase(content.html, content.baseUrl), job, attempt));
    this.#htmlClass = htmlClass;
    await this.#complete(htmlClass, job, attempt);
    const linked = job.structureNeed || job.fieldKey ? await attempt.step(this.#network.styleTexts()) : undefined;
    if (job.structureNeed) {
      const frameId = htmlClass.isStatic ? undefined : this.#frameId;
      const printsBackgrounds = job.print?.printBackground ?? true;
      const reading = { ...attempt, runsScripts: load.device.javascript, linked, printsBackgrounds };
      this.#structure = await readDocumentStructure(this.#session, frameId, reading, job.structureNeed);
    }
    if (job.fieldKey)
      this.#fields = await prepareFields(this.#session, this.#frameId, { key: job.fieldKey, linked }, attempt.step);
    this.#preventNavigation();
  }

  /** Undoes the preparation of form fields, and removes them from `formControls`. Throws `print_failed`. */
  async restoreFields(numbers: number[], step: Step): Promise<void> {
    await restoreFields(this.#session, this.#frameId, numbers, step);
    const restored = new Set(numbers);
    const fields = this.#fields.fields.filter(({ number }) => !restored.has(number));
    this.#fields = { ...this.#fields, fields };
  }

  /** Completes a loaded document. If it navigates to another in the meantime, the steps are repeated. */
  async #complete(htmlClass: HtmlClass, job: LoadJob, attempt: Attempt): Promise<void> {
    const done: Done = { tags: new Map(), awaited: false };
    while (!(await this.#hasCompleted(htmlClass, job, attempt, done)) || (await this.#navigatesOn(attempt)));
  }

  /** Whether a complete document navigates to another. A navigation that does not commit soon is not waited for. */
  async #navigatesOn({ step, deadline }: Attempt): Promise<boolean> {
    const navigation = this.#navigation;
    if (!navigation?.isNavigating) return false;
    const { documents } = navigation;
    await step(navigation.untilSettled(Math.min(MAX_LEAVING_MS, deadline.remainingMs / 2)));
    if (navigation.documents === documents && navigation.isNavigating) await step(this.#session.send('Page.stopLoading'));
    return navigation.documents !== documents;
  }

  /** Returns whether the document is still the same afterwards. */
  async #hasCompleted(htmlClass: HtmlClass, job: LoadJob, attempt: Attempt, done: Done): Promise<boolean> {
    const { load } = job;
    const navigation = this.#navigation;
    const arrived = async () => navigation && attempt.step(navigation.until(load.waitUntil));
    await arrived();
    const documents = navigation?.documents;
    const isSame = async () => {
      await arrived(); // it may have navigated in the meantime
      return navigation?.documents === documents;
    };
    try {
      await this.#addAll(load, documents, done, attempt);
      if (!done.awaited) await awaitContent(this.#session, load, attempt.step, attempt.deadline);
      done.awaited = true;
      if (htmlClass.runsAfterLoad && (await isSame())) await this.#finish(htmlClass, load, attempt);
      if (await isSame()) await this.#waitAndInspect(htmlClass, job, attempt);
      return navigation?.documents === documents;
    } catch (error) {
      if (await this.#wasNavigating(error, navigation, documents, attempt)) return false;
      throw error;
    }
  }

  /** Whether the error is only due to a navigation of the document. */
  async #wasNavigating(
    error: unknown,
    navigation: Navigation | undefined,
    documents: number | undefined,
    attempt: Attempt,
  ): Promise<boolean> {
    if (navigation && hasCode(error, 'wait_failed')) await this.#nextTask(navigation, attempt);
    const hasNavigated = navigation?.isNavigating || navigation?.documents !== documents;
    return hasNavigated && (isUnanswered(error) || hasCode(error, 'wait_failed'));
  }

  /** Waits for work that the document has begun, and runs its time forward, as the caller's options say. */
  async #finish({ declaresShadows }: HtmlClass, load: LoadSettings, attempt: Attempt): Promise<void> {
    const { waitUntil, finishesAnimations, device } = load;
    const { deadline, step } = attempt;
    const waits = waitUntil === 'finished';
    if (!device.javascript || waitUntil === 'domcontentloaded' || !(waits || finishesAnimations)) return;
    const leaving = this.#navigation?.untilNavigating();
    const options = { waits, finishesAnimations, declaresShadows, deadline, step, leaving };
    this.#unfinished = await finishDocument(this.#session, { network: this.#network, workers: this.#workers }, options);
    await this.#navigatesOn(attempt); // the next document may never answer
  }

  /** A script may navigate before it throws, and Chromium reports that in the next task of the page. */
  async #nextTask(navigation: Navigation, { step }: Attempt): Promise<void> {
    const expression = 'new Promise((resolve) => setTimeout(resolve))';
    const task = evaluate(this.#session, { expression }, ANYTHING);
    await step(Promise.race([task.catch(() => {}), navigation.untilNavigating()])); // a document that navigates may not answer
  }

  /** Scripts run once, even if they navigate. Styles are added to every document. */
  async #addAll({ added, device }: LoadSettings, document: number | undefined, done: Done, attempt: Attempt): Promise<void> {
    for (const tag of added) {
      if (done.tags.has(tag) && (tag.element === 'script' || done.tags.get(tag) === document)) continue;
      await this.#add(tag, device.javascript, attempt);
      done.tags.set(tag, document);
    }
  }

  async #waitAndInspect(htmlClass: HtmlClass, { content, load, print }: LoadJob, attempt: Attempt): Promise<void> {
    const seen = await this.#waitForAssets(htmlClass, load, print, attempt);
    const sizes = await this.#inspection.readStyles(htmlClass, print, attempt.step);
    if (sizes.length) this.#hasTraces = true; // adopted style sheets would otherwise stay
    this.#pageSizes.push(...sizes);
    const candidates = seen ?? (content.kind === 'html' ? glyphCandidates(content.html) : undefined);
    if (!candidates) return;
    this.#textFindings = await inspectDocument(this.#session, this.#frameId, this.#fonts, candidates, attempt.step);
    if (!showsHan(candidates.characters)) return;
    const guesses = this.#settings.fontsDir === '';
    const told = answerOr(ask(this.#session, 'appendCjkFonts', [guesses], SHOWN_LANGUAGES), ['']);
    this.#hanLanguages = knownLanguages(await attempt.step(told));
  }

  /** Collects the findings. Throws `render_gate_failed` if the caller wants no PDF in that case. */
  async judge({ failsOn, device }: LoadSettings, templates = NO_TEMPLATE_FINDINGS): Promise<Findings> {
    const found = await this.#network.findings((this.#attempt?.deadline.remainingMs ?? 0) / 2);
    const { missing, ...losses } = await this.#inspection.findings(this.#htmlClass, device.javascript);
    const { failed, failures } = withMissing(found, [...missing, ...templates.missing]);
    const answered = failed.filter(({ status }) => status !== undefined && failsOn.httpStatus.resources.has(status));
    if (answered.length) throw gateFailed('failOnHttpStatus', answered, answered.length);
    if (failsOn.resourceError && failures) throw gateFailed('failOnResourceError', failed, failures);
    const firstOf = (refused: boolean) => failed.filter((each) => each.refused === refused).slice(0, MAX_NAMED);
    return {
      failed: [...firstOf(true), ...firstOf(false)],
      failures,
      ...losses,
      consoleErrors: this.#consoleErrors,
      unfinished: this.#unfinished,
      missingGlyphs: [...this.#textFindings.missingGlyphs, ...templates.missingGlyphs],
      substituted: [...new Set([...this.#textFindings.substituted, ...templates.substituted])],
    };
  }

  /** Call it when the page is gone. */
  close(): void {
    this.#workers.close();
  }

  end(): void {
    this.#consoleErrors = [];
    this.#textFindings = NO_FINDINGS;
    this.#unfinished = undefined;
    this.#pageSizes = [];
    this.#metadata = {};
    this.#structure = undefined;
    this.#fields = { fields: [], printed: [] };
    this.#hanLanguages = [];
    this.#htmlClass = ACTIVE;
    this.#attempt = undefined;
    this.#preventNavigation();
    this.#inspection.end();
    this.#network.end();
    this.#console.end();
  }

  async #prepare({ content, load, print, fieldKey }: LoadJob, { step, fail }: Attempt): Promise<void> {
    const preparesFields = fieldKey !== undefined;
    if (needsOwnPage(content, load) || load.device !== DEFAULT_DEVICE || print?.singlePage || preparesFields)
      this.#hasTraces = true;
    const { target, failsOn, added, waitForSelector } = load;
    const preparations: Array<Promise<unknown>> = [];
    if (load.device !== DEFAULT_DEVICE) preparations.push(this.#emulation.apply(load.device));
    preparations.push(this.#emulation.resize(windowFor(content, load, print)));
    if (added.length) preparations.push(this.#emulation.ignorePolicy());
    if (target) preparations.push(this.#interception.setTarget(target, content.kind));
    const turnsPhotos = print !== undefined && mayLoadImages(content, load) && mayTurnPhotos(content);
    this.#interception.turnsPhotos = turnsPhotos;
    if (turnsPhotos) preparations.push(this.#interception.interceptPhotos());
    if (failsOn.consoleError) preparations.push(this.#console.begin(fail));
    if (waitForSelector) preparations.push(checkSelector(this.#session, waitForSelector));
    await step(Promise.all(preparations));
  }

  /** Writes a document from markup, in the opaque origin of an empty page. */
  async #write(html: string, { load, print }: LoadJob, attempt: Attempt): Promise<HtmlClass> {
    const { step } = attempt;
    const addsScript = load.added.length > 0 || load.waitForFunction !== undefined; // the caller added a script
    const htmlClass = addsScript ? ACTIVE : classifyHtml(html);
    if (!htmlClass.isStatic) await this.#beginActiveDocument(htmlClass, isForPaper(load, print), step);
    const idle = IDLE[load.waitUntil];
    const usesNetwork = mentionsNetworkApis(html) || addsScript;
    const watching = this.#watch(load, attempt, usesNetwork, htmlClass);
    if (watching) await step(watching);
    this.#runsOnUnload = usesNetwork && !htmlClass.isStatic;
    const loaded = this.#session.next(
      load.waitUntil === 'domcontentloaded' ? 'Page.domContentEventFired' : 'Page.loadEventFired',
    );
    this.#loading = true;
    if (htmlClass.hasPageRules) this.#pageSizes = sizesIn(html);
    const written = htmlClass.isStatic && print ? withPageRule(html, htmlClass, print) : html;
    await step(this.#session.send('Page.setDocumentContent', { frameId: this.#frameId, html: written }));
    await step(loaded);
    if (htmlClass.declaresClosed) await step(listClosedShadows(this.#session).catch(() => {})); // the tree is too deep
    // Chromium reports idleness once for each navigation, and this document was written without one.
    if (idle !== undefined) await step(this.#network.idle(idle));
    return htmlClass;
  }

  /** Loads a document from a URL, in a page that is used only once. */
  async #loadUrl(url: string, { load, print }: LoadJob, attempt: Attempt): Promise<HtmlClass> {
    const navigation = new Navigation(this.#session, this.#proxy, this.#frameId, load.failsOn.httpStatus.document, attempt.fail);
    this.#navigation = navigation;
    this.#interception.blocksNavigation = false;
    for (const name of PERMISSIONS) this.#deny(name);
    await attempt.step(
      Promise.all([
        this.#session.send('Page.addScriptToEvaluateOnNewDocument', {
          source: visitedWindow(isForPaper(load, print) ? PAPER_RATIO : undefined),
        }),
        this.#session.send('Network.setBypassServiceWorker', { bypass: true }),
        this.#workers.begin(attempt.fail),
        this.#watchNetwork(load, attempt, navigation),
      ]),
    );
    await navigation.open(url, load.waitUntil, attempt.step);
    return ACTIVE;
  }

  /** Denies a permission for all origins. If the browser does not know it, no document can ask for it. */
  #deny(name: string): void {
    const permission = { permission: { name }, setting: 'denied' as const, browserContextId: this.#contextId };
    this.#root.send('Browser.setPermission', permission).catch(() => {});
  }

  #watch(load: LoadSettings, attempt: Attempt, usesNetwork: boolean, { hasWorkers }: HtmlClass): Promise<unknown> | undefined {
    const awaited: Array<Promise<unknown>> = [];
    if (usesNetwork || IDLE[load.waitUntil] !== undefined) awaited.push(this.#watchNetwork(load, attempt));
    if (usesNetwork || hasWorkers) awaited.push(this.#workers.begin(attempt.fail));
    return awaited.length ? Promise.all(awaited) : undefined;
  }

  #watchNetwork(
    { resourceTimeoutMs, failsOn }: LoadSettings,
    { fail, deadline }: Attempt,
    navigation?: Navigation,
  ): Promise<void> {
    const limitMs = resourceTimeoutMs ?? this.#settings.resourceTimeoutMs;
    return this.#network.begin({
      resourceTimeoutMs: limitMs,
      maxBytes: this.#settings.renderMaxNetworkBytes,
      countsAsFailed: (status) => failsOn.httpStatus.resources.has(status),
      fail,
      ...(navigation && {
        main: {
          maxBytes: MAX_DOCUMENT_BYTES,
          onBegin: () => this.#proxy.limitSilence(Math.ceil(deadline.remainingMs)),
          onResponse: (response) => navigation.onResponse(response),
          onFailure: (url, netError) => navigation.onFailure(url, netError),
          onCanceled: (loaderId) => navigation.onCanceled(loaderId),
          onLoaded: () => this.#proxy.limitSilence(limitMs), // the document itself had the whole time of the render
        },
      }),
    });
  }

  /** From now on, the document may run scripts, navigate or close its window, and must be replaced afterwards. */
  async #beginActiveDocument({ mayNavigate }: HtmlClass, isOnPaper: boolean, step: Step): Promise<void> {
    this.#hasTraces = true;
    if (mayNavigate) await step(this.#interception.interceptNavigations());
    if (!this.#windowPrepared) {
      this.#windowPrepared = true;
      await Promise.all([
        step(this.#session.send('Page.addScriptToEvaluateOnNewDocument', { source: WRITTEN_WINDOW })),
        step(evaluate(this.#session, { expression: WRITTEN_WINDOW }, ANYTHING)),
      ]);
    }
    if (isOnPaper) ask(this.#session, 'setPixelRatio', [PAPER_RATIO], DONE).catch(() => {}); // the loss of a page is reported elsewhere
  }

  /** Throws `navigation_failed` if the tag cannot be loaded. */
  async #add(tag: AddedTag, javascript: boolean, { step }: Attempt): Promise<void> {
    const onThrow = ({ exception, text }: ExceptionDetails) => {
      throw addFailed(tag, exception?.description ?? text, this.#proxy);
    };
    const { element, from, type = '' } = tag;
    await step(
      ask(this.#session, 'addElement', [{ element, from, type }], javascript ? DONE : ANYTHING, {
        awaitPromise: javascript,
        onThrow,
      }),
    );
  }

  /** Returns the characters and fonts that an active document shows, if it answers. */
  async #waitForAssets(
    htmlClass: HtmlClass,
    load: LoadSettings,
    settings: PrintSettings | undefined,
    { step }: Attempt,
  ): Promise<GlyphCandidates | undefined> {
    const waits = htmlClass.loadsLate && load.waitUntil !== 'domcontentloaded';
    const finishesAnimations = htmlClass.mayBeAnimated && load.finishesAnimations;
    const { mentionsMetadata: readsMetadata, declaresShadows } = htmlClass;
    const active = htmlClass.isStatic ? null : { rule: await this.#overridePageRules(settings, step) };
    if (htmlClass.isStatic && !(waits || finishesAnimations || readsMetadata)) return undefined;
    const options = { waits, finishesAnimations, readsMetadata, declaresShadows, active };
    if (!load.device.javascript) return this.#waitForAssetsWithoutScript(options, step);
    const loaded = ask(this.#session, 'awaitAssets', [options], LOADED_PARTS).catch((error: unknown) => {
      if (this.#navigation?.isNavigating || !isUnanswered(error)) throw error;
      return NO_PARTS;
    });
    const { errors, seen, sizes, metadata } = await step(loaded);
    this.#metadata = parseDocumentMetadata(STATED_METADATA.read(metadata) ?? []);
    this.#consoleErrors = await step(this.#console.explain(ERROR_MESSAGES.read(errors) ?? [], htmlClass, this.#frameId));
    if (htmlClass.isStatic) return undefined;
    this.#pageSizes = PAGE_SIZES.read(sizes) ?? [];
    return readSeenText(seen);
  }

  /** Without scripts no listener is called, so that the state is polled. */
  async #waitForAssetsWithoutScript(
    { waits, finishesAnimations, declaresShadows }: AssetOptions,
    step: Step,
  ): Promise<undefined> {
    const session = this.#session;
    if (waits) await untilTrue(() => ask(session, 'haveAssetsLoaded', [declaresShadows], BOOLEAN), step);
    if (finishesAnimations) await step(answerOr(ask(session, 'finishAnimations', [declaresShadows], COUNT), 0));
    this.#metadata = parseDocumentMetadata(await step(answerOr(ask(session, 'readMetadata', [], STATED_METADATA), [])));
  }

  /**
   * Inserts the caller's choices as a rule. Otherwise it returns the rule to suggest to the document. A single page gets its rule
   * when its height is known.
   */
  async #overridePageRules(settings: PrintSettings | undefined, step: Step): Promise<string> {
    if (!settings || settings.singlePage) return '';
    const rule = pageRule(settings);
    const overruling = overridingRule(settings);
    if (!overruling) return rule;
    await step(ask(this.#session, 'addRule', [rule, overruling], DONE));
    return '';
  }

  #preventNavigation(): void {
    this.#navigation?.close();
    this.#navigation = undefined;
    this.#interception.blocksNavigation = true;
  }

  /**
   * Stops a loaded document from navigating. If it navigates while it is still loading, it is incomplete, and the render fails.
   * Frames inside a document may load.
   */
  #judgeNavigation(frameId: string): void {
    if (frameId !== this.#frameId || !this.#attempt || this.#navigation) return;
    if (this.#loading) this.#navigatedAway();
    else this.#session.send('Page.stopLoading').catch(() => {});
  }

  #navigated(url: string): void {
    if (!this.#navigation) this.#navigatedAway();
    else this.#interception.checkOrigin(url);
  }

  /** Also called for immediate navigations (`reload`, `blob:`), which cannot be stopped. */
  #navigatedAway(): void {
    const detail = 'the document navigated away from itself (a new location, a form, a reload) before it could be printed';
    this.#attempt?.fail(new ServiceError('navigation_failed', detail));
  }
}

/** Whether canvases are drawn for paper: the caller has chosen no other device. */
function isForPaper({ device }: LoadSettings, print: PrintSettings | undefined): boolean {
  return print !== undefined && !device.viewport;
}

function windowFor(content: Content, { device, added }: LoadSettings, print: PrintSettings | undefined): Viewport {
  if (device.viewport || !print) return device.viewport ?? DEFAULT_WINDOW;
  const styles = added.flatMap(({ element, from }) => (element === 'style' && 'content' in from ? from.content : []));
  return printWindow(print, content.kind === 'html' ? content.html : '', { linked: linkedStyles(content), added: styles });
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
  const option = element === 'style' ? 'addStyleTag' : 'addScriptTag';
  const failure = 'url' in from ? proxy.failureOf(URL.parse(from.url)) : undefined;
  if (failure?.refusedBy)
    return new ServiceError('forbidden_url', `options.${option}: the URL is not allowed by the network policy of this service`, {
      remedy: failure.remedy,
    });
  const reason = failure?.netError ?? description.split('\n')[0]?.replace(/^Error: /, '');
  return new ServiceError('navigation_failed', `options.${option}: ${reason}`, {
    members: failure ? { net_error: failure.netError } : {},
  });
}

function gateFailed(gate: string, failed: FailedResource[], failures: number): ServiceError {
  const [first] = failed;
  const what = first?.refused ? 'refused' : (first?.status ?? first?.netError ?? first?.reason);
  const more = failures > 1 ? `, and ${failures - 1} more` : '';
  return new ServiceError('render_gate_failed', `${gate}: ${first?.url} (${what})${more}`, {
    members: { gate, resources: failed.slice(0, MAX_NAMED).map(describeFailure) },
    remedy: first?.remedy,
  });
}

function describeFailure({ url, refused, status, netError, reason }: FailedResource) {
  return {
    url,
    ...(refused && { refused }),
    ...(status !== undefined && { status }),
    ...(netError && { net_error: netError }),
    ...(reason && { reason }),
  };
}
