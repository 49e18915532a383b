/** Reads the structure tree of a PDF as Chromium wrote it, where pdf.js would take minutes: the file in, a line for each element and mark out. */
import { PrintedPages } from '../../src/pdf/edit/printed-pages.ts';

const KIDS = /\n\/K (\[[^\]]*\]|<<[^>]*>>|\d+ 0 R|\d+)/;
const ENTRIES = [/\/S \/\w+/, /\/Headers \[[^\]]*\]/, /\/ID \(\w+\)/];
const KID = /<<([^>]*)>>|(\d+) 0 R|(\d+)/g;

/** Lines such as `  TR` and `   content 12`, with the index of the page. */
export function readStructureLines(pdf: Uint8Array): string[] {
  const file = new PrintedPages(Buffer.from(pdf));
  const indexes = new Map(file.pages.map((id, index) => [String(id), index]));
  const lines: string[] = [];
  const read = (id: number, depth: number) => {
    const text = file.text(id);
    const indent = ' '.repeat(depth);
    const [, page = ''] = /\n\/Pg (\d+)/.exec(text.replace(KIDS, '')) ?? [];
    lines.push(indent + ENTRIES.map((entry) => entry.exec(text)?.[0] ?? '').join(' '));
    for (const [mark, dictionary = '', kid] of (KIDS.exec(text)?.[1] ?? '').matchAll(KID)) {
      const kind = dictionary.includes('/OBJR') ? 'annotation' : 'content';
      if (mark === `${kid} 0 R`) read(Number(kid), depth + 1);
      else lines.push(`${indent} ${kind} ${indexes.get(/\/Pg (\d+)/.exec(dictionary)?.[1] ?? page)}`);
    }
  };
  const [, root] = /\/StructTreeRoot (\d+)/.exec(file.catalog) ?? [];
  const [, top] = /\/K (\d+)/.exec(file.text(Number(root))) ?? [];
  read(Number(top), 0);
  return withOwnNumbers(lines);
}

/** Numbers ids in the order of the document, because Chromium counts all elements of a page. */
function withOwnNumbers(lines: string[]): string[] {
  const numbers = new Map<string, number>();
  return lines.map((line) =>
    line.replace(/node\d{8}/g, (id) => {
      numbers.set(id, numbers.get(id) ?? numbers.size);
      return `node ${numbers.get(id)}`;
    }),
  );
}
