/**
 * What a page loads, watched over DevTools: which parts fail, how long each takes, and how much they are once unpacked. The
 * proxy cannot know: most of what passes it is encrypted.
 */

import type { OutboundFailure, ProxyListener } from '../../egress/egress-proxy.ts';
import { ServiceError } from '../../errors.ts';
import type { Events, Session } from '../devtools/connection.ts';
import type { Part } from './missing-parts.ts';

/** A part of a document that is missing. */
export interface FailedResource {
  url: string;
  /** Not loaded because the policy or a budget says so. */
  refused: boolean;
  /** The answer's, where there was one. */
  status: number | undefined;
  /** Chromium's name for it, where there was none. */
  netError: string | undefined;
  /** For people, where nothing was asked for over the network. */
  reason?: string;
}

/** Parts that are missing, the first ten thousand by name. */
interface NetworkFindings {
  failed: FailedResource[];
  failures: number;
  /** Addresses that led there by redirects. */
  origins: string[];
}

export interface MainResponse {
  /** `null` where it cannot be read. */
  url: URL | null;
  status: number;
  mimeType: string;
  isDownload: boolean;
}

export interface WatchOptions {
  /** For each part but the document itself. */
  resourceTimeoutMs: number;
  /** Of all that is loaded, unpacked. */
  maxBytes: number;
  /** Statuses that count as failed besides those from 400 on. */
  countsAsFailed(status: number): boolean;
  /** Set where the document itself is loaded from its address. */
  main?: {
    maxBytes: number;
    /** Also of the next, where the document goes on to another. */
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
  /** Before any redirect. */
  asked: string;
  /** Without name and password. */
  url: string;
  /** As far as it can be read. */
  address: URL | null;
  status?: number;
  netError?: string;
  /** Redirects that the network tells of, too. */
  hops: number;
  /** When an answer was kept from the document. */
  withheldAt: number | undefined;
  /** What the proxy knows of it. */
  known?: OutboundFailure | undefined;
  isMain: boolean;
  /** Whether a document is not finished before it has ended. */
  counts: boolean;
  overdue: boolean;
  /** Told as missing already. */
  noted: boolean;
  timer?: NodeJS.Timeout;
}

/** What may be under way as long as the document is, or is of no use to it. */
const ENDLESS = ['EventSource', 'WebSocket', 'Media', 'Ping', 'Prefetch', 'CSPViolationReport'];
/** More often than this an address is not asked for anything new: the document polls. */
const MAX_NEWS = 4;
const TIMED_OUT = 'ERR_TIMED_OUT';
const MAX_KEPT = 10_000;
/** As DevTools and puppeteer have it. */
const QUIET_MS = 500;
const MAX_URL_CHARACTERS = 500;
const MAX_STATUSES = 10_000;
const MAX_STYLES = 1_000;
/** After an answer was kept from the document. */
const STATUS_IS_TOLD_WITHIN_MS = 2_000;
/** What came from a cache has no status that is told: so long it is not known whether anything was sent. */
const SENDING_IS_TOLD_WITHIN_MS = 250;
const WITHHELD = /^ERR_BLOCKED_BY_(?:ORB|RESPONSE)/;
/** An answer that allows too little; a preflight's has another id than the request. */
const NOT_ALLOWED = /^(?!Preflight).*(?:Allow(?:Origin|Credentials)|WildcardOrigin)/;

export class NetworkMonitor {
  readonly #session: Session;
  readonly #proxy: ProxyListener;
  readonly #frameId: string;
  #enabled = false;
  #options: WatchOptions | undefined;
  #loading = new Map<string, Loading>();
  #failed: Loading[] = [];
  #failures = 0;
  /**
   * Statuses by request, as the network told them itself. They come by another way than the rest, and so at any time: before the
   * request, or long after its end.
   */
  #statuses = new Map<string, number[]>();
  /** Requests that the network says it has sent. */
  #sent = new Set<string>();
  /** Whose status is not told yet. */
  #untold = new Map<string, Loading>();
  #onAllTold = () => {};
  /** Requests of style sheets, by their addresses. */
  #styles = new Map<string, string>();
  #bytes = 0;
  #mainBytes = 0;
  /** Called whenever more or less is under way. */
  #onChange = () => {};
  /** How often each address was asked for, without its query. */
  #asked = new Map<string, number>();
  #changes = 0;
  #progressAt = 0;

