/** The folder in the data folder where a backup keeps its copy of the database. Leftovers of a killed backup are removed. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../../errors.ts';
import { lockFile } from '../folder-lock.ts';

const FOLDER = 'backup';
const LOCK = 'backup.lock';

/** Throws `CommandError` while another backup is running. */
export async function openWorkFolder(dataDir: string): Promise<AsyncDisposable & { path: string }> {
  const path = join(dataDir, FOLDER);
  const unlock = lockFile(join(dataDir, LOCK));
  if (!unlock) throw new CommandError(`another backup of ${dataDir} is running: wait until it has ended`);
  const close = () => rm(path, { recursive: true, force: true }).finally(unlock);
  try {
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    await close();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: close };
}

/** Removes the leftovers of a killed backup, but not the folder of a running one. */
export async function removeAbandonedWork(dataDir: string): Promise<void> {
  const path = join(dataDir, FOLDER);
  if (!(await stat(path).catch(() => undefined))) return;
  const unlock = lockFile(join(dataDir, LOCK), { waitMs: 0 });
  if (unlock) await rm(path, { recursive: true, force: true }).finally(unlock);
}
