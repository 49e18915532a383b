/**
 * The loading of one document, from markup or from a URL, until it is ready to print. It keeps the document from navigating away in the
 * meantime, and afterwards until it is disposed of.
 */
import { hasCode, ServiceError } from '../../errors.ts';
import { ask, BOOLEAN } from '../devtools/ask.ts';
import { PAPER_RATIO } from '../devtools/emulation.ts';
import { ANYTHING, answerOr, evaluate, isUnanswered } from '../devtools/evaluate.ts';
import { visitedWindow } from '../devtools/in-page-program.ts';
import { glyphCandidates } from '../glyphs/glyph-candidates.ts';
import { knownLanguages, SHOWN_LANGUAGES, showsHan } from '../glyphs/han-fonts.ts';
import { inspectDocument, NO_FINDINGS, type TextFindings } from '../glyphs/missing-glyphs.ts';
import type { PagedStyles } from '../page-css/paged-properties.ts';
import { findSizes } from '../print/page-sizes.ts';
import type { TemplateFindings } from '../print/page-templates.ts';
import { needsPageRule, type PrintSettings, pageRule } from '../print/print-options.ts';
import type { PrintersMarks } from '../print/printers-marks.ts';
import { AddedTags } from './added-tags.ts';
import { type AwaitedParts, awaitAssets } from './await-assets.ts';
import { listClosedShadows } from './closed-shadows.ts';
import { awaitContent } from './content-waits.ts';
import { chooseCover, prepareCover, withCover } from './cover.ts';
import { MAX_NAMED, requireResources } from './fail-conditions.ts';
import { finishDocument, type Unfinished } from './finish-document.ts';
import { ACTIVE, classifyHtml, type HtmlClass, mentionsNetworkApis, withBase } from './html/classify-html.ts';
import { styleText } from './html/html-tags.ts';
import { insertInHead } from './html/insert-into-head.ts';
import { hyphenateDocument } from './hyphenation/hyphenate-document.ts';
import { DocumentInspection, type InspectionFindings } from './inspect/inspect-document.ts';
import { isForPaper, type LoadContext } from './load-job.ts';
import type { Content } from './load-settings.ts';
import { type FailedResource, withMissing } from './monitors/network-monitor.ts';
import { Navigation } from './navigation.ts';
import { chooseWindow, denyPermissions, IDLE, preparePage, prepareWindow, watchDocument, watchNetwork } from './prepare-page.ts';

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

/** What is known of a document that is ready. */
interface Loaded extends Omit<AwaitedParts, 'seen'> {
  text: TextFindings;
  unfinished: Unfinished | undefined;
  /** Sizes that readable `@page` rules name. */
  pageSizes: readonly string[];
  /** The languages of the Chinese characters that it shows. */
  hanLanguages: readonly string[];
}

/** Steps that are not repeated if the document navigates to another. */
interface Done {
  tags: AddedTags;
  awaited: boolean;
}

type HtmlContent = Extract<Content, { kind: 'html' }>;

const MAX_LEAVING_MS = 5_000;

export class DocumentLoad implements Disposable {
  readonly #context: LoadContext;
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
  static async load(context: LoadContext): Promise<DocumentLoad> {
    const load = new DocumentLoad(context);
    try {
      await load.#load();
      return load;
    } catch (error) {
      load[Symbol.dispose]();
      throw error;
    }
  }

