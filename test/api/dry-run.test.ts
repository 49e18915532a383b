/** `dry_run` reports what a render would do without a page, a charge or a request. */
import { describe, expect, test } from 'vitest';
import { Client, type DryRunResult, problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { NameServer } from '../support/name-server.ts';
import { startService } from '../support/service.ts';
import { html as page, Site } from '../support/site.ts';

const [names, site] = await Promise.all([
  NameServer.start('').then(closeAfterAll),
  Site.start({ '/': page('x') }).then(closeAfterAll),
]);
const settings = {
  PLATEN_DNS_SERVERS: names.address,
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
  PLATEN_OUTBOUND_DENY: '*.denied.test',
};
const service = await startService(settings).then(closeAfterAll);
const ada = new Client(service.url, service.key);

async function dry(body: object, { by = ada, path = '/v1/pdf' } = {}): Promise<DryRunResult> {
  const reply = await succeeded(by.send('POST', path, { ...body, dry_run: true }));
  return (await reply.json()) as DryRunResult;
}

const renders = () => service.metric('platen_renders_total');
const verdicts = ({ urls }: DryRunResult) => Object.fromEntries(urls.map(({ url, verdict }) => [url, verdict]));

test('renders, charges and stores nothing', async () => {
  const [before, { used }] = [await renders(), (await ada.usage()).documents];
  const report = await dry({ html: '<p>é', store: true });
  expect(report).toEqual({
    dry_run: true,
    would_render: true,
    problems: [],
    hints: [],
    source: 'html',
    html_bytes: 5,
    plan: 'free',
    documents: { limit: null, used, remaining: null },
    charged: true,
    stored: true,
    urls: [],
    urls_complete: true,
  });
  expect(await renders()).toBe(before);
  expect((await ada.usage()).documents.used).toBe(used);
  expect((await ada.json<{ data: unknown[] }>('/v1/documents')).data).toEqual([]);
});

describe('returns the error of a render for an invalid request', () => {
  test.each([
    [{ html: 'x', options: { scale: 9 } }, 400, 'invalid_request'],
    [{ template_id: 'tpl_0123456789ABCDEFGHIJKL' }, 404, 'not_found'],
    [{ html: 'x', conformance_report: true, options: { conformance: 'PDF/A-2b' } }, 400, 'invalid_request'],
  ])('%j', async (body, status, code) => {
    await problem(await ada.pdf({ ...body, dry_run: true }), status, code);
  });

  test('rejects dry runs in a batch and with respond-async', async () => {
    const reply = await ada.pdf({ html: 'x', dry_run: true }, { prefer: 'respond-async' });
    expect((await problem(reply, 400, 'invalid_request')).errors).toMatchObject([{ path: 'dry_run' }]);
    const batch = await ada.send('POST', '/v1/batches', { items: [{ html: 'x', dry_run: true }] });
    expect(((await batch.json()) as { items: object[] }).items).toMatchObject([{ error: { code: 'invalid_request' } }]);
  });
});

test.each(['placeholders', 'liquid'])('reports missing and unused data for a template with %s', async (engine) => {
  const { template_id } = await ada.template('<p>{{customer.name}} {{total}} <img src="https://{{host}}/x">', { engine });
  const data = { customer: { phone: '1' }, total: 1, host: 'a.denied.test', draft: true };
  const report = await dry({ template_id, data });
  expect(report.template).toEqual({ template_id, version: 1, missing: ['customer.name'], unused: ['customer.phone', 'draft'] });
  expect(verdicts(report)).toEqual({ 'https://a.denied.test/x': 'refused' });
});

test('accepts each source, for PDFs and for images', async () => {
  expect(await dry({ markdown: '![x](https://a.denied.test/y)' })).toMatchObject({
    source: 'markdown',
    urls: [{ verdict: 'refused' }],
  });
  const report = await dry({ url: `http://127.0.0.1:${site.port}/` }, { path: '/v1/image' });
  expect(report).toMatchObject({ source: 'url', would_render: true, stored: false });
  expect(report).not.toHaveProperty('html_bytes');
  expect(site.requests).toEqual([]);
  const raw = await ada.send('POST', '/v1/pdf?dry_run=true', '<p>x', { 'content-type': 'text/html' });
  expect(await raw.json()).toMatchObject({ dry_run: true, html_bytes: 4 });
});

test('judges URLs by host and port, and refuses names that do not resolve', async () => {
  const allowed = `http://127.0.0.1:${site.port}/a.png`;
  const refused = [
    'http://127.0.0.1:1/',
    'http://169.254.169.254/x',
    'http://x.private.test/',
    'https://nowhere.nothing.test/',
    'http://198.41.0.4:22/',
  ];
  const report = await dry({ html: [allowed, ...refused].map((src) => `<img src="${src}">`).join('') });
  expect(verdicts(report)).toEqual({ [allowed]: 'allowed', ...Object.fromEntries(refused.map((each) => [each, 'refused'])) });
  expect(report.would_render).toBe(true); // A missing image only causes a warning.
});

test('reports a problem if the document itself is at a blocked URL', async () => {
  expect(await dry({ url: 'http://10.0.0.1/' })).toMatchObject({ would_render: false, problems: [{ code: 'forbidden_url' }] });
});

test('checks a hundred URLs', async () => {
  const html = Array.from({ length: 150 }, (_, n) => `<img src="https://n${n}.denied.test/">`).join('');
  const { urls, urls_complete } = await dry({ html });
  expect([urls.length, urls_complete]).toEqual([100, false]);
  const same = await dry({ html: '<img src="https://n.denied.test/">'.repeat(1_000) });
  expect([same.urls.length, same.urls_complete]).toEqual([1, true]);
});

test('has a hint for a table that may be too long to be printed', async () => {
  const rows = (count: number) => '<tr><td>x<table><tr><td>y</table>'.repeat(count);
  const long = `<table>${rows(5_000)}</table><TABLE><tbody>${rows(8_000)}</table>`;
  const { hints, would_render } = await dry({ html: long, options: { forms: true } });
  expect(hints).toEqual([expect.stringMatching(/^A table has 8000 rows.*form fields.*200 pages.*several tables.*batch/)]);
  expect(await dry({ html: long })).toMatchObject({ hints: [] });
  const counted = await dry({ html: `<style>tr { counter-increment: row }</style>${long}` });
  expect(counted.hints).toEqual([expect.stringMatching(/^A table has 8000 rows.*CSS counters/)]);
  expect(would_render).toBe(true);
  const shorter = `<table>${rows(7_999)}</table><table>${rows(7_999)}</table>`;
  expect(await dry({ html: shorter, options: { forms: true } })).toMatchObject({ hints: [] });
});

test('reports an exhausted allowance and a plan without storage as problems', async () => {
  const spent = new Client(service.url, (await service.createKey('none')).key);
  const report = await dry({ html: 'x' }, { by: spent });
  expect(report).toMatchObject({
    would_render: false,
    problems: [{ code: 'quota_exceeded' }],
    documents: { limit: 0, remaining: 0 },
  });
  const fleeting = new Client(service.url, (await service.createKey('nothing_kept')).key);
  expect(await dry({ html: 'x', store: true }, { by: fleeting })).toMatchObject({ problems: [{ code: 'storage_unavailable' }] });
  const tester = (await (await spent.send('POST', '/v1/keys', { test: true })).json()) as { key: string };
  expect(await dry({ html: 'x' }, { by: new Client(service.url, tester.key) })).toMatchObject({
    would_render: true,
    charged: false,
  });
});

test('resolves only listed names when only listed hosts are allowed', async () => {
  const settings = { PLATEN_DNS_SERVERS: names.address, PLATEN_OUTBOUND: 'listed', PLATEN_OUTBOUND_ALLOW: 'zero.test' };
  await using listed = await startService(settings);
  const html = '<img src="http://secret.of-the-caller.test/"><img src="http://zero.test/">';
  const report = await dry({ html }, { by: new Client(listed.url, listed.key) });
  expect(verdicts(report)['http://secret.of-the-caller.test/']).toBe('refused');
  expect([...names.queriedNames].filter((name) => name.includes('of-the-caller'))).toEqual([]);
  expect([...names.queriedNames]).toContain('zero.test');
});

test('judges a URL that is truncated in the report by its full host', async () => {
  const { urls } = await dry({ html: `<img src="http://${'u'.repeat(3_000)}:p@127.0.0.1:${site.port}/x"><p>x` });
  expect(urls).toEqual([{ url: `http://${'u'.repeat(2_041)}`, verdict: 'allowed' }]);
});

test('limits each account to 300 lookups a minute', async () => {
  const caller = async () => new Client(service.url, (await service.createKey()).key);
  const [busy, other] = [await caller(), await caller()];
  const links = (run: number) => Array.from({ length: 100 }, (_, n) => `<img src="http://n${run}-${n}.denied.test/">`).join('');
  const verdictsFor = async (by: Client, run: number) =>
    new Set(Object.values(verdicts(await dry({ html: links(run) }, { by }))));
  for (const run of [1, 2, 3]) expect(await verdictsFor(busy, run)).toEqual(new Set(['refused']));
  expect(await verdictsFor(busy, 4)).toEqual(new Set(['unchecked']));
  expect(await verdictsFor(other, 4)).toEqual(new Set(['refused']));
});

test('reports an unknown certificate as a problem', async () => {
  const options = { signature: { certificate: 'crt_0123456789ABCDEFGHIJKL' } };
  expect(await dry({ html: 'x', options })).toMatchObject({ would_render: false, problems: [{ code: 'not_found' }] });
});
