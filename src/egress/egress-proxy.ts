/**
 * The egress proxy. Every page has a listener, which is an HTTP proxy on its own port, and all requests of the page pass through
 * it. A listener serves while a render is under way. It ends every connection when the render ends, so that nothing is sent
 * afterwards.
 */
import { AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connects } from './connect.ts';
import type { HostedAssets } from './hosted-assets.ts';
import { limitInterimResponses } from './interim-responses.ts';
import { Pace } from './pace.ts';
import { type OutboundPolicy, RefusedError } from './policy.ts';
import { type RefusalLine, RefusalLog, type Wait } from './refusal-log.ts';
import {
  hostWithPort,
  type OutboundBudget,
  type OutboundFailure,
  type OutboundReport,
  RenderTraffic,
  type RequestTarget,
  TIMED_OUT,
  toHref,
  UNREADABLE,
} from './render-traffic.ts';

export type { OutboundBudget, OutboundFailure, OutboundReport };

export type EgressProxy = Awaited<ReturnType<typeof startEgressProxy>>;

type Log = (line: RefusalLine) => void;

interface RefusalObserver {
  /** Is called for every refusal. */
  onRefused: () => void;
  /** Writes a line to the log. */
  log: Log;
  wait: Wait | undefined;
}

/** How fast the documents of one owner get assets that they have had before. At this rate, other owners notice nothing. */
const REPEATED_ASSETS_PER_SECOND = 16_777_216;
const REPEATED_ASSETS_AT_ONCE = 8_388_608;
const CONNECT_TIMEOUT_MS = 5_000;
/** Limits connecting to all addresses of a name together. */
const MAX_CONNECTING_MS = 8_000;
const MAX_HEADER_BYTES = 65_536;
const NOTHING: OutboundReport = { requests: 0, bytes: 0, contacted: [], refused: [] };
const NET_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'ERR_CONNECTION_REFUSED',
  ECONNRESET: 'ERR_CONNECTION_RESET',
  ETIMEDOUT: 'ERR_CONNECTION_TIMED_OUT',
  EHOSTUNREACH: 'ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'ERR_ADDRESS_UNREACHABLE',
  HPE_HEADER_OVERFLOW: 'ERR_RESPONSE_HEADERS_TOO_BIG',
};
/** The error if a server answers with something other than HTTP. */
const INVALID_RESPONSE = 'ERR_INVALID_HTTP_RESPONSE';
const EMPTY_RESPONSE = 'ERR_EMPTY_RESPONSE';
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

/** Starts the proxy on free loopback ports. Refusals are logged at most once a second for each render. */
export async function startEgressProxy(policy: OutboundPolicy, log: Log = () => {}, wait?: Wait) {
  let refused = 0;
  const listeners = new Set<ProxyListener>();
  const pace = new Pace(REPEATED_ASSETS_PER_SECOND, REPEATED_ASSETS_AT_ONCE);
  const openListener = async () => {
    const listener = new ProxyListener(policy, pace, { onRefused: () => refused++, log, wait });
    await listener.listen();
    listeners.add(listener);
    void listener.closed.then(() => listeners.delete(listener));
    return listener;
  };
  const refusingListener = await openListener(); // it never starts a render, so that it refuses everything
  return {
    /** The value of `--proxy-server`. It refuses requests that do not belong to a page. */
    url: refusingListener.proxyUrl,
    /** Number of requests refused so far. */
    get refused() {
      return refused;
    },
    openListener,
    async close() {
      await Promise.all([...listeners].map((listener) => listener.close()));
    },
  };
}

export class ProxyListener {
  readonly closed: Promise<void>;
  readonly #policy: OutboundPolicy;
  readonly #pace: Pace;
  readonly #observer: RefusalObserver;
  /** Belongs to the present render or, between renders, to the last one. */
  #refusals: RefusalLog;
  readonly #server: Server;
  /**
   * Connections from the page with a request under way. Idle connections stay open for the next render, because they carry
   * nothing.
   */
  readonly #busy = new Set<Duplex>();
  /** Connections on which assets were requested. They are closed, because no later document uses that origin. */
  readonly #assetConnections = new Set<Duplex>();
  #assets: HostedAssets | undefined;
  #traffic: RenderTraffic | undefined;
  #port = 0;
  /** Requests that came after `endRender`. They show that something of the document still runs. */
  lateRequests = 0;

  constructor(policy: OutboundPolicy, pace: Pace, observer: RefusalObserver) {
    this.#policy = policy;
    this.#pace = pace;
    this.#observer = observer;
    this.#refusals = new RefusalLog(observer.log, observer.wait);
    this.#server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 30_000 });
    this.#server.on('request', (request, response) => this.#forward(request, response));
    this.#server.on('connect', (request, socket, head) => void this.#tunnel(request, socket, head));
    this.#server.on('upgrade', (_request, socket) => socket.destroy());
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    this.#server.on('connection', (socket) => socket.on('error', () => socket.destroy()));
    this.closed = once(this.#server, 'close').then(
      () => {},
      () => {}, // it was never listening
    );
  }

