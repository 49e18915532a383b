/** Starts the browser of the tests as the service does, but without the rest of the service. */

import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import { type Browser, launchBrowser } from '../../src/chromium/browser.ts';
import { loadConfig } from '../../src/config.ts';
import { startEgressProxy } from '../../src/egress/egress-proxy.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import { BROWSER_SETTINGS } from './test-browser.ts';

export interface BareBrowser {
  browser: Browser;
  close(): Promise<void>;
}

export async function startBareBrowser(settings: Record<string, string> = {}): Promise<BareBrowser> {
  const { engine } = loadConfig({ ...BROWSER_SETTINGS, ...settings });
  const proxy = await startEgressProxy(new OutboundPolicy(engine.outbound));
  const browser = await launchBrowser(await locateBrowser(engine.location), engine.browser, proxy);
  return {
    browser,
    async close() {
      await browser.close();
      await proxy.close();
    },
  };
}
