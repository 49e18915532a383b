/**
 * Attempts to lose the changes of a stored template: what somebody wrote is there in the end. Others are in `template-editor`: another page
 * and Back, a closed tab, a revoked key, two tabs, a sign-out that asks, a link, a version that somebody else has saved, and what is
 * written during a save; restoring a version over unsaved text is in `dashboard-templates`.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client, type List, type TemplateRecord } from '../support/client.ts';
import { editorOf, enterKey, goTo, openDashboards, signInAt } from '../support/dashboard.ts';
import { openBeside, titlesOf, waitUntilKept } from '../support/drafts.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { DRAFT, fragmentOf, type PlaygroundPage, warmUp } from '../support/playground-page.ts';
import { startService } from '../support/service.ts';
import { HAS_DEVTOOLS } from '../support/web-page.ts';

const { service, visit, openEditor, newClient } = await openDashboards();
await warmUp(service);

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const version = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
const has = (editor: PlaygroundPage, text: string, label = 'Template') =>
  editor.editor(label).getByText(text, { exact: false }).first().waitFor();

async function stored(key: Client, id: string): Promise<TemplateRecord> {
  return key.json<TemplateRecord>(`/v1/templates/${id}`);
}

test('deletes a template while somebody else changes it', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored {{ a }}', { name: 'Letter' });
  const editor = await openEditor(key.key, id, [404]);
  const { page } = editor;
  await editor.write('Template', '<p>long work {{ a }}');
  await key.send('DELETE', `/v1/templates/${id}`);
  await save(page).click();
  await page.getByRole('alert').first().waitFor();
  await has(editor, 'long work');
  await page.reload();
  await page.getByRole('heading', { name: 'The template cannot be opened' }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Open my unsaved changes of “Letter” as a draft' }).click();
  await has(editor, 'long work');
  expect(new URL(page.url()).search).toBe('');
  expect(await titlesOf(editor)).toContain('long work');
});

test('loads the version of somebody else by mistake', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>First');
  const editor = await openEditor(key.key, id, [412]);
  const { page } = editor;
  await editor.write('Template', '<p>Mine');
  await key.send('PUT', `/v1/templates/${id}`, { html: '<p>Theirs' });
  await save(page).click();
  await page.getByRole('button', { name: 'Discard my text and load version 2' }).click();
  await has(editor, 'Theirs');
  await page.getByRole('button', { name: 'Undo' }).click();
  await has(editor, 'Mine');
  await save(page).click(); // it is still a change of the first version
  await page.getByRole('alert').getByText('its current version is 2').waitFor();
  expect((await stored(key, id)).html).toBe('<p>Theirs');
});

test('goes on with changes that were kept before there were styles', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  await key.send('PUT', `/v1/templates/${id}/assets/style.css`, Buffer.from('p { color: green }'), {
    'content-type': 'text/css',
  });
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await editor.write('Template', '<p>kept earlier');
  await waitUntilKept(page, 'kept earlier');
  await page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('platen');
    opening.onsuccess = () => {
      const writing = opening.result.transaction('drafts', 'readwrite');
      const drafts = writing.objectStore('drafts');
      drafts.openCursor().onsuccess = ({ target: { result } }) => {
        if (!result) return;
        delete result.value.draft.style;
        result.update(result.value);
        result.continue();
      };
      writing.oncomplete = () => resolve(opening.result.close());
    };
  })`);
  await page.close();
  const next = await openBeside(editor, `/edit?template=${id}`);
  await has(next, 'kept earlier');
  await save(next.page).click();
  await expect.poll(async () => (await stored(key, id)).html).toContain('kept earlier');
  await version(next.page, 'Version 3');
  const kept = await key.json<List<{ path: string }>>(`/v1/templates/${id}/assets`);
  expect(kept.data.map(({ path }) => path)).toEqual(['style.css']);
});

test('saves while there is no network, and while an answer is lost', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored', { assets: { 'old.txt': { content: '' } } });
  const editor = await openEditor(key.key, id, ['ERR_', 412]);
  const { page } = editor;
  await editor.write('Template', '<p>without a network');
  await editor.tab('Style');
  await editor.write('Style', 'p { color: green }');
  await editor.tab('Files');
  await page.getByRole('button', { name: 'Remove old.txt' }).click();
  const assets = { 'old.txt': null, 'style.css': { content: Buffer.from('p { color: green }').toString('base64') } };
  await editor.tab('Edit');
  await page.route(`**/v1/templates/${id}`, (route) => route.abort());
  await save(page).click();
  await page.getByRole('alert').first().waitFor();
  await version(page, 'Version 1, with unsaved changes');
  await page.unroute(`**/v1/templates/${id}`);

  await page.route(`**/v1/templates/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await key.send('PATCH', `/v1/templates/${id}`, { html: '<p>without a network', assets });
    return route.abort(); // as when the service ends after it has stored the text
  });
  await save(page).click();
  await page.getByRole('alert').first().waitFor();
  await page.unroute(`**/v1/templates/${id}`);
  await save(page).click();
  await version(page, 'Version 2'); // its own changes are no conflict
  expect(await stored(key, id)).toMatchObject({ html: '<p>without a network', version: 2 });
});

