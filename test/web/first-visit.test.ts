/**
 * The first visit: what is transferred until the first page, or a list of the dashboard, is seen, what the page says without a script, and
 * the way from there to a program.
 */
import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { signInAt } from '../support/dashboard.ts';
import { PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { readPdf } from '../support/read-pdf.ts';
import { openSnippetFolder } from '../support/snippet-runs.ts';
import { HAS_DEVTOOLS, NARROW, SEES_BODIES, WIDE } from '../support/web-page.ts';

/** The script, its styles, the PDF and the picture. */
const MAX_BYTES = 150_000;
/** A browser asks for six at a time. */
const MAX_FILES = 8;
/** Scripts and styles until the documents are listed. */
const MAX_DASHBOARD_BYTES = 40_000;
const GALLERY_TO_CALL_MS = 60_000;
const PICTURE = /^\/v1\/playground\/results\/pgr_\w+\/pages\/1\.png$/;
const VIEWER = /pdf\.worker|open-pdf/;
const EDITOR = /assets\/(source-editor|options-form)-/;

/** After which `later-parts.ts` waits no longer for the first page. */
const MAX_WAIT_MS = 8_000;

const { service, browser, open } = await openPlaygrounds();

test.runIf(HAS_DEVTOOLS)(
  'shows the first page after at most 150 kB, and loads the editor and the viewer afterwards',
  async () => {
    const { page, context } = await browser.visit(service.url);
    await page.addInitScript(withoutTimersFrom, MAX_WAIT_MS);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    const urls = new Map<string, string>();
    const transferred: Record<string, number> = {};
    devtools.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, new URL(request.url).pathname));
    const first = new Promise<{ asked: string[]; bytes: number }>((resolve) => {
      devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        const url = urls.get(requestId) ?? '';
        transferred[url] = encodedDataLength;
        if (!PICTURE.test(url)) return;
        const bytes = Object.values(transferred).reduce((sum, each) => sum + each, 0);
        resolve({ asked: [...urls.values()], bytes });
      });
    });
    const [viewer, editor] = [page.waitForResponse(VIEWER), page.waitForResponse(EDITOR)];
    await page.goto('/');
    const { asked, bytes } = await first;
    expect(asked.filter((url) => VIEWER.test(url) || EDITOR.test(url))).toEqual([]);
    expect(asked.filter((url) => url.startsWith('/assets/')).length).toBeLessThanOrEqual(MAX_FILES);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes, JSON.stringify(transferred, null, 1)).toBeLessThanOrEqual(MAX_BYTES);
    await Promise.all([viewer, editor]);
    await page.locator('.pdf-page canvas').first().waitFor({ state: 'attached' });
    await page.getByRole('img', { name: 'Page 1' }).waitFor({ state: 'detached' });
    await context.close();
  },
);

test.runIf(SEES_BODIES)('lists the documents of a key after less than 40 kB of scripts and styles', async () => {
  const { key } = await service.createKey();
  const { filename } = await new Client(service.url, key).store({ html: '<p>x' });
  const visitor = await browser.visit(service.url);
  const files: Request[] = [];
  visitor.page.on('requestfinished', (request) => request.url().includes('/assets/') && files.push(request));
  const page = await signInAt(visitor, key);
  await page.getByRole('link', { name: filename }).waitFor();
  const sizes = await Promise.all(files.map(async (file) => ({ url: file.url(), bytes: (await file.sizes()).responseBodySize })));
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes, JSON.stringify(sizes, null, 1)).toBeLessThan(MAX_DASHBOARD_BYTES);
  await visitor.context.close();
});

test('takes over what is typed before the code editor has arrived, with its caret and focus', async () => {
  const visitor = await browser.visit(service.url);
  const { page, context } = visitor;
  const held = Promise.withResolvers<void>();
  await page.route(EDITOR, async (route) => {
    await held.promise;
    await route.continue();
  });
  const asked = page.waitForRequest(EDITOR);
  await page.goto('/');
  const field = page.getByRole('textbox', { name: 'HTML', exact: true });
  await asked; // nothing asks for it before the first page is there
  await field.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('<p>before after</p>');
  for (let n = 0; n < '</p>'.length + 'after'.length; n++) await page.keyboard.press('ArrowLeft');
  expect(await field.evaluate((element) => element.tagName)).toBe('TEXTAREA');
  await page.keyboard.press('Backspace');
  held.resolve();
  const typing = page.keyboard.type(', between and ');
  await page.locator('.code-editor .cm-content').first().waitFor();
  await typing;
  await page.getByText('<p>before, between and after</p>').waitFor();
  await new PlaygroundPage(visitor).shows('before, between and after');
  await page.keyboard.press('Control+z'); // it has a history of its own
  expect(await field.textContent()).toContain('before');
  await context.close();
});

test('goes on without the code editor if it cannot be loaded', async () => {
  const visitor = await browser.visit(service.url);
  const { page, context } = visitor;
  await page.route(EDITOR, (route) => route.abort());
  await page.goto('/');
  await page.getByText('a part of this editor is missing').waitFor();
  await page.getByRole('textbox', { name: 'HTML', exact: true }).fill('<p>still works');
  await new PlaygroundPage(visitor).shows('still works');
  await context.close();
});

test('leads from the gallery to a call of the API within a minute', async () => {
  const begun = Date.now();
  const playground = await open();
  const { page } = playground;
  await page.getByRole('button', { name: 'Examples' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Certificate / })
    .click();
  await playground.shows('Grace Hopper');
  const snippets = await openSnippetFolder();
  const pdf = await snippets.run('curl', await playground.codeIn('curl'), service.key);
  expect((await readPdf(pdf)).pages.join(' ')).toContain('Grace Hopper');
  expect(Date.now() - begun).toBeLessThan(GALLERY_TO_CALL_MS);
});

test.each([WIDE, NARROW])('says what Platen is, why, and how to get it, without a script (%j)', async (viewport) => {
  const { page, context } = await browser.visit(service.url, { javaScriptEnabled: false, viewport });
  await page.goto('/');
  const about = page.getByRole('complementary', { name: 'What Platen is' });
  await about.getByText('Platen turns HTML into PDFs on your own server.').waitFor();
  await about.getByText('npm ci && npm start').waitFor();
  expect(await page.locator('meta[name="description"]').getAttribute('content')).toContain('PDF');
  for (const name of ['og:title', 'og:description', 'og:type', 'og:image'])
    expect(await page.locator(`meta[property="${name}"]`).getAttribute('content')).toBeTruthy();
  await context.close();
});

/** Runs in the page, where slow machines would otherwise need longer than timers allow. */
function withoutTimersFrom(milliseconds: number): void {
  const begin = globalThis.setTimeout;
  const some = (run: () => void, after = 0) => (after < milliseconds ? begin(run, after) : 0);
  Object.assign(globalThis, { setTimeout: some });
}
