/** Prints an address with Chromium alone, after a long wait. The result is what the service must print. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { launchFlags } from '../../src/chromium/browser/launch-flags.ts';
import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import { PAPER_RATIO } from '../../src/chromium/devtools/emulation.ts';
import { printWindow } from '../../src/chromium/print/print-window.ts';
import { loadConfig } from '../../src/config.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { BROWSER_SETTINGS } from '../support/test-browser.ts';
import type { CorpusDocument } from './page.ts';

const HEIGHT = 600;
const TIME_LIMITS = { renderTimeoutMs: 30_000, maxRenderTimeoutMs: 30_000 };
/** The window gets no higher than this. Documents that are higher do not grow when more of them is shown. */
const MAX_HEIGHT = 12_000;
/** The default paper of the service. Media queries depend on it even if the document has a size of its own. */
const PAPER = { width: '210mm', height: '297mm', margin: { top: '0.4in', right: '0.4in', bottom: '0.4in', left: '0.4in' } };
/** Real time without further requests. */
const WAIT_MS = 4_000;
/** Time without changes, for documents that take longer. */
const QUIET_MS = 1_000;
const PATIENCE_MS = 90_000;
/** Those switches of the service's browser that affect the appearance of a document. */
const LOOKS = /^--(headless|disable-gpu|font-render-hinting|force-color-profile|hide-scrollbars|disable-dev-shm-usage)/;

export class ReferencePrinter {
  readonly #browser: Browser;

  static async start(): Promise<ReferencePrinter> {
    const { location, browser } = loadConfig(BROWSER_SETTINGS).engine;
    const { path, env } = await locateBrowser(location);
    const flags = launchFlags({ proxyUrl: '', profileDir: '', sandbox: false, heapBytes: browser.rendererHeapBytes });
    return new ReferencePrinter(
      await chromium.launch({
        executablePath: path,
        env: { ...(process.env as Record<string, string>), ...env, LANG: 'en_US.UTF-8' },
        args: ['--no-sandbox', ...flags.filter((flag) => LOOKS.test(flag))],
      }),
    );
  }

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  async print(address: string, { html, reference }: CorpusDocument): Promise<Buffer> {
    const window = { width: widthOf(html), height: HEIGHT };
    const context = await this.#browser.newContext({ viewport: window, reducedMotion: 'reduce' });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.addInitScript((value) => void Object.defineProperty(globalThis, 'devicePixelRatio', { value }), PAPER_RATIO);
      await page.emulateMedia({ media: 'print', reducedMotion: 'reduce' });
      if (reference) await page.addInitScript(addStyle, reference.style);
      await page.goto(address);
      await page.waitForLoadState('networkidle');
      await untilStill(page);
      await showAll(page, window);
      await page.waitForTimeout(WAIT_MS);
      await untilStill(page);
      return await page.pdf({ ...PAPER, preferCSSPageSize: true, printBackground: true, tagged: true });
    } finally {
      await context.close();
    }
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** The same as in the service, because scripts measure the window and draw for it. */
function widthOf(html: string): number {
  const { print } = parseRenderRequest({ html }, TIME_LIMITS);
  return printWindow(print, html, { linked: [], added: [] }).width;
}

// What follows runs in the page. Typed loosely: this project's code runs in Node and has no DOM types.
declare const document: {
  documentElement: { scrollHeight: number };
  head: { append(element: object): void };
  createElement(name: string): object;
  addEventListener(type: string, listener: () => void): void;
};
declare const MutationObserver: new (listener: () => void) => { observe(node: object, options: object): void };

function addStyle(style: string): void {
  document.addEventListener('DOMContentLoaded', () => {
    document.head.append(Object.assign(document.createElement('style'), { textContent: style }));
  });
}

/** Makes the window as high as the document, twice, because that may make the document higher. */
async function showAll(page: Page, window: { width: number }): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ ...window, height: Math.min(MAX_HEIGHT, height) });
    await page.waitForLoadState('networkidle');
    await untilStill(page);
  }
}

async function untilStill(page: Page): Promise<void> {
  const changes = { quietMs: QUIET_MS, patienceMs: PATIENCE_MS / 2 };
  await page.evaluate(async ({ quietMs, patienceMs }) => {
    let changedAt = Date.now();
    new MutationObserver(() => {
      changedAt = Date.now();
    }).observe(document, { childList: true, subtree: true, characterData: true });
    const latest = Date.now() + patienceMs;
    while (Date.now() < changedAt + quietMs && Date.now() < latest) await new Promise((resolve) => setTimeout(resolve, 100));
  }, changes);
}
