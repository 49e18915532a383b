/** What documents and workers write to the console, or do not catch, reaches the browser only up to a limit, because all pages share it. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WORKER, WRITTEN_WINDOW } from '../../src/chromium/devtools/in-page-program.ts';
import { launchBrowser } from './open-page.ts';

const LIMIT = 2_000;
const FLOODS: Record<string, string> = {
  messages: 'for (let n = 0; n < 5_000; n++) console.error(n)',
  errors: 'for (let n = 0; n < 5_000; n++) setTimeout(() => { throw new Error(n) })',
  'reported errors': 'for (let n = 0; n < 5_000; n++) reportError(new Error(n))',
  'rejected promises': 'for (let n = 0; n < 5_000; n++) Promise.reject(n)',
};
/** Several timers of the same time run in order, so that the flood is over. */
const END = 'setTimeout(() => setTimeout(() => over()), 100)';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Returns how many messages and errors the browser reports until the document calls `over`, with what. */
async function open(html: string): Promise<{ count: number; result: unknown }> {
  const page = await browser.newPage();
  let count = 0;
  page.on('console', () => count++).on('pageerror', () => count++);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await page.exposeFunction('over', resolve);
  await page.addInitScript({ content: WRITTEN_WINDOW });
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  await session.send('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
  const result = await promise;
  await page.close();
  return { count, result };
}

test.each(Object.entries(FLOODS))('%s of a document', async (_name, flood) => {
  expect((await open(`<script>${flood};${END}</script>`)).count).toBe(LIMIT);
});

test.each(Object.entries(FLOODS))('%s of a worker', async (_name, flood) => {
  const script = `${WORKER}; ${flood}; setTimeout(() => setTimeout(() => postMessage(1)), 100)`;
  const { count } = await open(`<script>
    const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])));
    worker.onmessage = () => ${END};
  </script>`);
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(LIMIT);
});

test('long errors, of which the first are reported', async () => {
  const { result } = await open(`<script>
    const cancelled = [];
    addEventListener('error', (event) => cancelled.push(event.defaultPrevented));
    const message = 'x'.repeat(9_000_000);
    for (let n = 0; n < 5; n++) dispatchEvent(new ErrorEvent('error', { message, cancelable: true }));
    over(cancelled);
  </script>`);
  expect(result).toEqual([false, false, false, true, true]);
});
