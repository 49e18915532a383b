/** Stores blobs as files such as `blobs/Ab/doc_Ab...`, in folders named after the first two characters of the random part. */
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { diskFault, listNames, removeFiles, spoolFile, syncFolder, temporaryName } from '../files.ts';
import type { Blobs, ByteRange } from './blobs.ts';

/** The folder for files that are being written. They are not read until they are moved out of it. */
const UNFINISHED = 'unfinished';
/** Matches the folders, which are named after the first characters of the blobs in them. */
const SHARD = /^[0-9A-Za-z]{2}$/;

export class DiskBlobs implements Blobs {
  readonly isShared = false;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<DiskBlobs> {
    await mkdir(join(folder, UNFINISHED), { recursive: true, mode: 0o700 });
    return new DiskBlobs(folder);
  }

  static async hasContent(folder: string): Promise<boolean> {
    for (const shard of await listShards(folder).catch(noneIfMissing))
      if ((await readdir(join(folder, shard)).catch(noneIfMissing)).length) return true;
    return false;
  }

  async put(name: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    const unfinished = join(this.#folder, UNFINISHED, temporaryName(name));
    try {
      await writeContent(unfinished, chunks);
      await this.#moveInto(this.#shardFolder(name), unfinished, name);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {}); // if this fails, the sweep removes the file later
      throw diskFault(error);
    }
  }

  async read(name: string, range?: ByteRange): Promise<Readable | undefined> {
    const file = await openForReading(join(this.#shardFolder(name), name));
    return file?.createReadStream({ autoClose: true, ...range });
  }

  async size(name: string): Promise<number | undefined> {
    const found = await stat(join(this.#shardFolder(name), name)).catch((error: unknown) => {
      if (!isMissing(error)) throw diskFault(error);
    });
    return found?.size;
  }

  spool(chunks: Iterable<Buffer>): Promise<Readable> {
    return spoolFile(join(this.#folder, UNFINISHED), chunks);
  }

  async remove(name: string): Promise<void> {
    const shard = this.#shardFolder(name);
    try {
      await rm(join(shard, name));
      await syncFolder(shard);
    } catch (error) {
      if (!isMissing(error)) throw diskFault(error);
    }
  }

  async *names(writtenBefore: number): AsyncIterable<string[]> {
    for (const shard of await listShards(this.#folder)) yield* listNames(join(this.#folder, shard), writtenBefore);
  }

  removeUnfinished(startedBefore: number): Promise<number> {
    return removeFiles(join(this.#folder, UNFINISHED), startedBefore);
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {}

  #shardFolder(name: string): string {
    return join(this.#folder, name.slice(name.indexOf('_') + 1).slice(0, 2));
  }

  async #moveInto(shard: string, unfinished: string, name: string): Promise<void> {
    const move = () => rename(unfinished, join(shard, name));
    await move().catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await syncFolder(this.#folder);
      await move();
    });
    await syncFolder(shard);
  }
}

/** Leaves out other files and folders: a mounted disk can contain `lost+found`. */
async function listShards(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => SHARD.test(name));
}

function noneIfMissing(error: unknown): string[] {
  if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return [];
  throw error;
}

async function writeContent(path: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  for await (const chunk of chunks) await file.appendFile(chunk);
  await file.sync();
}

async function openForReading(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw diskFault(error);
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