test('renders when all documents of the month are used up', async () => {
  await using off = await startService({ PLATEN_PLAYGROUND: 'off' });
  const issued = await off.createKey('none');
  const key = new Client(off.url, issued.key);
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id, [402], off.url);
  const { page } = editor;
  await editor.write('Template', '<p>over the limit {{ a }}');
  await editor.write('Data', '{"a": "unsaved data"}');
  await page.getByRole('button', { name: 'Save and render' }).click();
  await editor.errorNotice
    .getByText(/documents/)
    .first()
    .waitFor();
  await has(editor, 'over the limit');
  await version(page, 'Version 2'); // it is saved before it is rendered
  expect((await stored(key, id)).html).toBe('<p>over the limit {{ a }}');
  await page.reload();
  await has(editor, 'over the limit');
  await has(editor, 'unsaved data', 'Data');
});

test('saves a text that the service refuses', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id, [413]);
  const { page } = editor;
  await editor.write('Template', '<p>too long');
  await page.route(`**/v1/templates/${id}`, (route) =>
    route.fulfill({
      status: 413,
      contentType: 'application/problem+json',
      json: { title: 'Content too large', status: 413, code: 'content_too_large', detail: 'html is too large' },
    }),
  );
  await save(page).click();
  await page.getByRole('alert').getByText('html is too large').waitFor();
  await version(page, 'Version 1, with unsaved changes');
  await waitUntilKept(page, 'too long');
  await page.unroute(`**/v1/templates/${id}`);
  await save(page).click();
  await version(page, 'Version 2');
  expect((await stored(key, id)).html).toBe('<p>too long');
});

test('saves twice, of which the first is answered last', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let saves = 0;
  await page.route(`**/v1/templates/${id}`, async (route) => {
    saves++;
    arrived.resolve();
    await held.promise;
    await route.continue();
  });
  await editor.write('Template', '<p>the first text');
  await page.keyboard.press('Control+s');
  await arrived.promise;
  await editor.write('Template', '<p>the second text');
  await page.keyboard.press('Control+s');
  expect(saves).toBe(1);
  held.resolve();
  await version(page, 'Version 2, with unsaved changes');
  await has(editor, 'the second text');
  await page.keyboard.press('Control+s');
  await version(page, 'Version 3');
  expect(await stored(key, id)).toMatchObject({ html: '<p>the second text', version: 3 });
});

test('signs out in another tab', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await editor.write('Template', '<p>in the first tab');
  await waitUntilKept(page, 'in the first tab');
  const other = await page.context().newPage();
  await other.goto('/dashboard/documents');
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('button', { name: 'Keep them and sign out' }).click();
  await page.getByText('You have signed out in another tab.').waitFor();
  await enterKey(page, key.key);
  await has(editor, 'in the first tab');
  await version(page, 'Version 1, with unsaved changes');
});

test('signs in with a key of another account in another tab', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id, [401, 404]);
  const { page } = editor;
  await editor.write('Template', '<p>of the first account');
  await waitUntilKept(page, 'of the first account');
  const other = await page.context().newPage();
  await other.goto('/dashboard/documents');
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('button', { name: 'Keep them and sign out' }).click();
  await enterKey(other, (await newClient()).key);
  await other.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'The template cannot be opened' }).waitFor();
  expect(await page.content()).not.toContain('of the first account');
  await other.getByRole('button', { name: 'Sign out' }).click();
  await page.goto(`/edit?template=${id}`);
  await enterKey(page, key.key);
  await has(editor, 'of the first account');
});

