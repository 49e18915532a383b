/** Sends requests with the key, repeats them if that is safe, and throws errors. */
import { errorOf, PlatenConnectionError, type PlatenError } from './errors.ts';
import { Retries, type RetryLimits } from './retries.ts';

export interface PlatenOptions extends Partial<RetryLimits> {
  /** The API key, such as `plt_...`. */
  key: string;
  /** The URL of the service. Default: `http://127.0.0.1:3000`. */
  baseUrl?: string;
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
  /** Bytes and forms are sent unchanged, other values as JSON. */
  body?: unknown;
}

/** Members of an object are sent as `name[member]`. */
export type Query = Record<string, string | number | Record<string, string> | undefined>;

export class Transport {
  readonly #base: string;
  readonly #key: string;
  readonly #fetch: typeof fetch;
  readonly #limits: RetryLimits;

  constructor(options: PlatenOptions) {
    const { key, baseUrl = 'http://127.0.0.1:3000', fetch } = options;
    const { maxRetries = 3, maxRetryDelay = 30, idempotencyTimeout = 150 } = options;
    if (!key) throw new TypeError('Platen needs a key: new Platen({ key: "plt_..." })');
    this.#base = baseUrl.replace(/(?:\/v1)?\/*$/, '');
    this.#key = key;
    this.#fetch = fetch ?? globalThis.fetch.bind(globalThis);
    this.#limits = { maxRetries, maxRetryDelay, idempotencyTimeout };
  }

  /** Returns the response before its body is read. Throws `PlatenError` for a status of 400 and above. */
  async send(path: string, input: RequestInput = {}): Promise<Response> {
    const request = this.#requestOf(path, input);
    const retries = new Retries(this.#limits);
    for (;;) {
      const failure = await this.#attempt(request);
      if (failure instanceof Response) return failure;
      const pause = retries.pauseAfter(failure);
      if (pause === undefined) throw failure;
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
        ...contentType(body),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
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

function isRaw(body: unknown): body is Uint8Array<ArrayBuffer> | FormData {
  return body instanceof Uint8Array || body instanceof FormData;
}

/** The type of a form has a boundary, which `fetch` adds. */
function contentType(body: unknown): Record<string, string> {
  if (body === undefined || body instanceof FormData) return {};
  return { 'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json' };
}

function parametersOf(query: Query): Array<[name: string, value: string]> {
  return Object.entries(query).flatMap(([name, value]): Array<[string, string]> => {
    if (typeof value !== 'object') return value === undefined ? [] : [[name, String(value)]];
    return Object.entries(value).map(([member, value]) => [`${name}[${member}]`, value]);
  });
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
