/**
 * Renders documents that use the npm packages people draw and typeset with. Each PDF shows the finished document, as Chromium does
 * after a long wait, whatever was rendered before it and wherever its resources come from.
 * `PLATEN_TEST_CORPUS=mermaid` renders only the documents of that name.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPdf } from '../support/read-pdf.ts';
import { type Comparison, compare, encode, paint } from '../visual/pages.ts';
import { ALL, DOCUMENTS } from './documents.ts';
import type { CorpusDocument } from './page.ts';
import { type Print, printAll, RUNS, type Run } from './runs.ts';

/** The folder for the PDFs of a failure and the differences between their pages. */
const FAILURES = join(tmpdir(), 'platen-corpus');

await rm(FAILURES, { recursive: true, force: true });
const prints = await printAll(DOCUMENTS);

test('has at least a hundred documents with unique names', () => {
  expect(ALL.length).toBeGreaterThanOrEqual(100);
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
});

const KNOWN = DOCUMENTS.filter(({ known }) => known);
const SAME = DOCUMENTS.filter(({ known, differs }) => !known && !differs);

describe.each(SAME)('$name', (document) => {
  test('prints the finished document', async () => {
    const [{ pdf }, reference] = [printOf(document, 'as listed'), referenceOf(document)];
    expect(otherWords(await textOf(pdf), await textOf(reference))).toBe('');
    expect(await differences(document, pdf, reference)).toEqual([]);
  });

  test('produces the same bytes for the same request', async () => {
    const [again, first] = [printOf(document, 'again at once'), printOf(document, 'as listed')];
    if (again.bytes !== first.bytes) await keep(document, 'again at once', again.pdf);
    expect(again.bytes === first.bytes).toBe(true);
  });

  test.for(['reversed', 'shuffled', 'in a fresh context'] as const)('prints the same %s', async (run, { skip }) => {
    const [other, first] = [printOf(document, run), printOf(document, 'as listed')];
    if (other.bytes === first.bytes) return;
    await keep(document, run, other.pdf);
    expect(otherWords(await textOf(other.pdf), await textOf(first.pdf))).toBe('');
    expect(await differences(document, other.pdf, first.pdf)).toEqual([]);
    skip('it looks the same, but its bytes differ: a renderer that has shown other documents may embed a font twice');
  });

  test('prints the same from its URL', async () => {
    const [visited, given] = (['from its address', 'as listed'] as const).map((run) => textOf(printOf(document, run).pdf));
    expect(otherWords((await visited) ?? [], (await given) ?? [])).toBe('');
  });
});

test.each(DOCUMENTS.filter(({ known }) => !known))('$name has the expected warnings', (document) => {
  const kinds = RUNS.map((run) => printOf(document, run).warnings.map(({ kind, message }) => `${kind}: ${message}`));
  for (const warnings of kinds) expect(warnings.map((each) => each.split(':')[0])).toEqual(document.warnings ?? []);
});

test.runIf(DOCUMENTS.some(({ differs }) => differs))('prints content that changes each time anew', () => {
  for (const document of DOCUMENTS.filter(({ differs }) => differs))
    expect(new Set(RUNS.map((run) => printOf(document, run).bytes)).size, document.name).toBe(RUNS.length);
});

test.for(KNOWN)('$name is not right yet: $known', ({ known }, { skip }) => skip(known ?? ''));

function printOf({ name }: CorpusDocument, run: Run): Print {
  const print = prints.get(name)?.runs[run];
  if (!print || print instanceof Error) throw new Error(`${name}, ${run}: ${print?.message}`);
  return print;
}

function referenceOf({ name }: CorpusDocument): Buffer {
  const reference = prints.get(name)?.reference;
  if (!reference || reference instanceof Error) throw new Error(`the reference of ${name}: ${reference?.message}`);
  return reference;
}

async function textOf(pdf: Buffer): Promise<string[]> {
  return (await readPdf(pdf)).pages;
}

/** Returns only the first difference, because a whole book is too long to be shown. */
function otherWords(pages: string[], expected: string[]): string {
  const page = Math.max(
    pages.findIndex((text, index) => text !== expected[index]),
    0,
  );
  if (pages.length === expected.length && pages[page] === expected[page]) return '';
  const [own = '', other = ''] = [pages[page], expected[page]];
  const at = Math.max([...own].findIndex((letter, index) => letter !== other[index]) - 20, 0);
  return `${pages.length} pages, not ${expected.length}; page ${page + 1} has "${own.slice(at, at + 80)}", not "${other.slice(at, at + 80)}"`;
}

/** Describes the differences between the pages, and saves images of them. */
async function differences(document: CorpusDocument, pdf: Buffer, reference: Buffer): Promise<string[]> {
  const [pages, expected] = await Promise.all([paint(pdf), paint(reference)]);
  const numbers = Array.from({ length: Math.max(pages.length, expected.length) }, (_, index) => index);
  const comparisons = numbers.map((index) => compare(pages[index], expected[index]));
  if (comparisons.every(({ same }) => same)) return [];
  await keep(document, 'as listed', pdf);
  const folder = await keep(document, 'reference', reference);
  return Promise.all(comparisons.flatMap((each, index) => (each.same ? [] : [complain(each, index + 1, folder)])));
}

/** Returns the folder of the saved images. */
async function keep({ name }: CorpusDocument, run: string, pdf: Buffer): Promise<string> {
  const folder = join(FAILURES, name.replaceAll(/\W+/g, '-'));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${run}.pdf`), pdf);
  return folder;
}

async function complain({ verdict, diff }: Comparison, page: number, folder: string): Promise<string> {
  if (diff) await writeFile(join(folder, `${page}.png`), encode(diff));
  return `page ${page}: ${verdict}; see ${folder}`;
}
