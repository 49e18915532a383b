/**
 * Renders each of `documents/` with the running service and compares its pages with reference images that a person has looked at.
 * `PLATEN_UPDATE_REFERENCES=1` writes new reference images, to be looked at before they are committed.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { bytesOf, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { startService } from '../support/service.ts';
import { DOCUMENTS } from './documents.ts';
import { type Comparison, compare, encode, paint } from './pages.ts';

const UPDATE = Boolean(process.env.PLATEN_UPDATE_REFERENCES);
const HERE = new URL('.', import.meta.url).pathname;
const REFERENCES = join(HERE, 'references');
/** The folder for the images of a failure. */
const FAILURES = join(tmpdir(), 'platen-visual');

const service = await startService().then(closeAfterAll);
await rm(FAILURES, { recursive: true, force: true });

describe('looks as before', () => {
  test.each(Object.keys(DOCUMENTS))('%s', async (name) => {
    const pages = await render(name, await markup(name));
    if (UPDATE) await replaceReferences(name, pages);
    const complaints: string[] = [];
    for (const [page, comparison] of (await compareAll(name, pages)).entries())
      if (!comparison.same) complaints.push(await complain(name, page, pages[page], comparison));
    expect(complaints.join('\n')).toBe('');
  });

  test('every document has references, and every reference a document', async () => {
    const [documents, references] = await Promise.all([readdir(join(HERE, 'documents')), readdir(REFERENCES)]);
    const names = Object.keys(DOCUMENTS).sort();
    expect(documents.sort()).toEqual(names.map((name) => `${name}.html`).sort());
    expect([...new Set(references.map((file) => file.replace(/-\d\.png$/, '')))].sort()).toEqual(names);
  });
});

/** The smallest faults that the comparison must detect. Each is put into a document, which must then differ from its reference. */
describe('detects a fault', () => {
  const faults: Array<[string, string, string | RegExp, string]> = [
    ['a row is missing in the middle of a table', 'invoice', /<tr><td>3<.*/, ''],
    ['the last row of a table is missing', 'long-table', /<tr[^>]*><td class="n">96<.*/, ''],
    ['a column is 1 mm further left', 'invoice', '.n { ', '.n { position: relative; left: -1mm; '],
    ['a table is set in another font', 'long-table', 'font: 8pt/1.35 "Open Sans", Arial', 'font: 8pt/1.35 Tinos, serif, Arial'],
    ['a web font is not there', 'web-font', 'src: url(data:font/woff2;base64,', 'src: url(data:font/woff2;base64,none'],
    ['one line of text is missing', 'letter', 'Datum</td><td>9. März 2026', 'Datum</td><td>'],
    ['a picture is missing', 'images', /<img src="data:image\/gif[^>]*>/, '<img alt="" style="width: 30mm; height: 30mm">'],
    ['a photograph lies on its side', 'images', 'img { display: block; }', 'img { display: block; image-orientation: none; }'],
    ['a colour has changed', 'svg-chart', 'stroke="#5aa469"', 'stroke="#5a9ba4"'],
    ['a background is missing', 'dark', '.glow { background', '.glow { --background'],
    ['script did not run', 'canvas-chart', '<script>', '<script type="text/plain">'],
    [
      'the head of a table is not repeated',
      'long-table',
      'tr { break-inside',
      'thead { display: table-row-group } tr { break-inside',
    ],
  ];

  test.each(faults)('%s', async (_fault, name, good, bad) => {
    const html = await markup(name);
    const faulty = html.replace(good, bad);
    expect(faulty).not.toBe(html);
    const comparisons = await compareAll(name, await render(name, faulty));
    expect(comparisons.filter(({ same }) => !same)).not.toEqual([]);
  });
});

function markup(name: string): Promise<string> {
  return readFile(join(HERE, 'documents', `${name}.html`), 'utf8');
}

async function render(name: string, html: string): Promise<PNG[]> {
  const response = await succeeded(service.pdf({ html, options: DOCUMENTS[name] }));
  return paint(await bytesOf(response));
}

/** One for each page of the longer one. */
async function compareAll(name: string, pages: PNG[]): Promise<Comparison[]> {
  const references = await readReferences(name);
  return Array.from({ length: Math.max(pages.length, references.length) }, (_, page) => compare(pages[page], references[page]));
}

async function readReferences(name: string): Promise<PNG[]> {
  const files = (await referenceFiles(name)).sort();
  return Promise.all(files.map(async (file) => PNG.sync.read(await readFile(file))));
}

async function referenceFiles(name: string): Promise<string[]> {
  const isOfName = new RegExp(`^${name}-\\d\\.png$`);
  return (await readdir(REFERENCES)).filter((file) => isOfName.test(file)).map((file) => join(REFERENCES, file));
}

async function replaceReferences(name: string, pages: PNG[]): Promise<void> {
  await Promise.all((await referenceFiles(name)).map((file) => rm(file)));
  await Promise.all(pages.map((page, index) => writeFile(join(REFERENCES, `${name}-${index + 1}.png`), encode(page))));
}

/** Saves the images and returns a message that names their files. */
async function complain(name: string, page: number, actual: PNG | undefined, { verdict, diff }: Comparison): Promise<string> {
  await mkdir(FAILURES, { recursive: true });
  const pictures = Object.entries({ actual, diff }).flatMap(([kind, picture]) =>
    picture ? [{ file: join(FAILURES, `${name}-${page + 1}-${kind}.png`), bytes: encode(picture) }] : [],
  );
  await Promise.all(pictures.map(({ file, bytes }) => writeFile(file, bytes)));
  return `${name}, page ${page + 1}: ${verdict}; see ${pictures.map(({ file }) => file).join(' and ')}`;
}
