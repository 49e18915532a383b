/** Templates in the dashboard: editing, previewing, saving, comparing and restoring. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client, problem, type TemplateRecord } from '../support/client.ts';
import { enterKey, goTo, openDashboards } from '../support/dashboard.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, startService } from '../support/service.ts';
import { LANGUAGES, openSnippetFolder } from '../support/snippet-runs.ts';

/** The playground may take at most ten seconds. On a slow machine a visitor has to try again. */
const TRIES = 5;

const { service, signIn, newClient } = await openDashboards();

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });

/** Replaces the text of an editor in one step, as pasting does. */
async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: editor }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

async function preview(page: Page, expected: string): Promise<void> {
  const text = page.getByRole('region', { name: 'Page 1 of 1' }).getByText(expected);
  const error = page.getByRole('alert').getByText(/did not finish|try again/i);
  for (let left = TRIES; left > 0; left--) {
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await text.or(error).first().waitFor();
    if (await text.isVisible()) return;
  }
  throw new Error(`the preview does not show ${expected}`);
}

/** Waits until the browser has kept a text that is not saved. */
async function kept(page: Page, text: string): Promise<void> {
  const read = `new Promise((resolve) => {
    const opening = indexedDB.open('platen-templates');
    opening.onsuccess = () => {
      const reading = opening.result.transaction('texts').objectStore('texts').getAll();
      reading.onsuccess = () => {
        opening.result.close();
        resolve(JSON.stringify(reading.result));
      };
    };
  })`;
  await eventually(`the browser has kept ${text}`, async () => ((await page.evaluate(read)) as string).includes(text));
}

async function templatesOf(key: Client): Promise<TemplateRecord[]> {
  return (await key.json<{ data: TemplateRecord[] }>('/v1/templates')).data;
}

test('creates a template, previews it without saving or charging, saves and changes it', async () => {
  const key = await newClient();
  const page = await signIn(key.key, '/templates');
  await page.getByRole('heading', { name: 'No templates yet' }).waitFor();
  await page.getByRole('link', { name: 'New template' }).click();
  await page.getByLabel('Name').fill('Greeting');
  await write(page, 'Template HTML', '<p>Good morning, {{person.name}}');
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await write(page, 'Sample data', '{"person": {"name": "Grace"}}');
  await preview(page, 'Good morning, Grace');
  expect(await templatesOf(key)).toEqual([]);
  expect((await key.usage()).documents.used).toBe(0);

  await save(page).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
  const [created] = await templatesOf(key);
  expect(created).toMatchObject({ name: 'Greeting', engine: 'placeholders', version: 1, placeholders: ['person.name'] });
  await page.getByRole('listitem').getByText('person.name').waitFor();

  await page.getByRole('tab', { name: 'HTML' }).click();
  await write(page, 'Template HTML', '<p>Good night, {{person.name}} {% if late %}!{% endif %}');
  await page.getByLabel('Engine').selectOption('liquid');
  await page.getByText('Version 1, with unsaved changes').waitFor();
  await save(page).click();
  await page.getByText('Version 2', { exact: true }).waitFor();
  expect((await templatesOf(key))[0]).toMatchObject({ engine: 'liquid', version: 2 });
});

