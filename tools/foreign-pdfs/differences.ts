/** Compares PDFs with the one that they were made from. */
import type { Box, Picture, Reading, Word } from './reading.ts';
import type { Source, Trial } from './trials.ts';

const SHORT = 200;
/** What of a letter may be beyond the edge of a page, and what poppler leaves out with it, in points. */
const EDGE = 20;

/** Returns what is different that must not be. */
export async function differences(
  files: readonly Uint8Array[],
  source: Source,
  trial: Trial,
  reading: Reading,
): Promise<string[]> {
  const { pages = [source.words.map((_, index) => index)], password } = trial;
  if (files.length !== pages.length) return [`${files.length} PDFs`];
  const wrong: string[] = [];
  for (const [index, file] of files.entries()) {
    const { faults, words, pictures } = await reading.read(file, password);
    const chosen = pages[index] as number[];
    if (faults && !source.faults) wrong.push(`qpdf: ${faults.slice(0, SHORT)}`);
    if (trial.isLaidOut) wrong.push(...wordsThatAreMissing(words, source));
    else wrong.push(...wordsThatDiffer(words, source, chosen, trial), ...picturesThatDiffer(pictures, source, chosen, trial));
  }
  return wrong;
}

/** What a ticked box shows, in the appearances of many programs. */
const TICK = '✓';

function wordsThatDiffer(
  found: readonly Word[][],
  source: Source,
  pages: readonly number[],
  { emptied = [], added = [] }: Trial,
): string[] {
  const kept = pages.flatMap((page) => withoutThoseIn(emptied[page] ?? [], source.words[page] ?? []));
  const more = typeof added === 'string' ? pages.map(() => added) : added;
  const expected = count([...kept, ...more]);
  const actual = count(found.flatMap((words, index) => withoutRests(words, source, emptied, pages[index] ?? 0)));
  const differing = [...new Set([...expected.keys(), ...actual.keys()])].filter(
    (word) => word !== TICK && expected.get(word) !== actual.get(word),
  );
  return differing.length ? [`${differing.length} words differ, such as ${differing.slice(0, 3).join(' ')}`] : [];
}

/** Poppler cuts words at the edges of pages, which a page that is drawn on another has no longer. */
function wordsThatAreMissing(found: readonly Word[][], source: Source): string[] {
  const whole = source.words.flatMap((words, page) => {
    const { width, height } = source.pictures[page] ?? { width: 0, height: 0 };
    return words.filter((word) => contains({ x: EDGE, y: EDGE, width: width - 2 * EDGE, height: height - 2 * EDGE }, word));
  });
  const actual = count(found.flat().map(({ text }) => text));
  const missing = [...count(whole.map(({ text }) => text))].filter(([word, times]) => (actual.get(word) ?? 0) < times);
  return missing.length ? [`${missing.length} words are missing, such as ${missing[0]?.[0]}`] : [];
}

function withoutThoseIn(boxes: readonly Box[], words: readonly Word[]): string[] {
  return words.filter((word) => !boxes.some((box) => overlaps(box, word))).map(({ text }) => text);
}

/** Letters outside of an emptied box are left of words across its edge. */
function withoutRests(words: readonly Word[], source: Source, emptied: readonly Box[][], page: number): string[] {
  const boxes = emptied[page] ?? [];
  const cut = (source.words[page] ?? []).filter((word) => boxes.some((box) => overlaps(box, word)));
  const isRest = (word: Word) => cut.some((each) => contains(each, word)) && !boxes.some((box) => contains(box, middleOf(word)));
  return words.filter((word) => !isRest(word)).map(({ text }) => text);
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Up to a point. */
function contains(outer: Box, inner: Box): boolean {
  const { x, y, width, height } = inner;
  return (
    x >= outer.x - 1 && y >= outer.y - 1 && x + width <= outer.x + outer.width + 1 && y + height <= outer.y + outer.height + 1
  );
}

function middleOf({ x, y, width, height }: Box): Box {
  return { x: x + width / 2, y: y + height / 2, width: 0, height: 0 };
}

function count(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function picturesThatDiffer(
  pictures: readonly Picture[],
  source: Source,
  pages: readonly number[],
  { changed = [] }: Trial,
): string[] {
  return pictures.flatMap((picture, index) => {
    const page = pages[index] as number;
    const before = source.pictures[page];
    if (!before) return [];
    if (before.width !== picture.width || before.height !== picture.height) return [`page ${index + 1} has another size`];
    const differing = countPixels(before, picture, changed[page] ?? []);
    return differing ? [`page ${index + 1}: ${differing} pixels differ`] : [];
  });
}

/** How many pixels differ outside of boxes. */
function countPixels(before: Picture, after: Picture, boxes: readonly Box[]): number {
  if (before.pixels.equals(after.pixels)) return 0;
  let differing = 0;
  for (let pixel = 0; pixel < before.width * before.height; pixel++) {
    const [from, to] = [pixel * 3, pixel * 3 + 3];
    if (!before.pixels.subarray(from, to).equals(after.pixels.subarray(from, to))) {
      const [x, y] = [pixel % before.width, Math.floor(pixel / before.width)];
      if (!boxes.some((box) => overlaps(box, { x, y, width: 1, height: 1 }))) differing++;
    }
  }
  return differing;
}
