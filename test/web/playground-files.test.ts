/** The style sheet and the files of a draft: they render, are kept, and go wherever the draft goes. */
import { expect, test } from 'vitest';
import { Client, type List } from '../support/client.ts';
import { enterKey } from '../support/dashboard.ts';
import { openBeside, readKept, titlesOf } from '../support/drafts.ts';
import { accessibilityViolations, expectSound } from '../support/page-checks.ts';
import { PIXEL } from '../support/pixel.ts';
import type { PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually } from '../support/service.ts';
import { openSnippetFolder } from '../support/snippet-runs.ts';
import { NARROW } from '../support/web-page.ts';

const { open, service } = await openPlaygrounds();

const MARK = 'p::after { content: " in style" }';
const OWN_CSS = Buffer.from('p::before { content: "from a file " }');
const DOCUMENT = '<link rel="stylesheet" href="own.css"><p>The text</p><img src="logo.png" alt="">';
const FILES = [
  { name: 'own.css', mimeType: 'text/css', buffer: OWN_CSS },
  { name: 'logo.png', mimeType: 'image/png', buffer: PIXEL },
];

type Files = typeof FILES;

async function addFiles({ page }: PlaygroundPage, files: Files): Promise<void> {
  await page.getByRole('tab', { name: 'Files' }).click();
  const button = page.getByRole('button', { name: 'Add files' });
  await button.click({ trial: true }); // waits until it can be used
  await button.locator('+ input').setInputFiles(files); // in Firefox, Playwright leaves a dialog open, and the next one does not open
}

/** Writes a document with a style sheet and two files. */
async function writeAll(playground: PlaygroundPage): Promise<void> {
  await playground.write('HTML', DOCUMENT);
  await addFiles(playground, FILES);
  await playground.shows('from a file The text');
  await playground.tab('Style');
  await playground.write('Style', MARK);
  await playground.page.getByRole('button', { name: 'Link it' }).click();
  await playground.shows('from a file The text in style');
}

const names = ({ page }: PlaygroundPage) => page.getByRole('list', { name: 'Files' }).locator('bdi').allTextContents();

test('renders a style sheet and files for a guest, who replaces and removes them', async () => {
  const playground = await open();
  const { page } = playground;
  await writeAll(playground);
  await page.getByText('no warnings', { exact: true }).waitFor();
  await playground.tab('Edit');
  expect(await playground.editor('HTML').textContent()).toContain('<link rel="stylesheet" href="style.css">');

  await playground.tab('Files');
  expect(await names(playground)).toEqual(['logo.png', 'own.css']);
  await expectSound(page);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Replace own.css' }).click();
  const other = { name: 'other.css', mimeType: 'text/css', buffer: Buffer.from('p::before { content: "replaced " }') };
  await (await choosing).setFiles([other]);
  await playground.shows('replaced The text in style');
  expect(await names(playground)).toEqual(['logo.png', 'own.css']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await playground.shows('from a file The text in style');
  await page.getByRole('button', { name: 'Remove own.css' }).click();
  await expect.poll(() => playground.pdfPage(1).textContent(), { timeout: 60_000 }).not.toContain('from a file');
  await page.getByRole('button', { name: 'Undo' }).click();
  await playground.shows('from a file The text in style');
  await page.getByRole('tab', { name: 'Files' }).getByText('2').waitFor();
  expect(playground.errors).toEqual([]);
});

test('takes files that are dropped, and a style sheet for the one that is written', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.write('HTML', '<link rel="stylesheet" href="style.css"><link rel="stylesheet" href="own.css"><p>The text</p>');
  await playground.tab('Files');
  await page.locator('.file-list').waitFor();
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(MARK)}], 'style.css', { type: 'text/css' }));
    dataTransfer.items.add(new File([${JSON.stringify(String(OWN_CSS))}], 'own.css', { type: 'text/css' }));
    document.querySelector('.file-list').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }`);
  await playground.shows('from a file The text in style');
  expect(await names(playground)).toEqual(['own.css']);
  await playground.tab('Style');
  await playground.editor('Style').getByText('in style').waitFor();
});

test('keeps them over a reload and a closed tab, and in the list of drafts', async () => {
  const first = await open();
  await writeAll(first);
  await eventually('the style is kept', async () => (await readKept(first.page)).includes(JSON.stringify(MARK).slice(1, -1)));
  await first.page.reload();
  await first.ready();
  await first.shows('from a file The text in style');
  await first.page.close();
  const next = await openBeside(first);
  await next.shows('from a file The text in style');
  await next.page.getByRole('button', { name: 'Examples' }).click();
  await next.page.locator('.gallery').getByRole('button').first().click();
  await next.tab('Files');
  await next.page.getByText('Files stay in this browser').waitFor();
  expect(await names(next)).toEqual([]);
  await next.page.getByRole('button', { name: 'Restore my draft' }).click();
  await next.shows('from a file The text in style');
  expect(await names(next)).toEqual(['logo.png', 'own.css']);
  await next.tab('Edit');
  expect(await titlesOf(next)).toContain('The text');
});

test('says which file the browser no longer has', async () => {
  const playground = await open();
  const { page } = playground;
  await writeAll(playground);
  await page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('platen');
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('files', 'readwrite');
      transaction.objectStore('files').clear();
      transaction.oncomplete = () => resolve(opening.result.close());
    };
  })`);
  await page.reload();
  await playground.errorNotice.getByText('This browser no longer has the file own.css').waitFor();
});

