/** Comparing the pages of two versions of a template in the dashboard. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { openDashboards } from '../support/dashboard.ts';
import { accessibilityViolations, horizontalOverflow, skippedHeadings } from '../support/page-checks.ts';
import { startService } from '../support/service.ts';
import { IN_FIREFOX, NARROW, WIDE } from '../support/web-page.ts';

/** The playground may take at most ten seconds, and answers few visitors at once. On a slow machine a visitor has to try again. */
const TRIES = 5;
const BREAK = '<p style="break-before: page">';

const { signIn, newClient } = await openDashboards();

async function openVersions() {
  const key = await newClient();
  const { template_id } = await key.template(`<p>Dear {{name}}${BREAK}Yours`, { name: 'Letter' });
  const path = `/v1/templates/${template_id}`;
  await key.send('PUT', path, { html: `<p>Hello {{name}}${BREAK}Yours${BREAK}P.S.` });
  const page = await signIn(key.key, `/templates/${template_id}`);
  await page.getByRole('tab', { name: 'Versions' }).click();
  return { key, page, path };
}

async function compare(page: Page, expected: string | RegExp): Promise<void> {
  const counts = page.getByRole('status').filter({ hasText: expected });
  const error = page.getByRole('alert').getByText(/did not finish|try again/i);
  for (let left = TRIES; left > 0; left--) {
    await page.getByRole('button', { name: 'Compare pages' }).click();
    await counts.or(error).first().waitFor();
    if (await counts.isVisible()) return;
  }
  throw new Error(`the comparison does not show ${expected}`);
}

test('shows the pages of two versions side by side, with what differs outlined, and charges nothing', async () => {
  const { key, page } = await openVersions();
  await compare(page, '3 pages: 1 changed, 1 added');
  const changed = page
    .getByRole('article')
    .filter({ has: page.getByRole('heading', { name: /^Page 1: changed, .* in 1 area$/ }) });
  await changed.getByRole('img', { name: 'Page 1 of version 1' }).waitFor();
  await changed.getByRole('img', { name: 'Page 1 of version 2' }).waitFor();
  await changed.getByRole('listitem').getByText('Hello name').waitFor();
  const [area, sheet] = [
    await changed.locator('.area').last().boundingBox(),
    await changed.locator('.compared-page').last().boundingBox(),
  ];
  expect((area?.y ?? 0) - (sheet?.y ?? 0)).toBeLessThan((sheet?.height ?? 0) / 5); // the text is at the top of the page
  expect(area?.width).toBeLessThan((sheet?.width ?? 0) / 2);
  const added = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'Page 3: added' }) });
  await added.getByText('Not in version 1').waitFor();
  expect((await key.usage()).documents.used).toBe(0);
});

