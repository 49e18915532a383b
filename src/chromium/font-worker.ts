/** A thread that unpacks fonts: the WOFF2 files of one package in, TrueType files in a folder out. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decompress } from 'wawoff2';
import { dropTable, FontMaker } from './static-font.ts';

export interface FontPackage {
  /** With the WOFF2 files. */
  from: string;
  to: string;
  family: string;
}

const WEIGHTS = [
  { weight: 400, style: 'Regular' },
  { weight: 700, style: 'Bold' },
] as const;
/** As `@fontsource/noto-color-emoji` names the one file that is not a slice. */
const WHOLE_EMOJI = /-emoji-400-normal\.woff2$/;

export default async function unpack({ from, to, family }: FontPackage): Promise<void> {
  const maker = await FontMaker.load();
  await mkdir(to);
  const isEmoji = family === 'Noto Color Emoji';
  const wanted = isEmoji ? WHOLE_EMOJI : /\.woff2$/;
  for (const name of (await readdir(from)).filter((name) => wanted.test(name))) {
    const font = Buffer.from(await decompress(await readFile(join(from, name))));
    const target = (style: string) => join(to, name.replace(/woff2$/, `${style}.ttf`));
    // The same pictures once more, 20 MB of them, in a form that Chromium does not draw.
    if (isEmoji) await writeFile(target('Regular'), dropTable(font, 'SVG '));
    else
      for (const { weight, style } of WEIGHTS) await writeFile(target(style), maker.pinWeight(font, { family, style, weight }));
  }
}
