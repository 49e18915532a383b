/**
 * Answers requests of a page for the files that were sent with its document, from memory. Their origin exists for one render: its
 * name is random, it is never resolved, and only the listener of the page knows it.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HostedFile {
  /** The media type. */
  type: string;
  content: Buffer;
  /** Whether the document may show or run the file, but its scripts cannot read it. Any origin may read other files. */
  unreadable?: boolean;
}

/** Files by path, such as `css/print.css`. */
export type HostedFiles = ReadonlyMap<string, HostedFile>;

const NAME_BYTES = 16;
/** Limits the requests of one render, because each takes time on the event loop that all renders share. */
const MAX_ANSWERS = 5_000;
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

const NOTHING = { type: 'text/plain', content: undefined, unreadable: false };

export class HostedAssets {
  /** `.invalid` is never registered (RFC 6761). It is a public suffix, so that no cookie can be set for two such names. */
  readonly origin = `http://a${randomBytes(NAME_BYTES).toString('hex')}.invalid`;
  readonly #files: HostedFiles;
  #answersLeft = MAX_ANSWERS;

  constructor(files: HostedFiles) {
    this.#files = files;
  }

  owns(url: URL): boolean {
    return url.origin === this.origin;
  }

  answer(url: URL, { method }: IncomingMessage, response: ServerResponse): void {
    if (this.#answersLeft-- <= 0) return void response.destroy();
    const isRead = method === 'GET' || method === 'HEAD';
    const { type, content, unreadable } = (isRead && this.#files.get(pathOf(url))) || NOTHING;
    const status = content ? 200 : isRead ? 404 : 405;
    const access = unreadable ? UNREADABLE : READABLE;
    response.writeHead(status, { ...HEADERS, ...access, 'content-type': type, 'content-length': content?.length ?? 0 });
    response.end(method === 'HEAD' ? undefined : content);
  }

  /** Returns the value with relative URLs in place of URLs of this origin, which must not be visible outside the page. */
  withoutOrigin<T>(value: T): T {
    return replaced(value, `${this.origin}/`) as T;
  }
}

function pathOf({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return '';
  }
}

/** Replaces strings in arrays and plain objects at any depth. */
function replaced(value: unknown, prefix: string): unknown {
  if (typeof value === 'string') return value.replaceAll(prefix, '');
  if (Array.isArray(value)) return value.map((each) => replaced(each, prefix));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, prefix)]));
}
