/** Documents that use too much network: each ends in time with the right result, in bounded memory, without open connections. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Report } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL } from '../support/pixel.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually } from '../support/service.ts';
import { bomb, endless, html, image, never, redirect, send, status, trickle } from '../support/site.ts';
import { Web } from '../support/web.ts';

const MAX_REQUESTS = 50;
const MAX_CONNECTIONS = 32;
/** Chromium itself refuses more simultaneous WebSockets than this. */
const CHROMIUM_MAX_SOCKETS = 255;
const MEGABYTE = 1_048_576;
const MAX_NETWORK = 4 * MEGABYTE;
/** The most by which the memory of the service may grow while it passes on data. */
const MAX_GROWTH = 300 * MEGABYTE;
/** The header of a PNG, and the beginning of a chunk that never ends. */
const PNG_BEGUN = Buffer.concat([PIXEL.subarray(0, 33), Buffer.from('7fffffff49444154', 'hex')]);
/** The time limit is far above what any of these documents takes when its budget works. */
const IN_TIME = { timeout: 100_000 };

const web = await Web.start({
  PLATEN_RESOURCE_TIMEOUT_SECONDS: '2',
  PLATEN_RENDER_MAX_NETWORK_MB: String(MAX_NETWORK / MEGABYTE),
  PLATEN_RENDER_MAX_REQUESTS: String(MAX_REQUESTS),
  PLATEN_RENDER_MAX_CONNECTIONS: String(MAX_CONNECTIONS),
}).then(closeAfterAll);
const { site } = web;
site.holdSockets();
const noise = Buffer.alloc(65_536, 'abcdefgh');
const zeros = Buffer.alloc(MEGABYTE);
const blanks = Buffer.alloc(MEGABYTE, ' ');
site.serve({
  '/image.png': image,
  '/never': never,
  '/endless.png': endless('image/png', '', noise),
  '/endless.css': endless('text/css', 'p { color: #ff0000 } ', Buffer.alloc(65_536, 'i { color: red } ')),
  '/endless.js': endless('text/javascript', '', Buffer.alloc(65_536, '/* x */ ')),
  '/endless.html': endless('text/html', '<p>x', noise),
  '/trickle.png': trickle('image/png', ''),
  '/bytes.css': (_request, response) =>
    void response.socket?.write(
      `HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`,
    ),
  '/trickle.css': trickle('text/css', 'p { color: #ff0000 }'),
  '/circle.png': redirect('/circle.png'),
  '/bomb.png': bomb('image/png', PNG_BEGUN, zeros, 2_000),
  '/bomb.css': bomb('text/css', 'p { color: #ff0000 } ', blanks, 2_000),
  '/bomb.js': bomb('text/javascript', '', blanks, 2_000),
  '/bomb.html': bomb('text/html', '<p>x', blanks, 2_000),
  '/bomb.txt': bomb('text/plain', '', blanks, 2_000),
  '/poll': send('text/plain', 'x', { 'access-control-allow-origin': '*' }),
  '/events': trickle('text/event-stream', 'data: x\n\n'),
});

let memory: { stop(): number };
let before: number;

beforeEach(async () => {
  web.forget();
  before = await residentBytes();
  memory = watchMemory();
});
afterEach(async () => {
  expect(memory.stop() - before).toBeLessThan(MAX_GROWTH);
  await eventually('all connections are closed', () => site.openConnections === 0);
  const good = await web.render(`<p>good</p><img src="${site.origin}/image.png">`);
  expect(good.pages).toEqual(['good']);
  expect(good.images).toBe(1);
});

