/** Locks the data folder for one service. A second one could remove files that the first is still writing. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { explained } from './sqlite.ts';

/** A service that is just ending gets this long. */
const WAIT_MS = 5_000;

/** Returns what gives the folder free; the kernel does it when the process dies. Undefined when another process holds it. */
export function lockFolder(dataDir: string): (() => void) | undefined {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(dataDir, 'service.lock'));
  try {
    lock.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
    explained(() => lock.exec('BEGIN EXCLUSIVE'));
    return () => lock.close();
  } catch (error) {
    lock.close();
    const cause = (error as Error).cause ?? error;
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    return undefined;
  }
}

const SQLITE_BUSY = 5;
