/** The TypeScript client against a running service: every method, and its errors. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  Platen,
  PlatenConnectionError,
  PlatenError,
  type PlatenOptions,
  verifyWebhook,
  WebhookVerificationError,
} from '../../clients/typescript/src/index.ts';
import { publishedOpenApi } from '../../tools/docs/openapi.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { readPdf } from '../support/read-pdf.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually, startService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { image, Site } from '../support/site.ts';

/** The successful requests, such as `GET /v1/usage`. */
const answered = new Set<string>();
/** The names of methods, such as `templates.putAsset`. */
const methods = { all: new Set<string>(), called: new Set<string>() };

const noting: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const response = await fetch(request);
  if (response.ok) answered.add(`${request.method} ${new URL(request.url).pathname}`);
  return response;
};

/** Records the names of all methods, and which of them are called. */
function noteMethods(owner: object, prefix = ''): void {
  const prototype = Object.getPrototypeOf(owner) as Record<string, (...given: unknown[]) => unknown>;
  for (const name of Object.getOwnPropertyNames(prototype).filter((each) => each !== 'constructor')) {
    const method = prototype[name] as (...given: unknown[]) => unknown;
    methods.all.add(prefix + name);
    const noted = (...given: unknown[]) => {
      methods.called.add(prefix + name);
      return method.apply(owner, given);
    };
    Object.assign(owner, { [name]: noted });
  }
}

const folder = await makeFolder('client');
const service = await sharedService();
const platen = new Platen({ key: service.key, baseUrl: `${service.url}/`, fetch: noting });
for (const [name, resource] of Object.entries(platen)) noteMethods(resource as object, `${name}.`);
noteMethods(platen);

const textOf = async (pdf: Uint8Array) => (await readPdf(pdf)).pages.join(' ');

test('renders a document, with its properties', async () => {
  const pdf = await platen.pdf({ html: '<title>t</title><h1>From a client</h1>', options: { format: 'A5' } });
  expect(pdf).toMatchObject({ pages: 1, warnings: 0, contentType: 'application/pdf' });
  expect(pdf.requestId).toMatch(/^req_/);
  expect(await textOf(await pdf.bytes())).toContain('From a client');
});

test('writes a PDF to a file as it arrives', async () => {
  const path = join(folder, 'out.pdf');
  await (await platen.pdf({ markdown: '# To a file' })).toFile(path);
  expect(await textOf(await readFile(path))).toContain('To a file');
});

test('renders an image', async () => {
  const whole = await platen.assemble({
    parts: [{ html: '<p>one' }, { html: '<p>two' }],
    steps: [{ select: { pages: 'last' } }],
  });
  expect((await readPdf(await whole.bytes())).pages).toEqual(['two']);
  const image = await platen.image({ html: '<h1>i</h1>', options: { type: 'jpeg' } });
  expect(image.contentType).toBe('image/jpeg');
  expect((await image.bytes()).subarray(0, 2)).toEqual(Uint8Array.of(0xff, 0xd8));
  const stored = await platen.storeImage({ html: '<h1>i</h1>', options: { type: 'webp' } });
  expect(stored).toMatchObject({ type: 'image/webp', width: 800 });
  const content = await platen.documents.content(stored.document_id);
  expect(content.contentType).toBe('image/webp');
});

