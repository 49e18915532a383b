/** Names that no rule can allow are not resolved, because the lookup itself would leak data. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { NameServer } from '../support/name-server.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { image, Site } from '../support/site.ts';

let names: NameServer;
beforeEach(async () => {
  names = await NameServer.start('');
});
afterEach(() => names.close());

describe('the policy', () => {
  const policy = (settings: Record<string, string>) =>
    new OutboundPolicy(loadConfig({ PLATEN_DNS_SERVERS: names.address, ...settings }).engine.outbound);

  /** Returns the reason for a refusal, or undefined if the host is allowed. */
  async function refusal(by: OutboundPolicy, host: string, port = 80): Promise<string | undefined> {
    return by.admit(host, port).then(
      () => undefined,
      (error: Error) => error.message,
    );
  }

  test.each<[string, Record<string, string>, string]>([
    [
      'is not listed',
      { PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: 'y.private.test' },
      'PLATEN_OUTBOUND_ALLOW does not include it',
    ],
    [
      'is listed on another port',
      { PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: 'x.private.test:81' },
      'PLATEN_OUTBOUND_ALLOW does not include it',
    ],
    [
      'is above a listed one',
      { PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: '*.x.private.test' },
      'PLATEN_OUTBOUND_ALLOW does not include it',
    ],
    [
      'may lead to a listed address',
      { PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: '0.0.0.0/0, ::/0' },
      'PLATEN_OUTBOUND_ALLOW does not include it',
    ],
    ['is denied', { PLATEN_OUTBOUND_DENY: '*.private.test' }, 'PLATEN_OUTBOUND_DENY names it'],
    [
      'is denied and allowed',
      { PLATEN_OUTBOUND_DENY: 'x.private.test', PLATEN_OUTBOUND_ALLOW: 'x.private.test' },
      'PLATEN_OUTBOUND_DENY names it',
    ],
    [
      'is on a closed port',
      { PLATEN_OUTBOUND_PORTS: '443', PLATEN_OUTBOUND_ALLOW: '10.0.0.0/8:81' },
      'the port is not in PLATEN_OUTBOUND_PORTS',
    ],
    ['is anything, with `none`', { PLATEN_OUTBOUND: 'none', PLATEN_OUTBOUND_ALLOW: 'x.private.test' }, 'PLATEN_OUTBOUND is none'],
  ])('does not look up a name that %s', async (_name, settings, reason) => {
    expect(await refusal(policy(settings), 'X.private.test.')).toBe(reason);
    expect([...names.queriedNames]).toEqual([]);
  });

  test.each<[string, Record<string, string>, string | undefined]>([
    ['is listed', { PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: 'x.private.test:80' }, undefined],
    ['is below a listed one', { PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: '*.private.test' }, undefined],
    [
      'is listed and leads to a denied address',
      { PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: '*.private.test', PLATEN_OUTBOUND_DENY: '127.0.0.0/8' },
      'PLATEN_OUTBOUND_DENY names it',
    ],
    ['may lead to an allowed address', { PLATEN_OUTBOUND_PORTS: '443', PLATEN_OUTBOUND_ALLOW: '127.0.0.1' }, undefined],
    ['may be public', {}, 'not in the public internet'],
  ])('looks up a name that %s', async (_name, settings, reason) => {
    expect(await refusal(policy(settings), 'x.private.test')).toBe(reason);
    expect([...names.queriedNames]).toEqual(['x.private.test']);
  });

  test('decides addresses and `localhost` without a lookup', async () => {
    const listed = policy({ PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: '127.0.0.0/8, [::1]' });
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'x.localhost', '127.9.9.9.'])
      expect(await refusal(listed, host), host).toBeUndefined();
    expect(await refusal(listed, '10.0.0.1')).toBe('PLATEN_OUTBOUND_ALLOW does not include it');
    expect([...names.queriedNames]).toEqual([]);
  });

  test('looks up only the names in the rules for less trusted callers', async () => {
    const visitors = policy({ PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: 'x.private.test' }).allowing('y.private.test');
    expect(await refusal(visitors, 'x.private.test')).toBe('PLATEN_OUTBOUND_ALLOW does not include it');
    expect(await refusal(visitors, 'y.private.test')).toBeUndefined();
    expect([...names.queriedNames]).toEqual(['y.private.test']);
  });
});

const zone = await NameServer.start('').then(closeAfterAll);
const site = await Site.start({ '/image.png': image }).then(closeAfterAll);
const service = await startService({
  PLATEN_DNS_SERVERS: zone.address,
  PLATEN_OUTBOUND: 'listed',
  PLATEN_OUTBOUND_ALLOW: `assets.private.test:${site.port}, 127.0.0.1:${site.port}`,
}).then(closeAfterAll);
const ada = new Client(service.url, service.key);

describe('a service with `listed`', () => {
  /** Uses every way in which a document can cause a name to be looked up. */
  const TELLTALE = (
    port: number,
  ) => `<link rel="dns-prefetch" href="//prefetch.private.test"><link rel="preconnect" href="https://preconnect.private.test">
    <img src="http://image.private.test:${port}/image.png"><img src="https://secure.private.test/"><img src="http://single-label/">
    <iframe src="http://frame.private.test:${port}/"></iframe>
    <script>
      fetch("http://fetch.private.test:${port}/", { mode: "no-cors" }).catch(() => {});
      new WebSocket("ws://socket.private.test:${port}/");
      new RTCPeerConnection({ iceServers: [{ urls: "stun:stun.private.test:${port}" }] }).createDataChannel("x");
    </script>`;

  test('looks up only listed names for a document', async () => {
    const allowed = `<img src="http://assets.private.test:${site.port}/image.png"><img src="${site.origin}/image.png">`;
    await readPdfReply(await ada.pdf({ html: TELLTALE(site.port) + allowed }));
    expect(site.requestsFor('/image.png').map(({ headers }) => headers.host)).toEqual(
      expect.arrayContaining([`assets.private.test:${site.port}`, `127.0.0.1:${site.port}`]),
    );
    expect([...zone.queriedNames]).toEqual(['assets.private.test']);
  });

  test('looks up no `url` that is not listed, also after a redirect', async () => {
    site.serve({
      '/away': (_request, response) => response.writeHead(302, { location: site.as('away.private.test') }).end(),
    });
    for (const url of [site.as('url.private.test'), 'https://url.private.test/', `${site.origin}/away`])
      await problem(await ada.pdf({ url }), 403, 'forbidden_url');
    expect([...zone.queriedNames].filter((name) => name !== 'assets.private.test')).toEqual([]);
  });
});