test('opens a template over a draft, and Back', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const { page } = await signedIn(key);
  await page.goto('/edit');
  const editor = await editorOf(page);
  await editor.write('HTML', '<p>My own draft');
  await page.goto(`/edit?template=${id}`);
  await has(editor, 'stored');
  await editor.write('Template', '<p>changed');
  await page.goBack();
  await has(editor, 'My own draft', 'HTML');
  await page.goForward();
  await has(editor, 'changed');
});

test('saves as a template one of the two texts that a draft has', async () => {
  const key = await newClient();
  const { page } = await signedIn(key);
  await page.goto('/edit');
  const editor = await editorOf(page);
  await page.getByRole('button', { name: 'Template', exact: true }).click();
  await editor.write('Template', '<p>The other text');
  await page.getByRole('button', { name: 'HTML', exact: true }).click();
  await editor.write('HTML', '<p>The text that is shown');
  await saveAs(page, 'Twice');
  await version(page, 'Version 1');
  await page.goto('/edit');
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.locator('.drafts').getByText('The text that is shown').click();
  await page.getByRole('button', { name: 'Template', exact: true }).click();
  await has(editor, 'The other text');
});

test('saves a template under a name that another one has', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>the first', { name: 'Letter' });
  const { page } = await signedIn(key);
  await page.goto(`/edit${await fragmentOf({ ...DRAFT, html: '<p>the second' })}`);
  await has(await editorOf(page), 'the second', 'HTML');
  await saveAs(page, 'Letter');
  await version(page, 'Version 1');
  const { data } = await key.json<List<TemplateRecord>>('/v1/templates');
  expect(data.map(({ name }) => name)).toEqual(['Letter', 'Letter']);
  expect(await stored(key, id)).toMatchObject({ html: '<p>the first', version: 1 });
});

test('opens from the list what another tab is changing', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored', { name: 'Letter' });
  const first = await openEditor(key.key, id);
  await first.write('Template', '<p>an early text');
  await waitUntilKept(first.page, 'an early text');
  const page = await first.page.context().newPage();
  await page.goto(`/edit?template=${id}`);
  const second = await editorOf(page);
  await has(second, 'stored');
  await page.getByText('Another tab has unsaved changes of this template.').waitFor();
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  const listed = page.locator('.drafts').getByRole('button', { name: /Unsaved changes of version 1/ });
  await listed.waitFor();
  await first.write('Template', '<p>a later text');
  await waitUntilKept(first.page, 'a later text');
  await page.evaluate('window.isMarked = true');
  await listed.click();
  await page.getByRole('dialog', { name: 'Drafts' }).waitFor({ state: 'detached' });
  await second.ready();
  await has(second, 'a later text');
  await page.getByText('Another tab is changing this draft.').waitFor();
  expect(await page.evaluate('window.isMarked')).toBe(true); // the document has not been loaded again
  await first.write('Template', '<p>the latest text');
  await waitUntilKept(first.page, 'the latest text');
  await page.reload();
  await has(second, 'the latest text'); // a copy that nobody has changed does not get old
  await second.write('Template', '<p>written in the copy');
  await waitUntilKept(page, 'written in the copy');
  await first.page.reload();
  await has(first, 'the latest text');
  await page.reload();
  await has(second, 'written in the copy');
});

test('closes and opens tabs where browsers have no locks, as over plain HTTP', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id);
  const context = editor.page.context();
  await context.addInitScript("Object.defineProperty(navigator, 'locks', { value: undefined })");
  await editor.page.close();
  const first = await openBeside(editor, `/edit?template=${id}`);
  await first.write('Template', '<p>in the first tab');
  await waitUntilKept(first.page, 'in the first tab');
  await first.page.close();
  const second = await openBeside(editor, `/edit?template=${id}`);
  await has(second, 'in the first tab');
  const third = await openBeside(editor, `/edit?template=${id}`);
  await has(third, 'in the first tab');
  await second.write('Template', '<p>later in the second tab');
  await waitUntilKept(second.page, 'later in the second tab');
  await save(third.page).click(); // what the second tab has written since stays
  await version(third.page, 'Version 2');
  await third.page.reload();
  await has(third, 'in the first tab');
  await second.page.reload();
  await has(second, 'later in the second tab');
});

