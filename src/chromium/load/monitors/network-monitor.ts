/**
 * Watches over DevTools what a page loads: which resources fail, how long each takes, and how large they are uncompressed. The
 * proxy cannot know this, because most of its traffic is encrypted.
 */

import type { OutboundFailure, ProxyListener } from '../../../egress/egress-proxy.ts';
import { ServiceError } from '../../../errors.ts';
import type { Events, Session } from '../../devtools/connection.ts';
import type { MissingResource } from '../../print/missing-resource.ts';
import { withinTime } from '../time-limit.ts';

/** A resource that could not be loaded. */
export interface FailedResource {
  url: string;
  /** Whether the policy or a budget refused it. */
  refused: boolean;
  /** The status of the response, if there was one. */
  status: number | undefined;
  /** Chromium's name of the error, if there was no response. */
  netError: string | undefined;
  /** An explanation, if there was no network request. */
  reason?: string;
  /** What the operator can set so that it is allowed. */
  remedy?: string | undefined;
}

/** The missing resources. The first ten thousand are listed. */
interface NetworkFindings {
  failed: FailedResource[];
  failures: number;
  /** The URLs of the listed resources before any redirect. */
  origins: string[];
}

export interface MainResponse {
  /** `null` if Node cannot parse it. */
  url: URL | null;
  status: number;
  mimeType: string;
  isDownload: boolean;
}

export interface WatchOptions {
  /** Limits each resource except the document itself. */
  resourceTimeoutMs: number;
  /** Limits the uncompressed size of everything that is loaded. */
  maxBytes: number;
  /** Whether a status counts as failed, besides 400 and above. */
  countsAsFailed(status: number): boolean;
  /** Is set if the document is loaded from a URL. */
  main?: {
    maxBytes: number;
    /** Is also called for the next document after a navigation. */
    onBegin(): void;
    onResponse(response: MainResponse): void;
    onFailure(url: URL | null, netError: string): void;
    onCanceled(loaderId: string): void;
    onLoaded(): void;
  };
  fail(error: ServiceError): void;
}

interface Loading {
  requestId: string;
  /** The session of the page, or of the worker that made the request. */
  session: Session;
  /** The URL before any redirect. */
  firstUrl: string;
  /** The URL without user name and password. */
  url: string;
  /** The parsed URL, or `null`. */
  address: URL | null;
  status?: number;
  netError?: string;
  /** Number of redirects, for which the network service also reports a status. */
  hops: number;
  /** When a response was withheld from the document. */
  withheldAt: number | undefined;
  /** The failure that the proxy knows. */
  proxyFailure?: OutboundFailure | undefined;
  isMain: boolean;
  /** Whether the document is finished only after this request. */
  isNeeded: boolean;
  overdue: boolean;
  /** Whether it was reported as missing already. */
  recorded: boolean;
  timer?: NodeJS.Timeout;
}

/** Types of requests that may last as long as the document, or that it does not need. */
const ENDLESS = ['EventSource', 'WebSocket', 'Media', 'Ping', 'Prefetch', 'CSPViolationReport'];
/** If a document requests a URL more often, it polls. */
const MAX_REPEATS = 4;
const TIMED_OUT = 'ERR_TIMED_OUT';
const MAX_KEPT = 10_000;
/** DevTools and puppeteer use the same time. */
const QUIET_MS = 500;
const MAX_URL_CHARACTERS = 500;
const MAX_STATUSES = 10_000;
const MAX_STYLES = 1_000;
/**
 * How much a page keeps of what Chromium removes from its cache. A style sheet may be removed as soon as it is applied, and its page sizes
 * and unsupported CSS are read later.
 */