test('keeps sample data, preview and new text when a new template is saved', async () => {
  const key = await newClient();
  const page = await signIn(key.key, '/templates/new');
  await page.getByLabel('Name').fill('Kept');
  await write(page, 'Template HTML', '<p>Dear {{person.name}}');
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await write(page, 'Sample data', '{"person": {"name": "Grace"}}');
  await preview(page, 'Dear Grace');

  const stored = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await page.route('**/v1/templates', async (route) => {
    arrived.resolve();
    await stored.promise;
    await route.continue();
  });
  await save(page).click();
  await arrived.promise;
  await page.getByRole('tab', { name: 'HTML' }).click();
  await write(page, 'Template HTML', '<p>Dearest {{person.name}}');
  stored.resolve();
  await page.getByText('Version 1, with unsaved changes').waitFor();
  expect(await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('Dear Grace').isVisible()).toBe(true);
  await page.getByRole('textbox', { name: 'Template HTML' }).getByText('Dearest').waitFor();
  const [created] = await templatesOf(key);
  expect(page.url()).toMatch(new RegExp(`/templates/${created?.template_id}$`));
  await preview(page, 'Dearest Grace');

  await save(page).click();
  await page.getByText('Version 2', { exact: true }).waitFor();
  await goTo(page, '/templates/new');
  await page.getByText('Not stored yet').waitFor();
  await page.getByRole('tab', { name: 'Sample data' }).click();
  expect(await page.getByRole('textbox', { name: 'Sample data' }).textContent()).toBe('{}');
  await goTo(page, `/templates/${created?.template_id}`);
  await page.getByText('Version 2', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await page.getByRole('textbox', { name: 'Sample data' }).getByText('Grace').waitFor();
});

test('restores a new template after a reload and after signing in again', async () => {
  const issued = await service.createKey();
  const page = await signIn(issued.key, '/templates/new', [401]);
  await page.getByLabel('Name').fill('Young');
  await write(page, 'Template HTML', '<p>the first text');
  await save(page).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
  await write(page, 'Template HTML', '<p>the second text');
  await save(page).click();
  await page.getByText('Version 2', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'View version 1' }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Version 3', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Template HTML' }).getByText('the first text').waitFor();

  const rotated = JSON.parse(await service.cli('keys', 'rotate', issued.key_id, '--json')) as { key: string };
  await write(page, 'Template HTML', '<p>the fourth text');
  await save(page).click();
  await enterKey(page, rotated.key);
  await page.getByText('Version 3, with unsaved changes').waitFor();
  await page.getByRole('textbox', { name: 'Template HTML' }).getByText('the fourth text').waitFor();
});

test('lists, adds, replaces and removes files of a template, and previews with them', async () => {
  const key = await newClient();
  const { template_id } = await key.template('<link rel="stylesheet" href="css/print.css"><p>Body</p><img src="logo.svg">');
  const page = await signIn(key.key, `/templates/${template_id}`);
  await page.getByRole('button', { name: 'Preview', exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByText('The template has no files.').waitFor();
  const choose = async (button: string, name: string, css: string) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: button, exact: true }).click();
    await (await chooser).setFiles({ name, mimeType: 'text/css', buffer: Buffer.from(css) });
  };
  await page.getByLabel('Folder (optional)').fill('css/');
  await choose('Add files', 'print.css', 'p::before { content: "Styled " }');
  await page.getByRole('row', { name: 'css/print.css 32 bytes' }).waitFor();
  await page.getByText('Version 2', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('Styled Body').waitFor();

  await choose('Replace css/print.css', 'new.css', 'p::before { content: "Restyled " }');
  await page.getByRole('row', { name: 'css/print.css 34 bytes' }).waitFor();
  await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('Restyled Body').waitFor();
  await page.getByText('1 warning', { exact: true }).waitFor();
  await page.getByRole('listitem').getByText('logo.svg').waitFor();
  await page.getByText('Version 3', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Remove css/print.css' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The template has no files.').waitFor();
  expect(await key.json(`/v1/templates/${template_id}/assets`)).toEqual({ data: [] });
  expect((await key.usage()).documents.used).toBe(0);
});

test('explains errors of a template and of its data', async () => {
  const key = await newClient();
  const { template_id } = await key.template('{{ a }}', { engine: 'liquid' });
  const page = await signIn(key.key, `/templates/${template_id}`);
  await write(page, 'Template HTML', '<p>\n{{ a | nonsense }}');
  await save(page).click();
  await page.getByRole('alert').getByText('Undefined filter: nonsense (line 2, column 1).').waitFor();
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await write(page, 'Sample data', '{"a": ');
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.getByRole('alert').getByText('The sample data is not JSON').waitFor();
});

test('shows, compares and restores earlier versions', async () => {
  const key = await newClient();
  const { template_id } = await key.template('<p>the first text', { name: 'Letter' });
  const path = `/v1/templates/${template_id}`;
  await key.send('PUT', path, { html: '<p>the second text' });
  const page = await signIn(key.key, `/templates/${template_id}`);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'View version 1' }).click();
  await page.getByRole('textbox', { name: 'HTML of version 1' }).getByText('the first text').waitFor();
  await page.getByRole('button', { name: 'Compare version 1' }).click();
  const changes = page.getByRole('textbox', { name: 'Changes since version 1' });
  await changes.locator('.cm-deletedChunk').getByText('first').waitFor();
  await changes.locator('.cm-changedLine').getByText('second').waitFor();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Version 3', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Template HTML' }).getByText('the first text').waitFor();
  expect(await key.json(path)).toMatchObject({ version: 3, html: '<p>the first text', name: 'Letter' });
});

