/** What the operator's own key, the one that the first start prints, learns about refused addresses, and others do not. */
import { expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { html, image, Site } from '../support/site.ts';

const GENERAL = 'the network policy of this service does not allow url, or a URL that it leads to';

const site = await Site.start({ '/': html('<p>inside'), '/a.png': image, '/a.js': html('') }).then(closeAfterAll);
const service = await startService({ PLATEN_OUTBOUND_DENY: 'denied.example' }).then(closeAfterAll);
const operator = new Client(service.url, service.key);
const { key: descendant } = (await (await operator.send('POST', '/v1/keys', {})).json()) as { key: string };
const others = [(await service.createKey()).key, descendant].map((key) => new Client(service.url, key));

test.each([
  ['an address of this machine', () => site.origin, () => `PLATEN_OUTBOUND_ALLOW=127.0.0.1:${site.port} allows it`],
  ['a name of this machine', () => site.as('localhost'), () => `PLATEN_OUTBOUND_ALLOW=localhost:${site.port} allows it`],
  ['a number', () => site.as('2130706433'), () => `PLATEN_OUTBOUND_ALLOW=127.0.0.1:${site.port} allows it`],
  ['IPv6', () => 'http://[fd00::7]/', () => 'PLATEN_OUTBOUND_ALLOW=[fd00::7]:80 allows it'],
  ['a private network, by TLS', () => 'https://10.0.0.1/', () => 'PLATEN_OUTBOUND_ALLOW=10.0.0.1:443 allows it'],
  ['a port', () => 'http://198.41.0.4:8080/', () => 'PLATEN_OUTBOUND_ALLOW=198.41.0.4:8080 allows it'],
  ['a denied name', () => 'http://denied.example/', () => 'PLATEN_OUTBOUND_DENY forbids it'],
])('names the setting for %s to the operator alone', async (_name, url, setting) => {
  for (const path of ['/v1/pdf', '/v1/image']) {
    const refused = await problem(await operator.send('POST', path, { url: url() }), 403, 'forbidden_url');
    expect(refused.detail).toBe(`${GENERAL}; ${setting()}`);
    for (const other of others)
      expect((await problem(await other.send('POST', path, { url: url() }), 403, 'forbidden_url')).detail).toBe(GENERAL);
  }
});

test('names it for webhooks', async () => {
  const webhook_url = `${site.origin}/hook`;
  const body = { items: [{ html: '<p>x' }], webhook_url };
  const detail = 'webhook_url: the network policy of this service does not allow this URL';
  const setting = `PLATEN_OUTBOUND_ALLOW=127.0.0.1:${site.port} allows it`;
  for (const [client, expected] of [
    [operator, `${detail}; ${setting}`],
    ...others.map((each) => [each, detail] as const),
  ] as const) {
    const refused = [
      await client.send('POST', '/v1/batches', body),
      await client.pdf({ html: '<p>x', webhook_url }, { prefer: 'respond-async' }),
    ];
    for (const reply of refused) expect((await problem(reply, 403, 'forbidden_url')).detail).toBe(expected);
    const account = await client.send('PATCH', '/v1/account', { document_expired_webhook_url: webhook_url });
    expect((await problem(account, 403, 'forbidden_url')).detail).toBe(`document_expired_${expected}`);
  }
});

test('names it for resources, in warnings and in errors', async () => {
  const setting = `PLATEN_OUTBOUND_ALLOW=127.0.0.1:${site.port} allows it`;
  const body = { html: `<p>x<img src="${site.origin}/a.png">`, store: true };
  const { report } = await operator.store(body);
  expect(report?.warnings.find(({ kind }) => kind === 'resource_refused')?.message).toContain(setting);
  for (const options of [{ failOnResourceError: true }, { failOnWarning: ['resource_refused'] }])
    expect((await problem(await operator.pdf({ ...body, options }), 422, 'render_gate_failed')).detail).toContain(setting);
  const script = { html: '<p>x', options: { addScriptTag: [{ url: `${site.origin}/a.js` }] } };
  expect((await problem(await operator.pdf(script), 403, 'forbidden_url')).detail).toContain(setting);
  for (const other of others) {
    const record = await other.store(body);
    const whole = await (await other.get(`/v1/documents/${record.document_id}`, { accept: 'application/json' })).json();
    const refused = await problem(
      await other.pdf({ ...body, options: { failOnResourceError: true } }),
      422,
      'render_gate_failed',
    );
    expect(JSON.stringify([record, whole, refused, await (await other.pdf(script)).json()])).not.toContain('PLATEN_');
  }
});

test('names it in a dry run', async () => {
  const problemsOf = async (client: Client, url: string) => {
    const reply = await client.pdf({ url, dry_run: true });
    return ((await reply.json()) as { problems: Array<{ code: string; detail: string }> }).problems;
  };
  const detail = 'url: the network policy of this service does not allow this URL';
  for (const [url, setting] of [
    [site.origin, `PLATEN_OUTBOUND_ALLOW=127.0.0.1:${site.port} allows it`],
    ['https://denied.example/', 'PLATEN_OUTBOUND_DENY forbids it'],
  ] as const) {
    expect(await problemsOf(operator, url)).toEqual([{ code: 'forbidden_url', detail: `${detail}; ${setting}` }]);
    for (const other of others) expect(await problemsOf(other, url)).toEqual([{ code: 'forbidden_url', detail }]);
  }
});

test('names a setting that works', async () => {
  const { detail } = await problem(await operator.pdf({ url: site.origin }), 403, 'forbidden_url');
  const [, allowed = ''] = /PLATEN_OUTBOUND_ALLOW=(\S+)/.exec(detail) ?? [];
  await using open = await startService({ PLATEN_OUTBOUND_ALLOW: allowed });
  expect((await readPdfReply(await open.pdf({ url: site.origin }))).pages).toEqual(['inside']);
});
