/** `platen assemble`, `merge`, `split`, `stamp` and `extract`, which need no service. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { setUpCli } from '../support/cli-folder.ts';
import { readPdf } from '../support/read-pdf.ts';
import { readZip } from '../support/read-zip.ts';
import { spawnCli } from '../support/service.ts';

const { folder, env, cli, failure } = setUpCli();
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

test('merge, stamp and split put files together, number them and take them apart', async () => {
  await cli('merge', at('one.pdf'), at('one.pdf'), '-o', at('merged.pdf'), '--pages', '2');
  await writeFile(at('mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><text y="20">SVG</text></svg>');
  const numbers = ['--text', '{{page}} of {{pages}}', '--position', 'bottom', '--size', '9', '--on', 'last'];
  await cli('stamp', at('merged.pdf'), '-o', at('stamped.pdf'), ...numbers);
  expect(await textsOf('stamped.pdf')).toEqual(['two', 'two2 of 2']);
  await cli('stamp', at('stamped.pdf'), '-o', at('under.pdf'), '--file', at('one.pdf'), '--under', '--on', '1');
  expect(await textsOf('under.pdf')).toEqual(['onetwo', 'two2 of 2']);
  await cli('stamp', at('one.pdf'), '-o', at('image.pdf'), '--file', at('mark.svg'), '--on', '1', '--pages', '1');
  expect(await textsOf('image.pdf')).toEqual(['oneSVG']);
  const split = async (...places: string[]) => {
    await cli('split', at('stamped.pdf'), '-o', at('split.zip'), ...places);
    const pdfs = [...(await readZip(await readFile(at('split.zip')))).values()];
    return Promise.all(pdfs.map(async (pdf) => (await readPdf(pdf)).pages));
  };
  expect(await split()).toEqual([['two'], ['two2 of 2']]);
  expect(await split('--ranges', '2', '1-2')).toEqual([['two2 of 2'], ['two', 'two2 of 2']]);
});

test('opens a protected PDF with its password, and names the parts of a split after it', async () => {
  await cli('assemble', at('one.pdf'), '-o', at('secret.pdf'), '--steps', '[{"encrypt": {"user": "sesame"}}]');
  const refused = async (...args: string[]) => (await failure(['merge', at('secret.pdf'), '-o', at('x.pdf'), ...args])).stderr;
  expect(await refused()).toContain('secret.pdf: is protected by a password');
  expect(await refused('--password', 'wrong')).toContain('secret.pdf --password: does not open the PDF');
  await cli('split', at('secret.pdf'), '-o', at('opened.zip'), '--password', 'sesame');
  expect([...(await readZip(await readFile(at('opened.zip')))).keys()]).toEqual(['secret_0.pdf', 'secret_1.pdf']);
});

test('reads a PDF from standard input', async () => {
  const child = spawnCli(['extract', '-', '--what', 'text'], env);
  child.stdin?.end(await readFile(at('one.pdf')));
  expect(JSON.parse(await text(child.stdout as Readable))).toMatchObject({ pages: [{ text: 'one' }, { text: 'two' }] });
});

test('extract reads what a PDF holds', async () => {
  await cli('extract', at('one.pdf'), '-o', at('one.json'), '--pages', '2', '--what', 'text', 'bookmarks');
  const read = JSON.parse(await readFile(at('one.json'), 'utf8'));
  expect(read).toMatchObject({ pages: [{ text: 'two' }], bookmarks: [] });
  const { stderr } = await failure(['extract', at('one.pdf'), '--what', 'smell']);
  expect(stderr).toContain('--what: must be one of text, lines, markdown');
});

test('writes nothing over an input, into no folder, and nothing but a PDF as .pdf', async () => {
  const before = await readFile(at('one.pdf'));
  const stderrOf = async (command: string, output: string) => (await failure([command, at('one.pdf'), '-o', at(output)])).stderr;
  expect(await stderrOf('split', 'one.pdf')).toMatch(/^platen: .*one\.pdf is an input and would be overwritten: /);
  expect(await readFile(at('one.pdf'))).toEqual(before);
  expect(await stderrOf('merge', 'none/x.pdf')).toMatch(/^platen: cannot write .*x\.pdf: the folder .*none does not exist\n$/);
  expect(await stderrOf('split', 'split.pdf')).toMatch(
    /split\.pdf would not be a PDF, but application\/zip: name another file with -o\n$/,
  );
  await expect(readFile(at('split.pdf'))).rejects.toThrow('ENOENT');
});

test('prints warnings, and what could not be kept', async () => {
  await writeFile(at('form.html'), '<input name="a"><img src="https://none.invalid/">');
  await writeFile(at('form.json'), '{"forms": true}');
  await cli('render', at('form.html'), '-o', at('form.pdf'), '--options', at('form.json'));
  const { stderr } = await cli('merge', at('form.html'), at('form.pdf'), at('form.pdf'), '-o', at('forms.pdf'));
  expect(stderr).toMatch(/^platen: resource_failed: https:\/\/none\.invalid\/: /m);
  expect(stderr).toMatch(/^platen: dropped names of form fields: /m);
});

test('says what is wrong', async () => {
  const stderrOf = async (...args: string[]) => (await failure(['assemble', ...args, '-o', at('x.pdf')])).stderr;
  expect(await stderrOf(at('one.pdf'), '--pages', '3')).toContain('one.pdf --pages: names page 3, but the document has 2 pages');
  expect(await stderrOf(at('none.pdf'))).toContain('there is no such file');
  expect(await stderrOf(folder)).toContain('it is a folder');
  expect(await stderrOf(at('one.pdf'), '--steps', '[{"rotate": {"angle": 1}}]')).toContain('steps[0].rotate.angle');
  const ofCommand = async (...args: string[]) => (await failure([...args, '-o', at('x.pdf')])).stderr;
  expect(await ofCommand('split', at('one.pdf'), '--every', 'two')).toContain('--every: must be a whole number');
  expect(await ofCommand('stamp', at('one.pdf'))).toContain('name what to draw, with --text or --file');
  const looks = await ofCommand('stamp', at('one.pdf'), '--text', 'x', '--position', 'middle', '--size', 'big');
  expect(looks).toMatch(/--position: must be one of .*\n--size: must be a number/);
  await writeFile(at('stored.json'), '{"parts": [{"document_id": "doc_0123456789ABCDEFGHIJKL"}]}');
  expect(await stderrOf(at('stored.json'))).toContain('parts[0]: needs the service');
});
