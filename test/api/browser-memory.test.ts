/** Limits for the memory of the browser process: they fail the document that fills it, and no other. */
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { eventually, startService } from '../support/service.ts';
import { type Answer, Site } from '../support/site.ts';

const LIMIT_MB = 768;
const LIMIT = LIMIT_MB * 1_048_576;

/** Stores blocks of 16 MB until that fails, and prints the error and the number of stored blocks. */
const endless = (body: string) =>
  `<p id=out>x</p><script>(async () => { const part = new Uint8Array(16 << 20).fill(7); let n = 0; try { for (; ; n++) { ${body} } } catch (error) { out.textContent = error.name + ' after ' + n; parent.postMessage(out.textContent, '*'); globalThis.over = true } })()</script>`;
const BLOBS = endless(`(globalThis.kept ??= []).push(new Blob([part])); await new Promise((go) => setTimeout(go, 5))`);

const page =
  (html: string): Answer =>
  (_request, response) =>
    response.setHeader('content-type', 'text/html').end(html);

const answers = {
  '/files': page(
    endless(`const file = await (await navigator.storage.getDirectory()).getFileHandle('f' + n, { create: true });
        const writable = await file.createWritable(); await writable.write(part); await writable.close()`),
  ),
  '/cache': page(endless(`await (await caches.open('c')).put('/' + n, new Response(part))`)),
  '/fetched': page(
    endless(`globalThis.first ??= URL.createObjectURL(new Blob([part]));
        (globalThis.kept ??= []).push(await (await fetch(first)).blob())`),
  ),
};
const site = await Site.start(answers).then(closeAfterAll);
/** A site with the same answers on another port. */
const other = await Site.start(answers).then(closeAfterAll);
const service = await startService({
  PLATEN_BROWSER_MEMORY_MB: String(LIMIT_MB),
  PLATEN_CONCURRENCY: '3',
  PLATEN_OUTBOUND_ALLOW: '127.0.0.1',
  PLATEN_RENDER_MAX_NETWORK_MB: '100000',
}).then(closeAfterAll);
const neighbour = (await service.createKey()).key;

const expectLimit = async (response: Response) =>
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 422,
    body: { code: 'resource_limit', limit: LIMIT, detail: expect.stringContaining('in the browser') },
  });

test.each([
  ['blobs', { html: BLOBS }],
  ['blobs made from blobs', { path: '/fetched' }],
])(
  'returns 422 resource_limit for %s, and keeps the browser running',
  async (_name, { html, path }: { html?: string; path?: string }) => {
    const source = path ? { url: site.origin + path } : { html };
    await expectLimit(await service.pdf({ ...source, options: { timeout: 50_000, waitForFunction: 'globalThis.over' } }));
    expect((await readPdfReply(await service.pdf({ html: '<p>next' }))).pages).toEqual(['next']);
    expect(await service.metric('platen_browser_crashes_total')).toBe(0);
  },
);

test('repeats the render of another page that had been running longer', async () => {
  let loads = 0;
  site.serve({
    '/loaded': (_request, response) => response.setHeader('access-control-allow-origin', '*').end(String(++loads)),
  });
  // The document finishes only in a second browser, so that the first one cannot print it before the memory limit ends that browser.
  const html = `<p>patient<script>fetch('${site.origin}/loaded').then(async (reply) => {
    globalThis.over = (await reply.text()) === '2';
  })</script>`;
  const options = { timeout: 50_000, waitForFunction: 'globalThis.over' };
  const retries = await service.metric('platen_render_retries_total');
  const patient = service.pdf({ html, options }, { key: neighbour });
  await eventually('the neighbour is at work', () => site.requests.some(({ path }) => path === '/loaded'));
  await expectLimit(await service.pdf({ html: BLOBS, options }));
  expect((await readPdfReply(await patient)).pages).toEqual(['patient']);
  expect(await service.metric('platen_render_retries_total')).toBeGreaterThan(retries);
});

describe('storage quota of an origin', () => {
  test.each(['/files', '/cache'])('%s', async (path) => {
    const options = { timeout: 50_000, waitForFunction: 'globalThis.over' };
    const response = await service.pdf({ url: site.origin + path, options });
    expect((await readPdfReply(response)).pages.join()).toMatch(/^QuotaExceededError after [4-8]$/); // The quota is 128 MB.
  });

  test.each<[string, () => string, string]>([
    ['of the same site', () => other.origin, '/files'],
    ['of another site', () => `http://localhost:${site.port}`, '/files'],
    ['of another site', () => `http://localhost:${site.port}`, '/cache'],
  ])('limits the storage of a frame (%s)', async (_name, origin, path) => {
    const framed = `<p id=said>x</p><script>onmessage = ({ data }) => { said.textContent = data; globalThis.over = true }</script>
      <iframe hidden src="${origin()}${path}"></iframe>`;
    site.serve({ '/framing': page(framed) });
    const options = { timeout: 50_000, waitForFunction: 'globalThis.over' };
    const response = await service.pdf({ url: `${site.origin}/framing`, options });
    expect((await readPdfReply(response)).pages.join()).toMatch(/^QuotaExceededError after [4-8]$/);
  });
});
