/** The dashboard in a browser: signing in and out, documents and usage. */
import { readFile } from 'node:fs/promises';
import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { bytesOf, Client, problem } from '../support/client.ts';
import { enterKey, goTo, openDashboard, openDashboards, signInAt } from '../support/dashboard.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { WIDE } from '../support/web-page.ts';

const HOSTILE = 'אבג <img src=x onerror=document.title=1>.pdf';

const { service, visit, signIn, newClient } = await openDashboards();
const ada = new Client(service.url, service.key);

const documentsIn = (page: Page) => page.getByRole('table', { name: 'Documents, newest first' });

test('explains a wrong key, and keeps nothing of it', async () => {
  const visitor = await visit([401]);
  const { page } = visitor;
  await openDashboard(visitor);
  for (const key of [`${ada.key.slice(0, -1)}~`, 'plt_nonsense', 'schlüssel ☃']) {
    await enterKey(page, key);
    const message = page.getByRole('alert').getByText('The service does not know this key');
    await message.waitFor();
    await page.getByLabel('API key').fill('');
    await message.waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Paste an API key').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('stays signed in after a reload and in a new tab, until a tab signs out', async () => {
  const visitor = await visit();
  const page = await signInAt(visitor, ada.key, '/usage');
  await page.reload();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  const second = await visitor.context.newPage();
  await second.goto('/dashboard/templates');
  await second.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  await second.getByText('You have signed out in another tab.').waitFor();
  expect(await second.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
  await expect.poll(() => visitor.context.cookies()).toEqual([]);
  await page.reload();
  await page.getByLabel('API key').waitFor();
});

test('shows nothing when it comes back from memory after a sign-out', async () => {
  const page = await signIn(ada.key, '/usage');
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await page.evaluate(`localStorage.clear(); // as another tab does
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
  await page.getByText('You have signed out in another tab.').waitFor();
  expect(await page.getByRole('heading', { name: 'Usage' }).count()).toBe(0);
});

test('never acts for the key that another tab has signed in', async () => {
  const other = await newClient();
  const visitor = await visit();
  const page = await signInAt(visitor, ada.key, '/usage');
  const second = await visitor.context.newPage();
  await second.goto('/dashboard/usage');
  await second.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You have signed out in another tab.').waitFor();
  await enterKey(page, ada.key);
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await second.evaluate(
    (key) => fetch('/v1/session', { method: 'POST', headers: { authorization: `Bearer ${key}` } }).then(() => {}),
    other.key,
  );
  await second.reload();
  await second.getByRole('heading', { name: 'Usage' }).waitFor();
  await page.getByText('Another tab has signed in with another key.').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
});

test('opens a document from a link, in another tab, as a browser does', async () => {
  const client = await newClient();
  const { document_id } = await client.store({ html: '<p>x', filename: 'linked.pdf' });
  const visitor = await visit();
  const page = await signInAt(visitor, client.key, `/documents/${document_id}`);
  const link = page.getByRole('link', { name: 'Open in a new tab' });
  await link.waitFor();
  const isOpened = (reply: Response) => reply.url().endsWith(document_id) && reply.request().isNavigationRequest();
  const [opened] = await Promise.all([visitor.context.waitForEvent('response', isOpened), link.click()]);
  expect([opened.status(), opened.headers()['content-type']]).toEqual([200, 'application/pdf']);
});

test('opens pages by their path, and those of earlier links with a fragment', async () => {
  const visitor = await visit();
  const page = await signInAt(visitor, ada.key, '#/usage?month=2026-01');
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  expect(page.url()).toBe(`${service.url}/dashboard/usage?month=2026-01`);
  await page.evaluate("location.hash = '#/templates'");
  await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
  expect(page.url()).toBe(`${service.url}/dashboard/templates`);
  await page.goBack();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  expect(await page.getByLabel('Month').inputValue()).toBe('2026-01');
  await goTo(page, '/nothing');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.getByRole('link', { name: 'Go to your documents' }).click();
  await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor();
});

test('keeps the key out of URLs, history and permanent storage', async () => {
  const visitor = await visit();
  const addresses: string[] = [];
  visitor.page.on('request', (request) => addresses.push(request.url(), request.headers().referer ?? ''));
  const page = await signInAt(visitor, ada.key);
  for (const name of ['Templates', 'Batches', 'Usage', 'Webhooks', 'Documents']) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    addresses.push(page.url());
  }
  const stored = await page.evaluate(
    'JSON.stringify([localStorage, sessionStorage, history.state, document.cookie, document.documentElement.outerHTML])',
  );
  expect(addresses.length).toBeGreaterThan(10);
  expect(addresses.filter((address) => address.includes('plt_'))).toEqual([]);
  expect(stored).not.toContain(ada.key);
});

test('returns to the sign-in after a key is revoked, and then to the same page', async () => {
  const eve = await service.createKey();
  const page = await signIn(eve.key, '/usage', [401]);
  await page.getByRole('heading', { name: 'Documents per day' }).waitFor();
  await service.cli('keys', 'revoke', eve.key_id);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('The session has ended').waitFor();
  await enterKey(page, ada.key);
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
});

test('lists documents newest first and paged, and finds them by name and template', async () => {
  const key = await newClient();
  const template = await key.template('<p>{{a}}', { name: 'Letters' });
  await key.store({ template_id: template.template_id, data: { a: 1 }, filename: 'letter.pdf' });
  for (let number = 1; number <= 25; number++) await key.store({ html: `<p>${number}`, filename: `bill-${number}.pdf` });
  const page = await signIn(key.key);
  const rows = documentsIn(page).getByRole('row');
  await page.getByText('25 documents, and more').waitFor();
  expect(await rows.nth(1).textContent()).toContain('bill-25.pdf');
  await rows.nth(1).locator('img').waitFor();
  expect(
    await rows
      .nth(1)
      .locator('img')
      .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
  ).toBe(112);
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText('26 documents', { exact: true }).waitFor();
  expect(await rows.nth(26).textContent()).toContain('letter.pdf');
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);

  await page.getByRole('searchbox', { name: 'Search' }).fill('BILL-7');
  await page.getByText('1 document', { exact: true }).waitFor();
  expect(await rows.nth(1).textContent()).toContain('bill-7.pdf');
  await page.getByRole('searchbox', { name: 'Search' }).fill('');
  await page.getByLabel('Template').fill('Letters');
  await rows.getByText('letter.pdf').waitFor();
  await page.getByText('1 document', { exact: true }).waitFor();
  await page.getByLabel('Created until').fill('2020-01-31');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await page.getByText('25 documents, and more').waitFor();
});

test('finds documents by words in any order and case, also with accents', async () => {
  const client = await newClient();
  const names = ['Rechnung Müller ärzte.pdf', 'RECHNUNG MÜLLER.pdf', 'Muller.pdf'];
  for (const filename of names) await client.store({ html: '<p>x', filename });
  const page = await signIn(client.key);
  const search = page.getByRole('searchbox', { name: 'Search' });
  for (const [words, found] of [
    ['ärzte', [names[0]]],
    ['MÜLLER', [names[1], names[0]]],
    ['MÜLLER Ärzte rechnung', [names[0]]],
    ['mu\u0308ller', [names[1], names[0]]], // as macOS writes it
  ] as const) {
    await search.fill(words);
    await expect.poll(() => documentsIn(page).getByRole('link').allTextContents(), { timeout: 60_000 }).toEqual(found);
  }
});

test('comes back to the row that was opened, with all rows that were loaded', async () => {
  const client = await newClient();
  for (let number = 1; number <= 30; number++) await client.store({ html: '<p>x', filename: `bill-${number}.pdf` });
  const page = await signIn(client.key, '/documents', [404]);
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText('30 documents', { exact: true }).waitFor();
  await documentsIn(page).getByRole('link', { name: 'bill-1.pdf' }).click();
  await page.getByRole('heading', { name: 'bill-1.pdf' }).waitFor();
  await client.store({ html: '<p>x', filename: 'meanwhile.pdf' });
  await page.goBack();
  await documentsIn(page).getByRole('link', { name: 'meanwhile.pdf' }).waitFor({ state: 'attached' });
  await page.getByText('31 documents', { exact: true }).waitFor();
  const link = documentsIn(page).getByRole('link', { name: 'bill-1.pdf' });
  expect((await link.boundingBox())?.y).toBeLessThan(WIDE.height);
  expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
  await page.goForward();
  await page.getByRole('heading', { name: 'bill-1.pdf' }).waitFor();
  await page.getByRole('link', { name: 'All documents' }).click();
  await page.getByText('25 documents, and more').waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
});

test('shows what it read before while it reads it again, and forgets it with the document', async () => {
  const client = await newClient();
  const { document_id } = await client.store({ html: '<p>x', filename: 'known.pdf' });
  const page = await signIn(client.key, '/documents', [410]);
  const linkTo = (name: string) => documentsIn(page).getByRole('link', { name });
  await linkTo('known.pdf').click();
  await page.getByRole('heading', { name: 'known.pdf' }).waitFor();
  await client.store({ html: '<p>x', filename: 'newer.pdf' });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/v1/documents?*', async (route) => {
    await released;
    await route.continue();
  });
  await goTo(page, '/documents');
  await linkTo('known.pdf').waitFor();
  expect(await linkTo('newer.pdf').count()).toBe(0);
  release();
  await linkTo('newer.pdf').waitFor();

  await client.send('DELETE', `/v1/documents/${document_id}`);
  await goTo(page, `/documents/${document_id}`);
  await page.getByRole('heading', { name: 'This document no longer exists' }).waitFor();
  expect(await page.getByRole('heading', { name: 'known.pdf' }).count()).toBe(0);
});

test('shows the text of a document, and downloads, links and deletes it', async () => {
  const record = await ada.store({
    html: '<h1>Sworn statement</h1><img src="http://10.0.0.1/seal.png">',
    filename: 'statement.pdf',
  });
  const path = `/v1/documents/${record.document_id}`;
  const page = await signIn(ada.key, '/documents', [410]);
  await documentsIn(page).getByRole('link', { name: 'statement.pdf' }).click();
  await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('Sworn statement').waitFor();
  await page.getByText('http://10.0.0.1/seal.png').waitFor(); // among the warnings

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]);
  expect(download.suggestedFilename()).toBe('statement.pdf');
  expect((await readFile(await download.path())).equals(await bytesOf(await ada.get(path)))).toBe(true);

  await page.getByRole('button', { name: 'Signed link' }).click();
  await page.getByLabel('Works for').selectOption('1 hour');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByLabel('Link', { exact: true }).inputValue();
  expect((await bytesOf(await fetch(link))).equals(await bytesOf(await ada.get(path)))).toBe(true);
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor();
  await problem(await ada.get(path), 410, 'document_deleted');
  await goTo(page, `/documents/${record.document_id}`);
  await page.getByRole('heading', { name: 'This document no longer exists' }).waitFor();
  await page.getByText(/was deleted at/).waitFor();
});

test('asks for the password of a protected document', async () => {
  const client = await newClient();
  const { document_id } = await client.store({ html: '<p>Sealed', options: { password: 'open sesame' } });
  const page = await signIn(client.key, `/documents/${document_id}`);
  await page.getByText('This PDF is protected.').waitFor();
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Show the PDF' }).click();
  await page.getByText('The PDF does not open with this password.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByLabel('Password').fill('open sesame');
  await page.getByLabel('Password').press('Enter');
  await page.getByRole('region', { name: 'Page 1 of 1' }).getByText('Sealed').waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
});

test('copies a signed link where the page was loaded over plain HTTP', async () => {
  const { document_id } = await ada.store({ html: '<p>x' });
  const visitor = await visit();
  await visitor.page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })"); // as over plain HTTP
  await visitor.page.addInitScript("addEventListener('copy', ({ target }) => { globalThis.copied = target.value })");
  const page = await signInAt(visitor, ada.key, `/documents/${document_id}`);
  await page.getByRole('button', { name: 'Signed link' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate('copied')).toBe(await page.getByLabel('Link', { exact: true }).inputValue());
});

test('shows a stored image with its size in pixels', async () => {
  const body = { html: '<p>x', filename: 'chart.png', options: { fullPage: false, viewport: { width: 120, height: 90 } } };
  const reply = await ada.send('POST', '/v1/image', { ...body, store: true });
  const { document_id: id } = (await reply.json()) as { document_id: string };
  const page = await signIn(ada.key);
  const row = documentsIn(page).getByRole('row').filter({ hasText: 'chart.png' });
  await row.locator('.first-page img').waitFor();
  await row.getByRole('link', { name: 'chart.png' }).click();
  const picture = page.getByRole('img', { name: 'The stored document' });
  await expect.poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(120);
  await page.getByText('120 × 90').waitFor();
  await ada.send('DELETE', `/v1/documents/${id}`);
});

test('shows no documents of another key after switching keys', async () => {
  const [first, second] = [await newClient(), await newClient()];
  const record = await first.store({ html: '<p>mine', filename: 'only-mine.pdf' });
  await second.store({ html: '<p>yours', filename: 'yours.pdf' });
  const page = await signIn(first.key, '/documents', [404]);
  await documentsIn(page).getByText('only-mine.pdf').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  expect(await page.content()).not.toContain('only-mine.pdf');
  await enterKey(page, second.key);
  await documentsIn(page).getByText('yours.pdf').waitFor();
  expect(await page.content()).not.toContain('only-mine.pdf');
  await goTo(page, `/documents/${record.document_id}`);
  await page.getByRole('heading', { name: 'There is no such document' }).waitFor();
  expect(await page.content()).not.toContain('only-mine.pdf');
});

test('shows names from others as text', async () => {
  const key = await newClient();
  const record = await key.store({ html: '<script>alert(1)</script><p>harmless', filename: HOSTILE });
  const page = await signIn(key.key);
  await documentsIn(page).getByText(record.filename).click();
  await page.getByRole('heading', { name: record.filename }).waitFor();
  await page.getByText('harmless').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByText(record.filename).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).toBe('Dashboard · Platen');
});

test('shows usage', async () => {
  const key = await newClient();
  for (let count = 0; count < 3; count++) await key.pdf({ html: `<p>${count}` });
  const page = await signIn(key.key, '/usage');
  await page.getByRole('img', { name: 'Documents per day, 3 documents in all' }).press('End');
  await page.getByText(/: 3 documents$/).waitFor();
  await page.evaluate(`(async () => {
    document.querySelector('.plot').style.width = '0';
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame); // of a negative width, the console would tell
  })()`);
  await page.getByText('As a table').click();
  const today = page.getByRole('table', { name: 'Documents per day' }).getByRole('row').last();
  expect(await today.getByRole('cell').last().textContent()).toBe('3');
  const { documents } = await key.usage();
  expect(documents.used).toBe(3);
});

test('shows what each key and each template has rendered', async () => {
  const key = await newClient();
  const { template_id } = await key.template('<p>1<p style="break-before: page">2', { name: 'receipt' });
  for (let count = 0; count < 2; count++) await key.pdf({ template_id });
  await key.pdf({ html: '<p>once' });
  const page = await signIn(key.key, '/usage');
  const cellsOf = (table: string, row: string) =>
    page.getByRole('table', { name: table }).getByRole('row', { name: row }).getByRole('cell').allInnerTexts();
  await page.getByRole('heading', { name: 'By template' }).waitFor();
  expect(await cellsOf('By template', 'receipt')).toEqual(['receipt', '2', '4', expect.stringMatching(/kB/)]);
  expect(await cellsOf('By template', 'Without a template')).toEqual([
    'Without a template',
    '1',
    '1',
    expect.stringMatching(/kB/),
  ]);
  expect((await cellsOf('By month', '3')).slice(1, 3)).toEqual(['3', '5']);
  expect((await cellsOf('By key', 'key_')).slice(1, 3)).toEqual(['3', '5']);
  await page.getByRole('link', { name: 'receipt' }).click();
  await page.getByRole('heading', { level: 1, name: 'receipt' }).waitFor();
});

test('reports a lost connection, and continues when it is back', async () => {
  const key = await newClient();
  const { filename } = await key.store({ html: '<p>there' });
  const visitor = await visit(['ERR_INTERNET_DISCONNECTED']);
  const page = await signInAt(visitor, key.key);
  await documentsIn(page).getByText(filename).waitFor();
  await visitor.context.setOffline(true);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('You are offline').waitFor();
  await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
  await visitor.context.setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByText('You are offline').waitFor({ state: 'detached' });
});
