/** Unpacks the headless shell that npm installs (`@sparticuz/chromium`): compressed files in, a folder in the cache out. */
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';
import { findPackage } from '../../host/find-package.ts';
import { unpackOnce } from '../../host/unpack-once.ts';

interface BundledBrowser {
  path: string;
  env: Record<string, string>;
  /** The fonts that come with it. */
  fontsDir: string;
}

const LARGE_CHUNK = 2 ** 20;

/** Returns undefined if there is no bundled browser for the platform, or if it is not installed. */
export async function unpackBundledBrowser(cacheDir: string): Promise<BundledBrowser | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const bundle = await findPackage('@sparticuz/chromium');
  if (!bundle) return undefined;
  const folder = await unpackOnce(cacheDir, `chromium-${bundle.version}`, (partial) => unpack(join(bundle.root, 'bin'), partial));
  return {
    path: join(folder, 'headless-shell'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') },
    fontsDir: join(folder, 'fonts'),
  };
}

async function unpack(bin: string, folder: string): Promise<void> {
  await Promise.all([
    unpackFile(join(bin, 'chromium.br'), join(folder, 'headless-shell')),
    unpackTar(join(bin, 'al2023.tar.br'), join(folder, 'al2023')),
    unpackTar(join(bin, 'fonts.tar.br'), join(folder, 'fonts')),
  ]);
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
