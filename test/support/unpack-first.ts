/** Before all tests: browser and fonts are unpacked once, so that no test waits for that on a fresh machine. */
import { locateBrowser } from '../../src/chromium/locate-browser.ts';
import { loadConfig } from '../../src/config.ts';

export async function setup(): Promise<void> {
  await locateBrowser(loadConfig({}));
}
