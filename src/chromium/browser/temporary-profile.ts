/** Creates the folder for a browser's temporary files, and removes it after the browser has ended. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../host/process-life.ts';

const PREFIX = 'platen-browser-';

export async function makeProfile(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/** Retries, because Chromium's last child processes may still write to the folder. */
export async function removeProfile(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/**
 * Removes folders of services that were killed. Call it before the first browser starts, because in a container each service has
 * the same pid.
 */
export async function removeStaleProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    const isStale = pid === process.pid || !isAlive(pid);
    if (pid && isStale) await removeProfile(join(tmpdir(), name)).catch(() => {}); // the folder of another user cannot be removed
  }
}
