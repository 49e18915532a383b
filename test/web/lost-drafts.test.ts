/**
 * Attempts to lose a draft of the playground: what somebody wrote is there in the end. Others are elsewhere: two tabs, a duplicated tab,
 * a closed one, links, deleting, and a sign-in that is given up in `playground-drafts`; a link over another link and over a reload in
 * `playground-share`; examples over an own text in `playground-look`; no connection in `playground`. `lost-changes` has those of templates.
 */
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makeFolder } from '../support/close-after-all.ts';
import { openBeside, readKept, titlesOf, waitUntilKept, writeDraft } from '../support/drafts.ts';
import { asksBeforeClosing } from '../support/page-checks.ts';
import { DRAFT, fragmentOf, PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { eventually } from '../support/service.ts';
import { HAS_DEVTOOLS, IN_FIREFOX, openProfile } from '../support/web-page.ts';

const { open, browser, service } = await openPlaygrounds();

/** Replaces the text, and goes on typing without a pause until what was written first is kept. */
async function typeUntilKept(playground: PlaygroundPage, text: string): Promise<void> {
  await playground.write('HTML', text);
  let isKept = false;
  const keeping = waitUntilKept(playground.page, text).finally(() => {
    isKept = true;
  });
  while (!isKept) await playground.page.keyboard.press('a');
  await keeping;
}

const has = (playground: PlaygroundPage, text: string) => playground.editor('HTML').getByText(text).first().waitFor();

test('reloads while somebody types', async () => {
  const playground = await open();
  await playground.write('HTML', 'Half a sente');
  await playground.page.reload();
  await has(playground, 'Half a sente');
});

test.runIf(HAS_DEVTOOLS)('crashes while somebody types without a pause', async () => {
  const playground = await open();
  const { page, visitor } = playground;
  await typeUntilKept(playground, 'An hour of work');
  const crashed = page.waitForEvent('crash');
  const devtools = await visitor.context.newCDPSession(page);
  devtools.send('Page.crash').catch(() => {}); // nobody answers
  await crashed;
  await has(await openBeside(playground), 'An hour of work');
});

test('kills the browser, which starts again with its profile', async () => {
  const folder = await makeFolder();
  const first = await openProfile(folder, service.url);
  const [page = await first.newPage()] = first.pages();
  await page.goto('/');
  const playground = new PlaygroundPage({ page, context: first, errors: [] });
  await typeUntilKept(playground, 'Before the power went');
  const ended = first.waitForEvent('close');
  await killBrowser(folder);
  await ended;

  const second = await openProfile(folder, service.url);
  const next = await second.newPage();
  await next.goto('/');
  await has(new PlaygroundPage({ page: next, context: second, errors: [] }), 'Before the power went');
  await second.close();
});

async function killBrowser(profile: string): Promise<void> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const pid of pids) {
    const arguments_ = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const isBrowser =
      arguments_.some((each) => each.endsWith(profile)) && !arguments_.some((each) => /^--type=|^-contentproc/.test(each));
    if (isBrowser) process.kill(pid, 'SIGKILL');
  }
}

test('goes to another page and back, and forward again', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.write('HTML', '<p>Before the documentation');
  await page.getByRole('link', { name: 'Docs' }).click();
  await page.waitForURL('**/docs**');
  await page.goBack();
  await has(playground, 'Before the documentation');
  await playground.write('HTML', '<p>After the documentation');
  await page.goForward();
  await page.waitForURL('**/docs**');
  await page.goBack();
  await has(playground, 'After the documentation');
});

test('begins a new template over a draft', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.write('HTML', '<p>My own');
  await page.goto('/edit?new');
  await page.reload();
  await page.getByRole('button', { name: 'Restore my draft' }).click();
  await has(playground, 'My own');
});

test('duplicates a tab where browsers have no locks, as over plain HTTP', async () => {
  const first = await open();
  await first.visitor.context.addInitScript("Object.defineProperty(navigator, 'locks', { value: undefined })");
  await first.page.reload();
  await writeDraft(first, 'In both tabs');
  const storage = await first.page.evaluate(() => JSON.stringify(sessionStorage));
  const copy = await openBeside(first, '/', storage);
  await has(copy, 'In both tabs');
  await writeDraft(copy, 'In the copy');
  await writeDraft(first, 'In the first tab');
  await writeDraft(copy, 'In the copy, later');
  expect((await titlesOf(first)).sort()).toEqual(['In the copy, later', 'In the first tab']);
});

