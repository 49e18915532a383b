/**
 * How long does a first visitor of the playground wait for the first page? Measures from the request for the page of the playground until
 * the picture of its PDF has arrived, over a slow connection, with a quarter of the processor and an empty cache.
 */
import { launchVisitorBrowser, type VisitorBrowser } from '../test/support/web-page.ts';
import { median, type Row, rowWithLimit } from './measure.ts';
import { startService } from './service.ts';

const VISITS = 7;
const MAX_MS = 2_500;
const BYTES_PER_SECOND = 1_600_000 / 8;
const CONNECTION = { offline: false, latency: 150, downloadThroughput: BYTES_PER_SECOND, uploadThroughput: BYTES_PER_SECOND };
const SLOWDOWN = 4;
const PICTURE = /\/v1\/playground\/results\/\w+\/pages\/1\.png$/;

export async function* measureFirstVisit(): AsyncGenerator<Row> {
  await using service = await startService(1);
  await using browser = await launchVisitorBrowser();
  await visit(browser, service.url); // starts the browser of the playground
  const times: number[] = [];
  for (let n = 0; n < VISITS; n++) times.push(await visit(browser, service.url));
  const ms = median(times);
  const value = `${ms.toFixed(0)} ms (${times.map((each) => each.toFixed(0)).join(' ')})`;
  const limit = { limited: ms, most: MAX_MS, unit: ' ms' };
  yield rowWithLimit('first page at 1.6 Mbit/s and 150 ms with a quarter of the processor', value, { ms }, limit);
}

/** Returns milliseconds. */
async function visit(browser: VisitorBrowser, url: string): Promise<number> {
  const { page, context } = await browser.visit(url);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', CONNECTION);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  const seen = new Promise<number>((resolve) => {
    let startedAt = 0;
    let pictureId = '';
    devtools.on('Network.requestWillBeSent', ({ request, requestId, timestamp }) => {
      startedAt ||= timestamp;
      if (PICTURE.test(request.url)) pictureId = requestId;
    });
    devtools.on('Network.loadingFinished', ({ requestId, timestamp }) => {
      if (requestId === pictureId) resolve((timestamp - startedAt) * 1_000);
    });
  });
  await page.goto('/', { waitUntil: 'commit' });
  const ms = await seen;
  await context.close();
  return ms;
}
