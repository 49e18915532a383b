/**
 * Provides the fonts that npm installs: folders for fontconfig out. Chromium reads no WOFF2 files as system fonts, cannot embed
 * variable fonts in PDFs, and embeds fonts with their hinting, so such fonts are converted once, into the cache. The others stay in
 * their packages.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import { type FoundPackage, findPackage } from '../host/find-package.ts';
import { unpackOnce } from '../host/unpack-once.ts';
import type { FontPackage, HintedFonts } from './font-worker.ts';
import { fontPackage, OPTIONAL_FAMILIES } from './optional-fonts.ts';

/** Families whose packages have TrueType files, with a folder for each style. */
const TRUETYPE = [
  ...['Arimo', 'Gelasio', 'Inter', 'Vazirmatn'],
  ...['Noto Sans Symbols', 'Noto Sans Arabic', 'Noto Sans Devanagari', 'Noto Sans Hebrew', 'Noto Sans Thai'],
];
/** Those with instructions for hinting. */
const HINTED = ['Tinos', 'Cousine', 'Carlito', 'Caladea', 'Noto Sans Math', 'Noto Sans Symbols 2'];
const STYLES = ['400Regular', '400Regular_Italic', '700Bold', '700Bold_Italic'];
/** Packages of WOFF2 files and their families, the largest first. */
const WOFF2: Record<string, string> = {
  '@fontsource/noto-color-emoji': 'Noto Color Emoji',
  '@fontsource-variable/noto-sans-jp': 'Noto Sans JP',
  '@fontsource-variable/noto-sans-sc': 'Noto Sans SC',
  '@fontsource-variable/noto-sans-tc': 'Noto Sans TC',
  '@fontsource-variable/noto-sans-kr': 'Noto Sans KR',
};
/** Is part of the folder's name. Increase it when the way in which fonts are unpacked changes. */
const FORMAT = 4;
const THREADS = 2;

export interface BundledFonts {
  folders: string[];
  families: string[];
}

/** If a package of WOFF2 files is missing, returns only the folders of TrueType files, and no families. */
export async function bundledFonts(cacheDir: string): Promise<BundledFonts> {
  const [plain, hinted, packed] = await Promise.all([
    findAll([...TRUETYPE, ...OPTIONAL_FAMILIES].map(fontPackage)),
    findAll(HINTED.map(fontPackage)),
    findAll(Object.keys(WOFF2)),
  ]);
  const ready = await listFolders(plain);
  if (packed.length < Object.keys(WOFF2).length) return { folders: [...ready, ...(await listFolders(hinted))], families: [] };
  const versions = [...hinted, ...packed].map(({ root, version }) => `${root.split('/').slice(-2).join('/')}@${version}`);
  const digest = createHash('sha256')
    .update([FORMAT, ...versions].join())
    .digest('hex');
  const convert = (folder: string) => convertAll(hinted, packed, folder);
  const converted = await unpackOnce(cacheDir, `fonts-${digest.slice(0, 16)}`, convert);
  return { folders: [...ready, converted], families: [...TRUETYPE, ...HINTED, ...Object.values(WOFF2)] };
}

/** The folders of the styles in packages of TrueType files. */
async function listFolders(packages: FoundPackage[]): Promise<string[]> {
  const folders = await Promise.all(
    packages.map(async ({ root }) =>
      (await readdir(root)).filter((name) => STYLES.includes(name)).map((name) => join(root, name)),
    ),
  );
  return folders.flat();
}

async function findAll(names: string[]): Promise<FoundPackage[]> {
  return (await Promise.all(names.map(findPackage))).filter((found) => found !== undefined);
}

/** Uses threads, because this takes seconds of CPU time while the browser is unpacked too. */
async function convertAll(hinted: FoundPackage[], packed: FoundPackage[], folder: string): Promise<void> {
  const threads = new Piscina<FontPackage | HintedFonts, void>({
    filename: new URL('./font-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: THREADS,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  try {
    const families = Object.values(WOFF2);
    await Promise.all([
      ...packed.map(({ root }, index) =>
        threads.run({ from: join(root, 'files'), to: join(folder, String(index)), family: families[index] ?? '' }),
      ),
      threads.run({ folders: await listFolders(hinted), to: join(folder, 'without-hinting') }, { name: 'copyWithoutHinting' }),
    ]);
  } finally {
    await threads.destroy();
  }
}