const KEPT_BODIES = { maxTotalBufferSize: 8_388_608, maxResourceBufferSize: 1_048_576 };
const NO_BODIES = { maxTotalBufferSize: 0, maxResourceBufferSize: 0 };
/** How long to wait for the status after a response was withheld from the document. */
const STATUS_WITHIN_MS = 2_000;
/** A cached response has no status event. For this time it is unknown whether a request was sent. */
const SENDING_WITHIN_MS = 250;
const WITHHELD = /^ERR_BLOCKED_BY_(?:ORB|RESPONSE)/;
/** Matches CORS errors. Those of a preflight are excluded, because it has another id than the request. */
const CORS_ERROR = /^(?!Preflight).*(?:Allow(?:Origin|Credentials)|WildcardOrigin)/;

/** What a page has loaded since the last document. */
class Traffic {
  readonly loading = new Map<string, Loading>();
  readonly failed: Loading[] = [];
  failures = 0;
  /**
   * Statuses by request, from the network service. They come through another channel than other events, and so at any time:
   * before the request, or long after its end.
   */
  readonly statuses = new Map<string, number[]>();
  /** Requests that the network service has sent. */
  readonly sent = new Set<string>();
  /** Requests whose status is not known yet. */
  readonly awaitingStatus = new Map<string, Loading>();
  onAllStatuses = () => {};
  /** The last request of each style sheet, by URL. */
  readonly styles = new Map<string, string>();
  bytes = 0;
  mainBytes = 0;
  /** Is called whenever a request begins or ends. */
  onChange = () => {};
  /** How often each URL was requested, ignoring its query. */
  readonly requestCounts = new Map<string, number>();
  changes = 0;
  progressAt = 0;
  /** Ids of requests whose end is not reported. */
  readonly disregarded = new Set<string>();
}

export class NetworkMonitor {
  readonly #session: Session;
  readonly #proxy: ProxyListener;
  readonly #frameId: string;
  #enabled = false;
  #options: WatchOptions | undefined;
  #traffic = new Traffic();

  constructor(session: Session, proxy: ProxyListener, frameId: string) {
    this.#session = session;
    this.#proxy = proxy;
    this.#frameId = frameId;
    this.#listen(session);
  }

