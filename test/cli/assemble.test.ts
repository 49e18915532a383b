/** `platen assemble` and `platen extract`, which need no service. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUpCli } from '../support/cli-folder.ts';
import { readPdf } from '../support/read-pdf.ts';
import { readZip } from '../support/read-zip.ts';

const { folder, cli, failure } = setUpCli();
const at = (name: string) => join(folder, name);
const textsOf = async (name: string) => (await readPdf(await readFile(at(name)))).pages;

await writeFile(at('one.html'), '<p>one<p style="break-before: page">two');
await cli('render', at('one.html'), '-o', at('one.pdf'));

test('puts files together, and changes the whole', async () => {
  await writeFile(at('more.md'), 'three');
  const steps = JSON.stringify([{ stamp: { text: '{{page}}/{{pages}}', position: 'bottom', font_size: 9 } }]);
  await cli('assemble', at('one.pdf'), at('more.md'), '-o', at('all.pdf'), '--steps', steps);
  expect(await textsOf('all.pdf')).toEqual(['one1/3', 'two2/3', 'three3/3']);
  await cli('assemble', at('all.pdf'), '-o', at('last.pdf'), '--pages', 'last');
  expect(await textsOf('last.pdf')).toEqual(['three3/3']);
});

test('reads a request that names files', async () => {
  await writeFile(
    at('order.json'),
    JSON.stringify({ parts: [{ file: 'one.pdf', pages: '2, 1' }], steps: [{ split: { every: 1 } }] }),
  );
  await cli('assemble', at('order.json'), '-o', at('out.zip'));
  const pages = [...(await readZip(await readFile(at('out.zip')))).values()].map(async (pdf) => (await readPdf(pdf)).pages);
  expect(await Promise.all(pages)).toEqual([['two'], ['one']]);
});

test('extract reads what a PDF holds', async () => {
  await cli('extract', at('one.pdf'), '-o', at('one.json'), '--pages', '2', '--what', 'text', 'bookmarks');
  const read = JSON.parse(await readFile(at('one.json'), 'utf8'));
  expect(read).toMatchObject({ pages: [{ text: 'two' }], bookmarks: [] });
  const { stderr } = await failure(['extract', at('one.pdf'), '--what', 'smell']);
  expect(stderr).toContain('steps[0].extract.what[0]: must be one of text, lines, markdown');
});

test('says what is wrong', async () => {
  const stderrOf = async (...args: string[]) => (await failure(['assemble', ...args, '-o', at('x.pdf')])).stderr;
  expect(await stderrOf(at('one.pdf'), '--pages', '3')).toContain('parts[0].pages: names page 3, but the document has 2 pages');
  expect(await stderrOf(at('none.pdf'))).toContain('there is no such file');
  await writeFile(at('stored.json'), '{"parts": [{"document_id": "doc_0123456789ABCDEFGHIJKL"}]}');
  expect(await stderrOf(at('stored.json'))).toContain('parts[0]: needs the service');
});
