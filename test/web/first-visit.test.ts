/** The first visit: what is transferred until the first page is seen, and what the page says without a script. */
import { expect, test } from 'vitest';
import { openPlaygrounds } from '../support/playgrounds.ts';

const MAX_BYTES = 300_000;
const PICTURE = /^\/v1\/playground\/results\/pgr_\w+\/pages\/1\.png$/;
const VIEWER = /pdf\.worker|open-pdf/;

const { service, browser } = await openPlaygrounds();

test('shows the first page after at most 300 kB, and loads the viewer afterwards', async () => {
  const { page, context } = await browser.visit(service.url);
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
  const viewer = page.waitForResponse(VIEWER);
  await page.goto('/');
  const { asked, bytes } = await first;
  expect(asked.filter((url) => VIEWER.test(url))).toEqual([]);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes, JSON.stringify(transferred, null, 1)).toBeLessThanOrEqual(MAX_BYTES);
  await viewer;
  await page.locator('.pdf-page canvas').first().waitFor({ state: 'attached' });
  await page.getByRole('img', { name: 'Page 1' }).waitFor({ state: 'detached' });
  await context.close();
});

test('says what Platen is, why, and how to get it, without a script', async () => {
  const { page, context } = await browser.visit(service.url, { javaScriptEnabled: false });
  await page.goto('/');
  const about = page.getByRole('complementary', { name: 'What Platen is' });
  await about.getByText('Platen turns HTML into PDFs on your own server.').waitFor();
  await about.getByText('npm ci && npm start').waitFor();
  expect(await page.locator('meta[name="description"]').getAttribute('content')).toContain('PDF');
  for (const name of ['og:title', 'og:description', 'og:type'])
    expect(await page.locator(`meta[property="${name}"]`).getAttribute('content')).toBeTruthy();
  await context.close();
});
