/** Missing resources are reported in whatever order the browser sends its events. */
import { describe, expect, test } from 'vitest';
import type { Events, Session } from '../../src/chromium/devtools/connection.ts';
import { type FailedResource, NetworkMonitor } from '../../src/chromium/load/monitors/network-monitor.ts';
import { startBareBrowser } from '../support/bare-browser.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { redirect, Site, status } from '../support/site.ts';
import { Tab } from '../support/tab.ts';

const site = await Site.start({ '/404': status(404), '/moved': redirect('/404') }).then(closeAfterAll);
const bare = await startBareBrowser({ PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` }).then(closeAfterAll);

type ResponseInfo = Events['Network.responseReceivedExtraInfo'][0];

/** Holds back the response events of the network service. Returns a function that delivers these and all later ones. */
function holdBack(session: Session): () => void {
  const allowed = Promise.withResolvers<void>();
  const originalOn = session.on.bind(session);
  session.on = (event, listener) => {
    if (event !== 'Network.responseReceivedExtraInfo') return originalOn(event, listener);
    return originalOn(
      'Network.responseReceivedExtraInfo',
      (info) => void allowed.promise.then(() => (listener as (info: ResponseInfo) => void)(info)),
    );
  };
  return allowed.resolve;
}

/** Elements whose failed responses Chromium hides from the document, so that only the network service reports the status. */
const WITHHELD: Array<[kind: string, element: (url: string) => string]> = [
  ['image', (url) => `<img src="${url}">`],
  ['script', (url) => `<script src="${url}"></script>`],
  ['style sheet', (url) => `<link rel="stylesheet" href="${url}">`],
];

/** Returns the missing resources after an action of the tab whose response events arrive only after the findings were requested. */
async function missingAfter(act: (tab: Tab) => Promise<unknown>): Promise<FailedResource[]> {
  const proxy = await bare.browser.openListener();
  proxy.startRender({ requests: 10, bytes: 1_000_000, connections: 10, silenceMs: 60_000 });
  await using tab = await Tab.open(bare.browser, proxy.proxyUrl);
  const release = holdBack(tab.session);
  const monitor = new NetworkMonitor(tab.session, proxy, tab.frameId);
  const fail = (error: Error) => expect.unreachable(error.message);
  await monitor.begin({ resourceTimeoutMs: 60_000, maxBytes: 1_000_000, countsAsFailed: () => false, fail });
  await act(tab);
  const findings = monitor.findings(60_000);
  setImmediate(release); // all other events have been processed by then
  const { failed } = await findings;
  monitor.end();
  await proxy.close();
  return failed;
}

describe.each(['/404', '/moved'])('a resource at %s', (path) => {
  test.each(WITHHELD)('is reported as missing even if its status arrives last (%s)', async (_kind, element) => {
    const answered = { url: `${site.origin}/404`, status: 404, refused: false, netError: undefined };
    expect(await missingAfter((tab) => tab.load(element(site.origin + path)))).toEqual([answered]);
  });
});

test.each([
  ['/404', { status: 404, netError: undefined }],
  ['/moved', { status: undefined, netError: 'ERR_FAILED' }], // the target of the redirect is hidden as well
])('a missing resource at %s is reported if a script that must not read it requests it', async (path, expected) => {
  const url = site.origin + path;
  const failed = await missingAfter((tab) => tab.evaluate(`fetch('${url}').catch(() => {})`));
  expect(failed).toEqual([{ url, refused: false, ...expected }]);
});
