/** Traffic of one render: what it has taken from the network, what it still may, and its connections. */
import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Refusal } from './policy.ts';

/** What one render may take from the network. */
export interface OutboundBudget {
  requests: number;
  bytes: number;
  /** At one time. */
  connections: number;
  /** Without a byte from the other side. */
  silenceMs: number;
}

/** What one render has taken. Hosts stand with their port; only the first hundred are named. */
export interface OutboundReport {
  /** Requests and tunnels asked for. */
  requests: number;
  bytes: number;
  /** Hosts that were connected to. */
  contacted: string[];
  /** Hosts that were refused, or cut off. */
  refused: string[];
}

/** Why there was no answer from a host, in the words of Chromium's network errors. */
export interface OutboundFailure {
  /** Nothing is known of what is there. */
  refusedBy: 'policy' | 'budget' | undefined;
  netError: string;
}

/** Something that can be ended while it is under way. */
interface Exchange extends RequestTarget {
  end(): void;
}

/** Where a request goes. */
export interface RequestTarget {
  host: string;
  /** Undefined for a tunnel, in which anything may be under way. */
  url: string | undefined;
}

const OVER_BUDGET = { overBudget: true };
const MAX_NAMED = 100;
const MAX_FAILURES = 10_000;
export const TIMED_OUT: OutboundFailure = { refusedBy: undefined, netError: 'ERR_TIMED_OUT' };
export const UNREADABLE: OutboundFailure = { refusedBy: 'policy', netError: 'ERR_BLOCKED' };

export class RenderTraffic {
  readonly #budget: OutboundBudget;
  readonly #streams = new Set<Socket>();
  readonly #exchanges = new Set<Exchange>();
  readonly #contacted = new Set<string>();
  readonly #refused = new Set<string>();
  /** The latest, by the address or, for a tunnel, by the host. */
  readonly #failures = new Map<string, OutboundFailure>();
  /** Keeps connections for the next request of this render. */
  agent: Agent | undefined;
  #silenceMs: number;
  #requests = 0;
  #bytes = 0;
  #over = false;

  constructor(budget: OutboundBudget) {
    this.#budget = budget;
    this.#silenceMs = budget.silenceMs;
  }

  /** Counts one more request. Throws `Refusal` when the budget allows none. */
  begin(): void {
    if (++this.#requests > this.#budget.requests) throw new Refusal('more requests than a render may make', OVER_BUDGET);
    if (this.#bytes >= this.#budget.bytes) throw new Refusal('more bytes than a render may take', OVER_BUDGET);
  }

  /** For one more connection, in place of one that is not used now. Throws `Refusal` when all are. */
  freeConnection(): void {
    if (this.#streams.size < this.#budget.connections) return;
    const [idle] = this.#idle;
    if (!idle) throw new Refusal('more connections than a render may have', OVER_BUDGET);
    this.#streams.delete(idle);
    idle.destroy();
  }

  /** Nothing may be begun any more. */
  get over(): boolean {
    return this.#over;
  }

  /** Belongs to this render from its first moment on, and ends with it. */
  adopt(stream: Socket): void {
    if (this.#over) stream.destroy();
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
  }

  /** There is a connection to the host. */
  reached(host: string, stream: Socket): void {
    if (this.#contacted.size < MAX_NAMED) this.#contacted.add(host);
    this.limit(stream);
  }

  /** Its other side may be silent for so long as the render says. */
  limit(stream: Socket): void {
    stream.setTimeout(this.#silenceMs);
  }

  /** There is an answer. */
  answered(to: RequestTarget): void {
    this.#failures.delete(keyOf(to));
  }

  failed(to: RequestTarget, failure: OutboundFailure): void {
    const key = keyOf(to);
    this.#failures.delete(key); // so that it is the latest
    this.#failures.set(key, failure);
    const [oldest = key] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES) this.#failures.delete(oldest);
    if (failure.refusedBy) this.#noteRefusal(to.host);
  }

  /** Why the last attempt to load this address led to nothing. */
  failureOf(url: URL): OutboundFailure | undefined {
    return this.#failures.get(keyOf({ host: hostOf(url), url: url.protocol === 'http:' ? hrefOf(url) : undefined }));
  }

  /** From now on a host may be silent for so long only. */
  limitSilence(milliseconds: number): void {
    this.#silenceMs = milliseconds;
    for (const stream of this.#streams) stream.setTimeout(milliseconds);
  }

  /** Something is under way until the returned function is called. */
  track(exchange: Exchange): () => void {
    this.#exchanges.add(exchange);
    return () => this.#exchanges.delete(exchange);
  }

  /** Ends what is under way for this address: the request itself or, where it is inside one, the tunnel. */
  abort(url: URL): void {
    const host = hostOf(url);
    for (const exchange of this.#exchanges) {
      if (exchange.host !== host || (exchange.url !== undefined && exchange.url !== hrefOf(url))) continue;
      this.failed(exchange, TIMED_OUT);
      this.#noteRefusal(host);
      exchange.end();
    }
  }

  /** Counts what comes from `source`, and ends the exchange that takes too much. */
  count(host: string, source: Readable, end: () => void): void {
    source.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes <= this.#budget.bytes) return;
      this.#noteRefusal(host);
      end();
    });
  }

  /** Nothing at all may be asked for. */
  get offline(): boolean {
    return this.#budget.requests === 0;
  }

  /** Ends every connection. */
  end(): OutboundReport {
    this.#over = true;
    this.agent?.destroy();
    for (const stream of this.#streams) stream.destroy();
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      contacted: [...this.#contacted],
      refused: [...this.#refused],
    };
  }

  /** Connections that wait for the next request. */
  get #idle(): Socket[] {
    return Object.values(this.agent?.freeSockets ?? {}).flatMap((sockets) => sockets ?? []);
  }

  #noteRefusal(host: string): void {
    if (host && this.#refused.size < MAX_NAMED) this.#refused.add(host);
  }
}

/** `host:port`, the port also where the scheme says it. */
export function hostOf(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' || url.protocol === 'wss:' ? 443 : 80)}`;
}

/** As a request names it: nothing of what stays in the browser. */
export function hrefOf(url: URL): string {
  const { protocol, host, pathname, search } = url;
  return `${protocol}//${host}${pathname}${search}`;
}

function keyOf({ host, url }: RequestTarget): string {
  return url ?? host;
}