test('publishes a version and none, and keeps unsaved text', async () => {
  const key = await newClient();
  const { template_id } = await key.template('<p>first');
  const path = `/v1/templates/${template_id}`;
  await key.send('PUT', path, { html: '<p>second' });
  const page = await signIn(key.key, `/templates/${template_id}`);
  await write(page, 'Template HTML', '<p>unsaved');
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Publish version 1' }).click();
  await page.getByRole('row', { name: /^1 published/ }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Sample data' }).isVisible()).toBe(false);
  expect(await key.json(path)).toMatchObject({ version: 2, published_version: 1 });
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Publish version 2' }).click();
  await page.getByRole('row', { name: /^2 current published/ }).waitFor();
  await page.getByRole('button', { name: 'Unpublish version 2' }).click();
  await page.getByText('No version is published.').waitFor();
  expect(await key.json(path)).toMatchObject({ version: 2, published_version: null });
  await page.getByText('Version 2, with unsaved changes').waitFor();
});

test('keeps unsaved changes on other pages, after Back, in a new tab and when a key is revoked, until they are discarded', async () => {
  const issued = await service.createKey();
  const key = new Client(service.url, issued.key);
  const { template_id } = await key.template('<p>old');
  const first = await signIn(key.key, `/templates/${template_id}`, [401]);
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Template HTML' });
  await write(first, 'Template HTML', '<p>long work');
  await first.getByRole('link', { name: 'Usage' }).click();
  await first.getByRole('heading', { name: 'Usage' }).waitFor();
  await first.goBack();
  await editor(first).getByText('long work').waitFor();

  await kept(first, 'long work');
  await first.close(); // as a crash does: nothing is asked
  const page = await first.context().newPage();
  await page.goto(`/dashboard/templates/${template_id}`);
  await editor(page).getByText('long work').waitFor();
  await page.getByText('Version 1, with unsaved changes').waitFor();

  const rotated = JSON.parse(await service.cli('keys', 'rotate', issued.key_id, '--json')) as { key: string };
  await save(page).click();
  await enterKey(page, rotated.key);
  await editor(page).getByText('long work').waitFor();
  await save(page).click();
  await page.getByText('Version 2', { exact: true }).waitFor();
  await write(page, 'Template HTML', '<p>thrown away');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await editor(page).getByText('long work').waitFor();
  await page.reload();
  await editor(page).getByText('long work').waitFor();
  expect(await new Client(service.url, rotated.key).json(`/v1/templates/${template_id}`)).toMatchObject({ html: '<p>long work' });
});

test('keeps a new template in each of two tabs, and nothing after a sign-out', async () => {
  const key = await newClient();
  const first = await signIn(key.key, '/templates/new');
  const second = await first.context().newPage();
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Template HTML' });
  await write(first, 'Template HTML', '<p>the first letter');
  await second.goto('/dashboard/templates/new');
  await editor(second).waitFor();
  expect(await editor(second).textContent()).toBe('');
  await write(second, 'Template HTML', '<p>the second letter');
  await kept(first, 'the first letter');
  await kept(second, 'the second letter');
  for (const page of [first, second]) await page.close();
  const texts: string[] = [];
  const context = first.context();
  for (const page of [await context.newPage(), await context.newPage()]) {
    await page.goto('/dashboard/templates/new');
    await editor(page).getByText('letter').waitFor();
    texts.push((await editor(page).textContent()) ?? '');
  }
  expect(texts).toEqual(['<p>the first letter', '<p>the second letter']);
  const [page] = context.pages() as [Page];
  await page.getByRole('button', { name: 'Sign out' }).click();
  await enterKey(page, key.key);
  await goTo(page, '/templates/new');
  await editor(page).waitFor();
  expect(await editor(page).textContent()).toBe('');
});

test('deletes a template after a confirmation, and shows its name as text', async () => {
  const key = await newClient();
  const name = '\u202e<img src=x onerror=document.title=1>';
  const { template_id } = await key.template('<p>{{__proto__.polluted}}{{constructor}}', { name });
  const page = await signIn(key.key, '/templates');
  await page.getByRole('link', { name }).click();
  await page.getByRole('button', { name: 'Generate sample data' }).click();
  expect(await page.evaluate('({}).polluted')).toBeUndefined();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByText(name).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No templates yet' }).waitFor();
  expect((await key.get(`/v1/templates/${template_id}`)).status).toBe(404);
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).toBe('Dashboard · Platen');
});

