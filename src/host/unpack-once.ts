/**
 * Creates folders in the cache once: a name and a function that fills the folder in, the path of the complete folder out.
 *
 * A folder is filled under another name and then renamed, so that a folder with the final name is always complete. A killed process
 * leaves only a `.partial` folder, and of two processes at the same time one rename wins.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './process-life.ts';

interface Manifest {
  /** The size of every important file by its path in the folder. */
  files: Record<string, number>;
}

const MANIFEST = 'manifest.json';
const PARTIAL = '.partial-';
const ABANDONED_MS = 3_600_000;

export async function unpackOnce(cacheDir: string, name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheDir, name);
  if (await isWhole(folder)) return folder;
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir);
  const partial = `${folder}${PARTIAL}${process.pid}-${Date.now()}`;
  try {
    await mkdir(partial);
    await fill(partial);
    await writeManifest(partial);
    await putInPlace(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function isWhole(folder: string): Promise<boolean> {
  try {
    const { files } = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Manifest;
    const sizes = await Promise.all(Object.keys(files).map(async (name) => (await stat(join(folder, name))).size));
    return Object.values(files).every((size, index) => size === sizes[index]);
  } catch {
    return false;
  }
}

/** The first of several renames wins. A damaged folder is moved away first, and moved back if it turns out to be complete. */
async function putInPlace(partial: string, folder: string): Promise<void> {
  if ((await tryMove(partial, folder)) || (await isWhole(folder))) return;
  const damaged = `${folder}${PARTIAL}damaged-${process.pid}-${Date.now()}`;
  await rename(folder, damaged).catch(ignoreMissing);
  const source = (await isWhole(damaged)) ? damaged : partial; // another process has completed the folder in the meantime
  const done = await tryMove(source, folder);
  await rm(damaged, { recursive: true, force: true });
  if (!done && !(await isWhole(folder))) throw new Error(`${folder} cannot be put in place`);
}

/** Returns false if the folder exists already. */
async function tryMove(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}

async function writeManifest(folder: string): Promise<void> {
  const files: Record<string, number> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(folder.length + 1)] = (await stat(path)).size;
  }
  await writeFile(join(folder, MANIFEST), JSON.stringify({ files } satisfies Manifest));
}

async function removeAbandoned(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.includes(PARTIAL)) continue;
    const path = join(cacheDir, name);
    const age = Date.now() - (await stat(path).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > ABANDONED_MS || !ownerLives(name)) await rm(path, { recursive: true, force: true });
  }
}

function ownerLives(name: string): boolean {
  return isAlive(Number(/(?<!\d)(\d+)-\d+$/.exec(name)?.[1]));
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
