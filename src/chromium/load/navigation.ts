/**
 * Follows a navigation to a URL through redirects of the server and of the page until the document is loaded, and
 * checks the response. It fails the render with `forbidden_url` or `navigation_failed`.
 */

import type { ProxyListener } from '../../egress/egress-proxy.ts';
import { ServiceError } from '../../errors.ts';
import type { Events, Session } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';
import type { WaitUntil } from './load-settings.ts';
import type { MainResponse } from './monitors/network-monitor.ts';
import { withinTime } from './time-limit.ts';

/** The names of Chromium's lifecycle events. */
const MILESTONES: Readonly<Record<WaitUntil, string>> = {
  finished: 'load',
  load: 'load',
  domcontentloaded: 'DOMContentLoaded',
  networkidle0: 'networkIdle',
  networkidle2: 'networkAlmostIdle',
};
/** Limits redirects by the page, which could go on for ever. */
const MAX_DOCUMENTS = 20;
/** A later refresh is meant to update the page for a reader, and not to redirect. */
const MAX_REFRESH_SECONDS = 1;
/**
 * Chromium refuses ports of other protocols, and redirects from the web to local files (`UNSAFE_PORT` and `UNSAFE_REDIRECT`:
 * https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h).
 */
const REFUSED_BY_CHROMIUM = ['ERR_UNSAFE_PORT', 'ERR_UNSAFE_REDIRECT', 'ERR_UNKNOWN_URL_SCHEME'];
const NO_CONTENT = [204, 205];
const SCHEDULED = 'scheduled';
/** The media types that Blink shows as a document of markup. */
const DOCUMENT_TYPES = /^(?:text\/html|application\/xhtml\+xml|(?:text|application)\/xml)$/i;

export class Navigation {
  readonly #session: Session;
  readonly #proxy: ProxyListener;
  readonly #failing: ReadonlySet<number>;
  readonly #fail: (error: ServiceError) => void;
  readonly #unsubscribe: Array<() => void>;
  /** The loader of the present document. */
  #loaderId = '';
  #documents = 0;
  /** The loader of the next document if a navigation is under way, or `scheduled`. */
  #leavingTo: string | undefined;
  #reached = new Set<string>();
  #stopped = false;
  #changed = Promise.withResolvers<void>();