test('refuses files that are too large together, and keeps the others', async () => {
  const playground = await open();
  const large = { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(2_000_000) };
  await addFiles(playground, [large]);
  await expect.poll(() => names(playground)).toEqual(['large.png']);
  await addFiles(playground, [{ ...large, name: 'second.png' }]);
  await playground.page.getByRole('alert').getByText('All files would have 4 MB together; at most 2.1 MB').waitFor();
  expect(await names(playground)).toEqual(['large.png']);
});

test('tells that a link has the style, but no files', async () => {
  const playground = await open();
  await writeAll(playground);
  await playground.page.getByRole('button', { name: 'Link', exact: true }).click();
  await playground.page.getByText('The files are not in the link. Who opens it has to add them: logo.png, own.css.').waitFor();
  await playground.page.keyboard.press('Escape');
  const { pathname, hash } = new URL(await playground.link());
  const opened = await openBeside(playground, pathname + hash);
  await opened.shows('The text in style');
  expect(await opened.pdfPage(1).textContent()).not.toContain('from a file');
  await opened.tab('Files');
  await opened.page.getByText('Files stay in this browser').waitFor();
  expect(await names(opened)).toEqual([]);
});

test('become files of the template, which a program renders and which open as a draft again', async () => {
  const issued = await service.createKey();
  const key = new Client(service.url, issued.key);
  const playground = await open();
  const { page } = playground;
  await writeAll(playground);
  const code = await playground.codeIn('curl');
  const { run } = await openSnippetFolder();
  expect((await readPdf(await run('curl', code, issued.key))).pages).toEqual(['from a file The text in style']);

  await playground.tab('Edit');
  await page.getByRole('button', { name: 'Save as template' }).click();
  await enterKey(page, issued.key);
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
  const list = await key.json<List<{ template_id: string }>>('/v1/templates');
  const [{ template_id: id } = { template_id: '' }] = list.data;
  const paths = async () => (await key.json<List<{ path: string }>>(`/v1/templates/${id}/assets`)).data.map(({ path }) => path);
  expect(await paths()).toEqual(['logo.png', 'own.css', 'style.css']);
  await playground.shows('from a file The text in style');

  await playground.tab('Style');
  await playground.write('Style', 'p::after { content: " unsaved" }');
  await playground.shows('The text unsaved');
  await playground.tab('Files');
  await page.getByRole('button', { name: 'Remove logo.png' }).click();
  await expect.poll(() => names(playground)).toEqual(['own.css']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => names(playground)).toEqual(['logo.png', 'own.css']);
  await page.getByRole('button', { name: 'Remove logo.png' }).click();
  const other = Buffer.from('p::before { content: "from another file " }');
  await addFiles(playground, [{ name: 'own.css', mimeType: 'text/css', buffer: other }]);
  await playground.shows('from another file The text unsaved');
  await page.getByRole('button', { name: '1 warning' }).waitFor(); // the picture is missing
  await page.reload();
  await playground.shows('from another file The text unsaved');
  expect(await paths()).toEqual(['logo.png', 'own.css', 'style.css']);
  await playground.tab('Edit');
  await page.getByText('Version 1, with unsaved changes').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Version 2', { exact: true }).waitFor();
  expect(await paths()).toEqual(['own.css', 'style.css']);
  const rendered = await key.send('POST', '/v1/pdf', { template_id: id });
  expect((await readPdf(Buffer.from(await rendered.arrayBuffer()))).pages).toEqual(['from another file The text unsaved']);

  await playground.tab('Files');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove own.css' }).click();
  await page.setViewportSize(NARROW);
  await expectSound(page);
  await playground.tab('Edit');
  await page.getByText('Version 2, with unsaved changes').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('Version 2', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Open as a draft' }).click();
  await page.waitForURL((url) => url.search === '');
  await playground.ready();
  await playground.tab('Files');
  await expect.poll(() => names(playground)).toEqual(['own.css']);
  await page.setViewportSize({ width: 1280, height: 800 });
  await playground.shows('from another file The text unsaved');
});

test('are saved by a render if they are too large for a preview, which is then free', async () => {
  const issued = await service.createKey();
  const key = new Client(service.url, issued.key);
  const { template_id: id } = await key.template('<link rel="stylesheet" href="large.css"><p>The text</p>');
  const playground = await open();
  const { page } = playground;
  await page.goto(`/edit?template=${id}`);
  await enterKey(page, issued.key);
  await playground.shows('The text');
  const large = Buffer.from(`p::before { content: "large " } /* ${'0123456789'.repeat(300_000)} */`);
  await addFiles(playground, [{ name: 'large.css', mimeType: 'text/css', buffer: large }]);
  await playground.tab('Edit');
  await page.getByText('so a render saves the template first').waitFor();
  await page.getByRole('button', { name: 'Save and render' }).click();
  await playground.shows('large The text');
  await page.getByText('Version 2', { exact: true }).waitFor();
  expect(await (await key.get(`/v1/templates/${id}/assets/large.css`)).text()).toBe(String(large));
  expect((await key.usage()).documents.used).toBe(0);
});