/** Returns the resident memory of the service's own process. */
async function residentBytes(): Promise<number> {
  const text = await readFile(`/proc/${web.service.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) * 1_024;
}

function watchMemory(): { stop(): number } {
  let highest = 0;
  const timer = setInterval(async () => {
    highest = Math.max(highest, await residentBytes().catch(() => 0));
  }, 100);
  return {
    stop() {
      clearInterval(timer);
      return highest;
    },
  };
}

test.each([
  ['reads', 'await response.arrayBuffer()'],
  ['cancels', 'await response.body.cancel()'],
  ['never reads', 'kept.push(response)'],
])('ends a document that fetches its assets again and again, and %s them', async (_, use) => {
  const script = `(async () => { const kept = []; for (let n = 0; n < 50; n++) { const response = await fetch('a.bin?' + n); ${use} } })()`;
  const assets = { 'a.bin': { content: Buffer.alloc(MEGABYTE, 'abcdefgh').toString('base64') } };
  const response = await web.ada.pdf({ html: `<p>here</p><script>${script}</script>`, assets, options: IN_TIME });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ code: 'resource_limit', limit: MAX_NETWORK });
});

/** Each document is tested as HTML and from a URL. */
describe.each(['html', 'url'] as const)('in %s', (way) => {
  const sourceOf = (markup: string) => {
    site.serve({ '/document': html(markup) });
    return way === 'url' ? { url: `${site.origin}/document` } : { html: markup };
  };
  /** Checks that the document is printed without the resources that exceed the budget, and returns its report. */
  const isPrinted = async (markup: string, options: object = {}): Promise<Report> => {
    const record = await web.ada.store({ ...sourceOf(markup), options: { ...IN_TIME, ...options } });
    const { pages } = await readPdf(await (await web.ada.get(`/v1/documents/${record.document_id}`)).arrayBuffer());
    expect(pages[0]).toContain('here');
    expect(record.report).toBeDefined();
    return record.report as Report;
  };
  const statusOf = async (markup: string): Promise<number> =>
    (await web.ada.pdf({ ...sourceOf(markup), options: IN_TIME })).status;

  test.each([
    ['image', (o: string) => `<img src="${o}/endless.png">`],
    ['style sheet', (o: string) => `<link rel="stylesheet" href="${o}/endless.css">`],
    ['script', (o: string) => `<script src="${o}/endless.js"></script>`],
    ['frame', (o: string) => `<iframe src="${o}/endless.html"></iframe>`],
    ['fetch', (o: string) => `<script>fetch('${o}/endless.js', { mode: 'no-cors' })</script><img src="${o}/never">`],
  ])('ends a body without end (%s)', async (kind, element) => {
    // The body is not compressed, so either limit, for received or for decompressed bytes, may be reached first.
    const response = await web.ada.pdf({ ...sourceOf(`<p>here</p>${element(site.origin)}`), options: IN_TIME });
    expect([200, 422]).toContain(response.status);
    // A frame with one endless line may crash Chromium before it reaches the limit.
    const codes = kind === 'frame' ? ['resource_limit', 'page_crashed', 'print_failed'] : ['resource_limit'];
    if (response.status === 422) expect(codes).toContain(((await response.json()) as { code: string }).code);
  });

  test('ends a body of chunks of one byte', async () => {
    const { warnings, network } = await isPrinted(`<p>here</p><link rel="stylesheet" href="${site.origin}/bytes.css">`);
    expect(warnings).toEqual([expect.objectContaining({ net_error: 'ERR_INCOMPLETE_CHUNKED_ENCODING' })]);
    expect(network.bytes).toBeLessThan(20_000 + 1_000);
  });

  test('gives two slow bodies each its own time', async () => {
    const { warnings } = await isPrinted(
      `<p>here</p><img src="${site.origin}/trickle.png"><link rel="stylesheet" href="${site.origin}/trickle.css">`,
    );
    expect(warnings.map(({ net_error }) => net_error)).toContain('ERR_TIMED_OUT');
  });

  test('ends 10,000 images with the time of the render, within the request limit', async () => {
    const images = Array.from({ length: 10_000 }, (_, n) => `<img src="${site.origin}/image.png?${n}">`).join('');
    const response = await web.ada.pdf({ ...sourceOf(`<p>here</p>${images}`), options: { timeout: 2_500 } });
    expect([200, 504]).toContain(response.status);
    expect(site.requestsFor('/image.png').length).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  test('loads the first of 300 images, and reports the rest', async () => {
    const images = Array.from({ length: 300 }, (_, n) => `<img src="${site.origin}/image.png?${n}">`).join('');
    const report = await isPrinted(`<p>here</p>${images}`, { resourceTimeout: 25_000 });
    expect(site.requestsFor('/image.png').length).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(report.warnings).toHaveLength(100);
    expect(report.warnings[0]?.kind).toBe('resource_refused');
    expect(report.warning_count).toBeGreaterThanOrEqual(300 - MAX_REQUESTS);
  });

  test('ends an image that redirects to itself', async () => {
    const { warnings } = await isPrinted(`<p>here</p><img src="${site.origin}/circle.png">`);
    expect(warnings).toEqual([expect.objectContaining({ net_error: 'ERR_TOO_MANY_REDIRECTS' })]);
    expect(site.requestsFor('/circle.png').length).toBeLessThan(50);
  });

  test.each(
    Object.entries({
      image: (o: string) => `<img src="${o}/bomb.png">`,
      'style sheet': (o: string) => `<link rel="stylesheet" href="${o}/bomb.css">`,
      script: (o: string) => `<script src="${o}/bomb.js"></script>`,
      frame: (o: string) => `<iframe src="${o}/bomb.html"></iframe>`,
      fetch: (o: string) =>
        `<script>fetch('${o}/bomb.txt').then((r) => r.text()).then((t) => document.body.append(t.length))</script><img src="${o}/never">`,
      XMLHttpRequest: (o: string) =>
        `<script>const x = new XMLHttpRequest(); x.open('GET', '${o}/bomb.txt', false); x.send()</script>`,
    }),
  )('ends 2 MB that decompress to 2 GB (%s)', async (kind, element) => {
    const response = await web.ada.pdf({ ...sourceOf(`<p>here</p>${element(site.origin)}`), options: IN_TIME });
    // Chromium may give up an image as soon as it proves invalid. The service has to stop the other resources.
    expect(kind === 'image' ? [200, 422] : [422]).toContain(response.status);
    if (response.status === 422) expect(await response.json()).toMatchObject({ code: 'resource_limit' });
  });

  test('ends a page that polls', async () => {
    const poll = `<p>here</p><script>var polls = 0; setInterval(() => fetch('${site.origin}/poll').finally(() => polls++), 5)</script>`;
    await isPrinted(poll);
    const { network } = await isPrinted(poll, { waitForFunction: 'polls > 20', waitUntil: 'load' });
    expect(network.requests).toBeGreaterThan(20);
    expect(site.requests.length).toBeLessThanOrEqual(2 * MAX_REQUESTS + 2);
    await site.allRecorded();
    const { length } = site.requestsFor('/poll');
    await web.render('<p>another');
    expect(site.requestsFor('/poll')).toHaveLength(length); // Nothing is sent after the reply.
  });

  /** The document is printed as soon as more than `refused` of its sockets have failed. */
  const sockets = (number: number, refused: number): [markup: string, options: object] => [
    `<p>here</p><script>var refused = 0; for (let n = 0; n < ${number}; n++) new WebSocket('${site.origin.replace('http', 'ws')}/socket').onerror = () => refused++</script>`,
    { waitForFunction: `refused > ${refused}` },
  ];

  test('ends 2,000 WebSockets', async () => {
    const { network } = await isPrinted(...sockets(2_000, 2_000 - CHROMIUM_MAX_SOCKETS));
    expect(site.requests.length).toBeLessThanOrEqual(MAX_REQUESTS + 1);
    expect(network.refused).toEqual([`127.0.0.1:${site.port}`]);
  });

  test('opens no more connections at a time than allowed', async () => {
    await isPrinted(...sockets(100, 0));
    expect(site.maxSockets).toBeGreaterThan(1);
    expect(site.maxSockets).toBeLessThanOrEqual(MAX_CONNECTIONS);
  });

  test('ends an endless event stream', async () => {
    await isPrinted(`<p>here</p><script>new EventSource('${site.origin}/events')</script>`);
    await isPrinted(`<p>here</p><script>onload = () => new EventSource('${site.origin}/events')</script>`, {
      waitForTimeout: 500,
    });
  });

  test('ends requests that would outlive the document', async () => {
    site.serve({ '/beacon': status(204) });
    await isPrinted(
      `<p>here</p><script>onpagehide = onbeforeprint = () => { navigator.sendBeacon('${site.origin}/beacon', 'x'); fetch('${site.origin}/never', { keepalive: true, mode: 'no-cors' }) }; onload = onbeforeprint</script>`,
    );
    expect(await statusOf('<p>here')).toBe(200);
  });
});
