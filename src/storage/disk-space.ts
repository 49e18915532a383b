/** Measures the file system of the data folder, and tells whether it is full: a folder in, bytes out. */
import { statfs } from 'node:fs/promises';
import { storageFailed } from '../errors.ts';

/** With less, the log of the database cannot grow, and unread replies have no room. */
const MIN_FREE_BYTES = 4_194_304;

/** Free bytes are those that an ordinary user may write. */
export async function diskSpace(folder: string): Promise<{ bytes: number; freeBytes: number }> {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { bytes: bsize * blocks, freeBytes: bsize * bavail };
}

/** Throws `storage_failed` if the disk is full. */
export async function requireFreeSpace(folder: string): Promise<void> {
  const { freeBytes } = await diskSpace(folder);
  if (freeBytes < MIN_FREE_BYTES) throw storageFailed(`the disk of the data folder has only ${freeBytes} bytes left`);
}
