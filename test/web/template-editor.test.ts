/** A stored template in the editor: writing, rendering, sample data, saving, and what happens when others save it too. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Client, type TemplateRecord } from '../support/client.ts';
import { editorOf, enterKey, goTo, openDashboards } from '../support/dashboard.ts';
import { waitUntilKept } from '../support/drafts.ts';
import { accessibilityViolations, expectSound } from '../support/page-checks.ts';
import { DRAFT, fragmentOf, type PlaygroundPage, warmUp } from '../support/playground-page.ts';
import { readPdf } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { LANGUAGES, openSnippetFolder } from '../support/snippet-runs.ts';
import { NARROW, WIDE } from '../support/web-page.ts';

/** A render without a charge may take at most ten seconds. On a slow machine a visitor has to try again. */
const TRIES = 5;

const { service, signIn, openEditor, newClient } = await openDashboards();

await warmUp(service);

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const version = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

/** Waits until the first page has this text. */
async function renders(editor: PlaygroundPage, expected: string, action = 'Render'): Promise<void> {
  const text = editor.pdfPage(1).getByText(expected).first();
  const error = editor.errorNotice.getByText(/did not finish|try again/i);
  for (let left = TRIES; left > 0; left--) {
    await text.or(error).first().waitFor({ state: 'attached' });
    if ((await text.count()) > 0) return;
    await editor.page.getByRole('button', { name: action, exact: true }).click();
  }
  throw new Error(`the preview does not show ${expected}`);
}

async function templatesOf(key: Client): Promise<TemplateRecord[]> {
  return (await key.json<{ data: TemplateRecord[] }>('/v1/templates')).data;
}

test('writes a new template, stores it, and changes it without a charge', async () => {
  const key = await newClient();
  const page = await signIn(key.key, '/templates');
  await page.getByRole('heading', { name: 'No templates yet' }).waitFor();
  await page.getByRole('link', { name: 'New template' }).click();
  const editor = await editorOf(page);
  await editor.write('Template', '<p>Good morning, {{person.name}}');
  await editor.write('Data', '{"person": {"name": "Grace"}}');
  await renders(editor, 'Good morning, Grace');
  expect(await templatesOf(key)).toEqual([]);

  await page.getByRole('button', { name: 'Save as template' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Greeting');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await version(page, 'Version 1');
  const [created] = await templatesOf(key);
  expect(created).toMatchObject({ name: 'Greeting', engine: 'liquid', version: 1, placeholders: ['person.name'] });
  expect(new URL(page.url()).search).toBe(`?template=${created?.template_id}`);
  await page.getByRole('listitem').getByText('person.name').waitFor();
  await renders(editor, 'Good morning, Grace');

  await editor.write('Template', '<p>Good night, {{person.name}} {{ 1 }}');
  await page.getByLabel('Engine').selectOption('placeholders');
  await version(page, 'Version 1, with unsaved changes');
  await save(page).click();
  await version(page, 'Version 2');
  expect((await templatesOf(key))[0]).toMatchObject({ engine: 'placeholders', version: 2, name: 'Greeting' });
  expect((await key.usage()).documents.used).toBe(0);
});

test('keeps data, preview and new text while a template is being saved', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>Dear {{person.name}}');
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await editor.write('Data', '{"person": {"name": "Grace"}}');
  await renders(editor, 'Dear Grace');
  await editor.write('Template', '<p>Hello {{person.name}}');
  await renders(editor, 'Hello Grace');
  const stored = Promise.withResolvers<void>();
  await page.route(`**/v1/templates/${id}`, async (route) => {
    await stored.promise;
    await route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.keyboard.press('Control+s');
  await sent;
  await editor.write('Template', '<p>Dearest {{person.name}}');
  stored.resolve();
  await version(page, 'Version 2, with unsaved changes');
  await editor.editor('Template').getByText('Dearest').waitFor();
  await renders(editor, 'Dearest Grace');
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ html: '<p>Hello {{person.name}}' });
});

test('keeps text, data and options on other pages, after Back, over a closed tab and a revoked key', async () => {
  const issued = await service.createKey();
  const key = new Client(service.url, issued.key);
  const { id } = await key.template('<p>old {{a}}');
  const first = await openEditor(key.key, id, [401]);
  await first.write('Template', '<p>long work {{a}}');
  await first.page.getByRole('link', { name: 'Files and versions' }).click();
  await first.page.getByText('with unsaved changes in the editor').waitFor();
  await first.page.goBack();
  await first.editor('Template').getByText('long work').waitFor();

  await first.write('Data', '{"a": "typed');
  await waitUntilKept(first.page, 'typed');
  const context = first.page.context();
  await first.page.close(); // as a crash does: nothing is asked
  const page = await context.newPage();
  await page.goto(`/edit?template=${id}`);
  const next = await editorOf(page);
  await next.editor('Data').getByText('typed').waitFor();
  await next.editor('Template').getByText('long work').waitFor();
  await version(page, 'Version 1, with unsaved changes');
  await next.write('Data', '{"a": 1}');
  await (await next.openOption('scale')).getByRole('spinbutton').fill('0.5');
  await next.tab('Edit');

  const rotated = JSON.parse(await service.cli('keys', 'rotate', issued.key_id, '--json')) as { key: string };
  await next.write('Template', '<p>longer work {{a}}');
  await page.keyboard.press('Control+s'); // or the preview has told before that the key is gone
  await enterKey(page, rotated.key);
  await next.editor('Template').getByText('longer work').waitFor();
  expect(await next.editor('Data').textContent()).toBe('{"a": 1}');
  await page.getByRole('tab', { name: 'Options' }).getByText('1 set').waitFor();
  await save(page).click();
  await version(page, 'Version 2');
  await next.write('Template', '<p>thrown away');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await next.editor('Template').getByText('longer work').waitFor();
  await page.reload();
  await next.editor('Template').getByText('longer work').waitFor();
  const now = await new Client(service.url, rotated.key).json(`/v1/templates/${id}`);
  expect(now).toMatchObject({ html: '<p>longer work {{a}}' });
});

test('keeps what two tabs write in one template apart, and lists both', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored', { name: 'Letter' });
  const first = await openEditor(key.key, id);
  const page = await first.page.context().newPage();
  await first.write('Template', '<p>from the first tab');
  await page.goto(`/edit?template=${id}`);
  const second = await editorOf(page);
  await second.editor('Template').getByText('stored').waitFor();
  await second.write('Template', '<p>from the second tab');
  await version(page, 'Version 1, with unsaved changes');
  await page.reload();
  await second.editor('Template').getByText('from the second tab').waitFor();
  await first.page.close();
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  const kept = page.locator('.drafts').getByRole('button', { name: /Unsaved changes of version 1/ });
  await expect.poll(() => kept.count()).toBe(2);
  expect(await accessibilityViolations(page)).toEqual([]);
  await kept.last().click();
  await second.editor('Template').getByText('from the first tab').waitFor();
});