  /** Starts watching, until `end` is called. */
  async begin(options: WatchOptions): Promise<void> {
    this.#options = options;
    if (this.#enabled) return;
    this.#enabled = true;
    await this.#session.send('Network.enable', KEPT_BODIES);
  }

  /** Includes what a worker requests, until it is forgotten. */
  async watch(worker: Session): Promise<void> {
    this.#listen(worker);
    await worker.send('Network.enable', NO_BODIES);
  }

  /** Drops the requests of a worker that has ended. The request for its script has the id of its target. */
  forget(worker: Session, targetId: string): void {
    for (const { requestId, session } of [...this.#traffic.loading.values()])
      if (session === worker || requestId === targetId) this.#drop(requestId);
  }

  /** Does not wait for the request for the script of a shared worker, because its end is not reported. */
  disregard(requestId: string): void {
    this.#traffic.disregarded.add(requestId);
  }

  #listen(session: Session): void {
    session.on('Network.requestWillBeSent', (event) => this.#begin(event, session));
    session.on('Network.responseReceived', (event) => this.#receive(event));
    session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => this.#noteStatus(requestId, statusCode));
    session.on('Network.requestWillBeSentExtraInfo', ({ requestId }) => this.#noteSending(requestId));
    session.on('Network.dataReceived', ({ requestId, dataLength }) => this.#count(requestId, dataLength));
    session.on('Network.loadingFinished', ({ requestId }) => this.#finish(requestId));
    session.on('Network.loadingFailed', (event) => this.#handleFailure(event));
  }

  /**
   * Collects missing resources. Waits for the statuses of responses that were withheld from the document, but not
   * longer than `maxWaitMs`.
   */
  async findings(maxWaitMs: number): Promise<NetworkFindings> {
    const latest = performance.now() + maxWaitMs;
    for (let until = this.#statusesDueBy(latest); until > performance.now(); until = this.#statusesDueBy(latest))
      await this.#waitForStatuses(until);
    const failed = this.#traffic.failed.map((loading) => this.#describe(loading));
    return { failed, failures: this.#traffic.failures, origins: this.#traffic.failed.map(({ firstUrl }) => firstUrl) };
  }

  /** Returns the text of a loaded style sheet. Chromium keeps it with the document, so that no request is made. */
  async styleText(url: string): Promise<string> {
    const requestId = this.#traffic.styles.get(cut(withoutSecrets(url)));
    if (requestId === undefined) return '';
    return await this.#session.send('Network.getResponseBody', { requestId }).then(
      ({ body, base64Encoded }) => (base64Encoded ? '' : body),
      () => '', // Chromium does not have it
    );
  }

  /** Resolves when no more than this number of requests were under way for half a second. */
  idle(atMost: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let quiet: NodeJS.Timeout | undefined;
    this.#traffic.onChange = () => {
      if (this.#traffic.loading.size <= atMost) quiet ??= setTimeout(resolve, QUIET_MS);
      else {
        clearTimeout(quiet);
        quiet = undefined;
      }
    };
    this.#traffic.onChange();
    return promise;
  }

  /** Number of requests that have begun or ended. */
  get changes(): number {
    return this.#traffic.changes;
  }

  /** When a request last began or ended, not counting polls. */
  get progressAt(): number {
    return this.#traffic.progressAt;
  }

  /** URLs of pending requests that the document needs. */
  get underWay(): string[] {
    const needed = [...this.#traffic.loading.values()].filter(({ isNeeded }) => isNeeded);
    return [...new Set(needed.map(({ url }) => cut(url)))];
  }

  /**
   * Resolves when no request that the document needs is pending, or at the time `latest`, which is called again after each change.
   */
  async quiet(latest: () => number): Promise<void> {
    while (this.underWay.length && performance.now() < latest()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#traffic.onChange = resolve;
      await withinTime(promise, latest() - performance.now(), undefined);
    }
  }

  end(): void {
    this.#options = undefined;
    for (const { timer } of this.#traffic.loading.values()) clearTimeout(timer);
    this.#traffic = new Traffic();
  }

  /** Returns the time at which all statuses should have arrived. */
  #statusesDueBy(latest: number): number {
    let by = 0;
    for (const { requestId, withheldAt = 0 } of this.#traffic.awaitingStatus.values()) {
      const within = this.#traffic.sent.has(requestId) ? STATUS_WITHIN_MS : SENDING_WITHIN_MS;
      by = Math.max(by, withheldAt + within);
    }
    return Math.min(by, latest);
  }

  async #waitForStatuses(until: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#traffic.onAllStatuses = resolve;
    await withinTime(promise, until - performance.now(), undefined);
  }

  #findStatus({ requestId, hops }: Loading): number | undefined {
    const statuses = this.#traffic.statuses.get(requestId) ?? [];
    return statuses.length > hops ? statuses.at(-1) : undefined;
  }

  #begin(event: Events['Network.requestWillBeSent'][0], session: Session): void {
    const { requestId, loaderId, frameId, type, request, redirectHasExtraInfo } = event;
    if (!this.#options || !/^https?:/.test(request.url)) return;
    const isMain = frameId === this.#frameId && type === 'Document' && requestId === loaderId;
    const before = this.#traffic.loading.get(requestId);
    clearTimeout(before?.timer); // a redirect starts a new limit
    const hops = (before?.hops ?? 0) + Number(redirectHasExtraInfo);
    const address = URL.parse(request.url);
    const url = withoutSecrets(request.url);
    const loading: Loading = {
      requestId,
      session,
      firstUrl: before?.firstUrl ?? cut(url),
      url,
      address,
      isMain,
      isNeeded: !isMain && !ENDLESS.includes(type ?? '') && !this.#traffic.disregarded.has(requestId),
      hops,
      withheldAt: undefined,
      overdue: false,
      recorded: false,
    };
    if (isMain) this.#options.main?.onBegin();
    if (isMain) this.#traffic.mainBytes = 0;
    else this.#limitTime(loading, this.#options.resourceTimeoutMs);
    this.#traffic.loading.set(requestId, loading);
    this.#noteChange(loading, 1);
  }

  #noteChange({ url, isNeeded }: Loading, more: 0 | 1): void {
    if (isNeeded) this.#traffic.changes++;
    const [address = ''] = cut(url).split(/[?#]/);
    const times = (this.#traffic.requestCounts.get(address) ?? 0) + more;
    if (this.#traffic.requestCounts.size < MAX_KEPT) this.#traffic.requestCounts.set(address, times);
    if (isNeeded && times <= MAX_REPEATS) this.#traffic.progressAt = performance.now();
    this.#traffic.onChange();
  }

  /**
   * Starts again after each time-out, because Chromium retries by itself (`ShouldResendRequest`:
   * https://source.chromium.org/chromium/chromium/src/+/main:net/http/http_network_transaction.cc).
   */
  #limitTime(loading: Loading, milliseconds: number): void {
    loading.timer = setTimeout(() => {
      loading.overdue = true;
      this.#proxy.abortRequest(loading.address);
      this.#limitTime(loading, milliseconds);
    }, milliseconds);
  }

  #receive({ requestId, type, response }: Events['Network.responseReceived'][0]): void {
    const loading = this.#traffic.loading.get(requestId);
    if (!loading || !this.#options) return;
    const { status } = response;
    if (loading.isMain) {
      const disposition = Object.entries(response.headers).find(([name]) => name.toLowerCase() === 'content-disposition')?.[1];
      const isDownload = /^\s*attachment/i.test(disposition ?? '');
      this.#options.main?.onResponse({ url: URL.parse(response.url), status, mimeType: response.mimeType, isDownload });
      return;
    }
    loading.status = status;
    if (type === 'Stylesheet') this.#noteStyle(loading, response.url);
    if (status >= 400 || this.#options.countsAsFailed(status)) this.#record(loading);
  }

  #noteStyle({ requestId, firstUrl }: Loading, url: string): void {
    if (this.#traffic.styles.size >= MAX_STYLES) return;
    this.#traffic.styles.set(firstUrl, requestId).set(cut(withoutSecrets(url)), requestId);
  }

  #noteStatus(requestId: string, status: number): void {
    if (!this.#options || this.#traffic.statuses.size >= MAX_STATUSES) return;
    this.#traffic.statuses.set(requestId, [...(this.#traffic.statuses.get(requestId) ?? []), status]);
    const waiting = this.#traffic.awaitingStatus.get(requestId);
    if (!waiting || this.#findStatus(waiting) === undefined) return;
    this.#traffic.awaitingStatus.delete(requestId);
    if (!this.#traffic.awaitingStatus.size) this.#traffic.onAllStatuses();
  }

  #noteSending(requestId: string): void {
    if (this.#options && this.#traffic.sent.size < MAX_STATUSES) this.#traffic.sent.add(requestId);
  }

  #count(requestId: string, bytes: number): void {
    const { main, maxBytes, fail } = this.#options ?? {};
    this.#traffic.bytes += bytes;
    if (maxBytes !== undefined && this.#traffic.bytes > maxBytes) fail?.(loadsTooMuch(maxBytes));
    if (!main || !this.#traffic.loading.get(requestId)?.isMain) return;
    this.#traffic.mainBytes += bytes;
    if (this.#traffic.mainBytes > main.maxBytes) fail?.(tooLarge(main.maxBytes));
  }

  #finish(requestId: string): void {
    if (!this.#drop(requestId)?.isMain) return;
    const next = [...this.#traffic.loading.values()].some(({ isMain }) => isMain); // the page navigated before the response was complete
    if (!next) this.#options?.main?.onLoaded();
  }

  #handleFailure({ requestId, errorText, canceled, corsErrorStatus }: Events['Network.loadingFailed'][0]): void {
    const loading = this.#drop(requestId);
    if (!loading || !this.#options) return;
    loading.netError = errorText.replace(/^net::/, '');
    const isWithheld = WITHHELD.test(loading.netError) || CORS_ERROR.test(corsErrorStatus?.corsError ?? '');
    if (isWithheld) loading.withheldAt = performance.now();
    if (loading.isMain && canceled) this.#options.main?.onCanceled(requestId);
    else if (loading.isMain) this.#options.main?.onFailure(loading.address, loading.netError);
    else if (!canceled) this.#record(loading);
  }

  #drop(requestId: string): Loading | undefined {
    const loading = this.#traffic.loading.get(requestId);
    clearTimeout(loading?.timer);
    this.#traffic.loading.delete(requestId);
    if (loading) this.#noteChange(loading, 0);
    return loading;
  }

  #record(loading: Loading): void {
    if (loading.recorded) return;
    loading.recorded = true;
    const address = cut(loading.url);
    if (this.#traffic.failed.some(({ url }) => url === address)) return; // it is tried again
    loading.proxyFailure = this.#findProxyFailure(loading);
    this.#traffic.failures++;
    if (this.#traffic.failed.length >= MAX_KEPT) return;
    loading.url = address;
    loading.address = null;
    this.#traffic.failed.push(loading);
    const lacksStatus = loading.withheldAt !== undefined && !loading.proxyFailure && this.#findStatus(loading) === undefined;
    if (lacksStatus) this.#traffic.awaitingStatus.set(loading.requestId, loading);
  }

  /** If a response came through a tunnel, failures of other tunnels to the same host do not concern it. */
  #findProxyFailure({ address, status, withheldAt }: Loading): OutboundFailure | undefined {
    const answered = status !== undefined || withheldAt !== undefined;
    return answered && address?.protocol === 'https:' ? undefined : this.#proxy.findFailure(address);
  }

  /**
   * If the proxy knows the cause, it overrides what Chromium reports, which is only the answer of the proxy. An error response
   * instead of an image, a style sheet or a font may be withheld from the document. Then its status counts.
   */
  #describe(loading: Loading): FailedResource {
    const { url, overdue, netError, proxyFailure, status = this.#findStatus(loading) ?? 0 } = loading;
    const hasFailed = status >= 400 || this.#options?.countsAsFailed(status);
    const refused = proxyFailure?.refusedBy !== undefined;
    const answered = hasFailed && !proxyFailure && !overdue;
    return {
      url,
      refused,
      status: answered ? status : undefined,
      remedy: refused ? proxyFailure.remedy : undefined,
      netError: refused || answered ? undefined : (proxyFailure?.netError ?? (overdue ? TIMED_OUT : netError)),
    };
  }
}

/** Adds parts that are missing in the document. Each part is listed once, and each font with one of its URLs. */
export function withMissing(
  { failed, failures, origins }: NetworkFindings,
  missing: readonly MissingResource[],
): Omit<NetworkFindings, 'origins'> {
  const listed = new Set([...failed.map(({ url }) => url), ...origins]);
  const toKey = (address: string) => cut(withoutSecrets(address)).replace(/#.*/, '');
  const isListed = (address: string) => listed.has(toKey(address));
  const reasons = new Map(missing.map(({ url, reason }) => [toKey(url), reason]));
  const isUnnamed = (address: string) => address.startsWith('font-family:');
  const more = missing
    .filter(({ url, others }) => ![url, ...others].some(isListed) && !(isUnnamed(url) && failures))
    .map(({ url, reason }) => ({
      url: cut(withoutSecrets(url)),
      refused: false,
      status: undefined,
      netError: undefined,
      reason,
    }));
  const explained = failed.map((each) => (each.netError === '' ? { ...each, reason: reasons.get(each.url) ?? '' } : each));
  return { failed: [...explained, ...more], failures: failures + more.length };
}

/** Copies the text, because a substring would keep the whole string in memory. */
function cut(url: string): string {
  return Buffer.from(url.slice(0, MAX_URL_CHARACTERS)).toString();
}

/** Removes user name and password from the URL. */
function withoutSecrets(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/, '$1');
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('content_too_large', `the document at url has more than ${limit} bytes`, { members: { limit } });
}

export function loadsTooMuch(limit: number): ServiceError {
  const detail = `the document loads more than ${limit} bytes, counted uncompressed`;
  return new ServiceError('resource_limit', detail, { members: { limit } });
}
