/** Locks the data folder, or a part of it, for one process. A second one could remove files that the first is still writing. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { withStorageErrors } from './sqlite.ts';

/** How long to wait for a service that is just stopping. */
const WAIT_MS = 5_000;

/**
 * Returns a function that releases the lock, or undefined if another process holds it. The kernel releases it when the process
 * dies.
 */
export function lockFolder(dataDir: string): (() => void) | undefined {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return lockFile(join(dataDir, 'service.lock'));
}

/** Locks a file, which is created and not removed. Blocks the event loop for up to `waitMs`. */
export function lockFile(path: string, { waitMs = WAIT_MS } = {}): (() => void) | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec(`PRAGMA busy_timeout = ${waitMs}`);
    withStorageErrors(() => lock.exec('BEGIN EXCLUSIVE'));
    return () => lock.close();
  } catch (error) {
    lock.close();
    const cause = (error as Error).cause ?? error;
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    return undefined;
  }
}

const SQLITE_BUSY = 5;
