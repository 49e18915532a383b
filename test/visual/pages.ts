/** Draws the pages of a PDF with poppler, and compares them with other images. */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const DOTS_PER_INCH = 50;
/**
 * How far two colours may be apart to count as equal, of 1. Edges of letters are not left out of the comparison: at this
 * resolution a letter is nothing but edges.
 */
const COLOUR_TOLERANCE = 0.05;
/**
 * Of the pixels of a page: 72 of A4. Two runs on one machine differ in none, at any colour tolerance. The least of the faults in
 * `visual.test.ts`, a date that is missing, changes 0.0005, a colour 0.003, a row or a column 0.006 and more.
 */
const TOLERATED_SHARE = 0.0003;

export async function paint(pdf: Uint8Array): Promise<PNG[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'platen-pages-'));
  const within = (name: string) => join(folder.path, name);
  await writeFile(within('document.pdf'), pdf);
  const settings = ['-png', '-r', String(DOTS_PER_INCH)];
  await promisify(execFile)('pdftoppm', [...settings, within('document.pdf'), within('page')]);
  const files = (await readdir(folder.path)).filter((name) => name.endsWith('.png')).sort();
  return await Promise.all(files.map(async (name) => PNG.sync.read(await readFile(within(name)))));
}

export interface Comparison {
  /** The fraction of pixels that differ; 1 if one image is missing or has another size. */
  share: number;
  same: boolean;
  /** The result of the comparison in words. */
  verdict: string;
  diff?: PNG;
}

export function compare(actual: PNG | undefined, reference: PNG | undefined): Comparison {
  if (!actual || !reference) return different(actual ? 'there is no reference' : 'there is no such page any more');
  const [size, expected] = [actual, reference].map(({ width, height }) => `${width} by ${height}`);
  if (size !== expected) return different(`it is ${size} pixels, the reference ${expected}`);
  const diff = new PNG({ width: actual.width, height: actual.height });
  const pixels = actual.width * actual.height;
  const options = { threshold: COLOUR_TOLERANCE, includeAA: true };
  const count = pixelmatch(actual.data, reference.data, diff.data, actual.width, actual.height, options);
  const share = count / pixels;
  return { share, same: share <= TOLERATED_SHARE, verdict: `${count} of ${pixels} pixels differ`, diff };
}

function different(verdict: string): Comparison {
  return { share: 1, same: false, verdict };
}

/** Encodes a PNG without alpha channel, as small as possible: text is smaller without a filter, a photograph with one. */
export function encode(page: PNG): Buffer {
  const options = { colorType: 2, inputHasAlpha: true, deflateLevel: 9, deflateStrategy: 0 } as const;
  const [plain, filtered] = [PNG.sync.write(page, { ...options, filterType: 0 }), PNG.sync.write(page, options)];
  return plain.length < filtered.length ? plain : filtered;
}
