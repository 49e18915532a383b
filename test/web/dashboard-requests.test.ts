/** The request log in the dashboard: from a failed request to its cause, and to another try. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { editorOf, goTo, openDashboards } from '../support/dashboard.ts';
import { expectSound } from '../support/page-checks.ts';
import { eventually } from '../support/service.ts';
import { NARROW } from '../support/web-page.ts';

const { service, signIn, newClient } = await openDashboards();

const TO_CAUSE_MS = 30_000;
const rowsIn = (page: Page) => page.getByRole('table', { name: 'Requests, newest first' }).getByRole('row');

/** A key with a template that one request has rendered, and another could not. */
async function keyWithRequests() {
  const client = await newClient();
  const template = await client.template('<h1>Dear {{name}}</h1>', { name: 'Greeting' });
  await client.pdf({ template_id: template.template_id, data: { name: 'Ada' } });
  const failed = await client.pdf({ template_id: template.template_id, options: { pageRanges: '9' } });
  const id = failed.headers.get('x-request-id') ?? '';
  await eventually('it is logged', async () => (await client.get(`/v1/requests/${id}`)).ok);
  return { client, template, id };
}

test('leads from a failed request to its cause within half a minute, and to another try', async () => {
  const { client } = await keyWithRequests();
  const begun = Date.now();
  const page = await signIn(client.key, '', [422]);
  await page.getByRole('link', { name: 'Requests' }).click();
  await page.getByLabel('State').selectOption('Failed');
  await page.getByText('1 request', { exact: true }).waitFor();
  expect(await page.evaluate('location.search')).toContain('status=failed');
  await rowsIn(page).getByRole('link', { name: 'PDF' }).click();
  const why = page.getByRole('region', { name: 'Why it failed' });
  await why.getByText('there is no page 9; the document has 1 page').waitFor();
  expect(Date.now() - begun).toBeLessThan(TO_CAUSE_MS);
  const link = why.getByRole('link', { name: 'means, and what to do' });
  const meaning = await page.request.get(`${service.url}${await link.getAttribute('href')}`);
  expect(meaning.status()).toBe(200);
  await page.getByRole('button', { name: 'Render again' }).click();
  await page.getByRole('alert').getByText('there is no page 9').waitFor();
  await page.getByRole('link', { name: 'Open in the editor' }).click();
  const editor = await editorOf(page);
  await editor.errorNotice.getByText('there is no page 9').waitFor();
  await (await editor.openOption('pageRanges')).getByRole('textbox').fill('1');
  await editor.shows('Dear');
});

test('renders the version and options of the request again, and opens them', async () => {
  const client = await newClient();
  const sheet = (text: string) => ({ content: btoa(`h1::after { content: " ${text}" }`), type: 'text/css' });
  const linked = ['style.css', 'a.css', 'b.css'].map((path) => `<link rel="stylesheet" href="${path}">`).join('');
  const { template_id: id } = await client.template(`${linked}<h1>First {{name}}</h1>`, {
    name: 'Greeting',
    assets: { 'style.css': { content: btoa('h1 { color: red }') }, 'a.css': sheet('of then') },
  });
  await client.send('PATCH', `/v1/templates/${id}`, { published_version: 1 });
  const options = { landscape: true, pageRanges: '1', footer: 'not logged' };
  const requested = await client.pdf({ template_id: `${id}@published`, data: { name: 'Ada' }, options });
  await client.send('PUT', `/v1/templates/${id}`, {
    html: '<h1>Second {{name}}</h1>',
    assets: { 'style.css': { content: btoa('h1 { color: blue }') }, 'b.css': sheet('of now') },
  });
  const page = await signIn(client.key, '/requests', [422]);
  await rowsIn(page)
    .getByRole('link', { name: /^PDF of Greeting .*\d:\d\d/ })
    .click();
  await page.getByRole('heading', { name: 'PDF of Greeting' }).waitFor();
  await page
    .getByText('It uses version 1 of the template, its sample data, and the options of the request, except footer.')
    .waitFor();
  await page.getByRole('button', { name: 'Render again' }).click();
  await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('First').waitFor();
  const { width = 0, height = 0 } = (await page.getByRole('region', { name: 'Page 1 of 1' }).boundingBox()) ?? {};
  expect(width / height).toBeCloseTo(297 / 210, 1);

  await page.getByRole('link', { name: 'Open in the editor' }).click();
  const editor = await editorOf(page);
  await page.getByText('Version 1 is in the editor, with its files and the options of the request.').waitFor();
  await editor.editor('Template').getByText('First').waitFor();
  await editor.shows('of then');
  expect(await page.getByRole('region', { name: 'Page 1 of 1' }).textContent()).not.toContain('of now');
  await editor.tab('Style');
  await page.getByText('color: red').waitFor();
  expect(new URL(page.url()).search).toBe(`?template=${id}`);
  await editor.tab('Options');
  expect(await page.getByRole('button', { name: 'Landscape' }).getAttribute('aria-pressed')).toBe('true');

  await editor.tab('Edit');
  await editor.write('Template', '<h1>Mine</h1>');
  await editor.shows('Mine');
  await page.goto(`/edit?template=${id}&request=${requested.headers.get('x-request-id')}`);
  await page.getByText('Your unsaved changes are in the editor.').waitFor();
  await editor.editor('Template').getByText('Mine').waitFor();
  await page.getByRole('button', { name: 'Open version 1 instead' }).click();
  await editor.editor('Template').getByText('First').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await editor.editor('Template').getByText('Mine').waitFor();
});

