/** Prepares a page for a document, and watches what the document does. */
import { ask, DONE } from '../devtools/ask.ts';
import { DEFAULT_DEVICE, DEFAULT_WINDOW, type Viewport } from '../devtools/emulation.ts';
import { ANYTHING, evaluate } from '../devtools/evaluate.ts';
import { WRITTEN_WINDOW } from '../devtools/in-page-program.ts';
import { printWindow } from '../print/print-window.ts';
import { checkSelector } from './content-waits.ts';
import { type HtmlClass, mentionsNetworkApis } from './html/classify-html.ts';
import { findLinkedStyles } from './html/linked-styles.ts';
import { isForPaper, type LoadContext, type LoadJob } from './load-job.ts';
import { type Content, type LoadSettings, MAX_DOCUMENT_BYTES, needsOwnPage, type WaitUntil } from './load-settings.ts';
import type { Navigation } from './navigation.ts';
import type { PageParts } from './page-parts.ts';
import { mayTurnPhotos } from './upright-photos.ts';

/** The number of requests that may still be in progress. */
export const IDLE: Partial<Record<WaitUntil, number>> = { networkidle0: 0, networkidle2: 2 };
/** Permissions are denied, because there is nobody to ask. */
const PERMISSIONS =
  'geolocation notifications midi camera microphone background-sync background-fetch persistent-storage clipboard-read ' +
  'clipboard-write local-fonts storage-access window-management idle-detection screen-wake-lock';

export async function preparePage({ parts, job, attempt }: LoadContext): Promise<void> {
  const { content, load, print } = job;
  const { session, emulation, interception, console, traces } = parts;
  const { step, fail } = attempt;
  if (needsOwnPage(content, load) || load.device !== DEFAULT_DEVICE || print?.singlePage)
    traces.needReset = traces.needNavigation = true;
  const { target, failsOn, added, waitForSelector } = load;
  const preparations: Array<Promise<unknown>> = [];
  if (load.device !== DEFAULT_DEVICE) preparations.push(emulation.apply(load.device));
  if (added.length) preparations.push(emulation.ignorePolicy());
  if (target) preparations.push(interception.setTarget(target, content.kind));
  const turnsPhotos = print !== undefined && mayLoadImages(content, load) && mayTurnPhotos(content);
  interception.turnsPhotos = turnsPhotos;
  if (turnsPhotos) preparations.push(interception.interceptPhotos());
  if (failsOn.consoleError) preparations.push(console.begin(fail));
  if (waitForSelector) preparations.push(checkSelector(session, waitForSelector));
  await step(Promise.all(preparations));
}

/** From now on, the document may run scripts, navigate or close its window, and must be replaced afterwards. */
export async function prepareWindow({ parts, job, attempt }: LoadContext, { mayNavigate }: HtmlClass): Promise<void> {
  const { session, interception, traces } = parts;
  const { step } = attempt;
  traces.needReset = true;
  if (mayNavigate) await step(interception.interceptNavigations());
  if (!traces.preparing.length) {
    const script = { source: WRITTEN_WINDOW, runImmediately: true };
    const { identifier } = await step(session.send('Page.addScriptToEvaluateOnNewDocument', script));
    traces.preparing = [identifier];
    if (!job.load.device.javascript) await step(evaluate(session, { expression: WRITTEN_WINDOW }, ANYTHING)); // is not run where scripts are disabled
  }
  const { viewport = DEFAULT_WINDOW } = job.load.device;
  if (!isForPaper(job)) ask(session, 'setPixelRatio', [viewport.deviceScaleFactor], DONE).catch(() => {}); // the loss of a page is reported elsewhere
}

/** Denies permissions for all origins. If the browser does not know one, no document can ask for it. */
export function denyPermissions({ root, contextId }: PageParts): void {
  for (const name of PERMISSIONS.split(' ')) {
    const denial = { permission: { name }, setting: 'denied' as const, browserContextId: contextId };
    root.send('Browser.setPermission', denial).catch(() => {});
  }
}

export function watchDocument(
  context: LoadContext,
  usesNetwork: boolean,
  { hasWorkers }: HtmlClass,
): Promise<unknown> | undefined {
  const { parts, job, attempt } = context;
  const awaited: Array<Promise<unknown>> = [];
  if (usesNetwork || IDLE[job.load.waitUntil] !== undefined) awaited.push(watchNetwork(context));
  if (usesNetwork || hasWorkers) awaited.push(parts.workers.begin(attempt.fail));
  return awaited.length ? Promise.all(awaited) : undefined;
}

export function watchNetwork({ parts, job, attempt }: LoadContext, navigation?: Navigation): Promise<void> {
  const { resourceTimeoutMs, failsOn } = job.load;
  const { fail, deadline } = attempt;
  const { settings, network, proxy } = parts;
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

export function chooseWindow({ content, load: { device, added }, print }: LoadJob): Viewport {
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