test('forbids all storage that outlives a tab', async () => {
  const playground = await open();
  const { page, visitor } = playground;
  const forbid = "Object.defineProperty(window, 'indexedDB', { get: () => { throw new DOMException('no', 'SecurityError') } })";
  await visitor.context.addInitScript(forbid);
  await page.reload();
  await playground.write('HTML', '<p>Nowhere but here');
  await page.getByText('This browser does not keep your text').waitFor();
  page.once('dialog', (dialog) => void dialog.accept()); // asks before a reload, too
  await page.reload();
  await has(playground, 'Nowhere but here');
  await playground.write('HTML', '<p>Nowhere but here, later');
  await page.getByText('This browser does not keep your text').waitFor();
  if (!IN_FIREFOX) expect(await asksBeforeClosing(page)).toBe(true); // a Firefox that is driven asks nothing
});

// A Firefox that is driven asks nothing.
test.skipIf(IN_FIREFOX)('goes Back where nothing is kept, and stays after all', async () => {
  const { visitor } = await open();
  const page = await visitor.context.newPage();
  await page.addInitScript(
    "Object.defineProperty(window, 'indexedDB', { get: () => { throw new DOMException('no', 'SecurityError') } })",
  );
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Playground' }).click();
  const playground = new PlaygroundPage({ ...visitor, page });
  await playground.ready();
  await playground.write('HTML', '<p>Nowhere but here');
  await page.getByText('This browser does not keep your text').waitFor();
  const asked = page.waitForEvent('dialog').then((dialog) => dialog.dismiss());
  await page.evaluate('void setTimeout(() => history.back())');
  await asked;
  await has(playground, 'Nowhere but here');
  await playground.write('HTML', '<p>Nowhere but here, later');
  expect(await asksBeforeClosing(page)).toBe(true);
});

test('asks nothing at the end of a tab whose text is kept', async () => {
  const playground = await open();
  await writeDraft(playground, 'Kept');
  const beside = await openBeside(playground);
  expect(await asksBeforeClosing(playground.page)).toBe(false);
  expect(await titlesOf(beside)).toEqual(['Kept']);
});

test('writes more than the storage of a tab takes', async () => {
  const playground = await open();
  const { page } = playground;
  await writeDraft(playground, 'Small');
  await page.evaluate(`for (let size = 4_000_000; size > 1_000; ) {
    try {
      sessionStorage.setItem('of something else ' + size, 'x'.repeat(size));
    } catch {}
    size /= 2;
  }`);
  await playground.write('HTML', `<p>Larger${'y'.repeat(100_000)}`);
  await waitUntilKept(page, 'Larger');
  await page.reload();
  await has(playground, 'Larger');
});

test('fills the storage of the browser while somebody writes, and makes room again', async () => {
  const playground = await open();
  const { page } = playground;
  await writeDraft(playground, 'Before it was full');
  await page.evaluate(`{
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') };
    globalThis.makeRoom = () => { IDBObjectStore.prototype.put = put };
  }`);
  await playground.write('HTML', '<p>While it was full');
  await page.getByText('This browser does not keep your text').waitFor();
  await has(playground, 'While it was full');
  await page.evaluate('makeRoom()');
  await writeDraft(playground, 'With room again');
  const beside = await openBeside(playground);
  expect(await asksBeforeClosing(page)).toBe(false);
  expect(await titlesOf(beside)).toEqual(['With room again']);
});

test('clears the data of the site while somebody writes', async () => {
  const playground = await open();
  const { page } = playground;
  await writeDraft(playground, 'Before');
  await page.evaluate(`new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase('platen');
    deleting.onsuccess = resolve;
    deleting.onerror = reject;
  })`);
  await writeDraft(playground, 'After');
});

