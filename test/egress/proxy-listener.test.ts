/** The proxy of one page: reused connections, and the log of refusals. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { type EgressProxy, type ProxyListener, startEgressProxy } from '../../src/egress/egress-proxy.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import type { RefusalLine } from '../../src/egress/refusal-log.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { image, Site } from '../support/site.ts';

let reached: PromiseWithResolvers<IncomingMessage>;

const site = await Site.start({ '/image.png': image, '/never': (request) => reached.resolve(request) }).then(closeAfterAll);
const proxy = await startEgressProxy(
  new OutboundPolicy(loadConfig({ PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` }).engine.outbound),
).then(closeAfterAll);
const listener = await proxy.openListener();
/** Before each test, the proxy has an idle connection to the site. */
beforeEach(async () => {
  reached = Promise.withResolvers();
  listener.endRender();
  listener.startRender({ requests: 10, bytes: 1_000_000, connections: 10, silenceMs: 500 });
  const [answer] = (await once(get('/image.png'), 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
  site.forget();
});

function get(path: string): ClientRequest {
  return request({ host: '127.0.0.1', port: new URL(listener.proxyUrl).port, path: site.origin + path }).end();
}

describe('the log of refusals', () => {
  const lines: RefusalLine[] = [];
  /** The pauses between lines, which the test ends. */
  const pauses: Array<PromiseWithResolvers<void>> = [];
  let watched: EgressProxy;
  let page: ProxyListener;
  beforeEach(async () => {
    for (const list of [lines, pauses]) list.length = 0;
    const wait = () => {
      const pause = Promise.withResolvers<void>();
      pauses.push(pause);
      return pause.promise;
    };
    const policy = new OutboundPolicy(loadConfig({ PLATEN_OUTBOUND: 'listed' }).engine.outbound);
    watched = await startEgressProxy(policy, (line) => lines.push(line), wait);
    page = await watched.openListener();
  });
  afterEach(() => watched.close());

  const open = () => page.startRender({ requests: 10_000, bytes: 1_000_000, connections: 10, silenceMs: 500 });
  const reason = 'PLATEN_OUTBOUND_ALLOW does not include it';
  /** Resolves when a request to this host has been refused. */
  async function refused(host: string): Promise<void> {
    const pending = request({
      host: '127.0.0.1',
      port: new URL(page.proxyUrl).port,
      path: `http://${host}/`,
      agent: false,
    }).end();
    const [answer] = (await once(pending, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(403);
    answer.resume();
  }
  async function nextSecond(): Promise<void> {
    pauses.shift()?.resolve();
    await setImmediate();
  }

  test('has one line a second for a render, with the number of omitted ones', async () => {
    open();
    for (let n = 0; n < 500; n++) await refused(`a${n}.test`);
    expect(lines).toEqual([{ host: 'a0.test:80', reason }]);
    await nextSecond();
    expect(lines.slice(1)).toEqual([{ host: 'a499.test:80', reason, left_out: 498 }]);
    await refused('b0.test');
    await nextSecond();
    expect(lines.slice(2)).toEqual([{ host: 'b0.test:80', reason }]);
    await nextSecond();
    expect(pauses).toEqual([]); // No pause is left.
    await refused('c0.test');
    expect(lines.slice(3)).toEqual([{ host: 'c0.test:80', reason }]);
    expect(watched.refused).toBe(502);
  });

  test('has a line immediately for the next render, then one a second', async () => {
    open();
    await refused('a0.test');
    open();
    await refused('b0.test');
    expect(lines.map(({ host }) => host)).toEqual(['a0.test:80', 'b0.test:80']);
    page.endRender();
    await refused('c0.test');
    await refused('c1.test');
    await page.close();
    pauses.shift(); // This is the pause of the first render.
    expect(lines).toHaveLength(2);
    await nextSecond();
    expect(lines.slice(2)).toEqual([{ host: 'c1.test:80', reason: 'no render is under way', left_out: 1 }]);
  });
});

test('ends an exchange with a silent server', async () => {
  const [answer] = (await once(get('/never'), 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(504);
  expect(listener.findFailure(new URL(`${site.origin}/never`))).toEqual({ refusedBy: undefined, netError: 'ERR_TIMED_OUT' });
});

test('does not request again what the page has aborted', async () => {
  listener.limitSilence(60_000);
  const pending = get('/never').on('error', () => {});
  const { socket } = await reached.promise;
  const closed = once(socket, 'close');
  pending.destroy();
  await closed;
  await once(get('/image.png'), 'response'); // This request takes the same route later, so the site has received all earlier ones.
  await site.allRecorded();
  expect(site.requestsFor('/never')).toHaveLength(1);
  expect(listener.endRender().requests).toBe(3);
});
