/** The kinds of documents beside HTML and templates: Markdown, which guests render too, and URLs, which take a key. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { enterKey } from '../support/dashboard.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { startService } from '../support/service.ts';
import { html, Site } from '../support/site.ts';
import { openSnippetFolder } from '../support/snippet-runs.ts';
import { NARROW, SEES_BODIES, SEES_DOWNLOADS } from '../support/web-page.ts';

const site = await Site.start().then(closeAfterAll);
const service = await startService({
  PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '100000',
  PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '100000',
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
}).then(closeAfterAll);
const { open } = await openPlaygrounds(service);
const snippets = await openSnippetFolder();

const choose = (page: Page, kind: string) => page.getByRole('button', { name: kind, exact: true }).click();
const isChosen = (page: Page, kind: string) => page.getByRole('button', { name: kind, exact: true }).getAttribute('aria-pressed');

/** The paths and bodies of renders that the page asks for from now on. */
function watchRenders(page: Page): Array<{ path: string; body: unknown }> {
  const sent: Array<{ path: string; body: unknown }> = [];
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (request.method() === 'POST' && path.endsWith('/pdf')) sent.push({ path, body: request.postDataJSON() });
  });
  return sent;
}

test('renders Markdown while it is written, and keeps it in the draft, the link and the code', async () => {
  const playground = await open();
  const { page } = playground;
  await choose(page, 'Markdown');
  await playground.shows('Minutes of 12 May');
  await playground.write('Markdown', '# Terms of ACME\n\n- first\n- **second**');
  await playground.shows('second');

  const code = await playground.codeIn('curl');
  expect(code).toContain('"markdown": "# Terms of ACME');
  if (SEES_DOWNLOADS) expect((await snippets.run('curl', code, service.key)).equals(await playground.download())).toBe(true);

  await page.reload();
  await playground.shows('Terms of ACME');
  expect(await isChosen(page, 'Markdown')).toBe('true');
  const other = await open({ path: new URL(await playground.link()).hash.replace(/^/, '/') });
  await other.shows('Terms of ACME');
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.getByRole('button', { name: /^Terms of ACME\s*Markdown/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Save as template' }).count()).toBe(0);
});

test('renders no URL for guests, says why, and shows the code that does', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.pdfPage(1).waitFor();
  const sent = watchRenders(page);
  await choose(page, 'URL');
  await page.getByLabel('URL of an HTML document').fill(`${site.origin}/secret`);
  await page.getByText('Without a key, the service fetches no URLs').waitFor();
  await page.getByText('Outdated. A URL is rendered for a key.').waitFor();
  await page.getByRole('button', { name: 'Render', exact: true }).click();
  await playground.errorNotice.getByText('A URL is rendered for a key.').waitFor();
  expect(sent).toEqual([]);
  expect(site.requests).toEqual([]);
  expect(await playground.codeIn('curl')).toContain(`"url": "${site.origin}/secret"`);
  await choose(page, 'HTML');
  await playground.write('HTML', '<p>HTML again');
  await playground.shows('HTML again');
});

test('renders a URL with the session of a key, on request only, as one document', async () => {
  site.serve({ '/page': html('<h1>From the site</h1>') });
  const playground = await open();
  const { page } = playground;
  const client = new Client(service.url, service.key);
  const count = async () => (await client.usage()).documents.used;
  await page.goto(`${service.url}/dashboard`);
  await enterKey(page, service.key);
  await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
  await page.goto(service.url);
  await playground.pdfPage(1).waitFor();
  const [before, sent] = [await count(), watchRenders(page)];
  await playground.write('HTML', '<p>not to be rendered as a URL');
  await choose(page, 'URL'); // while the change waits to be rendered
  await page.getByLabel('URL of an HTML document').fill('not a URL');
  await page.getByText('counts as a document').waitFor();
  const render = page.getByRole('button', { name: 'Render', exact: true });
  await render.click();
  await page.locator('.url-source .error').getByText('url').waitFor();
  await page.getByLabel('URL of an HTML document').fill(`${site.origin}/page`);
  await page.keyboard.press('Enter');
  await playground.shows('From the site');
  const asked = sent.filter(({ path }) => path === '/v1/pdf').map(({ body }) => body);
  expect(asked).toHaveLength(2);
  if (SEES_BODIES) expect(asked).toEqual(['not a URL', `${site.origin}/page`].map((url) => ({ url, store: false })));
  expect(await count()).toBe(before + 1);
  await page.reload(); // which renders nothing by itself
  await page.getByRole('button', { name: 'Render', exact: true }).last().waitFor();
  expect(sent.filter(({ path }) => path === '/v1/pdf')).toHaveLength(2);
});

test.each(['light', 'dark'] as const)(
  'has kinds of documents that everybody can use, in %s colours and on a phone',
  async (colorScheme) => {
    for (const viewport of [undefined, NARROW]) {
      const { page } = await open({ colorScheme, ...(viewport && { viewport }) });
      for (const kind of ['Markdown', 'URL']) {
        await choose(page, kind);
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        if (process.env.PLATEN_TEST_PICTURES)
          await page.screenshot({
            path: `${process.env.PLATEN_TEST_PICTURES}/${kind}-${colorScheme}-${viewport ? 'narrow' : 'wide'}.png`,
          });
      }
    }
  },
);
