/** The folder a browser keeps its temporary files in: made before it starts, gone after it ended. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './process-life.ts';

const PREFIX = 'platen-browser-';

export async function makeProfile(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/** Chromium's last children may still be writing while the folder goes. */
export async function removeProfile(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Removes what services that were killed left behind. To be called before the first browser: in a container each has the same pid. */
export async function removeStaleProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    const isStale = pid === process.pid || !isAlive(pid);
    if (pid && isStale) await removeProfile(join(tmpdir(), name)).catch(() => {}); // another user's: not ours to remove
  }
}
