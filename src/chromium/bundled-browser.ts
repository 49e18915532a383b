/**
 * The headless shell that npm brings (`@sparticuz/chromium`): packed files in, a ready folder in the cache out.
 *
 * Unpacked into a folder of its own and then renamed, so that a folder under the final name is always whole:
 * a process killed half-way leaves only a `.partial` folder, and of two processes at once one rename wins.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';
import { isAlive } from './process-life.ts';

interface BundledBrowser {
  path: string;
  env: Record<string, string>;
}

interface Manifest {
  /** Size of every file that matters, by path in the folder. */
  files: Record<string, number>;
}

const MANIFEST = 'manifest.json';
const PARTIAL = '.partial-';
const ABANDONED_MS = 3_600_000;
const LARGE_CHUNK = 2 ** 20;

/** Returns nothing where the bundled browser cannot run (another platform, or installed without it). */
export async function unpackBundledBrowser(cacheDir: string): Promise<BundledBrowser | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const bundle = await findPackage();
  if (!bundle) return undefined;
  const folder = join(cacheDir, `chromium-${bundle.version}`);
  if (!(await isWhole(folder))) await unpack(bundle.bin, cacheDir, folder);
  return {
    path: join(folder, 'headless-shell'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  };
}

async function findPackage(): Promise<{ bin: string; version: string } | undefined> {
  try {
    const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
    const root = entry.slice(0, entry.indexOf('@sparticuz/chromium') + '@sparticuz/chromium'.length);
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { bin: join(root, 'bin'), version };
  } catch {
    return undefined;
  }
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

async function unpack(bin: string, cacheDir: string, folder: string): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir);
  const partial = `${folder}${PARTIAL}${process.pid}-${Date.now()}`;
  try {
    await mkdir(partial);
    await Promise.all([
      unpackFile(join(bin, 'chromium.br'), join(partial, 'headless-shell')),
      unpackTar(join(bin, 'al2023.tar.br'), join(partial, 'al2023')),
      unpackTar(join(bin, 'fonts.tar.br'), join(partial, 'fonts')),
      writeFile(join(partial, 'fonts.conf'), fontConfiguration(folder)),
    ]);
    await writeManifest(partial);
    await putInPlace(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function putInPlace(partial: string, folder: string): Promise<void> {
  // A damaged folder is moved away first; a whole one, put there by another process meanwhile, is kept.
  if (!(await isWhole(folder))) {
    const damaged = `${folder}${PARTIAL}damaged-${process.pid}-${Date.now()}`;
    await rename(folder, damaged).catch(ignoreMissing);
    await rm(damaged, { recursive: true, force: true });
  }
  try {
    await rename(partial, folder);
  } catch (error) {
    if (!(await isWhole(folder))) throw error;
  }
}

async function unpackFile(from: string, to: string): Promise<void> {
  const decompress = createBrotliDecompress({ chunkSize: LARGE_CHUNK });
  await pipeline(createReadStream(from, { highWaterMark: LARGE_CHUNK }), decompress, createWriteStream(to, { mode: 0o755 }));
  const file = await open(to, 'r');
  await file.sync();
  await file.close();
}

async function unpackTar(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), extract(to));
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

/** Bundled fonts and whatever the system has, with the system's own rules where it has any. */
function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <cachedir>${dirname(folder)}/fontconfig</cachedir>
</fontconfig>
`;
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
  return isAlive(Number(/(\d+)-\d+$/.exec(name)?.[1]));
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
