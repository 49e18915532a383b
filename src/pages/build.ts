/** Builds the pages in a process of its own: sources in `web/` in, `web/dist` out, replaced as a whole. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const DIST = 'dist';
/** The form of options is made from what the service itself knows of them. */
const OPTIONS = '../src/render';
/** In front of the names of folders that are being written or go. */
const TEMPORARY = `${DIST}-`;
/** What is left of builds that were killed goes with a later one. */
const ABANDONED_AFTER_MS = 600_000;
/** What serves and renders comes first. */
const NICENESS = 10;

/** Whether the pages are built from the sources as they are. Missing sources have nothing to be built from. */
export async function isBuilt(webDir: string): Promise<boolean> {
  const built = await modifiedAt(join(webDir, DIST, 'index.html'));
  const sources = [webDir, join(webDir, OPTIONS)];
  return built !== undefined && built >= Math.max(...(await Promise.all(sources.map(newestSource))));
}

/** Several processes may build at one time: each result is whole, and one of them stays. Throws with what the builder said. */
export async function buildPages(webDir: string, signal: AbortSignal): Promise<void> {
  await removeAbandoned(webDir);
  const name = TEMPORARY + randomUUID();
  const made = join(webDir, name);
  try {
    await runBuilder(webDir, made, signal);
    await putInPlace(made, join(webDir, DIST), join(webDir, `${name}-old`));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function runBuilder(webDir: string, outDir: string, signal: AbortSignal): Promise<void> {
  const vite = join(createRequire(join(webDir, 'vite.config.ts')).resolve('vite/package.json'), '../bin/vite.js');
  const config = join(webDir, 'vite.config.ts');
  // The native loader writes nothing beside the modules, which may not be ours to change.
  const flags = [
    'build',
    '--config',
    config,
    '--configLoader',
    'native',
    '--outDir',
    outDir,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', vite, ...flags], {
    cwd: webDir,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  const said = text(child.stderr);
  const [[code]] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, yieldToOthers(child.pid)]);
  if (code !== 0) throw new Error(`vite ended with ${code}: ${(await said).trim()}`);
}

async function yieldToOthers(pid: number | undefined): Promise<void> {
  try {
    if (pid) setPriority(pid, NICENESS);
  } catch {
    // It has ended already, or the system does not let us: building works without.
  }
}

/** Whoever reads in between finds nothing for a moment, and never a mixture. */
async function putInPlace(made: string, place: string, aside: string): Promise<void> {
  await rename(place, aside).catch(unless('ENOENT'));
  await rename(made, place).catch(unless('ENOTEMPTY', 'EEXIST')); // another process was faster, with the same
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
    if (name.startsWith(TEMPORARY) && ((await modifiedAt(path)) ?? before) < before)
      await rm(path, { recursive: true, force: true });
  }
}

async function newestSource(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sources = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const own = sources.filter((path) => !path.startsWith(join(folder, DIST)));
  const times = await Promise.all(own.map(modifiedAt));
  return Math.max(0, ...times.map((time) => time ?? 0));
}

async function modifiedAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
