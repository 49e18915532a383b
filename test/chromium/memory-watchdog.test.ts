/** The memory watchdog: which process belongs to which page, and which page is reported as out of memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProcessTree } from '../../src/chromium/browser/process-tree.ts';
import type { Page } from '../../src/chromium/page.ts';
import { printOnce } from '../../src/chromium/print-once.ts';
import { loadConfig } from '../../src/config.ts';
import { Deadline } from '../../src/deadline.ts';
import { ServiceError } from '../../src/errors.ts';
import { residentBytes } from '../../src/host/proc.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { startBareBrowser } from '../support/bare-browser.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { eventually } from '../support/service.ts';
import { Site } from '../support/site.ts';

const LIMIT_MB = 600;
const BUFFERS = '<script>const a = []; for (;;) a.push(new Uint8Array(2e7).fill(1))</script>';
/** Holds memory within the limit, and never finishes. */
const LARGE = '<script>const a = []; for (let i = 0; i < 10; i++) a.push(new Uint8Array(2e7).fill(1)); for (;;);</script>';

const site = await Site.start({
  '/moves': (_request, response) =>
    response.setHeader('content-type', 'text/html').setHeader('cross-origin-opener-policy', 'same-origin').end('<p>moved'),
}).then(closeAfterAll);
const bare = await startBareBrowser({
  PLATEN_RENDERER_MEMORY_MB: String(LIMIT_MB),
  PLATEN_RENDERER_HEAP_MB: '128',
  PLATEN_OUTBOUND_ALLOW: '127.0.0.1',
}).then(closeAfterAll);

let pages: Page[];
beforeEach(async () => {
  pages = await Promise.all([open(), open(), open()]);
});
afterEach(() => Promise.all(pages.map((page) => page.close())));

test('knows the process of each page, also of pages opened at the same time', async () => {
  const pids = pages.map(({ pid }) => pid as number);
  expect(new Set(pids).size).toBe(3);
  for (const [index, pid] of pids.entries()) {
    process.kill(pid, 'SIGKILL');
    await eventually('the page is lost', () => pages[index]?.alive === false);
    expect(pages.map(({ alive }) => alive)).toEqual(pids.map((_pid, other) => other > index));
  }
});

test('follows a page to another process', async () => {
  const [page, neighbour] = pages as [Page, Page];
  const before = page.pid;
  expect(await outcome(page, { url: `${site.origin}/moves` })).toBe('printed');
  await eventually('its process is known', async () => {
    const later = await open(); // looks for processes again
    await later.close();
    return page.pid !== undefined && page.pid !== before;
  });
  process.kill(page.pid as number, 'SIGKILL');
  await eventually('the page is lost', () => !page.alive);
  expect(neighbour.alive).toBe(true);
});

describe('a page that ends for lack of memory', () => {
  test('is reported to its owner; another page lost at the same time has crashed', async () => {
    const [hungry, large, neighbour] = pages as [Page, Page, Page];
    const ends = Promise.all([outcome(hungry, { html: BUFFERS }), outcome(large, { html: LARGE })]);
    const pids = [hungry.pid, large.pid] as [number, number];
    await eventually('the neighbour is large', () => (residentBytes(pids[1]) ?? 0) > 250e6);
    await eventually('the watchdog has ended the hungry one', () => residentBytes(pids[0]) === undefined);
    process.kill(pids[1], 'SIGKILL');
    expect(await ends).toEqual(['resource_limit', 'page_crashed']);
    expect(neighbour.alive).toBe(true);
  });

  test('is reported to its owner also at the heap limit', async () => {
    const [hungry, large] = pages as [Page, Page];
    const ends = Promise.all([
      outcome(hungry, { html: '<script>const a = []; for (;;) a.push(new Array(1e5).fill({}))</script>' }).finally(() =>
        process.kill(large.pid as number, 'SIGKILL'),
      ),
      outcome(large, { html: LARGE }),
    ]);
    expect(await ends).toEqual(['resource_limit', 'page_crashed']);
  });

  test('is not reported if a large page crashes for another reason', async () => {
    const [large] = pages as [Page];
    const end = outcome(large, { html: LARGE });
    await eventually('it is large', () => (residentBytes(large.pid as number) ?? 0) > 250e6);
    process.kill(large.pid as number, 'SIGKILL');
    expect(await end).toBe('page_crashed');
  });
});

test('keeps watching a document closely after its print until its page is reset or closed', async () => {
  const [page] = pages as [Page];
  const script = `onafterprint = () => setTimeout(() => {
    const a = []; for (let i = 0; i < 40; i++) a.push(new Uint8Array(2e7).fill(1));
    const end = performance.now() + 1400; while (performance.now() < end);
    for (const each of a) each.buffer.transfer(0);
  }, 100)`;
  await outcome(page, { html: `<p>x<script>${script}</script>` });
  await eventually('it is ended, although it would have freed its memory', () => !page.alive);
});

test('finds processes started by threads other than the first', async () => {
  const source = `const { Worker } = require('node:worker_threads');
    new Worker("require('node:child_process').spawn('sleep', ['1000'], { stdio: 'ignore' }).on('spawn', () => console.log('started'))", { eval: true });`;
  const parent = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const tree = new ProcessTree(parent.pid as number);
  await once(parent.stdout, 'data');
  await tree.look();
  expect([...tree.processes]).toHaveLength(2);
  const ended = once(parent, 'exit');
  tree.end();
  await ended;
  await eventually('its child has ended', () => [...tree.processes].every(({ pid }) => residentBytes(pid) === undefined));
});

function open(): Promise<Page> {
  return bare.browser.openPage();
}

/** Returns `printed` or the code of the error. */
async function outcome(page: Page, body: { html: string } | { url: string }): Promise<string> {
  using deadline = new Deadline(50_000);
  const { load, print } = parseRenderRequest(body, loadConfig({}).limits);
  const content = 'url' in body ? { kind: 'url' as const, ...body } : { kind: 'html' as const, ...body, baseUrl: undefined };
  return printOnce(page, { content, load, print }, deadline).then(
    () => 'printed',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  );
}
