/** Sends requests with the key, repeats them if that is safe, and throws errors. */
import { errorOf, PlatenConnectionError, type PlatenError } from './errors.ts';

export interface PlatenOptions {
  /** The API key, such as `plt_...`. */
  key: string;
  /** The URL of the service. Default: `http://127.0.0.1:3000`. */
  baseUrl?: string;
  /** How many times a request is repeated after a lost connection, 429 or 503. Default: 3. */
  maxRetries?: number;
  /** The longest pause before a request is repeated, in seconds. A longer `Retry-After` ends the retries. Default: 30. */
  maxRetryDelay?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Aborts the call and its retries. */
  signal?: AbortSignal;
  /** Identifies the request, which is rendered, charged and stored only once, even if you send it again. Default: a new UUID for each call. */
  idempotencyKey?: string;
}

export interface RequestInput extends CallOptions {
  method?: string;
  query?: Query;
  headers?: Record<string, string>;
  /** Bytes are sent unchanged, other values as JSON. */
  body?: unknown;
}

/** Members of an object are sent as `name[member]`. */
export type Query = Record<string, string | number | Record<string, string> | undefined>;

export class Transport {
  readonly #base: string;
  readonly #key: string;
  readonly #fetch: typeof fetch;
  readonly #maxRetries: number;
  readonly #maxRetryDelay: number;

  constructor({ key, baseUrl = 'http://127.0.0.1:3000', maxRetries = 3, maxRetryDelay = 30, fetch }: PlatenOptions) {
    if (!key) throw new TypeError('Platen needs a key: new Platen({ key: "plt_..." })');
    this.#base = baseUrl.replace(/(?:\/v1)?\/*$/, '');
    this.#key = key;
    this.#fetch = fetch ?? globalThis.fetch.bind(globalThis);
    this.#maxRetries = maxRetries;
    this.#maxRetryDelay = maxRetryDelay;
  }

  /** Returns the response before its body is read. Throws `PlatenError` for a status of 400 and above. */
  async send(path: string, input: RequestInput = {}): Promise<Response> {
    const request = this.#requestOf(path, input);
    for (let sent = 0; ; sent++) {
      const failure = await this.#attempt(request);
      if (failure instanceof Response) return failure;
      const pause = pauseAfter(failure, sent);
      if (sent >= this.#maxRetries || pause === undefined || pause > this.#maxRetryDelay) throw failure;
      await sleep(pause * 1_000, input.signal);
    }
  }

  async json<T>(path: string, input: RequestInput = {}): Promise<T> {
    const response = await this.send(path, { ...input, headers: { accept: 'application/json', ...input.headers } });
    return (await response.json()) as T;
  }

  #requestOf(path: string, { method = 'GET', query = {}, headers, body, signal, idempotencyKey }: RequestInput): () => Request {
    const url = new URL(this.#base + path);
    for (const [name, value] of parametersOf(query)) url.searchParams.set(name, value);
    const init: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(method === 'POST' && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
        ...(body !== undefined && {
          'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json',
        }),
        ...headers,
      },
      ...(body !== undefined && { body: body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    return () => new Request(url, init);
  }

  async #attempt(request: () => Request): Promise<Response | PlatenError | PlatenConnectionError> {
    let response: Response;
    try {
      response = await this.#fetch(request());
    } catch (error) {
      if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) throw error;
      return new PlatenConnectionError(`The service at ${this.#base} could not be reached`, { cause: error });
    }
    return response.ok || response.status === 304 ? response : errorOf(response);
  }
}

function parametersOf(query: Query): Array<[name: string, value: string]> {
  return Object.entries(query).flatMap(([name, value]): Array<[string, string]> => {
    if (typeof value !== 'object') return value === undefined ? [] : [[name, String(value)]];
    return Object.entries(value).map(([member, value]) => [`${name}[${member}]`, value]);
  });
}

/** Errors after which the same request may succeed. Nothing has been charged when they are returned. */
const TEMPORARY: ReadonlySet<string> = new Set([
  ...['queue_full', 'rate_limited', 'concurrency_limited', 'memory_limited', 'idempotency_running'],
  ...['browser_unavailable', 'storage_failed', 'overloaded', 'shutting_down'],
]);

/** Returns the seconds to wait, or undefined if the request would fail again. */
function pauseAfter(failure: PlatenError | PlatenConnectionError, sent: number): number | undefined {
  const backoff = 0.25 * 2 ** sent * (1 + Math.random());
  if (failure instanceof PlatenConnectionError) return backoff;
  const fromProxy = [502, 503, 504].includes(failure.status) && failure.problem.type === 'about:blank';
  if (!fromProxy && !TEMPORARY.has(failure.code)) return undefined;
  return Math.max(failure.retryAfter ?? 0, backoff);
}

export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}