test('compares what is in the editor with a version, and says when nothing differs', async () => {
  const { page } = await openVersions();
  await page.getByLabel('Before').selectOption('Version 2');
  await compare(page, 'No difference in 3 pages');
  expect(await page.getByRole('option', { name: 'Text in the editor' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Open the editor' }).click();
  await page.getByRole('textbox', { name: 'Template' }).focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(' Thanks');
  await page.getByText('with unsaved changes').waitFor();
  await page.getByRole('link', { name: 'Files and versions' }).click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByLabel('Before').selectOption('Version 2');
  await page.getByLabel('After').selectOption('Text in the editor');
  await compare(page, '3 pages: 1 changed');
  await page.getByRole('listitem').getByText('P.S. Thanks').waitFor();
});

test('renders each version with its own files, and with the stored data that is chosen', async () => {
  const key = await newClient();
  const html = '<link rel="stylesheet" href="a.css"><p>{{name}}';
  const assets = (greeting: string) => ({ 'a.css': { content: btoa(`p::before { content: "${greeting} " }`) } });
  const samples = { Ada: { name: 'Ada' }, Grace: { name: 'Grace' } };
  const { template_id } = await key.template(html, { name: 'Files', assets: assets('Dear'), samples });
  await key.send('PUT', `/v1/templates/${template_id}`, { html, assets: assets('Hello') });
  const page = await signIn(key.key, `/templates/${template_id}`);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByLabel('Ada').uncheck();
  await page.getByLabel('Grace').check();
  await compare(page, '1 page: 1 changed');
  await page.getByRole('listitem').getByText('Hello Grace').waitFor();
  expect((await key.usage()).documents.used).toBe(0);
});

test.each([WIDE, NARROW])('compares with several data sets, each with its counts, at %o', async (size) => {
  const key = await newClient();
  const samples = {
    Ada: { name: 'Ada' },
    'Grace, with a balance': { name: 'Grace', due: 12, in: 'EUR' },
    Broken: { due: 1, in: 'x' },
  };
  const { template_id } = await key.template('<p>Dear {{name}}', { name: 'Letter', engine: 'liquid', samples });
  const html = `<p>Dear {{name}}{% if due %}${BREAK}You owe {{ due | money: in }}{% endif %}`;
  await key.send('PUT', `/v1/templates/${template_id}`, { html, engine: 'liquid' });
  const page = await signIn(key.key, `/templates/${template_id}`, [422]);
  await page.setViewportSize(size);
  await page.getByRole('tab', { name: 'Versions' }).click();
  const sets = page.getByRole('group', { name: 'Data' });
  await sets.getByRole('checkbox', { name: 'Ada', checked: true }).waitFor();
  for (const name of Object.keys(samples).slice(1)) await sets.getByLabel(name).check();
  await compare(page, '1 of 3 data sets with differences');
  const outcome = (name: string) => page.getByRole('region', { name });
  await outcome('Ada').getByText('No difference in 1 page').waitFor();
  const grace = outcome('Grace, with a balance');
  await grace.getByText('2 pages: 1 added').waitFor();
  await grace.getByRole('heading', { level: 4, name: 'Page 2: added' }).waitFor();
  await grace.getByRole('img', { name: 'Page 2 of version 2' }).waitFor();
  await outcome('Broken').getByRole('alert').waitFor();
  expect(await outcome('Ada').getByRole('img').count()).toBe(0);
  if (!IN_FIREFOX) expect(await accessibilityViolations(page)).toEqual([]);
  expect(await skippedHeadings(page)).toEqual([]);
  expect(await horizontalOverflow(page)).toBe(0);
  await sets.getByLabel('Ada').focus();
  await page.keyboard.press('Space');
  for (const name of Object.keys(samples).slice(1)) await sets.getByLabel(name).uncheck();
  expect(await page.getByRole('button', { name: 'Compare pages' }).isDisabled()).toBe(true);
});

test('renders each version as a document where the playground is off', async () => {
  await using off = await startService({ PLATEN_PLAYGROUND: 'off' });
  const key = new Client(off.url, off.key);
  const { template_id } = await key.template('<p>Dear {{name}}');
  await key.send('PUT', `/v1/templates/${template_id}`, { html: '<p>Hello {{name}}' });
  const page = await signIn(off.key, `/templates/${template_id}`, [], off.url);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await compare(page, '1 page: 1 changed');
  expect((await key.usage()).documents.used).toBe(2);
  await page.getByRole('link', { name: 'Open the editor' }).click();
  await page.getByRole('textbox', { name: 'Template' }).focus();
  await page.keyboard.insertText('Thanks');
  await page.getByText('with unsaved changes').waitFor();
  await page.getByRole('link', { name: 'Files and versions' }).click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByLabel('After').selectOption('Text in the editor');
  await page.getByRole('button', { name: 'Compare pages' }).click();
  await page.getByRole('alert').getByText('Save it, and choose its version').waitFor();
});

describe.each([
  ['light', WIDE],
  ['dark', WIDE],
  ['light', NARROW],
] as const)('a comparison in %s at %o', (colorScheme, size) => {
  test('is accessible and fits into the window', async () => {
    const { page } = await openVersions();
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await page.getByLabel('Before').focus();
    for (let fields = 3; fields > 0; fields--) await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Compare pages');
    await compare(page, '3 pages: 1 changed, 1 added');
    if (!IN_FIREFOX) expect(await accessibilityViolations(page)).toEqual([]); // axe-core crashes Firefox 153 here
    expect(await skippedHeadings(page)).toEqual([]);
    expect(await horizontalOverflow(page)).toBe(0);
  });
});
