/**
 * What does the egress proxy cost, and what does a cached font save? Renders the same pages in two browsers of the same kind:
 * one behind the proxy, one that connects to the site directly.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocatedBrowser, locateBrowser } from '../src/chromium/browser/locate-browser.ts';
import { loadConfig } from '../src/config.ts';
import type { EgressProxy, ProxyListener } from '../src/egress/egress-proxy.ts';
import { printAlone } from '../src/render/pdf.ts';
import { parseRenderRequest } from '../src/render/request/render-request.ts';
import { invoice } from './documents.ts';
import { type Engine, startEngine } from './engine.ts';
import { alternate, type Figures, median, type Row, rowWithLimit, runClosedLoop, time } from './measure.ts';
import { type Site, startSite } from './site.ts';

const RESOURCES = 20;
const CLIENTS = 4;
const ROUNDS = 5;
const SECONDS = 4;
const FONT_RENDERS = 60;
/** A report with one request, so that the page is cleaned as it is behind the proxy. */
const SOMETHING = { requests: 1, bytes: 0, contacted: [], refused: [] };

export async function* measureOutbound(): AsyncGenerator<Row> {
  using site = await startSite();
  const located = await locateBrowser(loadConfig().engine.location);
  const settings = { PLATEN_OUTBOUND_ALLOW: site.host };
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  try {
    await using proxied = await startEngine({ settings, places: CLIENTS, located });
    await using direct = await startEngine({
      settings,
      places: CLIENTS,
      located: await allowLoopback(located, folder),
      startProxy: async () => NO_PROXY,
    });
    yield await measureProxy(proxied, direct, site);
    yield await measureFontCache(proxied, site);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureProxy(proxied: Engine, direct: Engine, site: Site): Promise<Row> {
  let requests = 0;
  const renderWith = (engine: Engine) => (): Promise<Figures> =>
    runClosedLoop(CLIENTS, SECONDS, () => print(engine, invoice(20) + showImages(site, requests++), 'bench'));
  const figures = await alternate(ROUNDS, { proxied: renderWith(proxied), direct: renderWith(direct) }, { warmUp: 1 });
  const ratios = figures.proxied.map(({ perSecond }, round) => perSecond / (figures.direct[round]?.perSecond ?? 1));
  const [ratio, p50Ms] = [median(ratios), median(figures.proxied.map((each) => each.p50Ms))];
  const measure = `a page with ${RESOURCES} images from a site, ${CLIENTS} clients, with the proxy against without`;
  return rowWithLimit(
    measure,
    `${ratio.toFixed(2)} (p50 ${p50Ms.toFixed(1)} ms)`,
    { ratio, ratios },
    { limited: ratio, least: 0.9 },
  );
}

/** Compares a cacheable font with one that is not. Only renders after the first can use the cache. */
async function measureFontCache(engine: Engine, site: Site): Promise<Row> {
  const renderFrom = (folder: string) => () => time(() => print(engine, useFont(`${site.origin}/${folder}/font.ttf`), folder));
  const times = await alternate(FONT_RENDERS, { kept: renderFrom('kept'), fetched: renderFrom('fetched') }, { warmUp: 1 });
  const [keptMs, fetchedMs] = [median(times.kept), median(times.fetched)];
  const ratio = keptMs / fetchedMs;
  return rowWithLimit(
    'p50 of a page with a cacheable web font 20 ms away, against one with an uncacheable font',
    `${ratio.toFixed(2)} (${keptMs.toFixed(1)} ms against ${fetchedMs.toFixed(1)} ms)`,
    { ratio, keptMs, fetchedMs },
    { limited: ratio, most: 1 },
  );
}

/** Returns images with URLs that have not been requested before. */
function showImages({ origin }: Site, page: number): string {
  return Array.from({ length: RESOURCES }, (_, n) => `<img src="${origin}/${page}/${n}.png">`).join('');
}

function useFont(url: string): string {
  return `${invoice(5)}<style>@font-face { font-family: web; src: url("${url}") } * { font-family: web !important }</style>`;
}

/** Returns the same browser with switches that let a document reach this machine without a proxy. */
async function allowLoopback(located: LocatedBrowser, folder: string): Promise<LocatedBrowser> {
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

/** Lets the browser connect to loopback directly. */
const NO_PROXY: EgressProxy = {
  url: 'direct://',
  refused: 0,
  openListener: async () => {
    const listener: Partial<ProxyListener> = {
      proxyUrl: 'direct://',
      lateRequests: 0,
      startRender: () => {},
      endRender: () => SOMETHING,
      limitSilence: () => {},
      abortRequest: () => {},
      findFailure: () => undefined,
      close: async () => {},
    };
    return listener as ProxyListener;
  },
  close: async () => {},
};
