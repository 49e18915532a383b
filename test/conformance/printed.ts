/** Reads PDFs with poppler, to compare their text and appearance. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PNG } from 'pngjs';
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
  const rasterize = async (file: string) => {
    await run('pdftoppm', ['-r', '40', '-l', String(PAGES), '-png', file, file]);
    return Promise.all([1, 2, 3].map((page) => readPage(file, page)));
  };
  const [pages, otherPages] = await Promise.all([rasterize(file), rasterize(other)]);
  return pages.every((page, index) => {
    const match = otherPages[index];
    return (
      page?.length === match?.length && (page ?? []).every((byte, at) => Math.abs(byte - (match?.[at] ?? 0)) <= MAX_DIFFERENCE)
    );
  });
}

async function readPage(file: string, page: number): Promise<Buffer | undefined> {
  for (const name of [`${file}-${page}.png`, `${file}-0${page}.png`, `${file}-00${page}.png`]) {
    const bytes = await readFile(name).catch(() => undefined);
    if (bytes) return PNG.sync.read(bytes).data;
  }
  return undefined;
}