test('asks at a sign-out whether unsaved changes stay, and shows them to no other account', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id, [404]);
  const { page } = editor;
  const leave = async (answer: string) => {
    await page.getByRole('link', { name: 'Files and versions' }).click();
    await page.getByText('with unsaved changes in the editor').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: answer }).click();
    await page.getByLabel('API key').waitFor();
  };
  await editor.write('Template', '<p>kept over a sign-out');
  await leave('Keep them and sign out');
  await page.goto('/edit');
  await editor.result.waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  expect(await page.getByRole('button', { name: /Unsaved changes/ }).count()).toBe(0);

  await page.goto(`/edit?template=${id}`);
  await enterKey(page, (await newClient()).key);
  await page.getByRole('heading', { name: 'The template cannot be opened' }).waitFor();
  expect(await page.content()).not.toContain('kept over');
  await page.getByRole('link', { name: 'All templates' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();

  await page.goto(`/edit?template=${id}`);
  await enterKey(page, key.key);
  await editor.editor('Template').getByText('kept over a sign-out').waitFor();
  await leave('Delete them and sign out');
  await page.goto(`/edit?template=${id}`);
  await enterKey(page, key.key);
  await editor.editor('Template').getByText('stored').waitFor();
});

test('opens a link as a draft, and Back leads to the changed template', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await editor.write('Template', '<p>my change');
  await page.evaluate(`location.hash = ${JSON.stringify(await fragmentOf({ ...DRAFT, html: '<p>of somebody else' }))}`);
  await editor.editor('HTML').getByText('of somebody else').waitFor();
  expect(new URL(page.url()).search).toBe('');
  await page.goBack();
  await editor.editor('Template').getByText('my change').waitFor();
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ html: '<p>stored', version: 1 });
});

