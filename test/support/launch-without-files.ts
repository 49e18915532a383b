/** Starts a browser when almost no file descriptors are left, and reports the result. */
import { closeSync, openSync } from 'node:fs';
import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import { launchBrowser } from '../../src/chromium/browser.ts';
import { loadConfig } from '../../src/config.ts';
import { startEgressProxy } from '../../src/egress/egress-proxy.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import type { ServiceError } from '../../src/errors.ts';
import { BROWSER_SETTINGS } from './test-browser.ts';

const { engine } = loadConfig(BROWSER_SETTINGS);
const proxy = await startEgressProxy(new OutboundPolicy(engine.outbound));
const located = await locateBrowser(engine.location);
const open: number[] = [];
try {
  for (;;) open.push(openSync('/dev/null', 'r'));
} catch {
  for (const file of open.slice(-3)) closeSync(file);
}
const error = (await launchBrowser(located, engine.browser, proxy).catch((reason: unknown) => reason)) as ServiceError;
for (const file of open.slice(0, -3)) closeSync(file);
process.stdout.write(JSON.stringify({ code: error.code, detail: error.message }));
await proxy.close();
