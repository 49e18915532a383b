/** The viewer of PDFs: links, the outline, attachments and search. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { accessibilityViolations } from '../support/page-checks.ts';
import { DRAFT, fragmentOf, type PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { SEES_DOWNLOADS } from '../support/web-page.ts';

const { open } = await openPlaygrounds();

const HTML = `<title>Viewer</title><style>h1 { break-before: page } p { margin: 2cm 0 }</style>
<p><a href="#three">To the third chapter</a> <a href="https://example.org/terms">Terms</a>
<h1>Chapter one</h1><p>The street is the Hauptstraße, with Ångström.
<h1>Chapter two</h1><p>A street again.
<h1 id="three">Chapter three</h1><p>Streets, the last time.`;

const openDocument = async (options: object) => {
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html: HTML, options })}` });
  await playground.shows('Terms');
  return playground;
};

const currentPage = ({ page }: PlaygroundPage) => page.getByRole('spinbutton', { name: 'Page' }).inputValue();

test('follows links in the document, and opens others in another tab', async () => {
  const playground = await openDocument({});
  const inside = playground.pdfPage(1).getByRole('link', { name: 'Place in this PDF' });
  await inside.click();
  await expect.poll(() => currentPage(playground)).toBe('4');
  const outside = playground.pdfPage(1).getByRole('link', { name: 'https://example.org/terms' });
  expect(await outside.getAttribute('href')).toBe('https://example.org/terms');
  expect([await outside.getAttribute('target'), await outside.getAttribute('rel')]).toEqual([
    '_blank',
    'noopener noreferrer nofollow',
  ]);
});

test.runIf(SEES_DOWNLOADS)('shows the outline, and saves attachments', async () => {
  const attachments = [{ name: 'data.csv', content: Buffer.from('a;b\n1;2\n').toString('base64') }];
  const playground = await openDocument({ outline: true, tagged: true, attachments });
  const { page } = playground;
  await page.getByRole('button', { name: 'Outline and attachments' }).click();
  const panel = page.getByRole('navigation', { name: 'Contents' });
  await panel.getByRole('button', { name: 'Chapter two' }).click();
  await expect.poll(() => currentPage(playground)).toBe('3');
  const download = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'data.csv' }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe('data.csv');
  expect(await readFile(await saved.path(), 'utf8')).toBe('a;b\n1;2\n');
  expect(await accessibilityViolations(page)).toEqual([]);
});

test('finds text on all pages by keyboard', async () => {
  const playground = await openDocument({});
  const { page } = playground;
  await page.getByRole('region', { name: 'Pages of the PDF' }).focus();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('street');
  const count = page.locator('.find-bar output');
  await expect.poll(() => count.textContent()).toBe('1 of 3');
  await playground.pdfPage(2).locator('.pdf-pointer').waitFor();
  await page.keyboard.press('Shift+Enter');
  await expect.poll(() => count.textContent()).toBe('3 of 3');
  await playground.pdfPage(4).locator('.pdf-pointer').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('is the hauptstrasse');
  await expect.poll(() => count.textContent()).toBe('Not found');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('with angstr');
  await expect.poll(() => count.textContent()).toBe('1 of 1');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await count.count()).toBe(0);
});
