/**
 * The fonts that npm brings: folders for fontconfig out. Chromium reads no WOFF2 as a font of the system, so those that come
 * in this form are unpacked once, into the cache; the others stay where npm has put them.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FoundPackage, findPackage } from './find-package.ts';
import { unpackOnce } from './unpack-once.ts';

/** TrueType files, a folder for each cut. */
const READY = ['arimo', 'tinos', 'cousine', 'noto-sans-arabic', 'noto-sans-devanagari', 'noto-sans-hebrew', 'noto-sans-thai'];
const CUTS = ['400Regular', '400Regular_Italic', '700Bold', '700Bold_Italic'];
/** WOFF2 files, each a slice of a font. */
const PACKED = [
  ...['sc', 'tc', 'jp', 'kr'].map((name) => `@fontsource-variable/noto-sans-${name}`),
  '@infolektuell/noto-color-emoji',
];
const FAMILIES = [
  ...['Arimo', 'Tinos', 'Cousine', 'Noto Sans Arabic', 'Noto Sans Devanagari', 'Noto Sans Hebrew', 'Noto Sans Thai'],
  ...['Noto Sans SC', 'Noto Sans TC', 'Noto Sans JP', 'Noto Sans KR', 'Noto Color Emoji'],
];
/** Changes when the way they are unpacked does. */
const FORM = 1;
/** Of the nine weights a variable font names: each is one more font to fontconfig. */
const KEPT_WEIGHTS = [400, 700];

export interface BundledFonts {
  folders: string[];
  families: string[];
}

/** With fewer packages than there should be: their folders alone, and no promise of families. */
export async function bundledFonts(cacheDir: string): Promise<BundledFonts> {
  const [ready, packed] = await Promise.all([readyFolders(), findAll(PACKED)]);
  if (packed.length < PACKED.length) return { folders: ready, families: [] };
  const versions = packed.map(({ root, version }) => `${root.split('/').slice(-2).join('/')}@${version}`);
  const digest = createHash('sha256')
    .update([FORM, ...versions].join())
    .digest('hex');
  const unpacked = await unpackOnce(cacheDir, `fonts-${digest.slice(0, 16)}`, (folder) => unpackAll(packed, folder));
  return { folders: [...ready, unpacked], families: FAMILIES };
}

async function readyFolders(): Promise<string[]> {
  const found = await findAll(READY.map((name) => `@expo-google-fonts/${name}`));
  const folders = await Promise.all(
    found.map(async ({ root }) => (await readdir(root)).filter((name) => CUTS.includes(name)).map((name) => join(root, name))),
  );
  return folders.flat();
}

async function findAll(names: string[]): Promise<FoundPackage[]> {
  return (await Promise.all(names.map(findPackage))).filter((found) => found !== undefined);
}

async function unpackAll(packages: FoundPackage[], folder: string): Promise<void> {
  const { decompress } = await import('wawoff2');
  for (const [index, { root }] of packages.entries()) {
    const target = join(folder, String(index));
    await mkdir(target);
    for (const name of await readdir(join(root, 'files'))) {
      if (!name.endsWith('.woff2')) continue;
      const font = Buffer.from(await decompress(await readFile(join(root, 'files', name))));
      await writeFile(join(target, name.replace(/woff2$/, 'ttf')), keepWeights(font));
    }
  }
}

/** Drops the named instances of other weights from the table `fvar`, in place (OpenType 1.9, "fvar"). */
function keepWeights(font: Buffer): Buffer {
  const table = tableOf(font, 'fvar');
  if (!table) return font;
  const axes = table.readUInt16BE(8);
  const first = table.readUInt16BE(4) + axes * table.readUInt16BE(10);
  const size = table.readUInt16BE(14);
  const instances = Array.from({ length: table.readUInt16BE(12) }, (_, n) =>
    Buffer.from(table.subarray(first + n * size, first + (n + 1) * size)),
  );
  const kept = instances.filter((instance) => KEPT_WEIGHTS.includes(instance.readInt32BE(4) / 65_536));
  for (const [n, instance] of kept.entries()) instance.copy(table, first + n * size);
  table.writeUInt16BE(kept.length, 12);
  return font;
}

function tableOf(font: Buffer, tag: string): Buffer | undefined {
  for (let n = 0; n < font.readUInt16BE(4); n++) {
    const record = 12 + 16 * n;
    if (font.toString('latin1', record, record + 4) !== tag) continue;
    const start = font.readUInt32BE(record + 8);
    return font.subarray(start, start + font.readUInt32BE(record + 12));
  }
  return undefined;
}