test('explains errors of a template and of its data', async () => {
  const key = await newClient();
  const { id } = await key.template('{{ a }}', { engine: 'liquid' });
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await editor.write('Template', '<p>\n{{ a | nonsense }}');
  await save(page).click();
  await page.getByRole('alert').getByText('Undefined filter: nonsense (line 2, column 1).').waitFor();
  await editor.write('Template', '<p>{{ a }}');
  await editor.write('Data', '{"a": ');
  await editor.errorNotice.getByText('The data is not JSON').waitFor();
});

test('previews with the default options of the account, its parts, and its own options', async () => {
  const key = await newClient();
  await key.send('PATCH', '/v1/account', { options: { landscape: true } });
  await key.template('<i>from {{ who }}</i>', { name: 'sender', engine: 'liquid' });
  const html = "<p>across {% render 'sender', who: who %}";
  const { id } = await key.template(html, { engine: 'liquid', samples: { first: { who: 'Ada' } } });
  const editor = await openEditor(key.key, id);
  await renders(editor, 'across');
  await editor.shows('from Ada');
  const box = await editor.pdfPage(1).boundingBox();
  expect(box?.width).toBeGreaterThan(box?.height ?? 0);
  expect((await key.usage()).documents.used).toBe(0);
});

test('follows the text while it is written, and marks a mistake at its line', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>one', { engine: 'liquid', samples: { first: { who: 'Ada' } } });
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await renders(editor, 'one');
  await editor.write('Template', '<p>three\n{% for %}');
  await page.getByText('Outdated. The reason is shown below.').waitFor();
  await page.locator('.cm-line .cm-lintRange-error').getByText('{% for %}').waitFor();
  await page.getByRole('switch', { name: 'Live' }).uncheck();
  await editor.write('Template', '<p>four {{who}}');
  await page.keyboard.press('Control+Enter');
  await renders(editor, 'four Ada');
  expect((await key.usage()).documents.used).toBe(0);
});

test('shows the code that renders a version with the data in the editor', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>Dear {{name}}', { samples: { first: { name: 'Ada' } } });
  await key.send('PATCH', `/v1/templates/${id}`, { published_version: 1 });
  await key.send('PUT', `/v1/templates/${id}`, { html: '<p>Hello {{name}}' });
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  const snippets = await openSnippetFolder();
  const render = async (language: string) =>
    (await readPdf(await snippets.run(language, await editor.codeIn(language), key.key))).pages;
  for (const language of LANGUAGES) expect(await render(language), language).toEqual(['Dear Ada']);
  await page.getByRole('button', { name: 'Copy as code' }).click();
  await page.getByLabel('Version that the code renders').selectOption({ label: 'Version 2, always' });
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await page.getByRole('region', { name: /^Code/ }).textContent()).toContain(`${id}@2`);
  await page.keyboard.press('Escape');
  await editor.write('Data', '{');
  await page.getByRole('button', { name: 'Copy as code' }).click();
  await page.getByRole('dialog').getByText('The data is not JSON').waitFor();
});