test('shows the picture of a failure', async () => {
  const client = await newClient();
  await client.send('PATCH', '/v1/account', { failure_pictures: true });
  const failed = await client.pdf({ html: '<h1>Sign in</h1>', options: { waitForFunction: 'missing()' } });
  const page = await signIn(client.key, `/requests/${failed.headers.get('x-request-id')}`, [404]);
  const picture = page.getByRole('img', { name: 'The page when the render failed' });
  await expect
    .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
    .toBeGreaterThan(600);
  await expectSound(page);
});

test('keeps its filters in the URL, and finds by template and day', async () => {
  const { client, template } = await keyWithRequests();
  await client.pdf({ html: '<p>without a template' });
  const page = await signIn(client.key, `/requests?template=${template.template_id}&status=succeeded`);
  await page.getByText('1 request', { exact: true }).waitFor();
  await expect.poll(() => page.getByLabel('Template').inputValue()).toBe('Greeting');
  await rowsIn(page).getByText('Greeting').waitFor();
  await page.getByLabel('State').selectOption('Any');
  await page.getByText('2 requests', { exact: true }).waitFor();
  await page.getByLabel('Until').fill('2020-01-31');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await page.getByText('3 requests', { exact: true }).waitFor();
});

test('finds a template by words of its name among more than a hundred', async () => {
  const client = await newClient();
  const { template_id: id } = await client.template('<p>old', { name: 'Ältestes Muster' });
  const twins = [await client.template('<p>x', { name: 'Twin' }), await client.template('<p>x', { name: 'Twin' })];
  for (const template_id of [id, twins[0]?.template_id]) await client.pdf({ template_id });
  for (let n = 0; n < 101; n++) await client.template('<p>x', { name: `Template ${n}` });
  const page = await signIn(client.key, '/requests');
  await page.getByText('2 requests', { exact: true }).waitFor();
  const field = page.getByLabel('Template');
  const offered = () =>
    page.locator('datalist option').evaluateAll((options) => options.map((each) => (each as unknown as { value: string }).value));
  await expect.poll(async () => (await offered()).length).toBe(20);
  await field.fill('muster ält');
  await expect.poll(offered).toEqual(['Ältestes Muster']);
  await page.getByText('2 requests', { exact: true }).waitFor(); // nothing is chosen yet
  await field.fill('Ältestes Muster');
  await page.getByText('1 request', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('template')).toBe(id);
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe('Ältestes Muster');
  await expectSound(page);
  await field.fill('twin');
  await expect.poll(offered).toEqual(twins.map(({ template_id }) => `Twin (${template_id})`).toReversed());
  await field.press('Tab');
  await expect.poll(() => field.inputValue()).toBe('Ältestes Muster');
  await field.fill(`Twin (${twins[1]?.template_id})`);
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await field.fill('');
  await page.getByText('2 requests', { exact: true }).waitFor();
  await field.fill(id);
  await page.getByText('1 request', { exact: true }).waitFor();
});

test('opens a failed item of a batch, and runs the failed items again', async () => {
  const client = await newClient();
  const items = [
    { html: '<p>fine', reference: 'fine' },
    { html: '<p>short', reference: 'too short', options: { pageRanges: '9' } },
  ];
  const { batch_id } = await client.batch({ items, metadata: { run: 'November' } });
  const page = await signIn(client.key, '/batches');
  await page.getByRole('link', { name: 'run: November' }).click();
  await page.getByRole('link', { name: 'too short' }).click();
  await page.getByText('1 request', { exact: true }).waitFor();
  await rowsIn(page).getByRole('link', { name: 'too short' }).click();
  await page.getByRole('region', { name: 'Why it failed' }).waitFor();
  await page.getByRole('link', { name: 'Item 2' }).click();
  await page.getByRole('button', { name: 'Run failed items again' }).click();
  await page.getByText('The failed items are a new batch.').waitFor();
  await page.getByText('1 item', { exact: true }).waitFor();
  expect(await page.evaluate('location.search')).not.toContain(batch_id);
});

test('says that there is no such request, also about those of others', async () => {
  const { id } = await keyWithRequests();
  const page = await signIn((await newClient()).key, `/requests/${id}`, [404]);
  await page.getByRole('heading', { name: 'There is no such request' }).waitFor();
});

test.each(['light', 'dark'] as const)('is accessible and fits narrow windows (%s)', async (colorScheme) => {
  const { client, id } = await keyWithRequests();
  const page = await signIn(client.key, '/requests');
  await page.emulateMedia({ colorScheme });
  await page.getByText('2 requests', { exact: true }).waitFor();
  await expectSound(page);
  await goTo(page, `/requests/${id}`);
  await page.getByRole('region', { name: 'Why it failed' }).waitFor();
  await expectSound(page);
  await page.setViewportSize(NARROW);
  await expectSound(page);
  await goTo(page, '/requests');
  await page.getByText('2 requests', { exact: true }).waitFor();
  await expectSound(page);
});
