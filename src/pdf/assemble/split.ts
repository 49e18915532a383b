/** Divides a PDF into several. */
import { targetPage } from '../objects/destinations.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { readOutline } from '../structure/outline.ts';
import { type AssembledFile, StepError } from './open-document.ts';
import { chosenPages } from './page-steps.ts';
import { selectPages } from './select-pages.ts';

/** Exactly one of them is there. */
export interface SplitStep {
  /** The number of pages of each PDF but the last. */
  every?: number | undefined;
  /** The pages of each PDF. */
  ranges?: string[] | undefined;
  /** A new PDF begins at each bookmark of the top level. */
  at?: 'bookmarks' | undefined;
}

const MAX_FILES = 5_000;

export async function divide(
  pdf: ForeignPdf,
  step: SplitStep,
  write: (part: ForeignPdf) => Promise<AssembledFile>,
): Promise<AssembledFile[]> {
  const groups = groupsOf(pdf, step);
  if (groups.length > MAX_FILES) throw new StepError('', `makes ${groups.length} PDFs; at most ${MAX_FILES} are allowed`);
  const files: AssembledFile[] = [];
  for (const group of groups)
    await pdf.temporarily(async () => {
      selectPages(pdf, group);
      files.push(await write(pdf));
    });
  return files;
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
