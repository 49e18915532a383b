/** Builds the pages in a separate process: sources in `web/` in, files in `web/dist` out, which is replaced as a whole. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const DIST = 'dist';
/** The form for options is generated from these modules of the service. */
const OPTIONS = '../src/render';
const DOCUMENTATION = '../docs';
/** The prefix of folders that are being written or removed. */
const TEMPORARY_PREFIX = `${DIST}-`;
/** Leftovers of killed builds are removed after this time by a later build. */
const ABANDONED_AFTER_MS = 600_000;
/** A low priority, so that the service and its renders come first. */
const NICENESS = 10;

/** Whether the built pages are at least as new as their sources. If the sources are missing, existing pages count as current. */
export async function isBuilt(webDir: string): Promise<boolean> {
  const built = await readModifiedTime(join(webDir, DIST, 'index.html'));
  const sources = [webDir, join(webDir, OPTIONS), join(webDir, DOCUMENTATION)];
  return built !== undefined && built >= Math.max(...(await Promise.all(sources.map(newestSource))));
}

/**
 * Builds into a temporary folder, calls `read` with it, and then moves it to `dist`, unless `webDir` is not writable. Several
 * processes may build at the same time: each result is complete, and one of them stays. Returns the result of `read`. Throws an
 * error with the output of the builder.
 */
export async function buildPages<T>(webDir: string, signal: AbortSignal, read: (folder: string) => Promise<T>): Promise<T> {
  const keeps = await isWritable(webDir);
  if (keeps) await removeAbandoned(webDir);
  const name = TEMPORARY_PREFIX + randomUUID();
  const made = join(keeps ? webDir : tmpdir(), name);
  try {
    await runBuilder(webDir, made, signal);
    const result = await read(made);
    if (keeps) await replaceDist(made, join(webDir, DIST), join(webDir, `${name}-old`));
    return result;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function runBuilder(webDir: string, outDir: string, signal: AbortSignal): Promise<void> {
  const vite = join(createRequire(join(webDir, 'vite.config.ts')).resolve('vite/package.json'), '../bin/vite.js');
  // The native loader writes no files next to the modules, whose folder may not be writable.
  const flags = ['build', '--configLoader', 'native', '--outDir', outDir, '--logLevel', 'warn'];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', vite, ...flags], {
    cwd: webDir,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  const said = text(child.stderr);
  const [[code]] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, lowerPriority(child.pid)]);
  if (code !== 0) throw new Error(`vite ended with ${code}: ${(await said).trim()}`);
}

async function lowerPriority(pid: number | undefined): Promise<void> {
  try {
    if (pid) setPriority(pid, NICENESS);
  } catch {
    // The process has ended already, or the system does not allow it. The build works anyway.
  }
}

/** A reader may find no files for a moment, but never a mixture of two builds. */
async function replaceDist(made: string, place: string, aside: string): Promise<void> {
  await rename(place, aside).catch(unless('ENOENT'));
  await rename(made, place).catch(unless('ENOTEMPTY', 'EEXIST')); // another process was faster, with the same result
  await rm(aside, { recursive: true, force: true });
}

function unless(...codes: string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

async function removeAbandoned(webDir: string): Promise<void> {
  const before = Date.now() - ABANDONED_AFTER_MS;
  for (const name of await readdir(webDir)) {
    const path = join(webDir, name);
    if (name.startsWith(TEMPORARY_PREFIX) && ((await readModifiedTime(path)) ?? before) < before)
      await rm(path, { recursive: true, force: true });
  }
}

async function newestSource(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sources = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const own = sources.filter((path) => !path.startsWith(join(folder, DIST)));
  const times = await Promise.all(own.map(readModifiedTime));
  return Math.max(0, ...times.map((time) => time ?? 0));
}

async function readModifiedTime(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
