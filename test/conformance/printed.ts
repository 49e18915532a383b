/** Reads PDFs with poppler, to compare their text and appearance. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../support/printed-files.ts';

const PAGES = 3;
const MAX_DIFFERENCE = 1;

export async function savePdf(folder: string, name: string, pdf: Buffer): Promise<string> {
  const file = join(folder, `${name}.pdf`.replace(/[^\w.-]+/g, '_'));
  await writeFile(file, pdf);
  return file;
}

export async function textOf(file: string): Promise<string> {
  return (await run('pdftotext', ['-layout', file, '-'], { maxBuffer: 64 * 1_048_576 })).stdout;
}

/** Returns whether no channel of any pixel on the first three pages differs by more than 1 of 255. */
export async function hasSameAppearance(file: string, other: string): Promise<boolean> {
  const [pixels, otherPixels] = await Promise.all([file, other].map(rasterize));
  if (!pixels || !otherPixels || pixels.length !== otherPixels.length) return false;
  return pixels.equals(otherPixels) || pixels.every((byte, at) => Math.abs(byte - (otherPixels[at] ?? 0)) <= MAX_DIFFERENCE);
}

/** Returns the pages one after the other, as portable pixmaps. */
async function rasterize(file: string): Promise<Buffer> {
  const settings = { encoding: 'buffer', maxBuffer: 64 * 1_048_576 } as const;
  return (await run('pdftoppm', ['-r', '40', '-l', String(PAGES), file], settings)).stdout;
}
