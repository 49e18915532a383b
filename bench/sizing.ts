/** How many renders per second, and how much memory, do one and two renders at a time take, by kind of document? */
import { invoice, scriptedInvoice } from './documents.ts';
import { type Row, runClosedLoop } from './measure.ts';
import { descendants, proportionalKb } from './processes.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const SECONDS = 6;
const LOOK_MS = 200;
const KB = 1_024;

const KINDS: Array<[name: string, body: object]> = [
  ['invoice, 1 page', { html: invoice(20) }],
  ['invoice, 1 page, stored', { html: invoice(20), store: true }],
  ['invoice with a script, 1 page', { html: scriptedInvoice(20) }],
  ['invoice, 16 pages', { html: invoice(560) }],
  [
    'invoice, 16 pages, PDF/A and PDF/UA',
    { html: invoice(560).replace('<html>', '<html lang="en">'), options: { conformance: ['PDF/A-3a', 'PDF/UA-1'] } },
  ],
  ['photographs, 2 pages', { html: photographs(2) }],
];

export async function* measureSizing(): AsyncGenerator<Row> {
  for (const places of [1, 2]) {
    await using service = await startService(places, { PLATEN_CONCURRENCY: `${places}`, PLATEN_PLAYGROUND: 'off' });
    for (const [kind, body] of KINDS) yield await measure(service, places, kind, body);
  }
}

/** Uses as many callers as slots, each with its own key. */
async function measure(service: ServiceUnderTest, places: number, kind: string, body: object): Promise<Row> {
  await Promise.all(service.keys.map((key) => service.render(body, key))); // the first render of each kind is slower
  const peak = { node: 0, browser: 0 };
  const timer = setInterval(() => {
    const now = memoryOf(service.pid);
    peak.node = Math.max(peak.node, now.node);
    peak.browser = Math.max(peak.browser, now.browser);
  }, LOOK_MS);
  const figures = await runClosedLoop(places, SECONDS, (caller) => service.render(body, service.keys[caller]));
  const { perSecond, p50Ms, p99Ms } = figures;
  clearInterval(timer);
  const [nodeMb, browserMb] = [Math.round(peak.node / KB), Math.round(peak.browser / KB)];
  return {
    measure: `${kind}, ${places} at a time`,
    value: `${perSecond.toFixed(1)} a second (p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms); at most ${nodeMb} MB in Node and ${browserMb} MB in the browser`,
    figures: { places, kind, ...figures, nodeMb, browserMb },
  };
}

/** Adds up proportional set sizes in KB, which count shared memory once. */
function memoryOf(pid: number): { node: number; browser: number } {
  const browser = descendants(pid).reduce((sum, child) => sum + proportionalKb(child), 0);
  return { node: proportionalKb(pid), browser };
}

/** Returns images of 800 by 600 pixels with incompressible coloured noise, one per page. */
function photographs(pages: number): string {
  const [width, height] = [800, 600];
  const picture = (seed: number) => {
    const header = Buffer.alloc(54);
    header.write('BM');
    header.writeUInt32LE(54 + width * height * 3, 2);
    header.writeUInt32LE(54, 10);
    header.writeUInt32LE(40, 14);
    header.writeInt32LE(width, 18);
    header.writeInt32LE(height, 22);
    header.writeUInt16LE(1, 26);
    header.writeUInt16LE(24, 28);
    const points = Buffer.alloc(width * height * 3);
    for (let n = 0, state = seed; n < points.length; n++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      points[n] = state >>> 24;
    }
    return Buffer.concat([header, points]).toString('base64');
  };
  const all = Array.from(
    { length: pages },
    (_, n) => `<img style="width: 100%; break-after: page" src="data:image/bmp;base64,${picture(n + 1)}">`,
  );
  return `<!doctype html><title>Photographs</title>${all.join('')}`;
}