  /** The proxy URL for the browser context of the page. */
  get proxyUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#server.unref();
    this.#port = (this.#server.address() as AddressInfo).port;
    this.#policy.protect(this.#port);
  }

  /** Allows the page to reach its assets, and what the policy allows, within the budget. */
  startRender(budget: OutboundBudget, assets?: HostedAssets): void {
    this.#assets = assets;
    this.lateRequests = 0;
    this.#traffic = new RenderTraffic(budget);
    const log = AsyncResource.bind(this.#observer.log); // requests of the page arrive outside the context of the render
    this.#refusals = new RefusalLog(log, this.#observer.wait);
  }

  /** Ends every connection, and reports the traffic of the render. */
  endRender(): OutboundReport {
    const report = this.#traffic?.end() ?? NOTHING;
    this.#traffic = undefined;
    this.#assets = undefined;
    for (const socket of [...this.#busy, ...this.#assetConnections]) socket.destroy();
    return report;
  }

  /** Sets how long a server may be silent from now on. */
  limitSilence(milliseconds: number): void {
    this.#traffic?.limitSilence(milliseconds);
  }

  /** Ends the request for this URL. An encrypted connection ends as a whole, with all requests in it. */
  abortRequest(url: URL | null): void {
    if (url) this.#traffic?.abort(url);
  }

  /**
   * Tells why the last attempt to load this URL failed. Chromium accepts URLs that Node cannot parse, for which the URL is
   * `null`.
   */
  findFailure(url: URL | null): OutboundFailure | undefined {
    return url ? this.#traffic?.findFailure(url) : UNREADABLE;
  }

  async close(): Promise<void> {
    this.endRender();
    this.#policy.unprotect(this.#port);
    this.#server.close();
    this.#server.closeAllConnections();
    await this.closed;
  }

  /** A request for an `http:` URL names the whole URL. */
  #forward(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? '');
    const to = { host: url ? hostWithPort(url) : '', url: url ? toHref(url) : '' };
    this.#busy.add(request.socket);
    response.once('close', () => this.#busy.delete(request.socket));
    const traffic = this.#traffic;
    try {
      if (url && this.#assets?.owns(url)) {
        this.#sendAsset(this.#assets, url, request, response);
        return;
      }
      this.#begin(traffic);
      if (url?.protocol !== 'http:') throw new RefusedError('not an address for a proxy');
      this.#ask(traffic, url, to, request, response);
    } catch (error) {
      this.#refuse(response, to, error, traffic);
    }
  }

  /** An asset needs no connection, so that neither the budget nor the policy is asked. */
  #sendAsset(assets: HostedAssets, url: URL, request: IncomingMessage, response: ServerResponse): void {
    if (!this.#assetConnections.has(request.socket)) {
      this.#assetConnections.add(request.socket);
      request.socket.once('close', () => this.#assetConnections.delete(request.socket));
    }
    assets.answer(url, request, response, this.#pace);
  }

  /** The server may close an idle connection at the moment it is used again. Such a request is sent once more. */
  #ask(traffic: RenderTraffic, url: URL, to: RequestTarget, request: IncomingMessage, response: ServerResponse): void {
    const onward = httpRequest({
      agent: this.#getAgent(traffic),
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port || 80,
      method: request.method,
      path: url.pathname + url.search,
      headers: { ...endToEnd(request.headers), host: url.host },
      setHost: false,
    });
    const end = () => {
      onward.destroy();
      breakOff(response);
    };
    const fail = (netError: string) => {
      if (!traffic.findFailure(url)) traffic.noteFailed(to, { refusedBy: undefined, netError });
      end();
    };
    const untrack = traffic.track({ ...to, end });
    response.once('close', () => {
      untrack();
      onward.destroy();
    });
    onward.on('error', (error) => {
      const isWaiting = !response.headersSent && !response.destroyed;
      const wasIdle = onward.reusedSocket && isWaiting && request.method === 'GET' && !traffic.findFailure(url);
      if (error instanceof RefusedError) this.#refuse(response, to, error, traffic);
      else if (wasIdle) this.#ask(traffic, url, to, request, response);
      else fail(toNetError(error, onward.socket));
    });
    onward.on('socket', (socket) => {
      traffic.limit(socket); // the agent removes the time-out from idle connections
      const noteTimeOut = () => traffic.noteFailed(to, TIMED_OUT);
      socket.once('timeout', noteTimeOut);
      onward.once('close', () => socket.off('timeout', noteTimeOut)); // later requests may use the connection
    });
    limitInterimResponses(onward);
    onward.on('upgrade', () => fail(INVALID_RESPONSE)); // the request did not ask for an upgrade
    onward.on('response', (answer) => {
      traffic.noteAnswered(to);
      this.#answer(traffic, to.host, answer, response, { end, fail });
    });
    request.pipe(onward);
  }

  /** The agent reuses connections to the same host during this render. */
  #getAgent(traffic: RenderTraffic): Agent {
    if (traffic.agent) return traffic.agent;
    const agent = new Agent({ keepAlive: true });
    traffic.agent = agent;
    agent.createConnection = ({ host, port }, callback) => {
      const hostname = isIPv6(String(host)) ? `[${host}]` : String(host);
      this.#reach(traffic, hostname, Number(port)).then(
        (socket) => callback?.(null, socket),
        (error: Error) => callback?.(error, undefined as never),
      );
      return undefined;
    };
    return agent;
  }

  #answer(
    traffic: RenderTraffic,
    host: string,
    answer: IncomingMessage,
    response: ServerResponse,
    { end, fail }: { end: () => void; fail: (netError: string) => void },
  ): void {
    answer.on('error', end);
    try {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      traffic.count(host, answer, end);
      answer.pipe(response);
    } catch {
      fail(INVALID_RESPONSE); // the status or a header is invalid
    }
  }

  /** Requests for other schemes come as a tunnel. */
  async #tunnel(request: IncomingMessage, inward: Duplex, head: Buffer): Promise<void> {
    inward.on('error', () => inward.destroy());
    this.#busy.add(inward);
    inward.once('close', () => this.#busy.delete(inward));
    const hostname = URL.parse(`http://${request.url}`)?.hostname ?? '';
    const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1] ?? 0);
    const to = { host: `${hostname}:${port}`, url: undefined };
    const traffic = this.#traffic;
    try {
      this.#begin(traffic);
      const socket = await this.#reach(traffic, hostname, port);
      if (inward.destroyed) return void socket.destroy();
      traffic.noteAnswered(to);
      socket.once('timeout', () => traffic.noteFailed(to, TIMED_OUT));
      inward.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length) socket.write(head);
      const end = () => socket.destroy();
      socket.once('close', traffic.track({ ...to, end }));
      traffic.count(to.host, socket, end);
      socket.pipe(inward).pipe(socket);
      socket.on('close', () => inward.destroy());
      inward.on('close', end);
    } catch (error) {
      this.#note(to, error, traffic);
      inward.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    }
  }

  #begin(traffic: RenderTraffic | undefined): asserts traffic is RenderTraffic {
    if (!traffic) throw new RefusedError('no render is under way');
    traffic.begin();
  }

  /** Connects to an address that the policy has admitted. Throws `RefusedError`. */
  async #reach(traffic: RenderTraffic, hostname: string, port: number): Promise<Socket> {
    const addresses = await this.#policy.admit(hostname, port);
    const socket = await this.#connect(traffic, addresses, port);
    traffic.noteReached(`${hostname}:${port}`, socket);
    return socket;
  }

  /** Tries one address after the other. */
  async #connect(traffic: RenderTraffic, addresses: string[], port: number): Promise<Socket> {
    let netError = 'ERR_CONNECTION_FAILED';
    const giveUpAt = performance.now() + MAX_CONNECTING_MS;
    for (const host of addresses) {
      if (traffic.ended) throw new RefusedError('the render is over');
      if (performance.now() > giveUpAt) break;
      traffic.freeConnection();
      const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
      traffic.adopt(socket);
      socket.on('error', (error: NodeJS.ErrnoException) => {
        netError = NET_ERRORS[error.code ?? ''] ?? netError;
      });
      socket.on('timeout', () => {
        netError = 'ERR_CONNECTION_TIMED_OUT';
        socket.destroy();
      });
      if (await connects(socket)) return socket;
    }
    throw new RefusedError('nothing answers there', { netError });
  }

  #refuse(response: ServerResponse, to: RequestTarget, error: unknown, traffic: RenderTraffic | undefined): void {
    this.#note(to, error, traffic);
    if (response.headersSent || response.destroyed)
      response.destroy(); // the page gave up in the meantime
    else response.writeHead(403, { 'content-length': 0, connection: 'close' }).end();
  }

  #note(to: RequestTarget, error: unknown, traffic: RenderTraffic | undefined): void {
    if (traffic?.ended) return; // the connection ended because the render did
    const refusal = error instanceof RefusedError ? error : new RefusedError('it cannot be reached');
    const { message, netError, overBudget, remedy } = refusal;
    const refusedBy = overBudget ? 'budget' : 'policy';
    traffic?.noteFailed(to, netError ? { refusedBy: undefined, netError } : { refusedBy, netError: 'ERR_BLOCKED', remedy });
    if (!traffic) this.lateRequests++;
    if (traffic?.offline) return;
    this.#observer.onRefused();
    this.#refusals.add({ host: to.host, reason: message });
  }
}

function endToEnd(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const named = String(headers.connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !HOP_BY_HOP.test(name) && !named.includes(name),
  );
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

/** Names the error as Chromium does: https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h */
function toNetError(error: NodeJS.ErrnoException, socket: Socket | null): string {
  // The server closed the connection in order, without an answer.
  if (error.code === 'ECONNRESET' && !socket?.bytesRead && !socket?.errored) return EMPTY_RESPONSE;
  return NET_ERRORS[error.code ?? ''] ?? INVALID_RESPONSE;
}

/** Breaks the connection if a part of the response has been sent, because the page must notice that the rest is missing. */
function breakOff(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else response.writeHead(504, { 'content-length': 0, connection: 'close' }).end();
}
