/**
 * Are 2,000 stored documents of 1 to 20 pages right as the parts of one PDF, and what do they take? Checks the text of each page with
 * pdftotext, all bookmarks with qpdf and all links, and compares the size with that of the parts, and the memory of the process with that
 * of fewer parts.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PDF } from '@libpdf/core';
import { targetPage } from '../src/pdf/objects/destinations.ts';
import { ForeignPdf } from '../src/pdf/objects/foreign-pdf.ts';
import { type Row, rowWithLimit } from './measure.ts';
import { descendants, proportionalKb } from './processes.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const PARTS = Number(process.env.PLATEN_BENCH_PARTS ?? 2_000);
/** Of these, the memory is the one that must not grow. */
const FEW = Math.ceil(PARTS / 33);
const CLIENTS = 4;
const MOST_PAGES = 20;
const TIMEOUT_MS = 1_200_000;
const SAMPLE_MS = 100;
const KB_PER_MB = 1_024;
const MAX_BYTES = 1_000_000_000;

const run = promisify(execFile);

interface Stored {
  id: string;
  pages: number;
  bytes: number;
}

export async function* measureManyParts(): AsyncGenerator<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-parts-'));
  await using service = await startService(1, { PLATEN_MAX_RENDER_TIMEOUT_MS: String(TIMEOUT_MS), PLATEN_PLAYGROUND: 'off' });
  try {
    const stored = await storeDocuments(service);
    await assemble(service, stored.slice(0, FEW)); // starts the process
    const few = await assemble(service, stored.slice(0, FEW));
    const { pdf, peakMb, seconds } = await assemble(service, stored);
    const file = join(folder, 'whole.pdf');
    await writeFile(file, pdf);
    const pages = stored.reduce((sum, each) => sum + each.pages, 0);
    const name = `${PARTS} stored documents with ${pages} pages as one PDF`;
    const faults = [
      ...(await findWrongPages(file, stored)),
      ...(await findWrongBookmarks(file, stored)),
      ...(await findWrongLinks(pdf, stored)),
    ];
    const figures = { parts: PARTS, pages, seconds, peakMb, fewMb: few.peakMb };
    yield rowWithLimit(`${name}: wrong texts, bookmarks and links`, faults.slice(0, 5).join(', ') || 'none', figures, {
      ...{ limited: faults.length, most: 0, unit: '' },
    });
    const size = pdf.length / stored.reduce((sum, { bytes }) => sum + bytes, 0);
    yield rowWithLimit(`${name}: size beside that of the parts`, `${size.toFixed(3)} times`, figures, {
      ...{ limited: size, most: 1.15, unit: ' times' },
    });
    const fewPages = stored.slice(0, FEW).reduce((sum, each) => sum + each.pages, 0);
    yield rowWithLimit(
      `${name}: memory of the process beside that of ${fewPages} pages`,
      `${peakMb.toFixed(0)} MB beside ${few.peakMb.toFixed(0)} MB, in ${seconds.toFixed(0)} s`,
      figures,
      { limited: peakMb / few.peakMb, most: 2, unit: ' times' },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pagesOf(n: number): number {
  return 1 + ((n * 7) % MOST_PAGES);
}

const textOf = (n: number, page: number) => `document ${n} page ${page} of ${pagesOf(n)}`;

/** The first page leads to the last one. */
function html(n: number): string {
  const pages = Array.from({ length: pagesOf(n) }, (_, at) => {
    const lines = Array.from(
      { length: 25 },
      (_, line) => `<p>Line ${line} of ${textOf(n, at + 1)}, with as many words as a letter has`,
    );
    return `<section>${at ? '' : `<h1>Document ${n}</h1><p><a href="#end">to the end</a>`}<p>${textOf(n, at + 1)}${lines.join('')}</section>`;
  });
  const style = 'section + section { break-before: page }';
  return `<!doctype html><html lang="en"><title>Document ${n}</title><style>${style}</style>${pages.join('')}<p id="end">End`;
}

async function storeDocuments(service: ServiceUnderTest): Promise<Stored[]> {
  const stored: Stored[] = [];
  let next = 0;
  const work = async () => {
    for (let n = next++; n < PARTS; n = next++) {
      const body = {
        html: html(n),
        store: true,
        filename: `Document ${n}.pdf`,
        options: { outline: true, conformance: 'PDF/UA-1' },
      };
      const { status, bytes } = await service.request(service.keys[0] ?? '', 'POST', '/v1/pdf', body);
      if (status !== 201) throw new Error(`${status}: ${bytes.toString('utf8', 0, 500)}`);
      stored[n] = JSON.parse(bytes.toString()) as Stored;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  return stored;
}

async function assemble(service: ServiceUnderTest, stored: readonly Stored[]) {
  const ended = new AbortController();
  const watching = watchAssembly(service.pid, ended.signal);
  const startedAt = performance.now();
  const body = { parts: stored.map(({ id }) => ({ document_id: id })), options: { timeout: TIMEOUT_MS } };
  const reply = service.request(service.keys[0] ?? '', 'POST', '/v1/pdf/assemble', body);
  const { status, bytes: pdf } = await reply.finally(() => ended.abort());
  if (status !== 200) throw new Error(`${status}: ${pdf.toString('utf8', 0, 500)}`);
  return { pdf, seconds: (performance.now() - startedAt) / 1_000, peakMb: (await watching) / KB_PER_MB };
}

/** Samples the memory of the process that assembles, and returns the peak. */
async function watchAssembly(pid: number, ended: AbortSignal): Promise<number> {
  let peak = 0;
  while (!ended.aborted) {
    for (const each of descendants(pid)) if (isAssembling(each)) peak = Math.max(peak, proportionalKb(each));
    await delay(SAMPLE_MS);
  }
  return peak;
}

function isAssembling(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('assemble-worker');
  } catch {
    return false; // it has ended
  }
}

async function findWrongPages(file: string, stored: readonly Stored[]): Promise<string[]> {
  await run('qpdf', ['--check', file]);
  const { stdout } = await run('pdftotext', ['-raw', file, '-'], { maxBuffer: MAX_BYTES });
  const pages = stdout.split('\f');
  const wanted = stored.flatMap((_, n) => Array.from({ length: pagesOf(n) }, (_, at) => textOf(n, at + 1)));
  return wanted.flatMap((text, at) =>
    pages[at]?.includes(`\n${text}\n`) || pages[at]?.startsWith(`${text}\n`) ? [] : `the text of page ${at + 1}`,
  );
}

interface Outline {
  title: string;
  destpageposfrom1: number;
  kids: Outline[];
}

async function findWrongBookmarks(file: string, stored: readonly Stored[]): Promise<string[]> {
  const { stdout } = await run('qpdf', ['--json', '--json-key=outlines', file], { maxBuffer: MAX_BYTES });
  const { outlines } = JSON.parse(stdout) as { outlines: Outline[] };
  const flat = outlines.flatMap((each) => [each, ...each.kids]).map(({ title, destpageposfrom1: page }) => `${title} on ${page}`);
  const first = firstPages(stored);
  const wanted = stored.flatMap((_, n) => Array.from({ length: 2 }, () => `Document ${n} on ${(first[n] as number) + 1}`));
  return wanted.flatMap((each, at) => (flat[at] === each ? [] : `the bookmark ${each}, which is ${flat[at]}`));
}

async function findWrongLinks(bytes: Uint8Array, stored: readonly Stored[]): Promise<string[]> {
  const pdf = new ForeignPdf(await PDF.load(bytes));
  const pages = pdf.pages();
  const numbers = new Map(pages.map(({ ref }, index) => [ref.objectNumber, index]));
  const first = firstPages(stored);
  return stored.flatMap(({ pages: count }, n) => {
    const [from, to] = [first[n] as number, (first[n] as number) + count - 1];
    const [link] = pdf.list(pages[from]?.page, 'Annots');
    const target = targetPage(pdf, pdf.asDict(link) as Parameters<typeof targetPage>[1]);
    return target && numbers.get(target.objectNumber) === to ? [] : `the link on page ${from + 1}`;
  });
}

/** The indexes of the first pages of all parts. */
function firstPages(stored: readonly Stored[]): number[] {
  let next = 0;
  return stored.map(({ pages }) => {
    const first = next;
    next += pages;
    return first;
  });
}