  constructor(session: Session, proxy: ProxyListener, frameId: string) {
    this.#session = session;
    this.#proxy = proxy;
    this.#frameId = frameId;
    session.on('Network.requestWillBeSent', (event) => this.#begin(event));
    session.on('Network.responseReceived', (event) => this.#judge(event));
    session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => this.#noteStatus(requestId, statusCode));
    session.on('Network.requestWillBeSentExtraInfo', ({ requestId }) => this.#noteSending(requestId));
    session.on('Network.dataReceived', ({ requestId, dataLength }) => this.#count(requestId, dataLength));
    session.on('Network.loadingFinished', ({ requestId }) => this.#finish(requestId));
    session.on('Network.loadingFailed', (event) => this.#lose(event));
  }

  /** Watches until `end`. */
  async begin(options: WatchOptions): Promise<void> {
    this.#options = options;
    if (this.#enabled) return;
    this.#enabled = true;
    await this.#session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }); // bodies are of no interest
  }

  /**
   * What was missing. Waits for the statuses of answers that were kept from the document, but no
   * longer than `maxWaitMs`.
   */
  async findings(maxWaitMs: number): Promise<NetworkFindings> {
    const latest = performance.now() + maxWaitMs;
    for (let until = this.#toldBy(latest); until > performance.now(); until = this.#toldBy(latest)) await this.#allTold(until);
    const failed = this.#failed.map((loading) => this.#describe(loading));
    return { failed, failures: this.#failures, origins: this.#failed.map(({ asked }) => asked) };
  }

  /** Of a style sheet that came; Chromium holds it as long as the document is there. Asking for it loads nothing. */
  async styleText(url: string): Promise<string> {
    const requestId = this.#styles.get(cut(withoutSecrets(url)));
    if (requestId === undefined) return '';
    const asked = this.#session.send('Network.getResponseBody', { requestId });
    return await asked.then(
      ({ body, base64Encoded }) => (base64Encoded ? '' : body),
      () => '',
    );
  }

  /** Resolves when for half a second at most so many requests were under way. */
  idle(atMost: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let quiet: NodeJS.Timeout | undefined;
    this.#onChange = () => {
      if (this.#loading.size <= atMost) quiet ??= setTimeout(resolve, QUIET_MS);
      else {
        clearTimeout(quiet);
        quiet = undefined;
      }
    };
    this.#onChange();
    return promise;
  }

  /** How many requests have begun or ended. */
  get changes(): number {
    return this.#changes;
  }

  /** When a request last began or ended that was not one of a row of polls. */
  get progressAt(): number {
    return this.#progressAt;
  }

  /** Addresses of what a document is not finished without. */
  get underWay(): string[] {
    const held = [...this.#loading.values()].filter(({ counts }) => counts);
    return [...new Set(held.map(({ url }) => cut(url)))];
  }

  /** Resolves when nothing a document is not finished without is under way, or at the time that is told, anew after each change. */
  async quiet(latest: () => number): Promise<void> {
    while (this.underWay.length && performance.now() < latest()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onChange = resolve;
      const timer = setTimeout(resolve, latest() - performance.now());
      await promise;
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#options = undefined;
    this.#asked.clear();
    this.#changes = 0;
    this.#progressAt = 0;
    this.#statuses.clear();
    this.#styles.clear();
    this.#sent.clear();
    this.#untold.clear();
    this.#onAllTold = () => {};
    this.#onChange = () => {};
    for (const { timer } of this.#loading.values()) clearTimeout(timer);
    this.#loading.clear();
    this.#failed = [];
    this.#failures = 0;
    this.#bytes = 0;
    this.#mainBytes = 0;
  }

  /** By when all statuses that will be told should have been. */
  #toldBy(latest: number): number {
    let by = 0;
    for (const { requestId, withheldAt = 0 } of this.#untold.values()) {
      const within = this.#sent.has(requestId) ? STATUS_IS_TOLD_WITHIN_MS : SENDING_IS_TOLD_WITHIN_MS;
      by = Math.max(by, withheldAt + within);
    }
    return Math.min(by, latest);
  }

  async #allTold(until: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, until - performance.now());
    this.#onAllTold = resolve;
    await promise;
    clearTimeout(timer);
  }

  #toldStatus({ requestId, hops }: Loading): number | undefined {
    const told = this.#statuses.get(requestId) ?? [];
    return told.length > hops ? told.at(-1) : undefined;
  }

  #begin({ requestId, loaderId, frameId, type, request, redirectHasExtraInfo }: Events['Network.requestWillBeSent'][0]): void {
    if (!this.#options || !/^https?:/.test(request.url)) return;
    const isMain = frameId === this.#frameId && type === 'Document' && requestId === loaderId;
    const before = this.#loading.get(requestId);
    clearTimeout(before?.timer); // a redirect begins anew
    const hops = (before?.hops ?? 0) + Number(redirectHasExtraInfo);
    const address = URL.parse(request.url);
    const url = withoutSecrets(request.url);
    const loading: Loading = {
      requestId,
      asked: before?.asked ?? cut(url),
      url,
      address,
      isMain,
      counts: !isMain && !ENDLESS.includes(type ?? ''),
      hops,
      withheldAt: undefined,
      overdue: false,
      noted: false,
    };
    if (isMain) this.#options.main?.onBegin();
    if (isMain) this.#mainBytes = 0;
    else this.#limitTime(loading, this.#options.resourceTimeoutMs);
    this.#loading.set(requestId, loading);
    this.#noteChange(loading, 1);
  }

  #noteChange({ url, counts }: Loading, more: 0 | 1): void {
    if (counts) this.#changes++;
    const [address = ''] = cut(url).split(/[?#]/);
    const times = (this.#asked.get(address) ?? 0) + more;
    if (this.#asked.size < MAX_KEPT) this.#asked.set(address, times);
    if (counts && times <= MAX_NEWS) this.#progressAt = performance.now();
    this.#onChange();
  }

  /** Once more after each time-out: Chromium tries again by itself. */
  #limitTime(loading: Loading, milliseconds: number): void {
    loading.timer = setTimeout(() => {
      loading.overdue = true;
      this.#proxy.abortRequest(loading.address);
      this.#limitTime(loading, milliseconds);
    }, milliseconds);
  }

  #judge({ requestId, type, response }: Events['Network.responseReceived'][0]): void {
    const loading = this.#loading.get(requestId);
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
    if (status >= 400 || this.#options.countsAsFailed(status)) this.#note(loading);
  }

  #noteStyle({ requestId, asked }: Loading, url: string): void {
    if (this.#styles.size >= MAX_STYLES) return;
    this.#styles.set(asked, requestId).set(cut(withoutSecrets(url)), requestId);
  }

  #noteStatus(requestId: string, status: number): void {
    if (!this.#options || this.#statuses.size >= MAX_STATUSES) return;
    this.#statuses.set(requestId, [...(this.#statuses.get(requestId) ?? []), status]);
    const untold = this.#untold.get(requestId);
    if (!untold || this.#toldStatus(untold) === undefined) return;
    this.#untold.delete(requestId);
    if (!this.#untold.size) this.#onAllTold();
  }

  #noteSending(requestId: string): void {
    if (this.#options && this.#sent.size < MAX_STATUSES) this.#sent.add(requestId);
  }

  #count(requestId: string, bytes: number): void {
    const { main, maxBytes, fail } = this.#options ?? {};
    this.#bytes += bytes;
    if (maxBytes !== undefined && this.#bytes > maxBytes)
      fail?.(resourceLimit(`what the document loads has more than ${maxBytes} bytes, unpacked`, maxBytes));
    if (!main || !this.#loading.get(requestId)?.isMain) return;
    this.#mainBytes += bytes;
    if (this.#mainBytes > main.maxBytes) fail?.(tooLarge(main.maxBytes));
  }

  #finish(requestId: string): void {
    if (!this.#drop(requestId)?.isMain) return;
    const next = [...this.#loading.values()].some(({ isMain }) => isMain); // the page went on before it was read to its end
    if (!next) this.#options?.main?.onLoaded();
  }

  #lose({ requestId, errorText, canceled, corsErrorStatus }: Events['Network.loadingFailed'][0]): void {
    const loading = this.#drop(requestId);
    if (!loading || !this.#options) return;
    loading.netError = errorText.replace(/^net::/, '');
    const isWithheld = WITHHELD.test(loading.netError) || NOT_ALLOWED.test(corsErrorStatus?.corsError ?? '');
    if (isWithheld) loading.withheldAt = performance.now();
    if (loading.isMain && canceled) this.#options.main?.onCanceled(requestId);
    else if (loading.isMain) this.#options.main?.onFailure(loading.address, loading.netError);
    else if (!canceled) this.#note(loading);
  }

  #drop(requestId: string): Loading | undefined {
    const loading = this.#loading.get(requestId);
    clearTimeout(loading?.timer);
    this.#loading.delete(requestId);
    if (loading) this.#noteChange(loading, 0);
    return loading;
  }

  #note(loading: Loading): void {
    if (loading.noted) return;
    loading.noted = true;
    loading.known = this.#knownOf(loading);
    this.#failures++;
    if (this.#failed.length >= MAX_KEPT) return;
    loading.url = cut(loading.url);
    loading.address = null;
    this.#failed.push(loading);
    const isUntold = loading.withheldAt !== undefined && !loading.known && this.#toldStatus(loading) === undefined;
    if (isUntold) this.#untold.set(loading.requestId, loading);
  }

  /** Where an answer came through a tunnel, whatever else happened to one to the same host is none of its business. */
  #knownOf({ address, status, withheldAt }: Loading): OutboundFailure | undefined {
    const answered = status !== undefined || withheldAt !== undefined;
    return answered && address?.protocol === 'https:' ? undefined : this.#proxy.failureOf(address);
  }

  /**
   * Where the proxy knows better than Chromium, which sees an answer of the proxy, the proxy's word counts. An error in place of
   * an image, a style sheet or a font may be kept from the document altogether: then its status counts.
   */
  #describe(loading: Loading): FailedResource {
    const { url, overdue, netError, known, status = this.#toldStatus(loading) ?? 0 } = loading;
    const hasFailed = status >= 400 || this.#options?.countsAsFailed(status);
    const refused = known?.refusedBy !== undefined;
    const answered = hasFailed && !known && !overdue;
    return {
      url,
      refused,
      status: answered ? status : undefined,
      netError: refused || answered ? undefined : (known?.netError ?? (overdue ? TIMED_OUT : netError)),
    };
  }
}

/** Of what is missing in the document as well each part once, and each font by one of its addresses. */
export function withMissing(
  { failed, failures, origins }: NetworkFindings,
  missing: readonly Part[],
): Omit<NetworkFindings, 'origins'> {
  const told = new Set([...failed.map(({ url }) => url), ...origins]);
  const keyOf = (address: string) => cut(withoutSecrets(address)).replace(/#.*/, '');
  const isTold = (address: string) => told.has(keyOf(address));
  const reasons = new Map(missing.map(({ url, reason }) => [keyOf(url), reason]));
  const isUnnamed = (address: string) => address.startsWith('font-family:');
  const more = missing
    .filter(({ url, others }) => ![url, ...others].some(isTold) && !(isUnnamed(url) && failures))
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

/** Copied: a part of a text would keep the whole. */
function cut(url: string): string {
  return Buffer.from(url.slice(0, MAX_URL_CHARACTERS)).toString();
}

/** A name and a password in an address are nobody's business. */
function withoutSecrets(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/, '$1');
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('content_too_large', `the document at url has more than ${limit} bytes`, { members: { limit } });
}

function resourceLimit(detail: string, limit: number): ServiceError {
  return new ServiceError('resource_limit', detail, { members: { limit } });
}
