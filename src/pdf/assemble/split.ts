/** Divides a PDF into several. */
import type { Dropped } from '../merge/merge-catalog.ts';
import { targetPage } from '../objects/destinations.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import type { Parts } from '../objects/write.ts';
import { selectPages } from '../select/select-pages.ts';
import { readOutline } from '../structure/outline.ts';
import { type AssembledFile, StepError } from './open-document.ts';
import { chosenPages } from './page-steps.ts';

/** Exactly one of them is there. */
export interface SplitStep {
  /** The number of pages of each PDF but the last. */
  every?: number | undefined;
  /** The pages of each PDF. */
  ranges?: string[] | undefined;
  /** A new PDF begins at each bookmark of the top level. */
  at?: 'bookmarks' | undefined;
  /** As many pages in each PDF as it can have without being larger. */
  maxBytes?: number | undefined;
}

const MAX_FILES = 5_000;

/** What becomes of a part of the pages. */
export interface PartWriter {
  write(part: ForeignPdf): Parts;
  /** Is called once for each PDF that is kept. */
  keep(written: Parts, pages: number): Promise<AssembledFile>;
}

/** `dropped` takes what cannot be as the step wants it. */
export async function divide(pdf: ForeignPdf, step: SplitStep, writer: PartWriter, dropped: Dropped[]): Promise<AssembledFile[]> {
  const lost = new Map<string, Dropped>();
  const write: Output['write'] = (pages) =>
    pdf.temporarily(async () => {
      for (const each of selectPages(pdf, pages)) lost.set(each.what, each);
      return writer.write(pdf);
    });
  const output = { write, keep: writer.keep };
  const files =
    step.maxBytes === undefined
      ? await divideByPages(groupsOf(pdf, step), output)
      : await divideBySize(pdf.pages().length, step.maxBytes, output, dropped);
  if (files.length > 1 || !step.maxBytes) dropped.push(...lost.values());
  return files;
}

interface Output extends Pick<PartWriter, 'keep'> {
  /** `pages` are indexes. */
  write(pages: readonly number[]): Promise<Parts>;
}

async function divideByPages(groups: readonly number[][], { write, keep }: Output): Promise<AssembledFile[]> {
  requireFewFiles(groups.length);
  const files: AssembledFile[] = [];
  for (const group of groups) files.push(await keep(await write(group), group.length));
  return files;
}

function requireFewFiles(count: number): void {
  if (count > MAX_FILES) throw new StepError('', `makes ${count} PDFs; at most ${MAX_FILES} are allowed`);
}

async function divideBySize(count: number, maxBytes: number, output: Output, dropped: Dropped[]): Promise<AssembledFile[]> {
  const [files, larger]: [AssembledFile[], number[]] = [[], []];
  let guess = 1;
  for (let start = 0; start < count; start += guess) {
    requireFewFiles(files.length + 1);
    const write = (pages: number) => output.write(range(start, start + pages));
    const fitting = await writeAsManyAsFit(write, { maxBytes, left: count - start, guess });
    if (fitting.written.length > maxBytes) larger.push(start + 1);
    files.push(await output.keep(fitting.written, fitting.pages));
    guess = fitting.pages;
  }
  if (larger.length) dropped.push({ what: 'max_bytes', why: describeLarger(larger, maxBytes) });
  return files;
}

const MAX_NAMED_PAGES = 20;

function describeLarger(pages: readonly number[], maxBytes: number): string {
  const more = pages.length > MAX_NAMED_PAGES ? `, and ${pages.length - MAX_NAMED_PAGES} more` : '';
  const named = `${pages.slice(0, MAX_NAMED_PAGES).join(', ')}${more}`;
  return pages.length === 1
    ? `page ${named} alone has more than ${maxBytes} bytes, and is a PDF of its own`
    : `pages ${named} have more than ${maxBytes} bytes each, and are PDFs of their own`;
}

/** Pages that were written together. */
interface Attempt {
  pages: number;
  written: Pick<Parts, 'length'>;
}

interface Fitting extends Attempt {
  written: Parts;
}

interface Room {
  maxBytes: number;
  /** The number of pages that are left. */
  left: number;
  /** How many pages are tried first. */
  guess: number;
}

const NONE: Attempt = { pages: 0, written: { length: 0 } };

/**
 * Writes as many of the pages that are left as fit, from the first one. A page that alone is larger is written alone. Only a PDF that was
 * written tells its size, so few are written: the sizes that were met tell what to try next.
 */
async function writeAsManyAsFit(write: (pages: number) => Promise<Parts>, { maxBytes, left, guess }: Room): Promise<Fitting> {
  let fitting: Fitting | undefined;
  let tooMany: Attempt = { pages: left + 1, written: { length: Number.POSITIVE_INFINITY } };
  let pages = Math.min(guess, left);
  for (let attempts = 1; ; attempts++) {
    const attempt = { pages, written: await write(pages) };
    if (attempt.written.length <= maxBytes || pages === 1) fitting = attempt;
    else tooMany = attempt;
    const isLarger = attempt.written.length > maxBytes && pages === 1;
    if (fitting && (isLarger || fitting.pages === tooMany.pages - 1)) return fitting;
    pages = next(fitting ?? NONE, tooMany, maxBytes, attempts);
  }
}

function next(fitting: Attempt, tooMany: Attempt, maxBytes: number, attempts: number): number {
  const isFound = Number.isFinite(tooMany.written.length);
  const expected = isFound ? between(fitting, tooMany, maxBytes, attempts) : more(fitting, maxBytes, attempts);
  return Math.min(Math.max(expected, fitting.pages + 1), tooMany.pages - 1);
}

/** More at once could be much too large. */
const MAX_GROWTH = 4;

/** At first by the size. What all pages share makes that too few, so that they become more from attempt to attempt. */
function more({ pages, written }: Attempt, maxBytes: number, attempts: number): number {
  const bySize = Math.floor((pages * maxBytes) / written.length);
  return Math.min(Math.max(bySize, pages + 2 ** (attempts - 1)), pages * MAX_GROWTH);
}

/** By the sizes, and each second time in the middle, for pages that differ much. */
function between(fitting: Attempt, tooMany: Attempt, maxBytes: number, attempts: number): number {
  const bySize = (maxBytes - fitting.written.length) / (tooMany.written.length - fitting.written.length);
  return fitting.pages + Math.floor((attempts % 2 ? bySize : 1 / 2) * (tooMany.pages - fitting.pages));
}

function groupsOf(pdf: ForeignPdf, { every, ranges, at }: SplitStep): number[][] {
  const count = pdf.pages().length;
  if (ranges) return ranges.map((pages, index) => chosenPages(pages, count, `ranges[${index}]`));
  const starts = at
    ? startsOfBookmarks(pdf)
    : Array.from({ length: Math.ceil(count / (every ?? count)) }, (_, n) => n * (every ?? count));
  return starts.map((start, index) => range(start, starts[index + 1] ?? count));
}

/** What is before the first bookmark is a PDF of its own. */
function startsOfBookmarks(pdf: ForeignPdf): number[] {
  const numbers = new Map(pdf.pages().map(({ ref }, index) => [ref.objectNumber, index]));
  const pages = readOutline(pdf).flatMap(({ dict }) => numbers.get(targetPage(pdf, dict)?.objectNumber ?? -1) ?? []);
  if (!pages.length) throw new StepError('at', 'needs bookmarks that lead to pages, and the document has none');
  return [...new Set([0, ...pages])].sort((one, other) => one - other);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
