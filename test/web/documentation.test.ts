/** The pages below `/docs` in a browser: complete without script, all links lead somewhere, and everything can be found. */
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { expectSound } from '../support/page-checks.ts';
import { sharedService } from '../support/shared-service.ts';
import { launchVisitorBrowser, NARROW } from '../support/web-page.ts';

const [service, browser] = await Promise.all([sharedService(), launchVisitorBrowser().then(closeAfterAll)]);

/** The addresses of the site that a page links to, and the anchors that it has. */
async function readPage(path: string): Promise<{ links: string[]; anchors: Set<string> }> {
  const response = await fetch(service.url + path);
  expect(response.status, path).toBe(200);
  const html = await response.text();
  for (const [, picture = ''] of html.matchAll(/<img src="([^"]+)"/g))
    expect((await fetch(new URL(picture, service.url + path))).headers.get('content-type'), picture).toMatch(/^image\//);
  const links = [...html.matchAll(/ href="([^"]+)"/g)].map(([, link = '']) => (link.startsWith('#') ? path + link : link));
  const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
  return { links: links.filter((link) => /^\/(?:docs|errors)\b/.test(link)), anchors };
}

test('have no dead link', async () => {
  const pages = new Map<string, Set<string>>();
  const wanted = new Map<string, string>();
  const waiting = ['/docs', '/errors'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const { links, anchors } = await readPage(path);
    pages.set(path, anchors);
    for (const link of links) wanted.set(link, path);
    waiting.push(...links.map((link) => link.split('#')[0] ?? ''));
  }
  expect(pages.size).toBeGreaterThan(100);
  const dead = [...wanted].filter(([link]) => {
    const [path = '', anchor] = link.split('#');
    return anchor !== undefined && !pages.get(path)?.has(decodeURIComponent(anchor));
  });
  expect(dead).toEqual([]);
}, 120_000);

test('are listed for language models, as Markdown', async () => {
  const list = await (await fetch(`${service.url}/llms.txt`)).text();
  const paths = [...list.matchAll(/\((\/docs\/[^)]+\.md)\)/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(40);
  for (const path of paths) {
    const response = await fetch(service.url + path);
    expect(response.headers.get('content-type'), path).toBe('text/markdown; charset=utf-8');
    expect(await response.text()).toMatch(/^# /);
  }
});

test.each([
  ['light', undefined],
  ['dark', NARROW],
] as const)('are accessible (%s)', async (colorScheme, viewport) => {
  const { page, context, errors } = await browser.visit(service.url, { colorScheme, ...(viewport && { viewport }) });
  for (const path of ['/docs', '/docs/guide/tables', '/docs/guide/compatibility', '/docs/reference/endpoints']) {
    await page.goto(path);
    await expectSound(page);
  }
  expect(errors).toEqual([]);
  await context.close();
});

test('switch their colours, as all pages do', async () => {
  const { page, context, errors } = await browser.visit(service.url, { viewport: NARROW });
  const ground = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
  await page.goto('/docs');
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('Dark');
  expect(await ground()).toBe('dark');
  await expectSound(page);
  const [search, colours] = [page.getByRole('searchbox'), page.getByRole('combobox', { name: 'Colours' })];
  expect((await colours.boundingBox())?.y, 'they are in one line').toBeLessThan(((await search.boundingBox())?.y ?? 0) + 20);
  for (const path of ['/docs/guide/tables', '/edit']) {
    await page.goto(path);
    expect(await page.getByRole('combobox', { name: 'Colours' }).inputValue()).toBe('dark');
    expect(await ground()).toBe('dark');
  }
  expect(errors).toEqual([]);
  await context.close();
});

test('are found by words in any order, without accents, and by their beginnings', async () => {
  const { page, context, errors } = await browser.visit(service.url);
  await page.goto('/docs');
  await page.keyboard.press('/');
  await page.keyboard.type('PÁPER margi');
  const first = page.getByRole('region', { name: 'Search results' }).getByRole('link').first();
  await first.waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/guide/pages*');
  await page.getByRole('searchbox').fill('zzzz');
  await page.getByText('Nothing has “zzzz”').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Paper, margins and page numbers' }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

test('can be read without script', async () => {
  const { page, context } = await browser.visit(service.url, { javaScriptEnabled: false });
  await page.goto('/docs/guide/tables');
  await page.getByRole('heading', { name: 'Sums' }).waitFor();
  await page.getByRole('link', { name: 'Page breaks' }).first().click();
  await page.waitForURL('**/docs/guide/page-breaks');
  await context.close();
});

test('open their examples in the playground', async () => {
  const { page, context } = await browser.visit(service.url);
  await page.goto('/docs/guide/tables');
  await page.getByRole('link', { name: 'Open in the playground' }).first().click();
  await page.getByText('Brought forward').first().waitFor();
  await context.close();
});