test('leaves a schema that is not saved', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const visitor = await visit();
  const page = await signInAt(visitor, key.key, `/templates/${id}`);
  const schema = async () => {
    await page.getByRole('tab', { name: 'Schema' }).click();
    return page.getByLabel('JSON Schema');
  };
  await (await schema()).fill('{"required": ["half a na');
  await page.getByRole('tab', { name: 'Files' }).click();
  expect(await (await schema()).inputValue()).toBe('{"required": ["half a na');
  await page.getByRole('link', { name: 'All templates' }).click();
  await page.goBack();
  await page.reload();
  expect(await (await schema()).inputValue()).toBe('{"required": ["half a na');
  await page.getByText('Not saved yet.').waitFor();
  await key.send('PATCH', `/v1/templates/${id}`, { schema: { required: ['name'] } });
  await page.reload();
  await schema();
  await page.getByText('The stored text has changed since you began to write.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  expect(await page.getByLabel('JSON Schema').inputValue()).toContain('"name"');
});

test('closes the tab, and signs out, with settings that are not saved', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored', { name: 'Letter' });
  const visitor = await visit();
  const first = await signInAt(visitor, key.key, `/templates/${id}`);
  await first.getByLabel('Name').fill('Half a na');
  await first.getByRole('tab', { name: 'Schema' }).click();
  await first.getByLabel('JSON Schema').fill('{"required": [');
  await goTo(first, '/account');
  await first.getByLabel('Options as JSON').fill('{"format":');
  await first.getByLabel('URL that is told').fill('https://half.example');
  await first.close();
  const page = await visitor.context.newPage();
  const expectKept = async () => {
    await page.goto('/dashboard/account');
    expect(await page.getByLabel('Options as JSON').inputValue()).toBe('{"format":');
    expect(await page.getByLabel('URL that is told').inputValue()).toBe('https://half.example');
    await goTo(page, `/templates/${id}`);
    expect(await page.getByLabel('Name').inputValue()).toBe('Half a na');
    await page.getByRole('tab', { name: 'Schema' }).click();
    expect(await page.getByLabel('JSON Schema').inputValue()).toBe('{"required": [');
  };
  await expectKept();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('This browser has 4 unsaved changes of templates or settings.').waitFor();
  await page.getByRole('button', { name: 'Keep them and sign out' }).click();
  await enterKey(page, (await newClient()).key);
  await goTo(page, '/account');
  expect(await page.getByLabel('Options as JSON').inputValue()).toBe('');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await enterKey(page, key.key);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await expectKept();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Delete them and sign out' }).click();
  await page.getByLabel('API key').waitFor();
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('half');
});

test.runIf(HAS_DEVTOOLS)('closes the tab where the browser keeps nothing of a setting', async () => {
  const key = await newClient();
  const page = await signInAt(await visit(), key.key, '/account');
  await page.evaluate("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }");
  await page.getByLabel('Options as JSON').fill('{"format":');
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  expect(await page.getByLabel('Options as JSON').inputValue()).toBe('{"format":');
});

async function signedIn(key: Client) {
  const visitor = await visit([422, 429, 504]);
  await signInAt(visitor, key.key);
  return visitor;
}

async function saveAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Save as template' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
}

test('opens another draft from the list while the storage is full', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await page.goto('/edit');
  await editor.ready();
  await editor.write('HTML', '<p>of its own');
  await waitUntilKept(page, 'of its own');
  await page.goto(`/edit?template=${id}`);
  await editor.ready();
  await page.evaluate("IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') }");
  await editor.write('Template', '<p>nowhere but here');
  await page.getByText('This browser does not keep your text').waitFor();
  const choose = async (answer: 'accept' | 'dismiss') => {
    await page.getByRole('button', { name: 'Drafts', exact: true }).click();
    const asked = page.waitForEvent('dialog').then((dialog) => dialog[answer]());
    await page.getByRole('button', { name: /^of its own/ }).click();
    await asked;
  };
  await choose('dismiss');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await has(editor, 'nowhere but here');
  await choose('accept');
  await has(editor, 'of its own', 'HTML');
});

