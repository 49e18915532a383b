/** Runs before all tests: unpacks browser and fonts and builds the pages, so that no test waits for that on a new machine. */
import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import { loadConfig } from '../../src/config.ts';
import { buildPages, isBuilt } from '../../src/web-assets/build.ts';
import { BROWSER_SETTINGS } from './test-browser.ts';

const WEB_DIR = new URL('../../web', import.meta.url).pathname;

export async function setup(): Promise<void> {
  await locateBrowser(loadConfig(BROWSER_SETTINGS).engine.location);
  if (!(await isBuilt(WEB_DIR))) await buildPages(WEB_DIR, new AbortController().signal, async () => {});
}