test('previews with the default options of the account', async () => {
  const key = await newClient();
  await key.send('PATCH', '/v1/account', { options: { landscape: true } });
  const { template_id } = await key.template('<p>across {{a}}');
  const page = await signIn(key.key, `/templates/${template_id}`);
  const shown = page.getByRole('region', { name: 'Page 1 of 1' });
  await shown.getByText('across a').waitFor();
  const box = await shown.boundingBox();
  expect(box?.width).toBeGreaterThan(box?.height ?? 0);
});

test('follows the text while it is written, and marks a mistake at its line', async () => {
  const key = await newClient();
  await key.template('<i>from {{ who }}</i>', { name: 'sender', engine: 'liquid' });
  const { template_id } = await key.template('<p>one', { engine: 'liquid', samples: { first: { who: 'Ada' } } });
  const page = await signIn(key.key, `/templates/${template_id}`);
  const shown = page.getByRole('region', { name: 'Page 1 of 1' });
  await shown.getByText('one').waitFor();
  await write(page, 'Template HTML', "<p>two {% render 'sender', who: who %}");
  await shown.getByText('two from Ada').waitFor();
  await write(page, 'Template HTML', '<p>three\n{% for %}');
  await page.getByText('Outdated. The reason is shown above.').waitFor();
  await page.locator('.cm-line .cm-lintRange-error').getByText('{% for %}').waitFor();
  await page.getByRole('switch', { name: 'Live' }).uncheck();
  await write(page, 'Template HTML', '<p>four {{who}}');
  await page.getByText('Outdated.').waitFor();
  await page.keyboard.press('Control+Enter');
  await shown.getByText('four Ada').waitFor();
  expect((await key.usage()).documents.used).toBe(0);
});

test('shows the code that renders a version with the data in the editor', async () => {
  const key = await newClient();
  const { template_id } = await key.template('<p>Dear {{name}}', { samples: { first: { name: 'Ada' } } });
  await key.send('PATCH', `/v1/templates/${template_id}`, { published_version: 1 });
  await key.send('PUT', `/v1/templates/${template_id}`, { html: '<p>Hello {{name}}' });
  const page = await signIn(key.key, `/templates/${template_id}`);
  await page.getByRole('tab', { name: 'Code' }).click();
  const snippets = await openSnippetFolder();
  const render = async (language: string) => {
    await page.getByRole('tab', { name: language, exact: true }).click();
    const code = (await page.getByRole('region', { name: `Code, ${language}`, exact: true }).textContent()) ?? '';
    return (await readPdf(await snippets.run(language, code, key.key))).pages;
  };
  for (const language of LANGUAGES) expect(await render(language), language).toEqual(['Dear Ada']);
  await page.getByLabel('Version that the code renders').selectOption({ label: 'Version 2, always' });
  expect(await render('TypeScript client')).toEqual(['Hello Ada']);
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await write(page, 'Sample data', '{');
  await page.getByRole('tab', { name: 'Code' }).click();
  await page.getByText('The sample data is not JSON').first().waitFor();
});

test('previews by saving and charging when the playground is off', async () => {
  await using off = await startService({ PLATEN_PLAYGROUND: 'off' });
  const key = new Client(off.url, off.key);
  const { template_id } = await key.template('<p>{{a}}');
  const page = await signIn(off.key, `/templates/${template_id}`, [], off.url);
  await write(page, 'Template HTML', '<p>charged {{a}}');
  await page.getByText('counts as one document').waitFor();
  await page.getByRole('button', { name: 'Save and preview' }).click();
  await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('charged a').waitFor();
  await page.getByText('Version 2', { exact: true }).waitFor();
  expect((await key.usage()).documents.used).toBe(1);
  expect((await key.json<{ data: unknown[] }>('/v1/documents')).data).toEqual([]);

  await goTo(page, '/templates/new');
  await page.getByLabel('Name').fill('New and charged');
  await write(page, 'Template HTML', '<p>new {{a}}');
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await write(page, 'Sample data', '{"a": "kept"}');
  await page.getByRole('button', { name: 'Save and preview' }).click();
  await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('new kept').waitFor();
  await page.getByText('Version 1', { exact: true }).waitFor();
});

