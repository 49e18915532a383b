/** Results of a batch in; a folder with a PDF for each that succeeded and a list of all, in the order of the items, out. */
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

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
}

const LIST = 'results.ndjson';

export class BatchOutput {
  readonly #folder: string;
  readonly #list: FileHandle;
  /** Results whose turn has not come, by their index. */
  readonly #early = new Map<number, ItemResult>();
  #next = 0;
  #written: Promise<void> = Promise.resolve();

  private constructor(folder: string, list: FileHandle) {
    this.#folder = folder;
    this.#list = list;
  }

  /** Makes the folder where there is none. */
  static async open(folder: string): Promise<BatchOutput> {
    await mkdir(folder, { recursive: true });
    return new BatchOutput(folder, await open(join(folder, LIST), 'w'));
  }

  /** The index of the first item whose result is not there yet. */
  get next(): number {
    return this.#next;
  }

  /** Under its name there is all of it or nothing. */
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

  /** Resolves when all results up to this one that are there are in the list. */
  add(result: ItemResult): Promise<void> {
    this.#early.set(result.index, result);
    let lines = '';
    for (let ready = this.#early.get(this.#next); ready; ready = this.#early.get(this.#next)) {
      lines += `${JSON.stringify(ready)}\n`;
      this.#early.delete(this.#next++);
    }
    if (lines) this.#written = this.#written.then(() => this.#list.appendFile(lines));
    return this.#written;
  }

  async close(): Promise<void> {
    await this.#written.finally(() => this.#list.close());
  }
}
