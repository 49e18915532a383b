/** The administration pages: accounts with their keys, failed renders and webhooks, and the audit log. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { goTo, openDashboards } from '../support/dashboard.ts';
import { expectSound } from '../support/page-checks.ts';
import { Receiver } from '../support/receiver.ts';
import { NARROW, WIDE } from '../support/web-page.ts';

const { service, signIn, newClient } = await openDashboards();
const receiver = await Receiver.start((response) => response.writeHead(410).end()).then(closeAfterAll);
const { key: secret } = JSON.parse(await service.cli('keys', 'create', '--administrator', '--json')) as { key: string };
const admin = new Client(service.url, secret);

const PATHS = ['/admin', '/admin-accounts', '/admin-webhooks', '/admin-audit'];
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

/** Makes an account with a key, over the API. */
async function makeCustomer(name: string) {
  const account = (await (await admin.send('POST', '/v1/admin/accounts', { name })).json()) as { account_id: string };
  const issued = await admin.send('POST', `/v1/admin/accounts/${account.account_id}/keys`, { name: 'first' });
  return { id: account.account_id, client: new Client(service.url, ((await issued.json()) as { key: string }).key) };
}

test('shows the pages to administrators only', async () => {
  const page = await signIn((await newClient()).key);
  await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
  for (const path of PATHS) {
    await goTo(page, path);
    await page.getByRole('heading', { name: 'For administrators' }).waitFor();
  }
});

test('leads from /admin and from the navigation to the overview', async () => {
  const page = await signIn(secret);
  await page.getByRole('link', { name: 'Administration' }).click();
  await page.getByRole('heading', { name: 'Renders running' }).waitFor();
  await page.goto('/admin');
  await page.waitForURL('**/dashboard/admin');
});

test('makes, changes, suspends, resumes and deletes an account', async () => {
  const page = await signIn(secret, '/admin-accounts');
  await page.getByRole('button', { name: 'New account' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Grace Ltd');
  await dialogButton(page, 'Make the account').click();
  await page.getByRole('heading', { name: 'Grace Ltd' }).waitFor();

  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Grace plc');
  await page.getByRole('dialog').getByLabel('Plan').selectOption('growth');
  await dialogButton(page, 'Save').click();
  await page.getByRole('heading', { name: 'Grace plc' }).waitFor();
  await page.getByText('growth', { exact: true }).first().waitFor();

  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('website');
  await dialogButton(page, 'Make the key').click();
  const website = new Client(service.url, await page.getByLabel('Secret', { exact: true }).inputValue());
  await dialogButton(page, 'Close').click();
  expect((await website.get('/v1/documents')).status).toBe(200);

  await page.getByRole('button', { name: 'Suspend' }).click();
  await dialogButton(page, 'Suspend').click();
  await page.getByText('Suspended', { exact: true }).waitFor();
  await problem(await website.get('/v1/documents'), 403, 'account_suspended');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Active', { exact: true }).waitFor();
  expect((await website.get('/v1/documents')).status).toBe(200);

  await page.getByRole('button', { name: 'Revoke website' }).click();
  await dialogButton(page, 'Revoke').click();
  await rowOf(page, 'website').getByText('revoked').waitFor();
  await problem(await website.get('/v1/documents'), 401, 'unauthorized');

  await page.getByRole('button', { name: 'Delete' }).click();
  await dialogButton(page, 'Delete for good').click();
  await page.getByLabel('State').selectOption('deleted');
  await page.getByRole('cell', { name: 'Deleted' }).first().waitFor();
  await page.getByLabel('State').selectOption('active');
  await page.getByRole('cell', { name: 'Active' }).first().waitFor();
  expect(await rowOf(page, 'Grace plc').count()).toBe(0);
});

test('finds an account by its name, its errors and its changes', async () => {
  const { id, client } = await makeCustomer('Hedy Ärzte GmbH');
  await client.pdf({ html: '<p>x', options: { scale: 'large' } });
  const page = await signIn(secret, '/admin-accounts');
  await page.getByLabel('Name').fill('ÄRZTE hedy');
  await page.getByRole('link', { name: 'Hedy Ärzte GmbH' }).click();
  await page.getByRole('link', { name: 'Errors' }).click();
  await rowOf(page, id).getByText('Not valid: options.scale').waitFor();
  await page.goBack();
  await page.getByRole('main').getByRole('link', { name: 'Audit log' }).last().click();
  await rowOf(page, 'Key created').getByText('name: first').waitFor();
  await rowOf(page, 'Account created').getByText('name: Hedy Ärzte GmbH').waitFor();
  expect(await page.getByLabel('Account', { exact: true }).inputValue()).toBe(id);
});

test('sends a webhook again that was given up', async () => {
  const { id, client } = await makeCustomer('Radia AB');
  await client.send('POST', '/v1/webhooks/test', { url: `${receiver.url}/secret-path` });
  await expect
    .poll(async () => (await admin.json<{ data: unknown[] }>(`/v1/admin/webhooks?account_id=${id}`)).data, { timeout: 60_000 })
    .toHaveLength(1);
  receiver.answer = (response) => response.writeHead(204).end();
  const page = await signIn(secret, '/admin-webhooks');
  await rowOf(page, id).getByText('Answered with 410').waitFor();
  expect(await page.content()).not.toContain('secret-path');
  await rowOf(page, id).getByRole('button', { name: 'Send again' }).click();
  await rowOf(page, id).waitFor({ state: 'detached' });
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(2);
});

test('shows names of customers as text', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const { id } = await makeCustomer(name);
  const page = await signIn(secret, '/admin-accounts');
  await page.getByRole('link', { name }).click();
  await page.getByRole('heading', { name }).waitFor();
  await goTo(page, `/admin-audit?account=${id}`);
  await rowOf(page, 'Account created').getByText(name).waitFor();
});

test('uses the keyboard alone to suspend an account', async () => {
  const { id } = await makeCustomer('Sophie & Co');
  const page = await signIn(secret, `/admin-accounts/${id}`);
  await page.getByRole('button', { name: 'Suspend' }).focus();
  await page.keyboard.press('Enter');
  await dialogButton(page, 'Suspend').focus();
  await page.keyboard.press('Enter');
  await page.getByText('Suspended', { exact: true }).waitFor();
});

test('is accessible, and fits narrow windows, in both themes', async () => {
  const { id, client } = await makeCustomer('Katherine SARL');
  await client.pdf({ template_id: 'tpl_none' });
  const page = await signIn(secret, '/admin');
  for (const colorScheme of ['light', 'dark'] as const)
    for (const size of [WIDE, NARROW]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize(size);
      for (const path of [...PATHS, `/admin-accounts/${id}`]) {
        await goTo(page, path);
        await page
          .getByRole('status')
          .filter({ hasText: /\d|key|webhook/ })
          .first()
          .waitFor();
        await expectSound(page);
      }
    }
  await page.getByRole('button', { name: 'Change' }).click();
  await expectSound(page);
});