test('does not save over a version that somebody else saved in the meantime, unless asked to', async () => {
  const key = await newClient();
  const { template_id: id } = await key.template('<p>First');
  const page = await signIn(key.key, `/templates/${id}`, [412]);
  await page.getByText('Version 1', { exact: true }).waitFor();
  await write(page, 'Template HTML', '<p>Mine');
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
  await page.getByText('Version 3', { exact: true }).waitFor();
  expect((await key.json<TemplateRecord>(`/v1/templates/${id}`)).html).toBe('<p>Mine');

  await write(page, 'Template HTML', '<p>Mine again');
  await key.send('PUT', `/v1/templates/${id}`, { html: '<p>Theirs again' });
  await save(page).click();
  await page.getByRole('button', { name: 'Discard my text and load version 4' }).click();
  await page.getByText('Version 4', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Template HTML' }).getByText('<p>Theirs again').waitFor();
});

test('renames a template without sending its text', async () => {
  const key = await newClient();
  const { template_id: id } = await key.template('<p>Text', { name: 'Before' });
  const page = await signIn(key.key, `/templates/${id}`);
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.getByLabel('Name').fill('After');
  await save(page).click();
  expect((await sent).postDataJSON()).toEqual({ name: 'After' });
  await page.getByText('Saved as version 2.').waitFor();
  expect(await key.json<TemplateRecord>(`/v1/templates/${id}`)).toMatchObject({ name: 'After', html: '<p>Text' });
});

test('marks missing and unused sample data while it is typed', async () => {
  const key = await newClient();
  const { template_id: id } = await key.template('<p>{{customer.name}} {{total}}');
  const page = await signIn(key.key, `/templates/${id}`);
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await page.getByRole('listitem').filter({ hasText: 'total' }).waitFor();
  expect(await page.getByText('has no value').count()).toBe(0);
  await write(page, 'Sample data', '{"customer": {"name": "Ada", "age": 36}, "sum": 1}');
  await page.getByRole('listitem').filter({ hasText: 'total has no value' }).waitFor();
  await page.getByText('Not used by this version: customer.age, sum').waitFor();
  const marks = page.getByRole('textbox', { name: 'Sample data' }).locator('.cm-lintRange-warning');
  await marks.nth(1).waitFor();
  expect(await marks.allTextContents()).toEqual(['"age"', '"sum"']);
  const told = await key.pdf({ template_id: id, data: { customer: { name: 'Ada', age: 36 }, sum: 1 }, dry_run: true });
  expect(await told.json()).toMatchObject({ template: { missing: ['total'], unused: ['customer.age', 'sum'] } });
});

test('stores, chooses, renames and deletes sample data with the template', async () => {
  const key = await newClient();
  const page = await signIn(key.key, '/templates/new');
  await page.getByLabel('Name').fill('Letter');
  await write(page, 'Template HTML', '<p>Dear {{name}}');
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await write(page, 'Sample data', '{"name": "Ada"}');
  await save(page).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
  const [created] = await templatesOf(key);
  const stored = async () => (await key.json<{ samples: object }>(`/v1/templates/${created?.id}`)).samples;
  expect(await stored()).toEqual({ Sample: { name: 'Ada' } });
  const chosen = page.getByRole('combobox', { name: 'Sample', exact: true });
  expect(await chosen.inputValue()).toBe('Sample');

  await write(page, 'Sample data', '{"name": "a name that is long"}');
  await page.getByText('Changed, not stored yet').waitFor();
  await page.getByRole('button', { name: 'Store as' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Sample');
  await page.getByText('There is already a sample with this name.').waitFor();
  await page.getByRole('dialog').getByRole('textbox').fill('long');
  await page.keyboard.press('Enter');
  await page.getByText('long is stored with the template.').waitFor();
  expect(await stored()).toEqual({ Sample: { name: 'Ada' }, long: { name: 'a name that is long' } });

  await write(page, 'Sample data', '{"name": "even longer"}');
  await chosen.selectOption('Sample');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  expect(await chosen.inputValue()).toBe('long');
  await page.getByRole('button', { name: 'Store long' }).click();
  await page.getByText('Changed, not stored yet').waitFor({ state: 'hidden' });
  await chosen.selectOption('Sample');
  await page.getByRole('textbox', { name: 'Sample data' }).getByText('Ada').waitFor();
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
  await page.getByRole('textbox', { name: 'Sample data' }).getByText('even longer').waitFor();
  await write(page, 'Sample data', '{"name": ');
  await page.getByRole('button', { name: 'Store as' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('broken');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('The sample data is not JSON').waitFor();
});

test('keeps the samples of a template while its text, its files and its name are saved', async () => {
  const key = await newClient();
  const samples = { first: { name: 'Ada' }, second: { name: 'Grace' } };
  const { id } = await key.template('<p>Dear {{name}}', { samples });
  const page = await signIn(key.key, `/templates/${id}`);
  await write(page, 'Template HTML', '<p>Dearest {{name}}');
  await save(page).click();
  await page.getByText('Version 2', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed');
  await save(page).click();
  await page.getByText('Version 3', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await page.getByRole('combobox', { name: 'Sample', exact: true }).selectOption('second');
  await preview(page, 'Dearest Grace');
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ samples, version: 3 });
});

test('edits the schema of the data, and says where it is wrong', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>Dear {{name}}');
  const page = await signIn(key.key, `/templates/${id}`, [400]);
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await page.getByRole('button', { name: 'Add a schema' }).click();
  const field = page.getByLabel('JSON Schema');
  await field.fill('{"type": "objekt"}');
  await page.getByRole('button', { name: 'Save the schema' }).click();
  await page.getByRole('alert').getByText('schema.type').first().waitFor();
  await field.fill('{"required": ["name"]}');
  await page.getByRole('button', { name: 'Save the schema' }).click();
  await page.getByText('The schema was saved').waitFor();
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ schema: { required: ['name'] } });
  await problem(await key.pdf({ template_id: id, data: {} }), 422, 'data_invalid');

  await page.getByRole('button', { name: 'Change the schema' }).click();
  await field.fill('');
  await page.getByRole('button', { name: 'Save the schema' }).click();
  await page.getByRole('button', { name: 'Add a schema' }).waitFor();
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ schema: null });
});

