/**
 * What does the egress proxy cost, and what does a cached font save? Renders the same pages in two browsers of the same kind:
 * one behind the proxy, one that connects to the site directly.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LocatedBrowser, locateBrowser } from '../src/chromium/browser/locate-browser.ts';
import { loadConfig } from '../src/config.ts';
import type { EgressProxy } from '../src/egress/egress-proxy.ts';
import { printAlone } from '../src/render/print-content.ts';
import { parseRenderRequest } from '../src/render/request/render-request.ts';
import { invoice } from './documents.ts';
import { type Engine, startEngine } from './engine.ts';
import { closedLoop, type Figures, median } from './measure.ts';
import type { Row } from './report.ts';

const RESOURCES = 20;
const CLIENTS = 4;
const ROUNDS = 5;
const SECONDS = 4;
const FONT_RENDERS = 60;
/** A report with one request, so that the page is cleaned as it is behind the proxy. */
const SOMETHING = { requests: 1, bytes: 0, contacted: [], refused: [] };

export async function outbound(): Promise<Row[]> {
  const located = await locateBrowser(loadConfig());
  const site = fork(new URL('site.ts', import.meta.url), [
    join(dirname(located.path), 'fonts', 'fonts', 'Open_Sans', 'OpenSans-Regular.ttf'),
  ]);
  const [port] = (await once(site, 'message')) as [number];
  const settings = { PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${port}` };
  const proxied = await startEngine({ settings, places: CLIENTS, located });
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  const direct = await startEngine({
    settings,
    places: CLIENTS,
    located: await allowedLoopback(located, folder),
    startProxy: async () => NO_PROXY,
  });
  try {
    return [await costOfProxy(proxied, direct, port), await fontCaching(proxied, port)];
  } finally {
    await proxied.close();
    await direct.close();
    site.kill();
    await rm(folder, { recursive: true });
  }
}

async function costOfProxy(proxied: Engine, direct: Engine, port: number): Promise<Row> {
  let requests = 0;
  const html = () => invoice(20) + images(port, requests++);
  await loop(proxied, html, 1);
  await loop(direct, html, 1);
  const ratios: number[] = [];
  let last: Figures | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = round % 2 ? [proxied, direct] : [direct, proxied];
    const figures = new Map([[first, await loop(first, html)] as const, [second, await loop(second, html)] as const]);
    last = figures.get(proxied);
    ratios.push((last?.perSecond ?? 0) / (figures.get(direct)?.perSecond ?? 1));
  }
  const ratio = median(ratios);
  return {
    measure: `a page with ${RESOURCES} images from a site, ${CLIENTS} clients, with the proxy against without`,
    value: `${ratio.toFixed(2)} (${last?.perSecond.toFixed(0)}/s, p50 ${last?.p50Ms.toFixed(1)} ms)`,
    target: 'at least 0.9',
    met: ratio >= 0.9,
    figures: { ratio, ratios },
  };
}

/**
 * Compares a cacheable font with one that is not. The first render of each is not counted, because only later renders can use
 * the cache.
 */
async function fontCaching(engine: Engine, port: number): Promise<Row> {
  const timed = async (folder: string) => {
    const startedAt = performance.now();
    await print(engine, fontPage(`http://127.0.0.1:${port}/${folder}/font.ttf`), folder);
    return performance.now() - startedAt;
  };
  const kept: number[] = [];
  const fetched: number[] = [];
  for (let n = 0; n <= FONT_RENDERS; n++) {
    const spent = { kept: await timed('kept'), fetched: await timed('fetched') };
    if (n) kept.push(spent.kept);
    if (n) fetched.push(spent.fetched);
  }
  const ratio = median(kept) / median(fetched);
  return {
    measure: 'p50 of a page with a cacheable web font 20 ms away, against one with an uncacheable font',
    value: `${ratio.toFixed(2)} (${median(kept).toFixed(1)} ms against ${median(fetched).toFixed(1)} ms)`,
    target: 'under 1',
    met: ratio < 1,
    figures: { ratio, keptMs: median(kept), fetchedMs: median(fetched) },
  };
}

/** Returns images with URLs that have not been requested before. */
function images(port: number, page: number): string {
  return Array.from({ length: RESOURCES }, (_, n) => `<img src="http://127.0.0.1:${port}/${page}/${n}.png">`).join('');
}

function fontPage(url: string): string {
  return `${invoice(5)}<style>@font-face { font-family: web; src: url("${url}") } * { font-family: web !important }</style>`;
}

/** Returns the same browser with switches that let a document reach this machine without a proxy. */
async function allowedLoopback(located: LocatedBrowser, folder: string): Promise<LocatedBrowser> {
  const path = join(folder, 'browser.sh');
  const relaxed = `"\${@/--disable-features=/--disable-features=LocalNetworkAccessChecks,}"`;
  await writeFile(path, `#!/bin/bash\nexec '${located.path}' ${relaxed}\n`, { mode: 0o755 });
  return { ...located, path };
}

async function print(engine: Engine, html: string, owner: string): Promise<void> {
  const { report } = await printAlone(
    engine,
    parseRenderRequest({ html }, { renderTimeoutMs: 30_000, maxRenderTimeoutMs: 30_000 }),
    { boundary: owner, shareOf: owner },
  );
  if (report.warning_count) throw new Error(`something is missing: ${JSON.stringify(report.warnings)}`);
}

function loop(engine: Engine, html: () => string, seconds = SECONDS): Promise<Figures> {
  return closedLoop(
    CLIENTS,
    seconds,
    async () => undefined,
    () => print(engine, html(), 'bench'),
  );
}

/** Lets the browser connect to loopback directly. */
const NO_PROXY: EgressProxy = {
  url: 'direct://',
  refused: 0,
  openListener: async () => ({
    proxyUrl: 'direct://',
    lateRequests: 0,
    startRender: () => {},
    endRender: () => SOMETHING,
    limitSilence: () => {},
    abortRequest: () => {},
    failureOf: () => undefined,
    close: async () => {},
  }),
  close: async () => {},
};
