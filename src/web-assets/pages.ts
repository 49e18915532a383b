/** Keeps the built pages in memory: a path in, a file with its type and compressed forms out. Builds them first if necessary. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import mime from 'mime';
import { buildPages, isBuilt } from './build.ts';

export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const UNKNOWN_TYPE = 'application/octet-stream';
const COMPRESSED_ALREADY = /^image\/(?!svg)|^font\/|pdf$/;
/** Nearly as small as with the highest quality, in a tenth of the time. */
const BROTLI_QUALITY = 9;

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

export class PageFile {
  readonly type: string;
  /** A weak validator, because it is the same for all encodings of the file. */
  readonly etag: string;
  readonly #content: Buffer;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(path: string, content: Buffer) {
    const type = mime.getType(path) ?? UNKNOWN_TYPE;
    this.type = type.startsWith('text/') ? `${type}; charset=utf-8` : type;
    this.etag = `W/"${createHash('sha256').update(content).digest('base64url')}"`;
    this.#content = content;
  }

  get isCompressible(): boolean {
    return !COMPRESSED_ALREADY.test(this.type);
  }

  /** The content in this encoding, compressed at first use. */
  async as(encoding: Encoding | undefined): Promise<Buffer> {
    if (!encoding) return this.#content;
    const known = this.#compressed.get(encoding) ?? compress(this.#content, encoding);
    this.#compressed.set(encoding, known);
    return known;
  }
}

function compress(content: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return toGzip(content);
  return toBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}

export class Pages {
  readonly #webDir: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #controller = new AbortController();
  #files: ReadonlyMap<string, PageFile> | undefined;
  /** Whether the pages could not be built. Those of an older build are served nevertheless. */
  hasFailed = false;
  #building: Promise<void> | undefined;

  /** `webDir` is the folder with the sources and `dist`. */
  constructor(webDir: string, onFailure: (error: unknown) => void) {
    this.#webDir = webDir;
    this.#onFailure = onFailure;
  }

  /** Reads the built pages. If they are missing or older than their sources, builds them in the background. Never rejects. */
  async open(): Promise<void> {
    try {
      const current = await isBuilt(this.#webDir);
      this.#files = await readFiles(join(this.#webDir, 'dist'));
      if (!current || !this.#files) this.#building = this.#build().catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** `path` is relative to `dist`, such as `assets/main-1a2b3c.js`. */
  find(path: string): PageFile | undefined {
    return this.#files?.get(path);
  }

  /** Aborts a running build. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#building;
  }

  async #build(): Promise<void> {
    this.#files = await buildPages(this.#webDir, this.#controller.signal, readFiles);
    if (!this.#files) throw new Error(`nothing was built in ${this.#webDir}`);
  }

  #fail(error: unknown): void {
    this.hasFailed = true;
    if (!this.#controller.signal.aborted) this.#onFailure(error);
  }
}

/** Undefined if a file or the folder is missing: the pages are not built, or are just being replaced. */
async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile> | undefined> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const files = await Promise.all(
      paths.map(async (path) => [relative(folder, path), new PageFile(path, await readFile(path))] as const),
    );
    return files.length ? new Map(files) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
