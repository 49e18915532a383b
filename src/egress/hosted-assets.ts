/**
 * Files that come with a document: requests of its page in, the files from memory out. They have an origin that exists for one
 * render: its name is random, nobody resolves it, and no listener but that of the page knows it.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HostedFile {
  /** Media type. */
  type: string;
  content: Buffer;
}

/** By path, such as `css/print.css`. */
export type HostedFiles = ReadonlyMap<string, HostedFile>;

const NAME_BYTES = 16;
/** Requests of one render that are answered. Each takes time of the process that serves everybody. */
const MAX_ANSWERS = 5_000;
/**
 * Any document may read them, since the one they belong to has an opaque origin. One of them that is shown in a frame has an opaque
 * origin, too: it stores nothing that a later document could find.
 */
const HEADERS = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
  'content-security-policy': 'sandbox allow-scripts',
};

const NOTHING = { type: 'text/plain', content: undefined };

export class HostedAssets {
  /** `.invalid` is never registered (RFC 6761), and is a suffix of which no site can set cookies for another. */
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
    const { type, content } = (isRead && this.#files.get(pathOf(url))) || NOTHING;
    const status = content ? 200 : isRead ? 404 : 405;
    response.writeHead(status, { ...HEADERS, 'content-type': type, 'content-length': content?.length ?? 0 });
    response.end(method === 'HEAD' ? undefined : content);
  }

  /** The same value, in which addresses of this origin are relative again: nobody outside the page is to see it. */
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

/** Strings in arrays and plain objects, at any depth. */
function replaced(value: unknown, prefix: string): unknown {
  if (typeof value === 'string') return value.replaceAll(prefix, '');
  if (Array.isArray(value)) return value.map((each) => replaced(each, prefix));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, prefix)]));
}
