/**
 * Measures the threads that finish PDFs on their own: the time in a warm and in a cold thread, bytes, memory, and how long the
 * event loop is blocked.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { locateBrowser } from '../src/chromium/browser/locate-browser.ts';
import { launchBrowser } from '../src/chromium/browser.ts';
import { loadConfig } from '../src/config.ts';
import { Deadline } from '../src/deadline.ts';
import { startEgressProxy } from '../src/egress/egress-proxy.ts';
import { OutboundPolicy } from '../src/egress/policy.ts';
import type { FinishSettings } from '../src/pdf/finish-settings.ts';
import { Finisher } from '../src/pdf/finisher.ts';
import { parseRenderRequest } from '../src/render/request/render-request.ts';
import { invoice } from './documents.ts';
import { median } from './measure.ts';
import type { Row } from './report.ts';

const TIMES = 30;
const PIECE_BYTES = 1_048_576;
const SETTINGS = { threads: 1, heapMb: 256, secret: Buffer.alloc(32, 1) };
const NOTHING: FinishSettings = {
  boundary: 'key',
  metadata: {},
  compress: false,
  attachments: [],
  watermark: undefined,
  password: undefined,
};
const METADATA = { metadata: { title: 'Invoice', author: 'Ada' } };
const ONE_PASSWORD = { password: { user: 'open', owner: undefined, permissions: undefined } };
const TWO_PASSWORDS = { password: { user: 'open', owner: 'own', permissions: undefined } };

type Documents = Record<'page' | 'table' | 'book' | 'stamp', Buffer>;

export async function finishRoom(): Promise<Row[]> {
  const documents = await print();
  const cold = await coldThread(documents.page);
  const finisher = new Finisher(SETTINGS);
  const everything = () => ({
    ...METADATA,
    ...TWO_PASSWORDS,
    compress: true,
    attachments: [{ name: 'a', type: undefined, description: undefined, content: new Uint8Array(PIECE_BYTES) }],
    watermark: { stamp: [documents.stamp], pages: [], opacity: 0.3, layer: 'over' as const, rotate: 0 },
  });
  const measured = async (name: string, pdf: Buffer, changes: () => Partial<FinishSettings>, target?: [number, 'ms' | 'loop']) =>
    row(name, pdf, await measure(finisher, pdf, changes), target);
  const rows = [
    ...cold,
    await measured('1 page: metadata', documents.page, () => METADATA),
    await measured('1 page: metadata and a password', documents.page, () => ({ ...METADATA, ...ONE_PASSWORD }), [15, 'ms']),
    await measured('1 page: metadata and two passwords', documents.page, () => ({ ...METADATA, ...TWO_PASSWORDS }), [15, 'ms']),
    await measured('500 rows, tagged: packed', documents.table, () => ({ compress: true })),
    await measured('157 pages, tagged: packed', documents.book, () => ({ compress: true })),
    await measured('157 pages, tagged: everything', documents.book, everything, [20, 'loop']),
  ];
  await finisher.close();
  return rows;
}

/** Measures the time of a cold thread, and the memory of the idle thread after one page. */
async function coldThread(page: Buffer): Promise<Row[]> {
  const before = process.memoryUsage().rss;
  const finisher = new Finisher(SETTINGS);
  const { ms } = await once(finisher, page, { ...METADATA, ...ONE_PASSWORD });
  const megabytes = (process.memoryUsage().rss - before) / 1e6;
  await finisher.close();
  const value = `${ms.toFixed(0)} ms, ${megabytes.toFixed(0)} MB`;
  return [{ measure: 'finishing: a password in a new thread', value, figures: { ms, megabytes } }];
}

interface Measured {
  ms: number;
  loopMs: number;
  bytes: number;
}

async function measure(finisher: Finisher, pdf: Buffer, changes: () => Partial<FinishSettings>): Promise<Measured> {
  const runs: Measured[] = [];
  for (let time = 0; time < TIMES; time++) runs.push(await once(finisher, pdf, changes()));
  const last = runs[runs.length - 1];
  return { ms: median(runs.map(({ ms }) => ms)), loopMs: median(runs.map(({ loopMs }) => loopMs)), bytes: last?.bytes ?? 0 };
}

async function once(finisher: Finisher, pdf: Buffer, changes: Partial<FinishSettings>): Promise<Measured> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < pdf.length; at += PIECE_BYTES)
    pieces.push(Buffer.from(Uint8Array.from(pdf.subarray(at, at + PIECE_BYTES)).buffer));
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const startedAt = performance.now();
  const finished = await finisher.finish(pieces, { ...NOTHING, ...changes }, new AbortController().signal);
  const ms = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, 5)); // the histogram records the delay at the next tick
  loop.disable();
  return { ms, loopMs: loop.max / 1e6, bytes: finished.reduce((sum, { length }) => sum + length, 0) };
}

function row(name: string, pdf: Buffer, measured: Measured, target?: [number, 'ms' | 'loop']): Row {
  const { ms, loopMs, bytes } = measured;
  const value = `${ms.toFixed(1)} ms, event loop blocked for ${loopMs.toFixed(1)} ms, ${kb(pdf.length)} to ${kb(bytes)}`;
  const base = { measure: `finishing: ${name}`, value, figures: { ...measured, before: pdf.length } };
  if (!target) return base;
  const [most, kind] = target;
  const met = (kind === 'ms' ? ms : loopMs) <= most;
  return { ...base, target: kind === 'ms' ? `at most ${most} ms` : `event loop blocked for at most ${most} ms`, met };
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} KB`;
}

async function print(): Promise<Documents> {
  const config = loadConfig({});
  const proxy = await startEgressProxy(new OutboundPolicy(config));
  const browser = await launchBrowser(await locateBrowser(config), config, proxy);
  const printed = async (html: string, options: object = {}) => {
    using deadline = new Deadline(60_000);
    const request = parseRenderRequest({ html, options }, config);
    const page = await browser.openPage();
    const { load, print } = request;
    const { chunks } = await page.print({ content: { kind: 'html', html, baseUrl: undefined }, load, print }, deadline);
    await page.close();
    return Buffer.concat(chunks);
  };
  const tagged = { tagged: true, outline: true };
  const chapter = (n: number) =>
    `<h2 style="break-before: page">Chapter ${n}</h2>${'<p>Some text that fills a line and a bit more.'.repeat(15)}`;
  const documents = {
    page: await printed(invoice(20)),
    table: await printed(`<table>${'<tr><td>one<td>two<td>three<td>four'.repeat(500)}</table>`, tagged),
    book: await printed(Array.from({ length: 157 }, (_, n) => chapter(n)).join(''), tagged),
    stamp: await printed('<p style="font-size: 80px">DRAFT', { width: '400px', height: '400px', margin: 0 }),
  };
  await browser.close();
  await proxy.close();
  return documents;
}
