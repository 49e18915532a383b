/** Writes the results of a batch: a folder with a PDF for each item that succeeded, and a list of all in the order of the items. */
import { constants, createWriteStream, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RenderReport } from '../../render/report-schema.ts';

/** One line of the list. */
export interface ItemResult {
  index: number;
  line: number;
  reference: string | null;
  status: 'succeeded' | 'failed' | 'cancelled';
  file: string | null;
  pages: number | null;
  bytes: number | null;
  error?: { code: string; detail: string };
  /** Absent if there are none. */
  warnings?: RenderReport['warnings'];
}

const LIST = 'results.ndjson';

/** Creates folders level by level. Node's `recursive` never ends if a file system reports ENOENT for a folder that it refuses. */
async function makeFolder(path: string): Promise<void> {
  const make = () =>
    mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      if (!(await stat(path)).isDirectory()) throw new Error(`${path} is not a folder`);
    });
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  });
}

function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

export class BatchOutput {
  readonly #folder: string;
  readonly #list: FileHandle;
  /** Results that wait for an earlier one, by their index. */
  readonly #waiting = new Map<number, ItemResult>();
  #next = 0;
  #written: Promise<void> = Promise.resolve();

  private constructor(folder: string, list: FileHandle) {
    this.#folder = folder;
    this.#list = list;
  }

  /** Creates the folder if it does not exist. Throws if its list is the same file as the input `read`. */
  static async open(folder: string, read: FileHandle | undefined): Promise<BatchOutput> {
    await makeFolder(folder);
    const list = await open(join(folder, LIST), constants.O_WRONLY | constants.O_CREAT);
    if (read && isSame(await read.stat(), await list.stat())) {
      await list.close();
      throw new Error(`${join(folder, LIST)} is the input and would be overwritten: choose another folder`);
    }
    await list.truncate();
    return new BatchOutput(folder, list);
  }

  /** The index of the first item without a result. */
  get next(): number {
    return this.#next;
  }

  /** The file appears under its name only when it is complete. */
  async write(name: string, chunks: Buffer[]): Promise<void> {
    const unfinished = join(this.#folder, `.${name}.${process.pid}`);
    try {
      await pipeline(Readable.from(chunks, { objectMode: false }), createWriteStream(unfinished));
      await rename(unfinished, join(this.#folder, name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  /** Adds a result. Results are written in the order of the items; resolves when those that are ready have been written. */
  add(result: ItemResult): Promise<void> {
    this.#waiting.set(result.index, result);
    let lines = '';
    for (let ready = this.#waiting.get(this.#next); ready; ready = this.#waiting.get(this.#next)) {
      lines += `${JSON.stringify(ready)}\n`;
      this.#waiting.delete(this.#next++);
    }
    if (lines) this.#written = this.#written.then(() => this.#list.appendFile(lines));
    return this.#written;
  }

  async close(): Promise<void> {
    await this.#written.finally(() => this.#list.close());
  }
}
