/**
 * Runs before the tests with another browser than the bundled one, and sets `PLATEN_TEST_BROWSER`: to Debian's package, which is a
 * wrapper script, or else to a wrapper script like it.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AS_DEBIAN, writeWrapper } from './wrapper-script.ts';

const PACKAGED = '/usr/bin/chromium-headless-shell';

export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-wrapper-'));
  const path = existsSync(PACKAGED) ? PACKAGED : await writeWrapper(folder, 'chromium-headless-shell', AS_DEBIAN);
  process.stdout.write(`The tests use ${path}.\n`);
  process.env.PLATEN_TEST_BROWSER = path;
  return () => rm(folder, { recursive: true, force: true });
}
