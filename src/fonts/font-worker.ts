/** Runs in a thread and converts fonts: WOFF2 files of one package, or TrueType files, in, TrueType files in a folder out. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decompress } from 'wawoff2';
import { readTables, writeTables } from './font-tables.ts';
import { mergeSlices } from './merge-slices.ts';
import { loadHarfBuzz, pinWeight, removeHinting } from './static-font.ts';

export interface FontPackage {
  /** The folder with the WOFF2 files. */
  from: string;
  to: string;
  family: string;
}

export interface HintedFonts {
  /** Each has one TrueType file. */
  folders: string[];
  to: string;
}

const STYLES = [
  { weight: 400, style: 'Regular' },
  { weight: 700, style: 'Bold' },
] as const;
/** Matches the only file of `@fontsource/noto-color-emoji` that is not a slice. */
const WHOLE_EMOJI = /-emoji-400-normal\.woff2$/;

export default async function unpack({ from, to, family }: FontPackage): Promise<void> {
  await mkdir(to);
  const files = (await readdir(from)).filter((name) => name.endsWith('.woff2')).sort();
  const isEmoji = family === 'Noto Color Emoji';
  const fonts = await unpackFonts(from, isEmoji ? files.filter((name) => WHOLE_EMOJI.test(name)) : files);
  if (isEmoji) await unpackEmoji(fonts, to);
  else await unpackSlices(fonts, family, to);
}

export async function copyWithoutHinting({ folders, to }: HintedFonts): Promise<void> {
  await mkdir(to);
  const harfBuzz = await loadHarfBuzz();
  for (const folder of folders)
    for (const name of await readdir(folder))
      if (name.endsWith('.ttf')) await writeFile(join(to, name), removeHinting(harfBuzz, await readFile(join(folder, name))));
}

async function unpackFonts(folder: string, names: string[]): Promise<Buffer[]> {
  const fonts: Buffer[] = [];
  for (const name of names) fonts.push(Buffer.from(await decompress(await readFile(join(folder, name)))));
  return fonts;
}

/** Removes the SVG glyphs. They take 20 MB, and Chromium does not draw them, because the font has a format that it prefers. */
async function unpackEmoji(fonts: Buffer[], to: string): Promise<void> {
  for (const font of fonts) {
    const tables = readTables(font);
    tables.delete('SVG ');
    await writeFile(join(to, 'Regular.ttf'), writeTables(tables));
  }
}

async function unpackSlices(slices: Buffer[], family: string, to: string): Promise<void> {
  const harfBuzz = await loadHarfBuzz();
  for (const { style, weight } of STYLES) {
    const fonts = slices.map((slice) => pinWeight(harfBuzz, slice, { family, style, weight }));
    await writeFile(join(to, `${style}.ttf`), mergeSlices(fonts));
  }
}