test('stores, lists, replaces, renders and deletes templates', async () => {
  const { template_id } = await platen.templates.create({ name: 'greeting', html: '<p>Hello {{name}}</p>' });
  expect(await platen.templates.get(template_id)).toMatchObject({
    name: 'greeting',
    placeholders: ['name'],
    html: '<p>Hello {{name}}</p>',
  });
  const draft = await platen.templates.preview({ template_id, html: '<p>Hi {{name}}</p>', data: { name: 'Ada' } });
  expect(await textOf(await draft.bytes())).toBe('Hi Ada');
  expect(await platen.templates.replace(template_id, { html: '<p>Good day {{name}}</p>' })).toMatchObject({ version: 2 });
  expect((await platen.templates.versions(template_id).page()).data.map(({ version }) => version)).toEqual([2, 1]);
  expect(await platen.templates.update(template_id, { name: 'salutation' })).toMatchObject({ version: 3, name: 'salutation' });
  expect(await platen.templates.version(template_id, 1)).toMatchObject({ html: '<p>Hello {{name}}</p>' });
  const pdf = await platen.pdf({ template_id, data: { name: 'Ada' } });
  expect(await textOf(await pdf.bytes())).toContain('Good day Ada');
  await platen.templates.delete(template_id);
  await expect(platen.templates.get(template_id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
});

test('adds, lists, reads and removes files of a template', async () => {
  const { template_id } = await platen.templates.create({
    name: 'with a logo',
    html: '<link rel="stylesheet" href="css/a b.css">',
  });
  const css = new TextEncoder().encode('p { color: red }');
  expect(await platen.templates.putAsset(template_id, 'css/a b.css', css, { type: 'text/css' })).toMatchObject({ version: 2 });
  expect(await platen.templates.assets(template_id)).toMatchObject([{ path: 'css/a b.css', type: 'text/css; charset=utf-8' }]);
  expect(await (await platen.templates.asset(template_id, 'css/a b.css')).bytes()).toEqual(css);
  expect(await platen.templates.deleteAsset(template_id, 'css/a b.css')).toMatchObject({ version: 3 });
  expect(await platen.templates.assets(template_id)).toEqual([]);
});

test('reads the request log, and runs failed items again', async () => {
  const { requestId } = await platen.pdf({ html: '<p>logged' });
  await eventually('it is logged', async () => (await platen.requests.get(requestId).catch(() => undefined)) !== undefined);
  expect(await platen.requests.get(requestId)).toMatchObject({ status: 'succeeded', endpoint: '/v1/pdf', pages: 1 });
  await platen.updateAccount({ failure_pictures: true });
  const refused = await platen.pdf({ html: '<p>x', options: { waitForFunction: 'missing()' } }).catch((error: unknown) => error);
  const picture = await platen.requests.picture((refused as PlatenError).requestId);
  expect([picture.contentType, (await picture.bytes())[0]]).toEqual(['image/jpeg', 0xff]);
  const items = [{ html: '<p>x', options: { pageRanges: '9' } }];
  const { batch_id } = await platen.batches.create({ items }, { wait: 60 });
  expect(await platen.batches.retry(batch_id, { wait: 60 })).toMatchObject({ total: 1, failed: 1 });
});

test('manages accounts as an administrator', async () => {
  const issued = JSON.parse(await service.cli('keys', 'create', '--administrator', '--json')) as { key: string };
  const { admin } = new Platen({ key: issued.key, baseUrl: service.url, fetch: noting });
  noteMethods(admin, 'admin.');
  expect((await admin.plans()).length).toBeGreaterThan(1);
  const { account_id } = await admin.createAccount({ name: 'Client Ltd' });
  expect((await admin.accounts({ name: 'client' }).page()).data).toMatchObject([{ account_id }]);
  expect(await admin.updateAccount(account_id, { name: 'Client plc' })).toMatchObject({ name: 'Client plc' });
  expect(await admin.account(account_id)).toMatchObject({ name: 'Client plc', state: 'active' });
  const { key_id, key = '' } = await admin.createKey(account_id, { scopes: ['render', 'webhooks'] });
  const customer = new Platen({ key, baseUrl: service.url });
  await expect(customer.pdf({ template_id: 'tpl_none' })).rejects.toMatchObject({ code: 'not_found' });
  expect((await admin.errors({ account_id }).page()).data).toMatchObject([{ key_id, code: 'not_found' }]);
  using receiver = await Receiver.start((response) => response.writeHead(410).end());
  const { delivery_id } = await customer.webhooks.test(receiver.url);
  await eventually('it is given up', async () => (await admin.webhooks({ account_id }).page()).data.length === 1);
  await admin.retryWebhook(delivery_id);
  expect((await admin.keys(account_id).page()).data).toMatchObject([{ key_id }]);
  expect(await admin.usage(account_id, { month: '2020-02' })).toMatchObject({ documents: { used: 0 } });
  expect((await admin.state()).capacity).toBeGreaterThan(0);
  await admin.revokeKey(key_id);
  await admin.deleteAccount(account_id);
  expect((await admin.audit({ account_id, action: 'account.deleted' }).page()).data).toHaveLength(1);
});

test('creates, lists, rotates and revokes keys', async () => {
  const { key_id, key = '' } = await platen.keys.create({ name: 'website', scopes: ['render'] });
  const website = new Platen({ key, baseUrl: `${service.url}/v1/` });
  expect((await website.pdf({ html: '<p>x' })).pages).toBe(1);
  expect(await platen.keys.get(key_id)).toMatchObject({ name: 'website', scopes: ['render'] });
  expect((await platen.keys.list().page()).data.map((each) => each.key_id)).toContain(key_id);
  expect((await platen.keys.rotate(key_id)).key).not.toBe(key);
  await platen.keys.revoke(key_id);
  await expect(website.pdf({ html: '<p>x' })).rejects.toMatchObject({ status: 401 });
});

test('stores, lists, reads and deletes certificates', async () => {
  const issued = await issue('Ada');
  const { certificate_id } = await platen.certificates.create({
    name: 'ada',
    pkcs12: pkcs12Of(issued, [], 'pw'),
    password: 'pw',
  });
  expect((await platen.certificates.list().page()).data.map((each) => each.certificate_id)).toEqual([certificate_id]);
  expect(await platen.certificates.get(certificate_id)).toMatchObject({ name: 'ada' });
  await platen.certificates.delete(certificate_id);
  await expect(platen.certificates.get(certificate_id)).rejects.toMatchObject({ status: 404 });
});

test('validates a PDF', async () => {
  const pdf = await (await platen.pdf({ html: '<p>x', options: { tagged: false } })).bytes();
  expect(await platen.validate(pdf, { profile: 'PDF/UA-1' })).toMatchObject({ valid: false, profiles: ['PDF/UA-1'] });
});

test('compares two PDFs', async () => {
  const [before, after] = [await platen.pdf({ html: '<p>x' }), await platen.pdf({ html: '<p>y' })];
  const found = await platen.compare(await before.bytes(), await after.bytes(), { tolerance: 1, pictures: 1 });
  expect(found).toMatchObject({ equal: false, changed: 1, pages: [{ text: { removed: ['x'], added: ['y'] } }] });
  expect(found.pages[0]?.pictures?.after).toMatch(/^iVBOR/);
});

test('iterates over all pages of a list', async () => {
  const names = ['one', 'two', 'three'];
  for (const name of names) await platen.templates.create({ name, html: '<p></p>' });
  const listed: string[] = [];
  for await (const { name } of platen.templates.list({ limit: 1 })) listed.push(name);
  expect(listed.filter((name) => names.includes(name))).toEqual(names.toReversed());
});

test('stores, reads, links to and deletes documents', async () => {
  const { document_id } = await platen.store({ html: '<h1>Kept</h1>', filename: 'kept.pdf', metadata: { order: '7' } });
  expect(await platen.documents.get(document_id)).toMatchObject({ filename: 'kept.pdf', pages: 1 });
  expect((await platen.documents.list({ q: 'kept' }).page()).data).toMatchObject([{ document_id }]);
  expect((await platen.documents.list({ metadata: { order: '7' } }).page()).data).toMatchObject([{ document_id }]);
  expect((await platen.documents.list({ metadata: { order: '8' } }).page()).data).toEqual([]);
  expect(await textOf(await (await platen.documents.content(document_id)).bytes())).toContain('Kept');
  const { url } = await platen.documents.link(document_id, { expires_in: 60 });
  expect((await fetch(url)).status).toBe(200);
  const page = await platen.documents.page(document_id, 1, { width: 100 });
  expect([page.contentType, (await page.bytes()).subarray(1, 4)]).toEqual(['image/png', new TextEncoder().encode('PNG')]);
  await platen.documents.delete(document_id);
  await expect(platen.documents.content(document_id)).rejects.toMatchObject({ status: 410, code: 'document_deleted' });
});

test('follows a batch to its end, and verifies its webhook', async () => {
  using receiver = await Receiver.start();
  const items = [{ html: '<h1>One</h1>', reference: 'a' }, {}, { markdown: '# Two', reference: 'b' }];
  const { batch_id } = await platen.batches.create({ items, webhook_url: receiver.url });
  const events: unknown[] = [];
  for await (const event of platen.batches.events(batch_id)) events.push(event);
  expect(events).toHaveLength(4);
  expect(events.at(-1)).toMatchObject({ event: 'batch', data: { status: 'completed', succeeded: 2, failed: 1 } });
  expect(await platen.batches.finished(batch_id)).toMatchObject({ total: 3 });
  expect((await platen.batches.list().page()).data[0]).toMatchObject({ batch_id });
  expect((await platen.requests.list({ batch_id, status: 'succeeded' }).page()).data).toHaveLength(2);
  expect((await (await platen.batches.zip(batch_id)).bytes()).subarray(0, 2)).toEqual(Uint8Array.of(0x50, 0x4b));
  expect(await platen.batches.pdf(batch_id)).toMatchObject({ contentType: 'application/pdf' });
  expect(await platen.batches.cancel(batch_id)).toMatchObject({ status: 'completed' });
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
  const { secret } = await platen.webhooks.secret();
  expect(await verifyWebhook(secret, headers, body)).toMatchObject({ type: 'batch.completed' });
  expect(await verifyWebhook(secret, new Headers(headers), Buffer.from(body))).toMatchObject({ data: { total: 3 } });
  await expect(verifyWebhook(secret, headers, `${body} `)).rejects.toBeInstanceOf(WebhookVerificationError);
  await expect(verifyWebhook(secret, { ...headers, 'webhook-timestamp': '1' }, body)).rejects.toThrow('5 minutes');
  await expect(verifyWebhook('whsec_AAAA', headers, body)).rejects.toThrow('not signed');
  expect((await platen.webhooks.deliveries().page()).data).toMatchObject([{ type: 'batch.completed' }]);
  receiver.answer = (response) => response.writeHead(410).end();
  const { delivery_id } = await platen.webhooks.test(receiver.url);
  const isGivenUp = async () => (await platen.webhooks.deliveries().page()).data[0]?.status === 'failed';
  await eventually('it is given up', isGivenUp);
  expect(await platen.webhooks.delivery(delivery_id)).toMatchObject({ payload: { type: 'webhook.test' }, history: [{}] });
  expect(await platen.webhooks.retry(delivery_id)).toMatchObject({ status: 'pending', type: 'webhook.test' });
  const rotated = await platen.webhooks.rotateSecret();
  expect(rotated.previous).toMatchObject([{ secret }]);
});

test('starts an asynchronous render, and reads it when it has ended', async () => {
  const { render_id } = await platen.renders.start({ html: '<h1>Later</h1>' });
  const { status, document_id } = await platen.renders.finished(render_id);
  expect(status).toBe('succeeded');
  expect(await textOf(await (await platen.documents.content(document_id ?? '')).bytes())).toContain('Later');
});

test('starts an asynchronous image', async () => {
  const { render_id } = await platen.renders.startImage({ html: '<h1>Later</h1>' });
  const { document_id } = await platen.renders.finished(render_id);
  expect(await platen.documents.get(document_id ?? '')).toMatchObject({ type: 'image/png', pages: 1 });
});

test('reads usage and changes the account', async () => {
  expect((await platen.usage()).documents.used).toBeGreaterThan(0);
  expect((await platen.usage({ month: '2001-01' })).documents.used).toBe(0);
  expect(await platen.updateAccount({ auto_store: true })).toMatchObject({ auto_store: true });
  expect(await platen.account()).toMatchObject({ auto_store: true });
  expect((await platen.pdf({ html: '<p>stored</p>' })).documentId).toMatch(/^doc_/);
  await platen.updateAccount({ auto_store: false });
});

test('throws errors with the code and the field', async () => {
  const error = await platen.pdf({ html: '<p></p>', options: { scale: 9 } }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(PlatenError);
  expect(error).toMatchObject({ status: 400, code: 'invalid_request', problem: { errors: [{ path: 'options.scale' }] } });
  expect(String(error)).toMatch(/^PlatenError: options\.scale: (?!.*options\.scale)/);
  const two = await platen.pdf({ html: '<p></p>', options: { scale: 9, timeout: -1 } }).catch((error: unknown) => error);
  expect(String(two)).toMatch(/^PlatenError: options\.scale: (?!.*options\.scale).*; options\.timeout: (?!.*options\.timeout)/);
});

test('returns the same document for the same idempotency key', async () => {
  const options = { idempotencyKey: 'order-7' };
  const first = await platen.store({ html: '<h1>7</h1>' }, options);
  expect(await platen.store({ html: '<h1>7</h1>' }, options)).toMatchObject({ document_id: first.document_id });
});

/** Starts a server that sends these responses in order. Returns a client for it, and the idempotency keys that the server receives. */
async function scripted(
  answers: Array<{ status: number; headers?: Record<string, string>; body?: string } | 'hang up'>,
  options: Partial<PlatenOptions> = {},
) {
  const received: string[] = [];
  const site = await Site.start();
  site.serveOthers((request, response) => {
    received.push(String(request.headers['idempotency-key']));
    const answer = answers.shift() ?? { status: 500 };
    if (answer === 'hang up') return void request.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const client = new Platen({ key: 'plt_x', baseUrl: site.origin, ...options });
  return { client, received, [Symbol.dispose]: () => site.close() };
}

test('retries with one idempotency key after a lost connection, a full queue and a proxy error', async () => {
  const full = JSON.stringify({ type: 'http://p/errors/queue_full', code: 'queue_full', status: 429, detail: 'full' });
  using service = await scripted([
    'hang up',
    { status: 429, headers: { 'retry-after': '0' }, body: full },
    { status: 502, body: '<h1>Bad gateway</h1>' },
    { status: 200, body: 'a PDF' },
  ]);
  const pdf = await service.client.pdf({ html: '<p></p>' });
  expect(Buffer.from(await pdf.bytes()).toString()).toBe('a PDF');
  expect(service.received).toHaveLength(4);
  expect(new Set(service.received).size).toBe(1);
});

test('does not retry an error that would recur, or one whose retry is too far off', async () => {
  const quota = JSON.stringify({
    type: 'http://p/errors/quota_exceeded',
    code: 'quota_exceeded',
    status: 402,
    detail: 'no more',
  });
  const busy = JSON.stringify({ type: 'http://p/errors/rate_limited', code: 'rate_limited', status: 429, detail: 'slow down' });
  using service = await scripted([
    { status: 402, body: quota },
    { status: 429, headers: { 'retry-after': '3600' }, body: busy },
  ]);
  await expect(service.client.pdf({ html: '<p></p>' })).rejects.toMatchObject({ code: 'quota_exceeded', message: 'no more' });
  await expect(service.client.pdf({ html: '<p></p>' })).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 3600 });
  expect(service.received).toHaveLength(2);
});

const RUNNING = {
  status: 409,
  headers: { 'retry-after': '0' },
  body: JSON.stringify({ type: 'http://p/errors/idempotency_running', code: 'idempotency_running', status: 409, detail: 'wait' }),
};

test('does not count waiting for an earlier request as a retry', async () => {
  const lost = ['hang up' as const, { status: 503 }, { status: 502 }];
  using service = await scripted([...lost, ...Array.from({ length: 12 }, () => RUNNING), { status: 200, body: 'a PDF' }]);
  const pdf = await service.client.pdf({ html: '<p></p>' });
  expect(Buffer.from(await pdf.bytes()).toString()).toBe('a PDF');
  expect(service.received).toHaveLength(16);
  expect(new Set(service.received).size).toBe(1);
});

test('waits for an earlier request until a deadline', async () => {
  const later = { ...RUNNING, headers: { 'retry-after': '20' } };
  using service = await scripted([later, later], { idempotencyTimeout: 0 });
  await expect(service.client.pdf({ html: '<p></p>' })).rejects.toMatchObject({ code: 'idempotency_running', retryAfter: 20 });
  expect(service.received).toHaveLength(1);
});

test('gets the reply to a request whose service was killed', { timeout: 180_000 }, async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  using site = await Site.start({ '/held.png': (request, response) => void released.then(() => image(request, response)) });
  const allowed = { PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` };
  await using killed = await startService(allowed);
  const request = { html: `<h1>Survivor</h1><img src="${site.origin}/held.png">`, options: { timeout: 60_000 } };
  const client = new Platen({ key: killed.key, baseUrl: killed.url, maxRetries: 0 });
  const lost = client.pdf(request, { idempotencyKey: 'survivor' }).catch((error: unknown) => error);
  await eventually('it is rendered', () => site.requestsFor('/held.png').length > 0);
  const exited = once(killed.child, 'exit');
  killed.child.kill('SIGKILL');
  await exited;
  expect(await lost).toBeInstanceOf(PlatenConnectionError);
  release();
  const settings = { ...allowed, PLATEN_DATA_DIR: killed.env.PLATEN_DATA_DIR ?? '' };
  await using next = await startService(settings, { firstKey: killed.key });
  const pdf = await new Platen({ key: killed.key, baseUrl: next.url }).pdf(request, { idempotencyKey: 'survivor' });
  expect(await textOf(await pdf.bytes())).toContain('Survivor');
});

test('throws a connection error if the service cannot be reached, and rejects an aborted call at once', async () => {
  const nowhere = new Platen({ key: 'plt_x', baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
  const message = 'The service at http://127.0.0.1:1 could not be reached';
  await expect(nowhere.usage()).rejects.toMatchObject({ constructor: PlatenConnectionError, message });
  await expect(platen.usage({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
});

test('requires a key for a client', () => {
  expect(() => new Platen({ key: '' })).toThrow('key');
});

test('provides functions for browsers without a key or client', async () => {
  const { document_id } = await platen.store({ html: '<p>linked</p>' });
  const { url } = await platen.documents.link(document_id);
  const body = JSON.stringify({ html: '<p>played</p>' });
  const headers = { 'content-type': 'application/json' };
  const replies = await Promise.all([
    noting(url),
    noting(`${service.url}/v1/playground`),
    noting(`${service.url}/v1/playground/pdf`, { method: 'POST', headers, body }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const result = replies[2]?.headers.get('platen-result');
  expect((await noting(`${service.url}/v1/playground/results/${result}/pages/1.png`)).status).toBe(200);
});

test('has no method that these tests do not call', () => {
  expect(methods.all.size).toBeGreaterThan(45);
  expect([...methods.all].filter((name) => !methods.called.has(name))).toEqual([]);
});

test('reaches every endpoint successfully in these tests', async () => {
  const { paths } = await publishedOpenApi();
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId = '' }]) => ({ operationId, method: method.toUpperCase(), path })),
  );
  const hasAnswered = ({ method, path }: { method: string; path: string }) => {
    const pattern = new RegExp(
      `^${method} ${path
        .replaceAll('.', '\\.')
        .replace('{path}', '.+')
        .replaceAll(/\{\w+\}/g, '[^/.]+')}$`,
    );
    return [...answered].some((each) => pattern.test(each));
  };
  expect(endpoints.length).toBeGreaterThan(40);
  expect(endpoints.filter((endpoint) => !hasAnswered(endpoint)).map(({ operationId }) => operationId)).toEqual([]);
});
