/** The account and its certificates in the dashboard: default options, files, storing, and what signs PDFs. */
import { expect, test } from 'vitest';
import { openDashboards } from '../support/dashboard.ts';
import { expectSound } from '../support/page-checks.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { millimetresOf, readPdfReply } from '../support/read-pdf.ts';

const { signIn, newClient } = await openDashboards();

test('sets options and files for all renders, and says what is wrong with them', async () => {
  const client = await newClient();
  const page = await signIn(client.key, '/account', [400]);
  const options = page.getByLabel('Options as JSON');
  await options.fill('{"format": "A9000"}');
  await page.getByRole('button', { name: 'Save the options' }).click();
  await page.getByRole('alert').getByText('options.format').waitFor();
  await options.fill('{');
  await page.getByRole('button', { name: 'Save the options' }).click();
  await page.getByRole('alert').getByText('no JSON').waitFor();
  await options.fill('{"format": "A6"}');
  await page.getByRole('button', { name: 'Save the options' }).click();
  await page.getByText('The default options were saved.').waitFor();

  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Add files' }).click(),
  ]);
  await chooser.setFiles([{ name: 'house.css', mimeType: 'text/css', buffer: Buffer.from('p::after { content: " of ACME" }') }]);
  await page.getByRole('row').filter({ hasText: 'house.css' }).waitFor();
  const printed = await readPdfReply(await client.pdf({ html: '<link rel="stylesheet" href="house.css"><p>Letter' }));
  expect(printed.pages[0]).toContain('Letter of ACME');
  expect(millimetresOf(printed)).toEqual([[105, 148]]);

  await expectSound(page);
  const [another] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Replace all files' }).click(),
  ]);
  await another.setFiles([{ name: 'other.css', mimeType: 'text/css', buffer: Buffer.from('p { color: red }') }]);
  await page.getByRole('dialog').getByText('The account has only other.css afterwards.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('row').filter({ hasText: 'house.css' }).waitFor();

  await page.getByRole('button', { name: 'Remove all files' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Add files' }).waitFor();
  expect(await (await client.get('/v1/account')).json()).toMatchObject({ options: { format: 'A6' }, assets: [] });
});

test('replaces no options that somebody else has set meanwhile, before they were seen', async () => {
  const client = await newClient();
  const page = await signIn(client.key, '/account', [412]);
  const options = page.getByLabel('Options as JSON');
  await options.fill('{"format": "A6"}');
  await client.send('PATCH', '/v1/account', { options: { format: 'A5' } });
  await page.getByRole('button', { name: 'Save the options' }).click();
  await page.getByRole('alert').getByText('The account has changed since you read it.').waitFor();
  await page.getByText('The stored text has changed since you began to write.').waitFor();
  await page.getByText('What is stored now').click();
  await page.getByText('"A5"').waitFor();
  expect(await client.json('/v1/account')).toMatchObject({ options: { format: 'A5' } });
  await expectSound(page);
  await page.getByRole('button', { name: 'Save the options' }).click();
  await page.getByText('The default options were saved.').waitFor();
  expect(await client.json('/v1/account')).toMatchObject({ options: { format: 'A6' } });
});

test('stores every result if that is wanted', async () => {
  const client = await newClient();
  const page = await signIn(client.key, '/account');
  await page.getByLabel('Store every result').check();
  await page.getByText('All results are stored.').waitFor();
  expect((await client.pdf({ html: '<p>x' })).headers.get('platen-document-id')).toMatch(/^doc_/);
});

test('keeps pictures of failures if that is wanted', async () => {
  const client = await newClient();
  const page = await signIn(client.key, '/account');
  const choice = page.getByLabel('Keep a picture of the page when a render fails');
  await choice.check();
  await page.getByText('Pictures of failures are kept.').waitFor();
  expect(await client.json('/v1/account')).toMatchObject({ failure_pictures: true });
  await choice.uncheck();
  await page.getByText('No pictures are kept.').waitFor();
  expect(await client.json('/v1/account')).toMatchObject({ failure_pictures: false });
});

test('adds a certificate that signs, and deletes it', async () => {
  const client = await newClient();
  const page = await signIn(client.key, '/certificates', [422]);
  const file = Buffer.from(pkcs12Of(await issue('Ada Lovelace'), [], 'secret'), 'base64');
  await page.getByRole('button', { name: 'Add a certificate' }).click();
  await page.getByLabel('Name').fill('invoices');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a PKCS#12 file' }).click(),
  ]);
  await chooser.setFiles([{ name: 'ada.p12', mimeType: 'application/x-pkcs12', buffer: file }]);
  const add = page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true });
  await page.getByLabel('Password of the file').fill('wrong');
  await add.click();
  await page.getByRole('alert').getByText('password').waitFor();
  await page.getByLabel('Password of the file').fill('secret');
  await add.click();
  const row = page.getByRole('row').filter({ hasText: 'CN=Ada Lovelace' });
  const id = await row.getByText(/^cert_/).textContent();
  await expectSound(page);
  expect((await client.pdf({ html: '<p>x', options: { signature: { certificate: id } } })).status).toBe(200);

  await page.getByRole('button', { name: 'Delete invoices' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No certificates').waitFor();
  expect((await client.get(`/v1/certificates/${id}`)).status).toBe(404);
});
