/** The editor and the dashboard are one application: nothing is loaded again between them, and nothing of one visit reaches the next. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Client, List, TemplateRecord } from '../support/client.ts';
import { editorOf, openDashboards } from '../support/dashboard.ts';
import { waitUntilKept } from '../support/drafts.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { warmUp } from '../support/playground-page.ts';
import { WIDE } from '../support/web-page.ts';

const { service, signIn, visit, newClient } = await openDashboards();
await warmUp(service);

const MORE = 30;
const openEditor = (page: Page) => page.getByRole('link', { name: 'Open the editor' }).click();
const toDashboard = (page: Page) => page.getByRole('link', { name: 'Files and versions' }).click();
const toTemplates = (page: Page) =>
  page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Templates' }).click();

/** Marks the document, and returns whether it is still the same one. */
async function mark(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate('window.isMarked = true');
  return async () => (await page.evaluate('window.isMarked === true')) as boolean;
}

async function addTemplates(key: Client): Promise<void> {
  for (let n = 1; n <= MORE; n++) await key.template(`<p>Number ${n}`, { name: `Template ${n}` });
}

test('comes back from the editor to the row that was opened, and loads no document again', async () => {
  const key = await newClient();
  await addTemplates(key);
  const page = await signIn(key.key, '/templates');
  const isSame = await mark(page);
  await page.getByRole('button', { name: 'Load more' }).click();
  const row = page.getByRole('link', { name: 'Template 1', exact: true });
  await row.click();
  await openEditor(page);
  await (await editorOf(page)).shows('Number 1');
  await page.goBack();
  await page.getByRole('button', { name: 'Delete' }).waitFor();
  await page.goBack();
  await row.waitFor();
  await expect.poll(async () => (await row.boundingBox())?.y).toBeLessThan(WIDE.height);
  expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
  expect(await isSame()).toBe(true);
  expect(await accessibilityViolations(page)).toEqual([]);
});

test('keeps the changes of two templates apart, which follow each other in the editor', async () => {
  const key = await newClient();
  await key.template('<p>stored in one', { name: 'One' });
  await key.template('<p>stored in two', { name: 'Two' });
  const page = await signIn(key.key, '/templates');
  const isSame = await mark(page);
  await page.getByRole('link', { name: 'One' }).click();
  await openEditor(page);
  const one = await editorOf(page);
  await one.write('Template', '<p>changed in one');
  await one.shows('changed in one');
  await toDashboard(page);
  await page.getByText('with unsaved changes in the editor').waitFor();
  await toTemplates(page);
  await page.getByRole('link', { name: 'Two' }).click();
  await openEditor(page);
  const two = await editorOf(page);
  await two.shows('stored in two');
  await page.getByText('Version 1', { exact: true }).waitFor();
  await toDashboard(page);
  await toTemplates(page);
  await page.getByRole('link', { name: 'One' }).click();
  await openEditor(page);
  await (await editorOf(page)).shows('changed in one');
  await page.getByText('Version 1, with unsaved changes').waitFor();
  expect(await isSame()).toBe(true);
  const { data } = await key.json<List<TemplateRecord>>('/v1/templates');
  expect(data.map(({ version }) => version)).toEqual([1, 1]);
});

test('forgets a save that is answered when another template is in the editor', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored in one', { name: 'One' });
  await key.template('<p>stored in two', { name: 'Two' });
  const page = await signIn(key.key, '/templates');
  await page.getByRole('link', { name: 'One' }).click();
  await openEditor(page);
  const one = await editorOf(page);
  await one.write('Template', '<p>saved in one');
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await page.route(`**/v1/templates/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    arrived.resolve();
    await held.promise;
    await route.continue();
  });
  await page.keyboard.press('Control+s');
  await arrived.promise;
  await toDashboard(page);
  await toTemplates(page);
  await page.getByRole('link', { name: 'Two' }).click();
  await openEditor(page);
  await (await editorOf(page)).shows('stored in two');
  const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
  held.resolve();
  await answered;
  await page.getByText('Version 1', { exact: true }).waitFor();
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ html: '<p>saved in one', version: 2 });
  await toDashboard(page);
  await page.getByRole('heading', { name: 'Two' }).waitFor();
});

test('shows the second of two templates, also if the first is still opening', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored in one', { name: 'One' });
  await key.template('<p>stored in two', { name: 'Two' });
  const page = await signIn(key.key, '/templates');
  await page.getByRole('link', { name: 'One' }).click();
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await page.route(`**/v1/templates/${id}/assets`, async (route) => {
    if (!page.url().includes('/edit')) return route.continue();
    arrived.resolve();
    await held.promise;
    await route.continue();
  });
  await openEditor(page);
  await arrived.promise;
  await page.goBack();
  await toTemplates(page);
  await page.getByRole('link', { name: 'Two' }).click();
  await openEditor(page);
  held.resolve();
  const two = await editorOf(page);
  await two.shows('stored in two');
  expect(await page.locator('.playground').count()).toBe(1);
});

test('goes from the draft of a guest to the dashboard and Back, where it is as before', async () => {
  const { page } = await visit();
  await page.goto('/edit');
  const isSame = await mark(page);
  const editor = await editorOf(page);
  await editor.write('HTML', '<p>the draft of a guest');
  await waitUntilKept(page, 'the draft of a guest');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByLabel('API key').waitFor();
  expect(await page.title()).toBe('Dashboard · Platen');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.goBack();
  await (await editorOf(page)).shows('the draft of a guest');
  expect(await isSame()).toBe(true);
});