  private constructor(context: LoadContext) {
    this.#context = context;
    const { session, frameId, network } = context.parts;
    this.#inspection = new DocumentInspection(session, frameId, (url) => network.styleText(url), context.job.print);
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

  get pagedStyles(): PagedStyles {
    return this.#inspection.pagedStyles;
  }

  /** Collects the findings. Throws `render_gate_failed` if the caller wants no PDF in that case. */
  async findings(templates: TemplateFindings): Promise<Findings> {
    const { failsOn, device } = this.#context.job.load;
    const found = await this.#context.parts.network.findings(this.#context.attempt.deadline.remainingMs / 2);
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

  /** The settings with which it is printed. Undefined for images. */
  get print(): PrintSettings | undefined {
    const { print } = this.#context.job;
    return print && this.#inspection.applyPageStyles(print);
  }

  get hasSidedBreaks(): boolean {
    return this.#inspection.hasSidedBreaks;
  }

  set keepsSides(keepsSides: boolean) {
    this.#inspection.keepsSides = keepsSides;
  }

  set placesPages(placesPages: boolean) {
    this.#inspection.placesPages = placesPages;
  }

  get printersMarks(): PrintersMarks | undefined {
    return this.#inspection.printersMarks;
  }

  /** Hyphenates text for which styles ask. Returns whether there is any. */
  async hyphenate(): Promise<boolean> {
    if (!this.#inspection.asksForHyphens) return false;
    const { session, frameId } = this.#context.parts;
    return hyphenateDocument(session, frameId, this.#context.attempt.step);
  }

  /** Keeps sticky boxes in their places. */
  async releaseSticky(): Promise<void> {
    if (this.#inspection.mayStick) await this.#change('releaseSticky');
  }

  /** Keeps paragraphs whole that are too short for `orphans` and `widows`. Returns whether there are any. */
  async keepShortParagraphs(): Promise<boolean> {
    return this.#inspection.keepsLines && (await this.#change('keepShortParagraphs'));
  }

  async #change(question: 'releaseSticky' | 'keepShortParagraphs'): Promise<boolean> {
    const { session } = this.#context.parts;
    const isChanged = await this.#context.attempt.step(
      answerOr(ask(session, question, [], BOOLEAN, { onThrow: () => false }), false),
    );
    if (isChanged) this.leaveTraces();
    return isChanged;
  }

  /** The page must be emptied before its next document. */
  leaveTraces(needNavigation = false): void {
    const { traces } = this.#context.parts;
    traces.needReset = true;
    traces.needNavigation ||= needNavigation;
  }

  /** Its cookies must be removed before the next document. */
  leaveCookies(): void {
    this.#context.parts.traces.mayHaveCookies = true;
  }

  /** The document is not watched any more. */
  [Symbol.dispose](): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#preventNavigation();
    this.#context.parts.network.end();
    this.#context.parts.console.end();
  }

  async #load(): Promise<void> {
    const { content } = this.#context.job;
    await preparePage(this.#context);
    this.#htmlClass = await (content.kind === 'url' ? this.#visit(content.url) : this.#write(content));
    this.#loaded = await this.#complete();
    this.#preventNavigation();
  }

  /** Completes a loaded document. If it navigates to another in the meantime, the steps are repeated. */
  async #complete(): Promise<Loaded> {
    const done: Done = { tags: new AddedTags(this.#context), awaited: false };
    for (;;) {
      const loaded = await this.#completeDocument(done);
      if (loaded && !(await this.#navigatesOn())) return loaded;
    }
  }

  /** Whether a complete document navigates to another. A navigation that does not commit soon is not waited for. */
  async #navigatesOn(): Promise<boolean> {
    const { step, deadline } = this.#context.attempt;
    const navigation = this.#navigation;
    if (!navigation?.isNavigating) return false;
    const { documents } = navigation;
    await step(navigation.untilSettled(Math.min(MAX_LEAVING_MS, deadline.remainingMs / 2)));
    if (navigation.documents === documents && navigation.isNavigating)
      await step(this.#context.parts.session.send('Page.stopLoading'));
    return navigation.documents !== documents;
  }

  /** Returns undefined if there is another document afterwards. */
  async #completeDocument(done: Done): Promise<Loaded | undefined> {
    const { load } = this.#context.job;
    const { step, deadline } = this.#context.attempt;
    const navigation = this.#navigation;
    const arrived = async () => navigation && step(navigation.until(load.waitUntil));
    await arrived();
    const documents = navigation?.documents;
    const isSame = async () => {
      await arrived(); // it may have navigated in the meantime
      return navigation?.documents === documents;
    };
    try {
      await done.tags.addTo(documents);
      if (!done.awaited) await awaitContent(this.#context.parts.session, load, step, deadline);
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
    const { waitUntil, finishesAnimations, device } = this.#context.job.load;
    const waits = waitUntil === 'finished';
    if (!device.javascript || waitUntil === 'domcontentloaded' || !(waits || finishesAnimations)) return undefined;
    const { declaresShadows } = this.#htmlClass;
    const leaving = this.#navigation?.untilNavigating();
    const options = { ...this.#context.attempt, waits, finishesAnimations, declaresShadows, leaving };
    const unfinished = await finishDocument(this.#context.parts.session, this.#context.parts, options);
    await this.#navigatesOn(); // the next document may never answer
    return unfinished;
  }

  /** A script may navigate before it throws, and Chromium reports that in the next task of the page. */
  async #nextTask(navigation: Navigation): Promise<void> {
    const expression = 'new Promise((resolve) => setTimeout(resolve))';
    const task = evaluate(this.#context.parts.session, { expression }, ANYTHING);
    await this.#context.attempt.step(Promise.race([task.catch(() => {}), navigation.untilNavigating()])); // a document that navigates may not answer
  }

  async #waitAndInspect(): Promise<Omit<Loaded, 'unfinished'>> {
    const { content } = this.#context.job;
    const { step } = this.#context.attempt;
    const { session, frameId, fonts, settings, traces } = this.#context.parts;
    const leaves = () => this.#navigation?.isNavigating ?? false;
    const { seen, pageSizes = this.#writtenSizes, ...awaited } = await awaitAssets(this.#context, this.#htmlClass, leaves);
    const sizes = await this.#inspection.readStyles(this.#htmlClass, step);
    if (this.#inspection.hasAddedRules || this.printersMarks) traces.needReset = true; // adopted style sheets would otherwise stay
    const known = { ...awaited, pageSizes: [...pageSizes, ...sizes], hanLanguages: [], text: NO_FINDINGS };
    const candidates = seen ?? (content.kind === 'html' ? glyphCandidates(content.html) : undefined);
    if (!candidates) return known;
    const text = await inspectDocument(session, frameId, fonts, candidates, step);
    if (!showsHan(candidates.characters)) return { ...known, text };
    const guesses = settings.fontsDir === '';
    const shownLanguages = answerOr(ask(session, 'appendCjkFonts', [guesses], SHOWN_LANGUAGES), ['']);
    return { ...known, text, hanLanguages: knownLanguages(await step(shownLanguages)) };
  }

  /** Writes a document from markup, in the opaque origin of an empty page. */
  async #write(content: HtmlContent): Promise<HtmlClass> {
    const { load, print } = this.#context.job;
    const { step } = this.#context.attempt;
    const { session, frameId, network } = this.#context.parts;
    const { html, htmlClass, usesNetwork } = this.#readMarkup(content);
    const cover = chooseCover(htmlClass, this.#context.job);
    const hasScripts = !htmlClass.isStatic && load.device.javascript;
    const prepared = prepareCover(cover, this.#context.parts, chooseWindow(this.#context.job), hasScripts);
    prepared.catch(() => {}); // it is awaited below
    if (!htmlClass.isStatic) {
      await step(prepared);
      await prepareWindow(this.#context, htmlClass);
    }
    const idle = IDLE[load.waitUntil];
    const watching = watchDocument(this.#context, usesNetwork, htmlClass);
    if (watching) await step(watching);
    const event = load.waitUntil === 'domcontentloaded' ? 'Page.domContentEventFired' : 'Page.loadEventFired';
    const loaded = session.next(event);
    this.#isWriting = true;
    if (htmlClass.hasPageRules) this.#writtenSizes = findSizes(styleText(html));
    const ruled = htmlClass.isStatic && print ? withPageRule(html, htmlClass, print) : html;
    const written = session.send('Page.setDocumentContent', { frameId, html: withCover(ruled, cover) });
    await step(Promise.all([prepared, written]));
    await step(loaded);
    if (htmlClass.declaresClosed) await step(listClosedShadows(session).catch(() => {})); // the tree is too deep
    // Chromium reports idleness once for each navigation, and this document was written without one
    // (`WillCommitLoad`:
    // https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/loader/idleness_detector.cc).
    if (idle !== undefined) await step(network.idle(idle));
    return htmlClass;
  }

  #readMarkup(content: HtmlContent) {
    const { load, headerMarkup = '' } = this.#context.job;
    const { traces } = this.#context.parts;
    const html = withBase(content.html, content.baseUrl);
    const addsScript = load.added.length > 0 || load.waitForFunction !== undefined; // the caller added a script
    const htmlClass = addsScript ? ACTIVE : classifyHtml(html);
    const usesNetwork = addsScript || [html, headerMarkup].some(mentionsNetworkApis);
    traces.mayRunOnUnload = usesNetwork && !htmlClass.isStatic;
    traces.needNavigation ||= htmlClass.mayOutlast || (!htmlClass.isStatic && mayReachServers(content, usesNetwork));
    return { html, htmlClass, usesNetwork };
  }

  /** Loads a document from a URL, in a page that is used only once. */
  async #visit(url: string): Promise<HtmlClass> {
    const { load } = this.#context.job;
    const { fail, step } = this.#context.attempt;
    const { session, proxy, frameId, interception, workers, traces } = this.#context.parts;
    const navigation = new Navigation(session, proxy, frameId, load.failsOn.httpStatus.document, fail);
    this.#navigation = navigation;
    interception.blocksNavigation = false;
    denyPermissions(this.#context.parts);
    const source = visitedWindow(isForPaper(this.#context.job) ? PAPER_RATIO : undefined);
    const written = traces.preparing.splice(0); // a watermark may have been written into the page before
    await step(
      Promise.all([
        ...written.map((identifier) => session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier })),
        session.send('Page.addScriptToEvaluateOnNewDocument', { source }),
        prepareCover(undefined, this.#context.parts, chooseWindow(this.#context.job), load.device.javascript),
        session.send('Network.setBypassServiceWorker', { bypass: true }),
        workers.begin(fail),
        watchNetwork(this.#context, navigation),
      ]),
    );
    await navigation.open(url, load.waitUntil, step);
    return ACTIVE;
  }

  #preventNavigation(): void {
    this.#navigation?.close();
    this.#navigation = undefined;
    this.#context.parts.interception.blocksNavigation = true;
  }

  /**
   * Stops a loaded document from navigating. If it navigates while it is still loading, it is incomplete, and the render fails.
   * Frames inside a document may load.
   */
  #judgeNavigation(frameId: string): void {
    if (frameId !== this.#context.parts.frameId || this.#navigation) return;
    if (this.#isWriting) this.#navigatedAway();
    else this.#context.parts.session.send('Page.stopLoading').catch(() => {});
  }

  #navigated(url: string): void {
    if (!this.#navigation) this.#navigatedAway();
    else this.#context.parts.interception.checkOrigin(url);
  }

  /** Also called for immediate navigations (`reload`, `blob:`), which cannot be stopped. */
  #navigatedAway(): void {
    const detail = 'the document navigated away from itself (a new location, a form, a reload) before it could be printed';
    this.#context.attempt.fail(new ServiceError('navigation_failed', detail));
  }
}

/** Whether its scripts may reach more than its own assets, the base of which is no server. */
function mayReachServers({ html, baseUrl, assets }: HtmlContent, usesNetwork: boolean): boolean {
  return assets ? mentionsNetworkApis(html) : usesNetwork || baseUrl !== undefined;
}

/** Adds the rule to the markup of a static document, so that it disappears with the document. A single page gets its rule later. */
function withPageRule(html: string, { hasPageRules }: HtmlClass, settings: PrintSettings): string {
  if (settings.singlePage || !needsPageRule(settings, hasPageRules)) return html;
  return insertInHead(html, `<style>${pageRule(settings)}</style>`);
}