test('leaves default options of the account that are not saved', async () => {
  const key = await newClient();
  const page = await signInAt(await visit(), key.key, '/account');
  const options = page.getByLabel('Options as JSON');
  await options.fill('{"landscape": tr');
  await goTo(page, '/documents');
  await page.goBack();
  await expect.poll(() => options.inputValue()).toBe('{"landscape": tr');
  await page.reload();
  await expect.poll(() => options.inputValue()).toBe('{"landscape": tr');
  await key.send('PATCH', '/v1/account', { options: { scale: 0.5 } });
  await page.reload();
  await page.getByText('The stored text has changed since you began to write.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await options.fill('{"landscape": true}');
  await page.getByRole('button', { name: 'Save the options' }).click();
  await page.getByText('The default options were saved.').waitFor();
  await page.getByText('Not saved yet.').waitFor({ state: 'detached' });
  expect(await key.json('/v1/account')).toMatchObject({ options: { landscape: true } });
});

test('reloads while a save is on its way, and writes on', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>stored');
  const editor = await openEditor(key.key, id);
  const { page } = editor;
  await editor.write('Template', '<p>saved');
  const arrived = Promise.withResolvers<void>();
  await page.route(`**/v1/templates/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await key.send('PATCH', `/v1/templates/${id}`, { html: '<p>saved' }); // the answer never arrives
    arrived.resolve();
  });
  await save(page).click();
  await arrived.promise;
  await page.reload();
  await page.unroute(`**/v1/templates/${id}`);
  await has(editor, 'saved');
  await version(page, 'Version 2');
  await editor.write('Template', '<p>written on');
  await save(page).click();
  await version(page, 'Version 3');
  expect((await stored(key, id)).html).toBe('<p>written on');
});

test('adds a file, and opens another template before it has been read', async () => {
  const key = await newClient();
  await key.template('<p>one', { name: 'One' });
  const { id } = await key.template('<p>two', { name: 'Two' });
  const page = await signInAt(await visit([422]), key.key, '/templates');
  const open = async (name: string) => {
    await goTo(page, '/templates');
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('link', { name: 'Open the editor' }).click();
    return editorOf(page);
  };
  await (await open('One')).tab('Files');
  await page.evaluate(`{
    const read = FileReader.prototype.readAsDataURL;
    FileReader.prototype.readAsDataURL = function (file) { globalThis.readOn = () => read.call(this, file) };
  }`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add files' }).click();
  await (await chooser).setFiles({ name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('late') });
  await expect.poll(() => page.evaluate('typeof readOn')).toBe('function');
  const two = await open('Two');
  await page.evaluate('readOn()');
  await two.tab('Edit');
  await two.write('Template', '<p>changed');
  await waitUntilKept(page, 'changed');
  await save(page).click();
  await version(page, 'Version 2');
  expect((await key.json<List<object>>(`/v1/templates/${id}/assets`)).data).toEqual([]);
});

test('generates sample data over data that somebody has written', async () => {
  const key = await newClient();
  const { id } = await key.template('<p>{{name}}');
  const editor = await openEditor(key.key, id);
  await editor.write('Data', '{"name": "written by hand"}');
  await editor.page.getByRole('button', { name: 'Generate sample data' }).click();
  await has(editor, '"name": "name"', 'Data');
  await editor.editor('Data').focus();
  await editor.page.keyboard.press('Control+z');
  await has(editor, 'written by hand', 'Data');
});

test('saves a draft as a template while the service does not answer', async () => {
  const page = await signInAt(await visit(['ERR_', 422, 429, 504]), (await newClient()).key);
  await page.goto('/edit');
  const editor = await editorOf(page);
  await editor.write('HTML', '<p>to be a template');
  await page.route('**/v1/templates', (route) => route.abort());
  await saveAs(page, 'Letter');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.reload();
  await has(editor, 'to be a template', 'HTML');
  expect(await titlesOf(editor)).toContain('to be a template');
});
