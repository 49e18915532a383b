/** Starts the rendering engine without the service: one browser with its pages, and the finishing threads. */
import { randomBytes } from 'node:crypto';
import { type LocatedBrowser, locateBrowser } from '../src/chromium/browser/locate-browser.ts';
import { launchBrowser } from '../src/chromium/browser.ts';
import { loadConfig } from '../src/config.ts';
import { startEgressProxy } from '../src/egress/egress-proxy.ts';
import { OutboundPolicy } from '../src/egress/policy.ts';
import { openFinishing } from '../src/engine.ts';
import { Pool } from '../src/pool/pool.ts';
import type { PrintEngine } from '../src/render/pdf.ts';

export type Engine = PrintEngine & AsyncDisposable;

interface EngineSettings {
  settings?: Record<string, string>;
  /** The number of simultaneous renders. */
  places: number;
  located?: LocatedBrowser;
  startProxy?: typeof startEgressProxy;
}

export async function startEngine({
  settings = {},
  places,
  located,
  startProxy = startEgressProxy,
}: EngineSettings): Promise<Engine> {
  const { engine } = loadConfig(settings);
  const browser = located ?? (await locateBrowser(engine.location));
  const proxy = await startProxy(new OutboundPolicy(engine.outbound));
  const pool = new Pool(() => launchBrowser(browser, engine.browser, proxy), {
    ...engine.pool,
    browsers: 1,
    concurrency: places,
  });
  const finishing = openFinishing(engine.finishing, randomBytes(32));
  await pool.start();
  return {
    pool,
    finishing,
    async [Symbol.asyncDispose]() {
      await Promise.all([pool.close(), finishing.close()]);
      await proxy.close();
    },
  };
}
