/** Batches in the dashboard: progress, outcomes, all results as one file, and cancelling. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Batch, bytesOf, type Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openDashboards } from '../support/dashboard.ts';
import { html, Site } from '../support/site.ts';

const HOSTILE = '\u202e<img src=x onerror=document.title=1>';

const site = await Site.start().then(closeAfterAll);
const { signIn, newClient } = await openDashboards();

/** Serves a page whose response is held back until `respond` is called. */
function heldPage(path: string, body: string): { url: string; respond(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  site.serve({ [path]: (request, response) => void promise.then(() => html(body)(request, response)) });
  return { url: site.origin + path, respond: resolve };
}

async function batchOf(key: Client, items: object[], headers = {}): Promise<Batch> {
  return (await (await key.send('POST', '/v1/batches', { items }, headers)).json()) as Batch;
}

test('shows a batch until its end, item by item, with the text of errors', async () => {
  const key = await newClient();
  const held = heldPage('/slow', '<p>slow but sure');
  const items = [
    { html: '<p>one', reference: 'one' },
    { html: '<p>two', reference: 'two', options: { scale: 9 } },
    { url: held.url, reference: HOSTILE },
  ];
  const { batch_id } = await batchOf(key, items);
  const page = await signIn(key.key, `/batches/${batch_id}`);
  await page.getByRole('img', { name: '1 of 3 items rendered, 1 failed' }).waitFor();
  await page.getByText('options.scale: must be a number from 0.1 to 2.').waitFor();
  held.respond();
  await page.getByRole('img', { name: '2 of 3 items rendered, 1 failed' }).waitFor();
  await page.getByText('Completed', { exact: true }).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  await page.getByRole('checkbox', { name: 'Failed only' }).check();
  await page.getByText('1 failed item').waitFor();
  expect(await page.getByRole('table', { name: /Items/ }).getByRole('row').count()).toBe(2);
  await page.getByRole('checkbox', { name: 'Failed only' }).uncheck();
  await page.getByRole('link', { name: HOSTILE }).click();
  await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('slow but sure').waitFor();
});

test('downloads all results as a ZIP, and opens them as one PDF', async () => {
  const key = await newClient();
  const { batch_id } = await batchOf(key, [{ html: '<p>first' }, { html: '<p>second' }], { prefer: 'wait=60' });
  const page = await signIn(key.key, '/batches');
  await page.getByRole('link', { name: '2 documents' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download ZIP' }).click()]);
  expect(download.suggestedFilename()).toBe(`${batch_id}.zip`);
  const saved = await readFile(await download.path());
  expect(saved.length).toBe((await bytesOf(await key.get(`/v1/batches/${batch_id}.zip`))).length);
  const [opened] = await Promise.all([
    page.context().waitForEvent('response', (reply) => reply.url().endsWith('.pdf')),
    page.getByRole('link', { name: 'Open as one PDF' }).click(),
  ]);
  expect([opened.status(), opened.headers()['content-type']]).toEqual([200, 'application/pdf']);
});

test('cancels a batch after a confirmation', async () => {
  const key = await newClient();
  const held = heldPage('/held', '<p>let go');
  const slow = Array.from({ length: 40 }, (_, index) => ({ url: `${held.url}?${index}` }));
  const { batch_id } = await batchOf(key, slow);
  const page = await signIn(key.key, `/batches/${batch_id}`);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the rest' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  held.respond();
  await page.getByText(/^Cancelled: \d+ of 40 items rendered, .*\d+ cancelled$/).waitFor();
  expect(await key.json<Batch>(`/v1/batches/${batch_id}`)).toMatchObject({ status: 'cancelled' });
});

test('updates the list by itself', async () => {
  const key = await newClient();
  const held = heldPage('/later', '<p>there');
  await batchOf(key, [{ url: held.url }]);
  const page = await signIn(key.key, '/batches');
  await page.getByRole('img', { name: '0 of 1 item rendered' }).waitFor();
  held.respond();
  await page.getByRole('img', { name: '1 of 1 item rendered' }).waitFor();
});
