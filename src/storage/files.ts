/** Operations on the local files of the content store: spooling content, listing and removing files, and explaining errors. */
import { type FileHandle, open, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type ServiceError, storageFailed } from '../errors.ts';

const BATCH = 200;
let written = 0;

/** A name that no other file of this process has. */
export function temporaryName(name: string): string {
  return `${name}.${process.pid}.${written++}`;
}

/** See `Blobs.spool`. */
export async function spoolFile(folder: string, chunks: Iterable<Buffer>): Promise<Readable> {
  const path = join(folder, temporaryName('spool'));
  try {
    const file = await open(path, 'wx+', 0o600);
    return await fillFile(file, rm(path), chunks);
  } catch (error) {
    throw diskFault(error);
  }
}

/** The names of files in a folder that were written before a time, in batches. */
export async function* listNames(folder: string, writtenBefore: number): AsyncIterable<string[]> {
  let batch: string[] = [];
  for await (const { name } of await opendir(folder)) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && found.mtimeMs < writtenBefore) batch.push(name);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length) yield batch;
}

export async function removeFiles(folder: string, writtenBefore: number): Promise<number> {
  let removed = 0;
  for await (const names of listNames(folder, writtenBefore)) {
    for (const name of names) await rm(join(folder, name), { force: true });
    removed += names.length;
  }
  return removed;
}

/** A new or removed name survives a loss of power once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function diskFault(error: unknown): ServiceError {
  const full = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
  const detail = full ? 'the storage of the service is full' : 'the storage of the service cannot be read or written';
  return storageFailed(detail, error);
}

/** Waits for the file to be unlinked before it writes the content, so that the content is never left behind. */
async function fillFile(file: FileHandle, unlinked: Promise<void>, chunks: Iterable<Buffer>): Promise<Readable> {
  try {
    await unlinked;
    for (const chunk of chunks) await file.appendFile(chunk);
    return file.createReadStream({ start: 0, autoClose: true });
  } catch (error) {
    await file.close();
    throw error;
  }
}