test('says that sample data breaks the schema, and restores the schema with a version', async () => {
  const key = await newClient();
  const schema = { required: ['name'] };
  const { id } = await key.template('<p>Dear {{name}}', { schema });
  await key.send('PUT', `/v1/templates/${id}`, { html: '<p>Hello', schema: {} });
  const page = await signIn(key.key, `/templates/${id}`);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'View version 1' }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Version 3', { exact: true }).waitFor();
  expect(await key.json(`/v1/templates/${id}`)).toMatchObject({ version: 3, schema });
  await page.getByRole('tab', { name: 'Sample data' }).click();
  await write(page, 'Sample data', '{"nam": "Ada"}');
  await page.getByRole('button', { name: 'Store as' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('broken');
  await page.keyboard.press('Enter');
  await page.getByText('broken is stored with the template, but samples.broken.name is required.').waitFor();
  await write(page, 'Sample data', '{"name": "Ada"}');
  await page.getByRole('button', { name: 'Store broken' }).click();
  await page.getByText('broken is stored with the template.', { exact: true }).waitFor();
});

test('shares a template with the other keys of the account, which store copies', async () => {
  const key = await newClient();
  const template = await key.template('<p>Shared text', { name: 'Letter', samples: { Usual: { a: 1 } } });
  const page = await signIn(key.key, `/templates/${template.template_id}`);
  await page.getByRole('switch', { name: 'Shared with the account' }).click();
  await page.getByText('All keys of the account can render it now.').waitFor();
  await write(page, 'Template HTML', '<p>Shared text, later');
  await save(page).click();
  await page.getByText(/^Version \d$/).waitFor();
  const made = await key.send('POST', '/v1/keys', { name: 'Other' });
  const { key: other } = (await made.json()) as { key: string };

  const theirs = await signIn(other, `/templates/${template.template_id}`);
  await theirs.getByText('of another key, which shares it').waitFor();
  expect(await theirs.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  await theirs.getByRole('button', { name: 'Save a copy' }).click();
  await theirs.getByText('Version 1', { exact: true }).waitFor();
  const { data } = await new Client(service.url, other).json<{ data: TemplateRecord[] }>('/v1/templates?owned=true');
  expect(data).toMatchObject([{ name: 'Letter', visibility: 'key' }]);
  expect(data[0]?.template_id).not.toBe(template.template_id);
  expect(await accessibilityViolations(theirs)).toEqual([]);
});

test('begins a template with one of the gallery, and stores its data as a sample', async () => {
  const key = await newClient();
  const page = await signIn(key.key, '/templates', [504, 429]);
  await page.getByRole('button', { name: 'From the gallery' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Receipt on a roll / })
    .waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Receipt on a roll: Large party' }).click();
  await page.getByRole('heading', { name: 'New template' }).waitFor();
  await save(page).click();
  await page.getByText('Saved as version 1.').waitFor();
  const [stored] = await templatesOf(key);
  expect(stored).toMatchObject({ name: 'Receipt on a roll', engine: 'liquid' });
  const { samples } = await key.json<{ samples: unknown }>(`/v1/templates/${stored?.template_id}`);
  expect(JSON.stringify(samples)).toContain('Merry Christmas');
});
