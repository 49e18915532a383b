/** The proxy of one page, asked as a page asks it: what happens on a connection that is used once more. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { type EgressProxy, type Gate, startEgressProxy } from '../../src/outbound/egress-proxy.ts';
import { OutboundPolicy } from '../../src/outbound/policy.ts';
import { image, Site } from '../support/site.ts';

let site: Site;
let proxy: EgressProxy;
let gate: Gate;
let reached: PromiseWithResolvers<IncomingMessage>;

beforeAll(async () => {
  site = await Site.start({ '/image.png': image, '/never': (asked) => reached.resolve(asked) });
  proxy = await startEgressProxy(new OutboundPolicy(loadConfig({ PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` })));
  gate = await proxy.openGate();
});
afterAll(async () => {
  await proxy.close();
  site.close();
});
/** There is a connection to the site that waits for the next request. */
beforeEach(async () => {
  reached = Promise.withResolvers();
  gate.shut();
  gate.open({ requests: 10, bytes: 1_000_000, connections: 10, silenceMs: 500 });
  const [answer] = (await once(ask('/image.png'), 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
  site.forget();
});

function ask(path: string): ClientRequest {
  return request({ host: '127.0.0.1', port: new URL(gate.proxyUrl).port, path: site.origin + path }).end();
}

test('a server that is silent there is given up as well', async () => {
  const [answer] = (await once(ask('/never'), 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(504);
  expect(gate.failureOf(new URL(`${site.origin}/never`))).toEqual({ refusedBy: undefined, netError: 'ERR_TIMED_OUT' });
});

test('what the page has given up is not asked for again', async () => {
  gate.limitSilence(60_000);
  const asked = ask('/never').on('error', () => {});
  const { socket } = await reached.promise;
  const gone = once(socket, 'close');
  asked.destroy();
  await gone;
  await once(ask('/image.png'), 'response'); // goes the same way, and after it
  await site.caughtUp();
  expect(site.askedFor('/never')).toHaveLength(1);
  expect(gate.shut().requests).toBe(3);
});
