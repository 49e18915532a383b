/** Opens the pages in the bundled Chromium, or in the Firefox of the machine (`--project firefox`), driven by Playwright. */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, firefox, type Page } from 'playwright-core';
import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import { loadConfig } from '../../src/config.ts';
import { BROWSER_SETTINGS } from './test-browser.ts';

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Console errors, including failed requests and policy violations, and uncaught exceptions. */
  errors: string[];
}

export interface VisitorBrowser {
  /** Opens the pages as a new visitor, without cookies and storage. `at` is the address of the service. */
  visit(at: string, options?: BrowserContextOptions): Promise<Visitor>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 360, height: 740 };

/** Set by the project `firefox`, see `firefox.ts`. */
export const IN_FIREFOX = process.env.PLATEN_TEST_VISITOR === 'firefox';

/** What Playwright has in Chromium only: downloads of files that a page makes itself, bodies of requests, and DevTools. */
export const SEES_DOWNLOADS = !IN_FIREFOX;
export const SEES_BODIES = !IN_FIREFOX;
export const HAS_DEVTOOLS = !IN_FIREFOX;

export async function launchVisitorBrowser(): Promise<VisitorBrowser> {
  const tmp = await mkdtempDisposable(join(tmpdir(), 'platen-visitor-'));
  const browser = await (IN_FIREFOX ? launchFirefox : launchChromium)({ ...(process.env as Env), TMPDIR: tmp.path });
  return {
    async visit(at, options = {}) {
      const context = await browser.newContext({ baseURL: at, viewport: WIDE, ...options });
      context.setDefaultTimeout(90_000);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(String(error)));
      return { page, context, errors };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await tmp.remove();
    },
  };
}

/** Opens a browser whose profile stays in a folder. `at` is the address of the service. */
export async function openProfile(folder: string, at: string): Promise<BrowserContext> {
  const env = { ...(process.env as Env), TMPDIR: folder };
  const own = { baseURL: at, viewport: WIDE };
  if (IN_FIREFOX) return firefox.launchPersistentContext(folder, { ...own, ...FIREFOX, env });
  return chromium.launchPersistentContext(folder, { ...own, ...(await chromiumOptions(env)) });
}

type Env = Record<string, string>;

/** Pages do not come back from memory, because Playwright would wait for a load that they do not have. It turns that off in Chromium. */
const FIREFOX = {
  channel: 'moz-firefox',
  executablePath: '/usr/bin/firefox-esr',
  firefoxUserPrefs: { 'browser.sessionhistory.max_total_viewers': 0 },
};

async function launchChromium(env: Env): Promise<Browser> {
  return chromium.launch(await chromiumOptions(env));
}

function launchFirefox(env: Env): Promise<Browser> {
  return firefox.launch({ ...FIREFOX, env });
}

async function chromiumOptions(given: Env) {
  const { path, env } = await locateBrowser(loadConfig(BROWSER_SETTINGS).engine.location);
  return { executablePath: path, env: { ...given, ...env }, args: ['--headless', '--no-sandbox', '--disable-gpu'] };
}