test('renders by saving and charging, and only on request, when the playground is off', async () => {
  await using off = await startService({ PLATEN_PLAYGROUND: 'off' });
  const key = new Client(off.url, off.key);
  const { id } = await key.template('<p>{{a}}');
  const editor = await openEditor(off.key, id, [], off.url);
  const { page } = editor;
  await editor.write('Template', '<p>charged {{a}}');
  await page.getByText('counts as one document').waitFor();
  expect(await page.getByRole('switch', { name: 'Live' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Save and render' }).click();
  await editor.shows('charged a');
  await version(page, 'Version 2');
  expect((await key.usage()).documents.used).toBe(1);
  expect((await key.json<{ data: unknown[] }>('/v1/documents')).data).toEqual([]);

  await page.goto('/edit?new');
  await editor.write('Template', '<p>new {{a}}');
  await editor.write('Data', '{"a": "kept"}');
  await editor.errorNotice.getByText('The playground is off.').waitFor();
  await page.getByRole('button', { name: 'Save as template' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await version(page, 'Version 1');
  await page.getByRole('button', { name: 'Save and render' }).click();
  await editor.shows('new kept');
});

test('does not save over a version that somebody else saved in the meantime, unless asked to', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>First');
  const editor = await openEditor(key.key, id, [412]);
  const { page } = editor;
  await version(page, 'Version 1');
  await editor.write('Template', '<p>Mine');
  await key.send('PUT', `/v1/templates/${id}`, { html: '<p>Theirs' });
  await save(page).click();
  await page.getByRole('alert').getByText('its current version is 2').waitFor();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  const comparison = page.getByRole('textbox', { name: 'From version 2 to my text' });
  await comparison.getByText('Mine').waitFor();
  await comparison.locator('xpath=..').getByText('Theirs').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect((await key.json<TemplateRecord>(`/v1/templates/${id}`)).html).toBe('<p>Theirs');
  await page.getByRole('button', { name: 'Save my text over version 2' }).click();
  await version(page, 'Version 3');
  expect((await key.json<TemplateRecord>(`/v1/templates/${id}`)).html).toBe('<p>Mine');

  await editor.write('Template', '<p>Mine again');
  await key.send('PUT', `/v1/templates/${id}`, { html: '<p>Theirs again' });
  await save(page).click();
  await page.getByRole('button', { name: 'Discard my text and load version 4' }).click();
  await version(page, 'Version 4');
  await editor.editor('Template').getByText('<p>Theirs again').waitFor();
});

test('saves after files have been changed on the page of the template, without a conflict', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>First');
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await editor.write('Template', '<link rel="stylesheet" href="a.css"><p>Mine');
  await page.getByRole('link', { name: 'Files and versions' }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add files' }).click();
  await (await chooser).setFiles({
    name: 'a.css',
    mimeType: 'text/css',
    buffer: Buffer.from('p::before { content: "Styled " }'),
  });
  await page.getByText('1 file was saved.').waitFor();
  await page.getByRole('link', { name: 'Open the editor' }).click();
  await renders(editor, 'Styled Mine');
  await version(page, 'Version 2, with unsaved changes');
  await save(page).click();
  await version(page, 'Version 3');
});

test('marks missing and unused sample data while it is typed', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>{{customer.name}} {{total}}');
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await page.getByRole('listitem').filter({ hasText: 'total' }).waitFor();
  expect(await page.getByText('has no value').count()).toBe(0);
  await editor.write('Data', '{"customer": {"name": "Ada", "age": 36}, "sum": 1}');
  await page.getByRole('listitem').filter({ hasText: 'total has no value' }).waitFor();
  await page.getByText('Not used by this version: customer.age, sum').waitFor();
  const marks = editor.editor('Data').locator('.cm-lintRange-warning');
  await marks.nth(1).waitFor();
  expect(await marks.allTextContents()).toEqual(['"age"', '"sum"']);
  const told = await key.pdf({ template_id: id, data: { customer: { name: 'Ada', age: 36 }, sum: 1 }, dry_run: true });
  expect(await told.json()).toMatchObject({ template: { missing: ['total'], unused: ['customer.age', 'sum'] } });
  await page.getByRole('button', { name: 'Generate sample data' }).click();
  await editor.editor('Data').getByText('"total"').first().waitFor();
});

test('stores, chooses, renames and deletes sample data with the template', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>Dear {{name}}', { samples: { Sample: { name: 'Ada' } } });
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  const stored = async () => (await key.json<{ samples: object }>(`/v1/templates/${id}`)).samples;
  const chosen = page.getByRole('combobox', { name: 'Sample', exact: true });
  expect(await chosen.inputValue()).toBe('Sample');

  await editor.write('Data', '{"name": "a name that is long"}');
  await page.getByText('Changed, not stored yet').waitFor();
  await page.getByRole('button', { name: 'Store as' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Sample');
  await page.getByText('There is already a sample with this name.').waitFor();
  await page.getByRole('dialog').getByRole('textbox').fill('long');
  await page.keyboard.press('Enter');
  await page.getByText('long is stored with the template.').waitFor();
  expect(await stored()).toEqual({ Sample: { name: 'Ada' }, long: { name: 'a name that is long' } });

  await editor.write('Data', '{"name": "even longer"}');
  await chosen.selectOption('Sample');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  expect(await chosen.inputValue()).toBe('long');
  await page.getByRole('button', { name: 'Store long' }).click();
  await page.getByText('Changed, not stored yet').waitFor({ state: 'hidden' });
  await chosen.selectOption('Sample');
  await editor.editor('Data').getByText('Ada').waitFor();
  await page.getByRole('button', { name: 'Rename Sample' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('short');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Delete short' }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await chosen.selectOption('long');
  await page.getByRole('button', { name: 'Delete long' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await stored()).toEqual({ short: { name: 'Ada' } });
  await editor.editor('Data').getByText('even longer').waitFor();
  await editor.write('Data', '{"name": ');
  await page.getByRole('button', { name: 'Store as' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('broken');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('The data is not JSON').waitFor();
});

test('keeps the samples of a template while its text is saved, and says which data breaks the schema', async () => {
  const key = await newClient();
  const samples = { first: { name: 'Ada' }, second: { name: 'Grace' } };
  const { id } = await key.template('<p>Dear {{name}}', { samples, schema: { required: ['name'] } });
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await editor.write('Template', '<p>Dearest {{name}}');
  await save(page).click();
  await version(page, 'Version 2');
  await page.getByRole('combobox', { name: 'Sample', exact: true }).selectOption('second');
  await renders(editor, 'Dearest Grace');
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ samples, version: 2 });

  await editor.write('Data', '{"nam": "Ada"}');
  await page.getByRole('button', { name: 'Store as' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('broken');
  await page.keyboard.press('Enter');
  await page.getByText('broken is stored with the template, but samples.broken.name is required.').waitFor();
  await editor.write('Data', '{"name": "Ada"}');
  await page.getByRole('button', { name: 'Store broken' }).click();
  await page.getByText('broken is stored with the template.', { exact: true }).waitFor();
});

test('stores a copy of a template that another key shares', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>Shared text', { name: 'Letter', samples: { Usual: { a: 1 } }, visibility: 'account' });
  const made = await key.send('POST', '/v1/keys', { name: 'Other' });
  const { key: other } = (await made.json()) as { key: string };
  const { page } = await openEditor(other, id);
  await page.getByText('of another key, which shares it').waitFor();
  await page.getByRole('button', { name: 'Save a copy' }).click();
  await version(page, 'Version 1');
  const { data } = await new Client(service.url, other).json<{ data: TemplateRecord[] }>('/v1/templates?owned=true');
  expect(data).toMatchObject([{ name: 'Letter', visibility: 'key' }]);
  expect(data[0]?.template_id).not.toBe(id);
  expect(new URL(page.url()).search).toBe(`?template=${data[0]?.template_id}`);
});

test('begins a template with one of the gallery, and stores its data as a sample', async () => {
  const key = await newClient();
  const page = await signIn(key.key, '/templates');
  await page.getByRole('link', { name: 'From the gallery' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Receipt on a roll: Large party' }).click();
  await page.getByRole('button', { name: 'Save as template' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Receipt');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await version(page, 'Version 1');
  const [stored] = await templatesOf(key);
  expect(stored).toMatchObject({ name: 'Receipt', engine: 'liquid' });
  const { samples } = await key.json<{ samples: unknown }>(`/v1/templates/${stored?.template_id}`);
  expect(JSON.stringify(samples)).toContain('Merry Christmas');
});

test('opens as a draft, which leaves the template alone', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored {{a}}', { samples: { one: { a: 'Ada' } } });
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.getByRole('button', { name: 'Open as a draft' }).click();
  await page.getByRole('button', { name: 'Save as template' }).waitFor();
  await editor.write('Template', '<p>drafted {{a}}');
  await renders(editor, 'drafted Ada');
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ html: '<p>stored {{a}}', version: 1 });
});

test('goes to the templates of the dashboard and back without a key in between', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored', { name: 'Letter' });
  const page = await signIn(key.key, '/documents');
  await goTo(page, '/templates');
  await page.getByRole('link', { name: 'Letter' }).click();
  await page.getByRole('link', { name: 'Open the editor' }).click();
  const editor = await editorOf(page);
  await editor.editor('Template').getByText('stored').waitFor();
  expect(new URL(page.url()).search).toBe(`?template=${id}`);
});

describe.each([
  ['light', WIDE],
  ['dark', WIDE],
  ['light', NARROW],
  ['dark', NARROW],
] as const)('the editor of a template in %s at %o', (colorScheme, size) => {
  test('is accessible and fits into the window', async () => {
    const key = await newClient();
    const name = 'a-name-without-any-place-to-break-it-'.repeat(4);
    const { id } = await key.template('<p>{{customer.name}} {{total}}', { name, samples: { first: { customer: {} } } });
    const editor = await openEditor(key.key, id);
    const { page } = editor;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await editor.write('Template', '<p>changed {{customer.name}} {{total}}');
    await version(page, 'Version 1, with unsaved changes');
    await expectSound(page);
    await page.evaluate("document.querySelector('.top-bar nav').style.letterSpacing = '0.05em'"); // as in a wider font
    const { y = WIDE.height } = (await page.getByRole('combobox', { name: 'Colours' }).boundingBox()) ?? {};
    expect(y, 'the choice of colours is in the first line').toBeLessThan(30);
    await page.getByRole('button', { name: 'Store as' }).click();
    await expectSound(page);
  });
});