  constructor(
    session: Session,
    proxy: ProxyListener,
    frameId: string,
    failing: ReadonlySet<number>,
    fail: (error: ServiceError) => void,
  ) {
    this.#session = session;
    this.#proxy = proxy;
    this.#failing = failing;
    this.#fail = fail;
    // URLs for other programs, such as mailto:, are not navigations.
    const isOurs = (event: { frameId: string; url: string }) => event.frameId === frameId && /^https?:/.test(event.url);
    this.#unsubscribe = [
      session.on('Page.frameNavigated', ({ frame }) => frame.id === frameId && this.#arrive(frame)),
      session.on('Page.lifecycleEvent', (event) => event.frameId === frameId && this.#progress(event)),
      session.on('Page.frameScheduledNavigation', (event) => {
        if (isOurs(event) && event.delay <= MAX_REFRESH_SECONDS) this.#leave(this.#leavingTo ?? SCHEDULED);
      }),
      session.on('Page.frameClearedScheduledNavigation', (event) => event.frameId === frameId && this.onCanceled(SCHEDULED)),
      session.on('Page.frameStartedNavigating', (event) => {
        if (isOurs(event) && event.navigationType !== 'sameDocument') this.#leave(event.loaderId);
      }),
      session.on('Page.frameStoppedLoading', (event) => event.frameId === frameId && this.#stop()),
    ];
  }

  /** Resolves when the document has reached the lifecycle event of `waitUntil`. */
  async open(url: string, waitUntil: WaitUntil, step: Step): Promise<void> {
    await step(this.#session.send('Page.setLifecycleEventsEnabled', { enabled: true }));
    const { errorText } = await step(this.#session.send('Page.navigate', { url }));
    if (errorText) this.onFailure(URL.parse(url), errorText.replace(/^net::/, ''));
    await step(this.until(waitUntil));
  }

  /** Number of documents so far. */
  get documents(): number {
    return this.#documents;
  }

  /** Resolves when no navigation is under way, or after this time. */
  async untilSettled(milliseconds: number): Promise<void> {
    const settle = async () => {
      while (this.isNavigating) await this.#changed.promise;
    };
    await withinTime(settle(), milliseconds, undefined);
  }

  /** Resolves when a navigation begins. */
  async untilNavigating(): Promise<void> {
    while (!this.isNavigating) await this.#changed.promise;
  }

  /** Whether a navigation is under way. */
  get isNavigating(): boolean {
    return this.#leavingTo !== undefined;
  }

  /** Stops listening. */
  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  /** Call it with the response to the URL, or to the URL of a redirect. */
  onResponse(response: MainResponse): void {
    const fault = this.#findFault(response);
    if (fault) this.#fail(fault);
  }

  /** Call it if there was no response. */
  onFailure(url: URL | null, netError: string): void {
    this.#fail(this.#unreachable(url, netError));
  }

  /** Call it if a navigation was cancelled. */
  onCanceled(loaderId: string): void {
    if (this.#leavingTo !== loaderId) return;
    this.#leavingTo = undefined;
    this.#notify();
  }

  /** Resolves when the present document has reached this event and no navigation is under way. */
  async until(waitUntil: WaitUntil): Promise<void> {
    const milestone = MILESTONES[waitUntil];
    const isThere = () =>
      this.#leavingTo === undefined && this.#reached.has(milestone) && (waitUntil === 'domcontentloaded' || this.#stopped);
    while (!isThere()) await this.#changed.promise;
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  #leave(to: string): void {
    this.#leavingTo = to;
    this.#notify();
  }

  #findFault({ url, status, mimeType, isDownload }: MainResponse): ServiceError | undefined {
    // A response through a tunnel comes from the server and never from the proxy.
    if (url?.protocol !== 'https:' && this.#proxy.findFailure(url)) return this.#unreachable(url, 'ERR_FAILED');
    if (this.#failing.has(status)) return answeredWith(status, `with status ${status}`);
    if (NO_CONTENT.includes(status)) return answeredWith(status, `with status ${status}, which has no document`);
    if (isDownload) return answeredWith(status, 'with a download', mimeType);
    return DOCUMENT_TYPES.test(mimeType) ? undefined : answeredWith(status, `with ${mimeType}, not with HTML`, mimeType);
  }

  /** The proxy knows the cause. Chromium only sees that the proxy sent no response. */
  #unreachable(url: URL | null, netError: string): ServiceError {
    const failure = this.#proxy.findFailure(url);
    if (failure?.refusedBy === 'budget') return overBudget();
    if (failure?.refusedBy || REFUSED_BY_CHROMIUM.includes(netError)) return forbidden(failure?.remedy);
    const error = failure?.netError ?? netError;
    const detail = `the document at url could not be loaded: ${error}`;
    return new ServiceError('navigation_failed', detail, { members: { net_error: error } });
  }

  #arrive(frame: Events['Page.frameNavigated'][0]['frame']): void {
    if (frame.unreachableUrl) return; // this is Chromium's error page
    this.#loaderId = frame.loaderId;
    this.#leavingTo = undefined;
    this.#stopped = false;
    this.#reached = new Set();
    if (++this.#documents > MAX_DOCUMENTS) this.onFailure(URL.parse(frame.url), 'ERR_TOO_MANY_REDIRECTS');
    this.#notify();
  }

  #progress({ loaderId, name }: Events['Page.lifecycleEvent'][0]): void {
    if (loaderId !== this.#loaderId) return;
    this.#reached.add(name);
    this.#notify();
  }

  #stop(): void {
    this.#stopped = true;
    this.#notify();
  }
}

function answeredWith(status: number, what: string, contentType?: string): ServiceError {
  return new ServiceError('navigation_failed', `the server at url answered ${what}`, {
    members: { upstream_status: status, ...(contentType !== undefined && { content_type: contentType }) },
  });
}

function overBudget(): ServiceError {
  return new ServiceError('resource_limit', 'the document at url exceeded the network limits of a render');
}

/** The error does not reveal anything about the target, except to the operator. */
function forbidden(remedy: string | undefined): ServiceError {
  return new ServiceError('forbidden_url', 'the network policy of this service does not allow url, or a URL that it leads to', {
    remedy,
  });
}
