/**
 * A setup file that lets suites of web pages run in a Firefox of the machine. Playwright drives it by WebDriver BiDi, and sends one command
 * that the release of Debian does not know; without an answer to that it opens nothing.
 */
import { registerHooks } from 'node:module';

const UNKNOWN = '.send("emulation.setMediaFeaturesOverride"';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/playwright-core/lib/coreBundle.js')) return loaded;
    return { ...loaded, source: String(loaded.source).replaceAll(UNKNOWN, UNKNOWN.replace('send', 'sendMayFail')) };
  },
});
