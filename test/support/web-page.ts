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

/** Set by the project `firefox`, see `firefox.ts`. Playwright does not learn of downloads there, nor of the bodies of requests. */
export const IN_FIREFOX = process.env.PLATEN_TEST_VISITOR === 'firefox';

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

type Env = Record<string, string>;

async function launchChromium(given: Env): Promise<Browser> {
  const { path, env } = await locateBrowser(loadConfig(BROWSER_SETTINGS).engine.location);
  const args = ['--headless', '--no-sandbox', '--disable-gpu'];
  return chromium.launch({ executablePath: path, env: { ...given, ...env }, args });
}

function launchFirefox(env: Env): Promise<Browser> {
  return firefox.launch({ channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr', env });
}
