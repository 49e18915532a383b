/** Drafts of the playground outlive their tabs, and no tab overwrites what another one writes. */
import { expect, test } from 'vitest';
import { Client, type List } from '../support/client.ts';
import { enterKey } from '../support/dashboard.ts';
import { openBeside, titlesOf, writeDraft } from '../support/drafts.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { DRAFT, fragmentOf, type PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { readPdf } from '../support/read-pdf.ts';
import { openSnippetFolder } from '../support/snippet-runs.ts';
import { NARROW } from '../support/web-page.ts';

const { open, service } = await openPlaygrounds();

const text = (playground: PlaygroundPage) => playground.editor('HTML').textContent();

test('continues the last draft after its tab has been closed', async () => {
  const first = await open();
  await writeDraft(first, 'Kept over a closed tab');
  await first.page.close();
  const next = await openBeside(first);
  await next.shows('Kept over a closed tab');
  await writeDraft(next, 'Continued');
  expect(await titlesOf(next)).toEqual(['Continued']);
});

test('keeps what two tabs write apart, also when one of them was duplicated', async () => {
  const first = await open();
  await writeDraft(first, 'In the first tab');
  const second = await openBeside(first);
  expect(await text(second)).not.toContain('In the first tab');
  await writeDraft(second, 'In the second tab');
  // A duplicated tab begins with a copy of the storage of its tab.
  const storage = await first.page.evaluate(() => JSON.stringify(sessionStorage));
  const copy = await openBeside(first, '/', storage);
  await copy.shows('In the first tab');
  await writeDraft(copy, 'In the copy');
  await writeDraft(first, 'In the first tab, later');
  const sorted = async () => (await titlesOf(second)).sort();
  await expect.poll(sorted, { timeout: 60_000 }).toEqual(['In the copy', 'In the first tab, later', 'In the second tab']);
});

test('opens a link as another draft, which can be changed without touching the own one', async () => {
  const first = await open();
  await writeDraft(first, 'My own');
  await first.page.close();
  const linked = await openBeside(first, `/${await fragmentOf({ ...DRAFT, html: '<h1>From a link</h1>' })}`);
  await linked.shows('From a link');
  expect(await titlesOf(linked)).toEqual(['My own']);
  await writeDraft(linked, 'The link, changed');
  expect(await titlesOf(linked)).toEqual(['The link, changed', 'My own']);
  await linked.page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await linked.page.locator('.drafts').getByText('My own').click();
  await linked.shows('My own');
  await writeDraft(linked, 'My own, later');
  expect(await titlesOf(linked)).toEqual(['My own, later', 'The link, changed']);
});

test('deletes drafts, and takes that back until the list is closed', async () => {
  const playground = await open();
  await writeDraft(playground, 'One');
  const beside = await openBeside(playground);
  await writeDraft(beside, 'Two');
  const { page } = beside;
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  const titles = page.locator('.drafts strong');
  const shown = (expected: string[]) => expect.poll(() => titles.allTextContents()).toEqual(expected);
  const undo = page.getByRole('button', { name: 'Undo' });
  await page.getByRole('button', { name: 'Delete: One' }).click();
  await page.getByText('“One” was deleted.').waitFor();
  await shown(['Two']);
  await page.getByRole('button', { name: 'Delete all' }).click();
  await page.getByText('There are no drafts yet.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await undo.click();
  await shown(['Two']);
  await undo.click();
  await shown(['Two', 'One']);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await writeDraft(beside, 'Two, later'); // the draft that was taken back, and not another one
  expect(await titlesOf(beside)).toEqual(['Two, later', 'One']);
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.getByRole('button', { name: 'Delete all' }).click();
  await page.getByText('2 drafts were deleted.').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  expect(await titlesOf(beside)).toEqual([]);
});

test('becomes a template with its data and options, which a program renders', async () => {
  const issued = await service.createKey();
  const key = new Client(service.url, issued.key);
  const options = { landscape: true };
  const template = { mode: 'template', engine: 'liquid', template: '<h1>For {{ name }}</h1>', data: '{"name": "Ada"}' };
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, ...template, options })}` });
  const { page } = playground;
  await playground.shows('For Ada');
  await page.getByRole('button', { name: 'Save as template' }).click();
  await enterKey(page, issued.key);
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
  const list = await key.json<List<{ template_id: string }>>('/v1/templates');
  const [{ template_id: id } = { template_id: '' }] = list.data;
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({
    name: 'For',
    engine: 'liquid',
    html: '<h1>For {{ name }}</h1>',
    samples: { Sample: { name: 'Ada' } },
  });
  await playground.shows('For Ada');
  await page.getByRole('tab', { name: 'Options' }).getByText('1 set').waitFor();
  const code = await playground.codeIn('curl');
  expect(code).toContain(id);
  const pdf = await readPdf(await (await openSnippetFolder()).run('curl', code, issued.key));
  expect(pdf.pages).toEqual(['For Ada']);

  await page.goto('/edit'); // the draft has become the template
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  expect(await page.locator('.drafts').getByText('For').count()).toBe(0);
});

test('stays when a guest begins to save it as a template and does not sign in', async () => {
  const playground = await open();
  const { page } = playground;
  await writeDraft(playground, 'Mine');
  await page.setViewportSize(NARROW);
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save as template' }).click();
  await page.getByLabel('API key').fill('plt_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('does not know this key').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await text(playground)).toContain('Mine');
  expect(await titlesOf(playground)).toContain('Mine');
});
