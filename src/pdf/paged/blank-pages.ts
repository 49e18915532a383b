/** Finds pages of a printed PDF that show nothing, or nothing but a background or border. */
import { PrintedPages } from '../edit/printed-pages.ts';

/** What shows text or pictures, is shaded, or has curves. Rectangles and lines are backgrounds and borders. */
const CONTENT = /(?:^|\s)(?:Tj|TJ|Do|BI|sh|c|v|y)(?:\s|$)/;
/** More rectangles and lines than this are a drawing. */
const MAX_PATHS = 8;
const PATH = /(?:^|\s)(?:re|m)(?=\s)/g;

/** Returns their numbers, from 1. */
export function findBlankPages(chunks: readonly Buffer[]): number[] {
  const file = new PrintedPages(Buffer.concat(chunks));
  return file.pages.flatMap((_, index) => (isBlank(file, index) ? [index + 1] : []));
}

/** Returns the numbers of all others. */
export function findPainted(file: PrintedPages): number[] {
  return file.pages.flatMap((_, index) => (isBlank(file, index) ? [] : [index + 1]));
}

/** A longer content cannot be blank, and takes longer to read. */
const MAX_BYTES = 400;

/** Whether the page with this index shows nothing but a background or border. */
export function isBlank(file: PrintedPages, index: number): boolean {
  const page = file.text(file.pages[index] ?? 0);
  const [, id] = /\/Contents (\d+) 0 R/.exec(page) ?? [];
  if (id === undefined || (file.stream(Number(id))?.length ?? 0) > MAX_BYTES) return false;
  const content = file.content(index);
  return !CONTENT.test(content) && (content.match(PATH)?.length ?? 0) <= MAX_PATHS;
}
