/** Secrets are sent only to their origin, in whatever order the browser reports a navigation. */
import { beforeEach, expect, test } from 'vitest';
import { Interception } from '../../src/chromium/load/interception.ts';
import { startBareBrowser } from '../support/bare-browser.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { html, image, redirect, Site } from '../support/site.ts';
import { Tab } from '../support/tab.ts';

const site = await Site.start({ '/image.png': image }).then(closeAfterAll);
const other = await Site.start().then(closeAfterAll);
other.serve({ '/spy': html(`<img src="${site.origin}/image.png?spied">`), '/back': redirect(`${site.origin}/there`) });
site.serve({
  '/elsewhere': html(`<script>location = "${other.origin}/spy"</script>`),
  '/there-and-back': html(`<script>location = "${other.origin}/back"</script>`),
  '/there': html('<img src="/image.png?own">'),
});
const bare = await startBareBrowser({ PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${other.port}` }).then(
  closeAfterAll,
);

beforeEach(() => {
  site.forget();
  other.forget();
});

/**
 * Opens a document that navigates to another one, without reporting the navigation to the interception. Returns the secret that
 * each request carried, by path, until the document at `last` has loaded.
 */
async function visit(path: string, last: string): Promise<Record<string, unknown>> {
  const proxy = await bare.browser.openListener();
  proxy.startRender({ requests: 20, bytes: 1_000_000, connections: 10, silenceMs: 60_000 });
  await using tab = await Tab.open(bare.browser, proxy.proxyUrl);
  const frame = { frameId: tab.frameId, contextId: '' }; // only cookies need the context
  const interception = new Interception(bare.browser.connection.browser, tab.session, frame);
  interception.blocksNavigation = false;
  const headers = { 'X-Secret': 'secret' };
  await interception.setTarget({ origin: site.origin, headers, cookies: [], credentials: undefined }, 'url');
  const isThere = arrival(tab, last);
  await tab.session.send('Page.navigate', { url: site.origin + path });
  await isThere;
  await proxy.close();
  return Object.fromEntries([...site.requests, ...other.requests].map((request) => [request.path, request.headers['x-secret']]));
}

/** Resolves when the document at this path has loaded. */
async function arrival(tab: Tab, last: string): Promise<void> {
  let url = '';
  tab.session.on('Page.frameNavigated', ({ frame }) => {
    url = frame.url;
  });
  while (!url.endsWith(last)) await tab.session.next('Page.loadEventFired');
}

test('sends no secrets for a page of another origin before its navigation is reported', async () => {
  const secrets = await visit('/elsewhere', '/spy');
  expect(secrets).toEqual({ '/elsewhere': 'secret', '/spy': undefined, '/image.png?spied': undefined });
});

test('sends secrets again after a redirect via another origin back to it', async () => {
  const secrets = await visit('/there-and-back', '/there');
  expect(secrets).toMatchObject({ '/back': undefined, '/there': 'secret', '/image.png?own': 'secret' });
});
