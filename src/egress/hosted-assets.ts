/**
 * Answers requests of a page for the files that were sent with its document, from memory. Their origin exists for one render: its
 * name is random, it is never resolved, and only the listener of the page knows it.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import type { Pace } from './pace.ts';

export interface HostedFile {
  /** The media type. */
  type: string;
  content: Buffer;
  /** Whether the document may show or run the file, but its scripts cannot read it. Any origin may read other files. */
  unreadable?: boolean;
  /** The file in another form, for requests that accept only images. */
  asImage?(): Pick<HostedFile, 'type' | 'content'>;
}

/** Files by path, such as `css/print.css`. */
export type HostedFiles = ReadonlyMap<string, HostedFile>;

export interface AssetTraffic {
  /** Whose pace applies. */
  owner: string;
  /** Limits what is sent for one render, because sending it takes time that all renders share. */
  maxBytes: number;
  /** Is called when the document requests more. */
  onExcess(): void;
}

const NAME_BYTES = 16;
/** Limits the requests of one render, because each takes time on the event loop that all renders share. */
const MAX_ANSWERS = 5_000;
/** A request takes about as much time as sending this many bytes. */
const REQUEST_BYTES = 65_536;
const CHUNK_BYTES = 262_144;
/**
 * A file that is shown in a frame has an opaque origin, as its document has, so that it cannot store anything that a later
 * document could find.
 */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': 'sandbox allow-scripts',
};

/** The document has an opaque origin, so that it reads only what any origin may read. */
const READABLE = { 'access-control-allow-origin': '*' };
const UNREADABLE = { 'x-content-type-options': 'nosniff' };

const NOTHING = { type: 'text/plain', content: undefined, unreadable: false, asImage: undefined };

/** Answers the question before a request with headers of its own. */
const PREFLIGHT = { ...READABLE, 'access-control-allow-headers': '*', 'access-control-allow-methods': 'GET, HEAD' };

/** `.invalid` is never registered (RFC 6761). It is a public suffix, so that no cookie can be set for two such names. */
export function randomOrigin(): string {
  return `http://a${randomBytes(NAME_BYTES).toString('hex')}.invalid`;
}

export class HostedAssets {
  readonly origin: string;
  readonly #files: HostedFiles;
  readonly #traffic: AssetTraffic;
  #answersLeft = MAX_ANSWERS;
  #bytesLeft: number;
  /** What is sent without a delay: each file once. Only a document that fetches files again and again needs more. */
  #promptBytes: number;

  constructor(files: HostedFiles, traffic: AssetTraffic, origin = randomOrigin()) {
    this.#files = files;
    this.#traffic = traffic;
    this.#bytesLeft = traffic.maxBytes;
    this.#promptBytes = [...files.values()].reduce((sum, { content }) => sum + requestCost(content.length), 0);
    this.origin = origin;
  }

  owns(url: URL): boolean {
    return url.origin === this.origin;
  }

  answer(url: URL, { method, headers }: IncomingMessage, response: ServerResponse, pace: Pace): void {
    if (this.#answersLeft-- <= 0) return void response.destroy();
    if (method === 'OPTIONS') return void response.writeHead(204, PREFLIGHT).end();
    const isRead = method === 'GET' || method === 'HEAD';
    const file = (isRead && this.#files.get(toAssetPath(url))) || NOTHING;
    const shown = headers.accept?.startsWith('image/') ? file.asImage?.() : undefined;
    const { type, content, unreadable } = { ...file, ...shown };
    const status = content ? 200 : isRead ? 404 : 405;
    const access = unreadable ? UNREADABLE : READABLE;
    response.writeHead(status, { ...HEADERS, ...access, 'content-type': type, 'content-length': content?.length ?? 0 });
    this.#send(method === 'HEAD' ? undefined : content, response, pace);
  }

  #send(content: Buffer | undefined, response: ServerResponse, pace: Pace): void {
    const cost = requestCost(content?.length ?? 0);
    const isPrompt = this.#promptBytes >= cost;
    if (isPrompt) this.#promptBytes -= cost;
    if (isPrompt && cost <= CHUNK_BYTES) {
      if (this.#mayTake(content?.length ?? 0)) response.end(content);
      else response.destroy();
      return;
    }
    const delayOf = (bytes: number) => (isPrompt ? 0 : pace.delay(this.#traffic.owner, bytes));
    const chunks = Readable.from(this.#paceChunks(content ?? Buffer.alloc(0), delayOf));
    pipeline(chunks, response).catch(() => {}); // the document does not want the rest, or may not have it
  }

  async *#paceChunks(content: Buffer, delayOf: (bytes: number) => number): AsyncIterable<Buffer> {
    for (let start = 0; start === 0 || start < content.length; start += CHUNK_BYTES) {
      const chunk = content.subarray(start, start + CHUNK_BYTES);
      const milliseconds = delayOf(start === 0 ? requestCost(chunk.length) : chunk.length);
      if (milliseconds) await setTimeout(milliseconds);
      if (!this.#mayTake(chunk.length)) throw new Error('the document loads too much');
      yield chunk;
    }
  }

  #mayTake(bytes: number): boolean {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) this.#traffic.onExcess();
    return this.#bytesLeft >= 0;
  }

  /** Returns the value with relative URLs in place of URLs of this origin, which must not be visible outside the page. */
  withoutOrigin<T>(value: T): T {
    return replacePrefix(value, `${this.origin}/`) as T;
  }
}

function requestCost(bytes: number): number {
  return Math.max(bytes, REQUEST_BYTES);
}

/** The path of the file that a URL names. Empty if it cannot be decoded. */
export function toAssetPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return '';
  }
}

/** Replaces strings in arrays and plain objects at any depth. */
function replacePrefix(value: unknown, prefix: string): unknown {
  if (typeof value === 'string') return value.replaceAll(prefix, '');
  if (Array.isArray(value)) return value.map((each) => replacePrefix(each, prefix));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replacePrefix(member, prefix)]));
}
