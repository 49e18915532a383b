/** Counts the traffic of one render, enforces its budget, and holds its connections. */
import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { RefusedError } from './policy.ts';

/** Limits of the traffic of one render. */
export interface OutboundBudget {
  requests: number;
  bytes: number;
  /** Number of connections at the same time. */
  connections: number;
  /** How long a server may send nothing. */
  silenceMs: number;
}

/** The traffic of one render. Hosts include their port, and only the first hundred are named. */
export interface OutboundReport {
  /** Number of requests and tunnels. */
  requests: number;
  bytes: number;
  /** Hosts to which a connection was made. */
  contacted: string[];
  /** Hosts that were refused, or whose connection was ended. */
  refused: string[];
  /** What the operator can set to allow a refused host. */
  remedies?: ReadonlyMap<string, string>;
}

/** The reason why a host gave no answer, named as Chromium's network errors are. */
export interface OutboundFailure {
  /** Set if Platen refused the connection, so that nothing is known about the host. */
  refusedBy: 'policy' | 'budget' | undefined;
  netError: string;
  /** What the operator can set so that it is allowed. */
  remedy?: string | undefined;
}

/** A request or a tunnel that is under way and can be ended. */
interface Exchange extends RequestTarget {
  end(): void;
}

/** The target of a request. */
export interface RequestTarget {
  host: string;
  /** Undefined for a tunnel, whose content is not visible. */
  url: string | undefined;
}

const OVER_BUDGET = { overBudget: true };
const MAX_NAMED = 100;
/** A chunk counts as no less, because a server can send each byte alone, which takes hundreds of times as long. */
const MIN_CHUNK_BYTES = 256;
const MAX_FAILURES = 10_000;
export const TIMED_OUT: OutboundFailure = { refusedBy: undefined, netError: 'ERR_TIMED_OUT' };
export const UNREADABLE: OutboundFailure = { refusedBy: 'policy', netError: 'ERR_BLOCKED' };

export class RenderTraffic {
  readonly #budget: OutboundBudget;
  readonly #streams = new Set<Socket>();
  readonly #exchanges = new Set<Exchange>();
  readonly #contacted = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #remedies = new Map<string, string>();
  /** The latest failures by URL or, for a tunnel, by host. */
  readonly #failures = new Map<string, OutboundFailure>();
  /** Keeps connections open for the next request of this render. */
  agent: Agent | undefined;
  #silenceMs: number;
  #requests = 0;
  #bytes = 0;
  /** The bytes that count for the budget. */
  #used = 0;
  #ended = false;

  constructor(budget: OutboundBudget) {
    this.#budget = budget;
    this.#silenceMs = budget.silenceMs;
  }

  /** Counts a request. Throws `RefusedError` if the budget is used up. */
  begin(): void {
    if (++this.#requests > this.#budget.requests) throw new RefusedError('more requests than a render may make', OVER_BUDGET);
    if (this.#used >= this.#budget.bytes) throw new RefusedError('more bytes than a render may take', OVER_BUDGET);
  }

  /** Makes room for a connection by closing an idle one if necessary. Throws `RefusedError` if all are busy. */
  freeConnection(): void {
    if (this.#streams.size < this.#budget.connections) return;
    const [idle] = this.#idle;
    if (!idle) throw new RefusedError('more connections than a render may have', OVER_BUDGET);
    this.#streams.delete(idle);
    idle.destroy();
  }

  /** Whether the render has ended, so that nothing new may begin. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Makes the connection end with this render. */
  adopt(stream: Socket): void {
    if (this.#ended) stream.destroy();
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
  }

  /** Notes that a connection to the host exists. */
  noteReached(host: string, stream: Socket): void {
    if (this.#contacted.size < MAX_NAMED) this.#contacted.add(host);
    this.limit(stream);
  }

  /** Applies the limit of silence to the connection. */
  limit(stream: Socket): void {
    stream.setTimeout(this.#silenceMs);
  }

  /** Notes that there was an answer. */
  noteAnswered(to: RequestTarget): void {
    this.#failures.delete(targetKey(to));
  }

  noteFailed(to: RequestTarget, failure: OutboundFailure): void {
    const key = targetKey(to);
    this.#failures.delete(key); // this moves the key to the end of the map
    this.#failures.set(key, failure);
    const [oldest = key] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES) this.#failures.delete(oldest);
    if (!failure.refusedBy) return;
    this.#noteRefusal(to.host);
    if (failure.remedy && this.#refused.has(to.host)) this.#remedies.set(to.host, failure.remedy);
  }

  /** Tells why the last attempt to load this URL failed. */
  findFailure(url: URL): OutboundFailure | undefined {
    return this.#failures.get(targetKey({ host: hostWithPort(url), url: url.protocol === 'http:' ? toHref(url) : undefined }));
  }

  /** Sets how long a host may be silent from now on. */
  limitSilence(milliseconds: number): void {
    this.#silenceMs = milliseconds;
    for (const stream of this.#streams) stream.setTimeout(milliseconds);
  }

  /** Notes that the exchange is under way until the returned function is called. */
  track(exchange: Exchange): () => void {
    this.#exchanges.add(exchange);
    return () => this.#exchanges.delete(exchange);
  }

  /** Ends the request for this URL, or the tunnel that it is in. */
  abort(url: URL): void {
    const host = hostWithPort(url);
    for (const exchange of this.#exchanges) {
      if (exchange.host !== host || (exchange.url !== undefined && exchange.url !== toHref(url))) continue;
      this.noteFailed(exchange, TIMED_OUT);
      this.#noteRefusal(host);
      exchange.end();
    }
  }

  /** Counts the bytes of `source`, and calls `end` if they exceed the budget. */
  count(host: string, source: Readable, end: () => void): void {
    source.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      this.#used += Math.max(chunk.length, MIN_CHUNK_BYTES);
      if (this.#used <= this.#budget.bytes) return;
      this.#noteRefusal(host);
      end();
    });
  }

  /** Whether the budget allows no requests at all. */
  get offline(): boolean {
    return this.#budget.requests === 0;
  }

  /** Ends every connection. */
  end(): OutboundReport {
    this.#ended = true;
    this.agent?.destroy();
    for (const stream of this.#streams) stream.destroy();
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      contacted: [...this.#contacted],
      refused: [...this.#refused],
      remedies: this.#remedies,
    };
  }

  /** Connections without a request. */
  get #idle(): Socket[] {
    return Object.values(this.agent?.freeSockets ?? {}).flatMap((sockets) => sockets ?? []);
  }

  #noteRefusal(host: string): void {
    if (host && this.#refused.size < MAX_NAMED) this.#refused.add(host);
  }
}

/** Returns `host:port`, with the default port of the scheme if the URL names none. */
export function hostWithPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' || url.protocol === 'wss:' ? 443 : 80)}`;
}

/** Returns the URL as a request names it, without credentials and fragment. */
export function toHref(url: URL): string {
  const { protocol, host, pathname, search } = url;
  return `${protocol}//${host}${pathname}${search}`;
}

function targetKey({ host, url }: RequestTarget): string {
  return url ?? host;
}
