/** Keys and usage in the dashboard: made with few rights, rotated, revoked, and used month by month. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { goTo, openDashboards } from '../support/dashboard.ts';
import { expectSound } from '../support/page-checks.ts';
import { NARROW } from '../support/web-page.ts';

const { service, signIn, newClient } = await openDashboards();

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function makeKey(page: Page, name: string, scope: string): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel(scope).check();
  await page.getByLabel('Works for').selectOption('30 days');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  return secret;
}

test('makes a key with few rights, rotates and revokes it', async () => {
  const client = await newClient();
  const page = await signIn(client.key, '/keys');
  const secret = await makeKey(page, 'website', 'Render documents');
  const website = new Client(service.url, secret);
  expect((await website.pdf({ html: '<p>x' })).status).toBe(200);
  await problem(await website.get('/v1/documents'), 403, 'insufficient_scope');
  await rowOf(page, 'website').getByText('in 29 days').waitFor();
  expect(await page.content()).not.toContain(secret);

  await page.getByRole('button', { name: 'Rotate website' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const fresh = await page.getByLabel('Secret', { exact: true }).inputValue();
  expect(fresh).not.toBe(secret);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await rowOf(page, 'website').getByText('the old secret').waitFor();
  expect((await new Client(service.url, fresh).pdf({ html: '<p>x' })).status).toBe(200);

  await page.getByRole('button', { name: 'Revoke website' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await rowOf(page, 'website').getByText('revoked').waitFor();
  await problem(await new Client(service.url, fresh).pdf({ html: '<p>x' }), 401, 'unauthorized');
  await rowOf(page, 'this key').waitFor();
});

test('lets a key with few rights sign in, and shows what it may see', async () => {
  const client = await newClient();
  const made = await client.send('POST', '/v1/keys', { name: 'editor', scopes: ['templates'] });
  const narrow = new Client(service.url, ((await made.json()) as { key: string }).key);
  await narrow.template('<p>x', { name: 'Of the editor' });
  const page = await signIn(narrow.key, '/templates', [403]);
  await page.getByText('Of the editor').waitFor();
  await goTo(page, '/documents');
  await page.getByRole('alert').getByText('does not have the scope documents').waitFor();
});

test('shows the usage of earlier months', async () => {
  const client = await newClient();
  await client.pdf({ html: '<p>x' });
  const page = await signIn(client.key, '/usage');
  await page.getByText('Documents this month').waitFor();
  await page.getByLabel('Month').selectOption({ index: 2 });
  await page.getByText('Documents in this month').waitFor();
  expect(await page.evaluate('location.search')).toMatch(/month=\d{4}-\d{2}$/);
  await page.getByRole('img', { name: '0 documents in all' }).waitFor();
});

test.each(['light', 'dark'] as const)('is accessible and fits narrow windows (%s)', async (colorScheme) => {
  const page = await signIn((await newClient()).key, '/keys');
  await page.emulateMedia({ colorScheme });
  await makeKey(page, 'website', 'Render documents');
  await rowOf(page, 'website').waitFor();
  await expectSound(page);
  await page.setViewportSize(NARROW);
  await expectSound(page);
  await page.getByRole('button', { name: 'New key' }).click();
  await expectSound(page);
});