test('has many drafts, of which only old ones beyond the last fifty go', async () => {
  const playground = await open();
  const { page } = playground;
  await writeDraft(playground, 'The first');
  await page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('platen');
    opening.onsuccess = () => {
      const writing = opening.result.transaction('drafts', 'readwrite');
      const draft = ${JSON.stringify(DRAFT)};
      const add = (name, count, age) => {
        for (let n = 0; n < count; n++) {
          const savedAt = Date.now() - age * 86_400_000 - n;
          const title = name + ' ' + n;
          writing.objectStore('drafts').put({ id: title, savedAt, title, draft: { ...draft, html: title } });
        }
      };
      add('recent', 60, 30);
      add('old', 5, 100);
      writing.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  })`);
  const beside = await openBeside(playground);
  await writeDraft(beside, 'The newest');
  await eventually('old drafts have gone', async () => !(await readKept(page)).includes('old 4'));
  const titles = await titlesOf(beside);
  expect(titles).toHaveLength(62);
  expect(titles).toContain('The first');
  expect(titles).toContain('recent 59');
});

test('sets the clock back', async () => {
  const playground = await open();
  const { page, visitor } = playground;
  await writeDraft(playground, 'Today');
  await visitor.context.addInitScript('{ const now = Date.now; Date.now = () => now() - 864_000_000 }');
  await page.reload();
  await has(playground, 'Today');
  await writeDraft(playground, 'Ten days before');
  await page.close();
  const page2 = await visitor.context.newPage();
  await page2.goto('/');
  await has(new PlaygroundPage({ ...visitor, page: page2 }), 'Ten days before');
});

test('opens what earlier versions of the page have stored', async () => {
  const playground = await open();
  const { page } = playground;
  const { mode, html } = { ...DRAFT, html: '<p>Of an earlier version' };
  await page.evaluate(
    `sessionStorage.setItem('platen.playground', ${JSON.stringify(JSON.stringify({ mode, html, options: {} }))})`,
  );
  const storage = await page.evaluate(() => JSON.stringify(sessionStorage));
  await has(await openBeside(playground, '/', storage), 'Of an earlier version');
});

test('leaves while the options are not valid JSON', async () => {
  const playground = await open();
  const { page } = playground;
  const asJson = async () => {
    await playground.tab('Options');
    await page.getByRole('button', { name: 'Options as JSON' }).click();
  };
  await asJson();
  await playground.write('Options in JSON', '{"landscape": true, "marg');
  await page.getByText('This is not valid JSON yet.').waitFor();
  await page.reload();
  await asJson();
  await playground.editor('Options in JSON').getByText('"marg').waitFor();
  await playground.write('Options in JSON', '{"landscape": true}');
  await page.getByRole('tab', { name: 'Options' }).getByText('1 set').waitFor();
});

test('opens a damaged link over a draft, and Back', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.write('HTML', '<p>Under a damaged link');
  await page.evaluate("location.hash = '#v1.damaged'");
  await page.getByText(/^This link is damaged/).waitFor();
  await has(playground, 'Under a damaged link');
  await page.evaluate(`location.hash = ${JSON.stringify(await fragmentOf({ ...DRAFT, html: '<p>A good link' }))}`);
  await has(playground, 'A good link');
  await page.goBack();
  await page.goForward();
  expect(await titlesOf(playground)).toContain('Under a damaged link');
});

test('writes while a page of an earlier version holds the database', async () => {
  const { page: earlier, context } = await browser.visit(service.url);
  await earlier.goto('/docs');
  await earlier.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('platen', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('drafts', { keyPath: 'id' });
    opening.onsuccess = () => resolve((globalThis.held = opening.result) && undefined);
  })`);
  const page = await context.newPage();
  await page.goto('/');
  const playground = new PlaygroundPage({ page, context, errors: [] });
  await playground.ready();
  await playground.write('HTML', '<p>Beside an earlier version');
  await page.getByText('This browser does not keep your text').waitFor();
  await page.reload();
  await has(playground, 'Beside an earlier version');
  await earlier.close();
  await writeDraft(playground, 'After an earlier version');
  await context.close();
});

test('goes to a part of the application that is gone, as after an upgrade, and back', async () => {
  const playground = await PlaygroundPage.open(browser, service.url); // Firefox tells its console
  const { page } = playground;
  await playground.write('HTML', '<p>Before the upgrade');
  await page.route(/assets\/app-.*\.js/, (route) => route.fulfill({ status: 404 }));
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('alert').waitFor();
  await page.goBack();
  await has(playground, 'Before the upgrade');
  expect(await titlesOf(playground)).toContain('Before the upgrade');
  await playground.visitor.context.close();
});
