/**
 * The floor: a bare loop over the DevTools pipe, with the browser and the switches of the service. The overhead of the service
 * is measured against it in the same run.
 */

import { locateBrowser } from '../src/chromium/browser/locate-browser.ts';
import { type Browser, launchBrowser } from '../src/chromium/browser.ts';
import type { Session } from '../src/chromium/devtools/connection.ts';
import { loadConfig } from '../src/config.ts';
import { startEgressProxy } from '../src/egress/egress-proxy.ts';
import { OutboundPolicy } from '../src/egress/policy.ts';
import { type Figures, runClosedLoop } from './measure.ts';

interface BarePage {
  session: Session;
  frameId: string;
  contextId: string;
}

export interface Floor extends AsyncDisposable {
  /** Navigates a warm page to a new document for each render. */
  warm(html: string, loops: number, seconds: number): Promise<Figures>;
  /** Creates a new context and page for each render. */
  fresh(html: string, loops: number, seconds: number): Promise<Figures>;
}

const WARM_UP = 5;
const PRINT = { printBackground: true, generateTaggedPDF: false, paperWidth: 210 / 25.4, paperHeight: 297 / 25.4 };

export async function startFloor(): Promise<Floor> {
  const { engine } = loadConfig();
  const proxy = await startEgressProxy(new OutboundPolicy(engine.outbound));
  const browser = await launchBrowser(await locateBrowser(engine.location), engine.browser, proxy);
  return {
    async warm(html, loops, seconds) {
      const pages = await Promise.all(Array.from({ length: loops }, () => openPage(browser)));
      const print = (loop: number) => printNewDocument(pages[loop] as BarePage, html);
      for (let n = 0; n < WARM_UP; n++) await Promise.all(pages.map((_, loop) => print(loop)));
      const figures = await runClosedLoop(loops, seconds, print);
      await Promise.all(pages.map((page) => closePage(browser, page)));
      return figures;
    },
    fresh: (html, loops, seconds) =>
      runClosedLoop(loops, seconds, async () => {
        const page = await openPage(browser);
        await print(page, html);
        void closePage(browser, page);
      }),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await proxy.close();
    },
  };
}

async function openPage({ connection }: Browser): Promise<BarePage> {
  const { browserContextId: contextId } = await connection.browser.send('Target.createBrowserContext', { disposeOnDetach: true });
  const { targetId } = await connection.browser.send('Target.createTarget', { url: 'about:blank', browserContextId: contextId });
  const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
  const session = connection.openSession(sessionId);
  await session.send('Page.enable');
  return { session, frameId: targetId, contextId };
}

async function closePage({ connection }: Browser, { contextId }: BarePage): Promise<void> {
  await connection.browser.send('Target.disposeBrowserContext', { browserContextId: contextId }).catch(() => {});
}

async function printNewDocument(page: BarePage, html: string): Promise<void> {
  const loaded = page.session.next('Page.loadEventFired');
  await page.session.send('Page.navigate', { url: 'about:blank' });
  await loaded;
  await print(page, html);
}

async function print({ session, frameId }: BarePage, html: string): Promise<void> {
  const loaded = session.next('Page.loadEventFired');
  await session.send('Page.setDocumentContent', { frameId, html });
  await loaded;
  const { data } = await session.send('Page.printToPDF', PRINT);
  if (Buffer.from(data, 'base64').subarray(0, 5).toString() !== '%PDF-') throw new Error('no PDF');
}
