/** The page of a template in the dashboard: its files, its schema, its versions, its name, and who may use it. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client, problem, type TemplateRecord } from '../support/client.ts';
import { editorOf, enterKey, openDashboards } from '../support/dashboard.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { SEES_BODIES } from '../support/web-page.ts';

const { service, signIn, openEditor, newClient } = await openDashboards();

/** Waits until the page says which version it shows. */
async function showsVersion(page: Page, version: number): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^Version ${version}$`) })
    .waitFor();
}

test('lists, adds, replaces and removes files of a template, and previews with them', async () => {
  const key = await newClient();
  const { template_id } = await key.template('<link rel="stylesheet" href="css/print.css"><p>Body</p><img src="logo.svg">');
  const page = await signIn(key.key, `/templates/${template_id}`);
  await page.getByText('The template has no files.').waitFor();
  const choose = async (button: string, name: string, css: string) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: button, exact: true }).click();
    await (await chooser).setFiles({ name, mimeType: 'text/css', buffer: Buffer.from(css) });
  };
  await page.getByLabel('Folder (optional)').fill('css/');
  await choose('Add files', 'print.css', 'p::before { content: "Styled " }');
  await page.getByRole('row', { name: 'css/print.css 32 bytes' }).waitFor();
  await showsVersion(page, 2);
  await choose('Add files', 'print.css', 'p::before { content: "By mistake " }');
  await page.getByRole('row', { name: 'css/print.css 36 bytes' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: 'css/print.css 32 bytes' }).waitFor();
  await choose('Replace css/print.css', 'new.css', 'p::before { content: "Restyled " }');
  await page.getByRole('row', { name: 'css/print.css 34 bytes' }).waitFor();
  await showsVersion(page, 5);
  await page.getByRole('link', { name: 'Open the editor' }).click();
  const editor = await editorOf(page);
  await editor.shows('Restyled Body');
  await page.getByRole('button', { name: '1 warning' }).click();
  await page.getByRole('listitem').getByText('logo.svg').waitFor();

  await page.goBack();
  await page.getByRole('button', { name: 'Remove css/print.css' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The template has no files.').waitFor();
  expect(await key.json(`/v1/templates/${template_id}/assets`)).toEqual({ data: [] });
  expect((await key.usage()).documents.used).toBe(0);
});

test('shows, compares and restores earlier versions, also after the key was rotated', async () => {
  const issued = await service.createKey();
  const key = new Client(service.url, issued.key);
  const { template_id } = await key.template('<p>the first text', { name: 'Letter' });
  const path = `/v1/templates/${template_id}`;
  await key.send('PUT', path, { html: '<p>the second text' });
  const page = await signIn(key.key, `/templates/${template_id}`, [401]);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'View version 1' }).click();
  await page.getByRole('textbox', { name: 'HTML of version 1' }).getByText('the first text').waitFor();
  await page.getByRole('button', { name: 'Compare version 1' }).click();
  const changes = page.getByRole('textbox', { name: 'Changes since version 1' });
  await changes.locator('.cm-deletedChunk').getByText('first').waitFor();
  await changes.locator('.cm-changedLine').getByText('second').waitFor();
  const rotated = JSON.parse(await service.cli('keys', 'rotate', issued.key_id, '--json')) as { key: string };
  const restore = async () => {
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  };
  await restore();
  await enterKey(page, rotated.key);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'View version 1' }).click();
  await restore();
  await showsVersion(page, 3);
  const now = await new Client(service.url, rotated.key).json(path);
  expect(now).toMatchObject({ version: 3, html: '<p>the first text', name: 'Letter' });
});

test('restores a version with its files', async () => {
  const key = await newClient();
  const file = (text: string) => ({ content: btoa(text), type: 'text/plain' });
  const assets = { 'changed.txt': file('one'), 'kept.txt': file('kept'), 'removed.txt': file('back') };
  const { template_id } = await key.template('<p>first', { assets });
  const path = `/v1/templates/${template_id}`;
  await key.send('PATCH', path, {
    html: '<p>second',
    assets: { 'changed.txt': file('two'), 'removed.txt': null, 'added.txt': file('x') },
  });
  const page = await signIn(key.key, `/templates/${template_id}`);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'View version 1' }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByText('with its files').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await showsVersion(page, 3);
  const { data } = await key.json<{ data: Array<{ path: string }> }>(`${path}/assets`);
  const texts = data.map(async (each) => [each.path, await (await key.get(`${path}/assets/${each.path}`)).text()]);
  expect(Object.fromEntries(await Promise.all(texts))).toEqual({
    'changed.txt': 'one',
    'kept.txt': 'kept',
    'removed.txt': 'back',
  });
});

test('publishes a version and none, and keeps unsaved text also when another version is restored', async () => {
  const key = await newClient();
  const { template_id } = await key.template('<p>first');
  const path = `/v1/templates/${template_id}`;
  await key.send('PUT', path, { html: '<p>second' });
  const editor = await openEditor(key.key, template_id);
  const { page } = editor;
  await editor.write('Template', '<p>unsaved');
  await page.getByRole('link', { name: 'Files and versions' }).click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Publish version 1' }).click();
  await page.getByRole('row', { name: /^1 published/ }).waitFor();
  expect(await key.json(path)).toMatchObject({ version: 2, published_version: 1 });
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Publish version 2' }).click();
  await page.getByRole('row', { name: /^2 current published/ }).waitFor();
  await page.getByRole('button', { name: 'Unpublish version 2' }).click();
  await page.getByText('No version is published.').waitFor();
  expect(await key.json(path)).toMatchObject({ version: 2, published_version: null });
  await page.getByText('Version 2, with unsaved changes in the editor').waitFor();

  await page.getByRole('button', { name: 'View version 1' }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByText('Unsaved changes in the editor stay there.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Version 3, with unsaved changes in the editor').waitFor();
  await page.getByRole('link', { name: 'Open the editor' }).click();
  await editor.editor('Template').getByText('<p>unsaved').waitFor();
  await page.getByText('Version 3, with unsaved changes').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await editor.editor('Template').getByText('<p>first').waitFor();
});

test('deletes a template after a confirmation, and shows its name as text', async () => {
  const key = await newClient();
  const name = '\u202e<img src=x onerror=document.title=1>';
  const { template_id } = await key.template('<p>{{__proto__.polluted}}{{constructor}}', { name });
  const page = await signIn(key.key, '/templates');
  await page.getByRole('link', { name }).click();
  await page.getByRole('heading', { name }).waitFor();
  await page.getByRole('link', { name: 'Open the editor' }).click();
  const editor = await editorOf(page);
  await page.getByRole('heading', { name }).waitFor();
  await editor.page.getByRole('button', { name: 'Generate sample data' }).click();
  expect(await page.evaluate('({}).polluted')).toBeUndefined();
  expect(await page.title()).toBe('Playground · Platen');
  await page.goBack();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByText(name).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No templates yet' }).waitFor();
  expect((await key.get(`/v1/templates/${template_id}`)).status).toBe(404);
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).toBe('Dashboard · Platen');
});

test.runIf(SEES_BODIES)('renames a template without sending its text', async () => {
  const key = await newClient();
  const { template_id: id } = await key.template('<p>Text', { name: 'Before' });
  const page = await signIn(key.key, `/templates/${id}`);
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.getByLabel('Name').fill('After');
  await page.getByRole('button', { name: 'Rename' }).click();
  expect((await sent).postDataJSON()).toEqual({ name: 'After' });
  await page.getByText('Saved as version 2.').waitFor();
  expect(await key.json<TemplateRecord>(`/v1/templates/${id}`)).toMatchObject({ name: 'After', html: '<p>Text' });
});

test('edits the schema of the data, and says where it is wrong', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>Dear {{name}}');
  const page = await signIn(key.key, `/templates/${id}`, [400]);
  await page.getByRole('tab', { name: 'Schema' }).click();
  const field = page.getByLabel('JSON Schema');
  await field.fill('{"type": "objekt"}');
  await page.getByRole('button', { name: 'Save the schema' }).click();
  await page.getByRole('alert').getByText('schema.type').first().waitFor();
  await field.fill('{"required": ["name"]}');
  await page.getByRole('button', { name: 'Save the schema' }).click();
  await page.getByText('The schema was saved').waitFor();
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ schema: { required: ['name'] } });
  await problem(await key.pdf({ template_id: id, data: {} }), 422, 'data_invalid');

  await field.fill('');
  await page.getByRole('button', { name: 'Save the schema' }).click();
  await showsVersion(page, 3);
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ schema: null });
});

test('restores the schema with a version', async () => {
  const key = await newClient();
  const schema = { required: ['name'] };
  const { id } = await key.template('<p>Dear {{name}}', { schema });
  await key.send('PUT', `/v1/templates/${id}`, { html: '<p>Hello', schema: {} });
  const page = await signIn(key.key, `/templates/${id}`);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'View version 1' }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await showsVersion(page, 3);
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ version: 3, schema });
});

test('shares a template with the other keys of the account, which cannot change it', async () => {
  const key = await newClient();
  const template = await key.template('<p>Shared text', { name: 'Letter', samples: { Usual: { a: 1 } } });
  const page = await signIn(key.key, `/templates/${template.template_id}`);
  await page.getByRole('switch', { name: 'Shared with the account' }).click();
  await page.getByText('All keys of the account can render it now.').waitFor();
  const made = await key.send('POST', '/v1/keys', { name: 'Other' });
  const { key: other } = (await made.json()) as { key: string };

  const theirs = await signIn(other, `/templates/${template.template_id}`);
  await theirs.getByText('of another key, which shares it').waitFor();
  expect(await theirs.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  expect(await theirs.getByRole('button', { name: 'Rename' }).count()).toBe(0);
  expect(await accessibilityViolations(theirs)).toEqual([]);
});
