/** The log: why did this request fail? Every line on standard output is JSON, and none says what is in a document. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { setUpCli } from '../support/cli-folder.ts';
import { bytesOf, Client, problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { blobFile } from '../support/data-folder.ts';
import { browserProcesses, eventually, type IssuedKey, spawnCli, startService } from '../support/service.ts';
import { BROWSER_SETTINGS } from '../support/test-browser.ts';
import { visitorAt } from '../support/visitor.ts';

type Line = Record<string, unknown>;

const SECRET = 'not-for-the-log-71b2';
const CLI = new URL('../../src/cli.ts', import.meta.url).pathname;
const { env } = setUpCli();

const service = await startService({ PLATEN_GOTENBERG_ROUTES: 'on' }).then(closeAfterAll);
const issued = await service.createKey();
const ada = new Client(service.url, issued.key);

const linesOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

/** Waits for the line, which is written after the reply. */
async function line(members: Line): Promise<Line> {
  const find = () =>
    linesOf(service.output()).find((each) => Object.entries(members).every(([name, value]) => each[name] === value));
  await eventually(`a line with ${JSON.stringify(members)}`, () => find() !== undefined);
  return find() as Line;
}

const owner = () => ({ key_id: issued.key_id, account_id: issued.account_id });

test.each(['gotenberg-trace', 'x-correlation-id'])('has the id of a caller that sends it as %s', async (header) => {
  const id = `from-${header}`;
  await fetch(`${service.url}/version`, { headers: { [header]: id } });
  expect(await line({ caller_request_id: id })).toMatchObject({ msg: 'request', route: '/version' });
  await fetch(`${service.url}/version`, { headers: { [header]: 'unused', 'x-request-id': `own-${header}` } });
  await line({ caller_request_id: `own-${header}` });
});

test('describes a render: its account, result and stages', async () => {
  const body = { html: `<title>${SECRET}</title><p>${SECRET}<p style="break-before: page">2<img src="data:,${SECRET}">` };
  const reply = await ada.pdf(body, { 'x-request-id': 'caller-7/b:1' });
  const { length } = Buffer.from(await reply.arrayBuffer());
  expect(await line({ msg: 'request', request_id: reply.headers.get('x-request-id') })).toMatchObject({
    ...owner(),
    caller_request_id: 'caller-7/b:1',
    ...{ method: 'POST', route: '/v1/pdf', status: 200, pages: 2, bytes: length },
    warnings: Number(reply.headers.get('platen-warnings')),
    stages: { queue: expect.any(Number), load: expect.any(Number), print: expect.any(Number), finish: expect.any(Number) },
  });
  const image = await ada.send('POST', '/v1/image', { html: '<p>x' });
  const bytes = (await image.arrayBuffer()).byteLength;
  expect(await line({ request_id: image.headers.get('x-request-id'), msg: 'request' })).toMatchObject({ bytes, warnings: 0 });
  const visitor = await fetch(`${service.url}/v1/playground/pdf`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ html: '<p>x' }),
  });
  expect(await line({ request_id: visitor.headers.get('x-request-id'), msg: 'request' })).toMatchObject({
    status: 200,
    pages: 1,
  });
});

test('gives the code of every failure', async () => {
  const failures: Array<[Promise<Response>, number, string]> = [
    [ada.pdf({ html: SECRET, options: { scale: 9 } }), 400, 'invalid_request'],
    [ada.pdf({ html: `<script>for(;;){}//${SECRET}</script>`, options: { timeout: 300 } }), 504, 'render_timeout'],
    [ada.get('/v1/nothing'), 404, 'not_found'],
    [new Client(service.url, 'plt_wrong').get('/v1/usage'), 401, 'unauthorized'],
  ];
  for (const [reply, status, code] of failures) {
    const { request_id } = await problem(await reply, status, code);
    expect(await line({ msg: 'request', request_id })).toMatchObject({ status, code });
  }
});

test('has the stages that a failed render reached', async () => {
  const html = '<script>for(;;){}</script>';
  const { request_id } = await problem(await ada.pdf({ html, options: { timeout: 3_000 } }), 504, 'render_timeout');
  const { stages } = await line({ msg: 'request', request_id });
  expect(stages).toEqual({ queue: expect.any(Number), load: expect.any(Number) });
  const visitor = visitorAt(service.url);
  await visitor.wakeUp();
  const refused = await visitor.pdf({ html, options: { timeout: 3_000 } });
  await visitor.leave();
  expect(refused.status).toBe(504);
  const failed = await line({ request_id: refused.headers.get('x-request-id'), msg: 'request' });
  expect(failed.stages).toMatchObject({ queue: expect.any(Number), load: expect.any(Number) });
});

test('says why a request failed, without names that the caller chose', async () => {
  const options = { scale: 9, margin: { top: 'x', [SECRET]: 1 }, [SECRET]: 1, extraHTTPHeaders: { [SECRET]: '\n' } };
  const loud = `<script>console.error('${SECRET}')</script>`;
  const failures: Array<[Promise<Response>, Line]> = [
    [
      ada.pdf({ html: SECRET, options, metadata: { [SECRET]: 1 }, [SECRET]: 1 }),
      {
        code: 'invalid_request',
        fields: expect.toSatisfy((fields: string[]) =>
          ['options', 'options.margin', 'options.scale', 'metadata'].every((each) => fields.includes(each)),
        ),
      },
    ],
    [ada.send('POST', '/v1/batches', { items: [], webhook_url: SECRET }), { fields: expect.arrayContaining(['items']) }],
    [
      ada.pdf({ html: '<script>for(;;){}</script>', options: { timeout: 3_000 } }),
      { code: 'render_timeout', phase: expect.stringMatching(/^(queue|load)$/), timeout_ms: 3_000 },
    ],
    [ada.pdf({ html: loud, options: { failOnConsoleError: true } }), { code: 'render_gate_failed', gate: 'failOnConsoleError' }],
    [ada.pdf({ url: 'http://none.invalid/' }), { code: 'navigation_failed', net_error: expect.stringMatching(/^ERR_/) }],
    [
      ada.send('POST', '/v1/templates', { name: 'x', engine: 'liquid', html: '<p>\n{% if %}' }),
      { code: 'template_error', line: 2, column: expect.any(Number) },
    ],
  ];
  for (const [reply, members] of failures) {
    const request_id = (await reply).headers.get('x-request-id');
    expect(await line({ msg: 'request', request_id })).toMatchObject(members);
  }
  const items = [{ html: loud, options: { failOnConsoleError: true } }];
  const { batch_id } = (await (await ada.send('POST', '/v1/batches', { items })).json()) as { batch_id: string };
  expect(await line({ msg: 'batch item', batch_id })).toMatchObject({ code: 'render_gate_failed', gate: 'failOnConsoleError' });
});

test('names the document whose content is missing', async () => {
  const { document_id } = await ada.store({ html: '<p>x' });
  await rm(join(service.env.PLATEN_DATA_DIR ?? '', 'blobs', blobFile(document_id)));
  const { request_id } = await problem(await ada.get(`/v1/documents/${document_id}`), 503, 'storage_failed');
  expect(await line({ msg: 'request failed', request_id })).toMatchObject({
    level: 50,
    code: 'storage_failed',
    err: { message: `the content of ${document_id} is missing` },
  });
});

test('says where a webhook and an upload went, about what, and why they failed', async () => {
  const later = async (body: object) => {
    const reply = await ada.pdf({ html: '<p>x', ...body }, { prefer: 'respond-async' });
    return ((await reply.json()) as { render_id: string }).render_id;
  };
  const batch_id = await later({ deliver_to: `https://nowhere.invalid/${SECRET}` });
  const render_id = await later({ webhook_url: `http://nowhere.invalid/${SECRET}` });
  const common = {
    ...owner(),
    host: 'nowhere.invalid',
    attempt: 1,
    outcome: 'retried',
    error: 'the host has no address that may be reached',
  };
  const upload = await line({ msg: 'upload', batch_id });
  expect(upload).toMatchObject({ ...common, position: 0, document_id: expect.stringMatching(/^doc_/) });
  expect(await line({ msg: 'upload connection refused' })).toMatchObject({
    host: 'nowhere.invalid',
    delivery_id: upload.delivery_id,
    reason: expect.any(String),
  });
  const webhook = await line({ msg: 'webhook', render_id });
  expect(webhook).toMatchObject({ ...common, type: 'render.completed' });
  expect(await line({ msg: 'webhook connection refused' })).toMatchObject({ delivery_id: webhook.delivery_id });
});

test('says what came of a Gotenberg request with a webhook', async () => {
  const form = new FormData();
  form.append('files', new File(['<p>x'], 'index.html'));
  form.append('waitForExpression', '(() => { throw 1 })()');
  const url = 'http://nowhere.invalid/';
  const headers = { 'gotenberg-webhook-url': url, 'gotenberg-webhook-error-url': url, authorization: `Bearer ${issued.key}` };
  const accepted = await fetch(`${service.url}/forms/chromium/convert/html`, { method: 'POST', body: form, headers });
  expect(accepted.status).toBe(204);
  expect(await line({ msg: 'background render' })).toMatchObject({
    ...owner(),
    request_id: accepted.headers.get('x-request-id') ?? accepted.headers.get('gotenberg-trace'),
    code: 'wait_failed',
    stages: { load: expect.any(Number) },
  });
});

test('has a line for a client that leaves, and for input that is not HTTP', async () => {
  const headers = { 'x-request-id': 'leaves-early' };
  const leave = new AbortController();
  const body = { html: '<p>x', options: { waitForFunction: 'false', timeout: 60_000 } };
  const lost = service.pdf(body, { key: issued.key, headers, signal: leave.signal }).catch(() => {});
  await eventually('it renders', async () => (await service.metric('platen_renders_running')) > 0);
  leave.abort();
  await lost;
  expect(await line({ caller_request_id: 'leaves-early' })).toMatchObject({ ...owner(), status: 499, code: 'client_closed' });

  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).end('NOT HTTP\r\n\r\n');
  const answer = await text(socket);
  const [, request_id] = /^X-Request-Id: (\S+)\r$/m.exec(answer) ?? [];
  expect(await line({ request_id })).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('does not blame a client that closes the connection when it has the whole reply', async () => {
  const { document_id } = await ada.store({ html: '<p>x' });
  const { hostname, port } = new URL(service.url);
  const head = `GET /v1/documents/${document_id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${issued.key}\r\n`;
  for (let n = 0; n < 30; n++) {
    const socket = connect(Number(port), hostname);
    socket.write(`${head}X-Request-Id: whole-${n}\r\n\r\n`);
    let received = '';
    for await (const chunk of socket.setEncoding('latin1')) {
      received += chunk;
      const [, length] = /^content-length: (\d+)\r$/im.exec(received) ?? [];
      if (received.length >= received.indexOf('\r\n\r\n') + 4 + Number(length)) break; // which destroys the socket
    }
    const written = await line({ msg: 'request', caller_request_id: `whole-${n}` });
    expect(written).toMatchObject({ status: 200 });
    expect(written).not.toHaveProperty('code');
  }
});

test.each(['a'.repeat(129), 'a b', 'a"b', 'ü', '{"level":60}', 'a\tb'])(
  'leaves out the request id %j of a caller',
  async (given) => {
    const reply = await ada.get('/v1/usage', { 'x-request-id': Buffer.from(given).toString('latin1') });
    const written = await line({ msg: 'request', request_id: reply.headers.get('x-request-id') });
    expect(written).not.toHaveProperty('caller_request_id');
  },
);

test('says for which request and key a connection was refused', async () => {
  const reply = await ada.pdf({ html: '<img src="http://10.9.8.7/a.png">' });
  const request_id = reply.headers.get('x-request-id');
  expect(await line({ msg: 'outbound connection refused', host: '10.9.8.7:80' })).toMatchObject({ ...owner(), request_id });
});

test('has a line for each batch item', async () => {
  const items = [{ html: `<p>${SECRET}<img src="http://10.9.8.6/a.png">`, reference: SECRET }, { url: 'http://10.9.8.5/' }];
  const { batch_id } = await ada.batch({ items });
  expect(await line({ msg: 'batch item', batch_id, position: 0 })).toMatchObject({
    ...owner(),
    ...{ attempt: 1, pages: 1, warnings: 1, bytes: expect.any(Number), milliseconds: expect.any(Number) },
    stages: { print: expect.any(Number) },
  });
  expect(await line({ msg: 'batch item', batch_id, position: 1 })).toMatchObject({ ...owner(), code: 'forbidden_url' });
  expect(await line({ host: '10.9.8.6:80' })).toMatchObject({ ...owner(), batch_id, position: 0 });
});

test('tells of a comparison only to its caller what is in the PDFs', async () => {
  const eve = new Client(service.url, (await service.createKey()).key);
  const print = async (html: string) => bytesOf(await ada.pdf({ html }));
  const [secret, other] = [await print(`<p>${SECRET}`), await print('<p>Other')];
  const damaged = Buffer.concat([secret.subarray(0, 300), Buffer.from(SECRET)]);
  const replies = await Promise.all([
    compare(ada, secret, other),
    compare(eve, other, other),
    compare(ada, damaged, secret),
    compare(eve, other, await print('<p>More')),
  ]);
  const [own = '', ...others] = await Promise.all(replies.map((reply) => reply.text()));
  expect(JSON.parse(own)).toMatchObject({ pages: [{ text: { removed: [SECRET], added: ['Other'] } }] });
  expect(others.join()).not.toContain(SECRET);
  await line({ msg: 'request', route: '/v1/pdf/compare', status: 422 });
  const administrator = new Client(
    service.url,
    (JSON.parse(await service.cli('keys', 'create', '--administrator', '--json')) as IssuedKey).key,
  );
  const lists = ['state', 'errors', 'webhooks', 'audit', 'accounts'].map((list) => administrator.get(`/v1/admin/${list}`));
  const read = await Promise.all([...lists, eve.get('/v1/requests')]);
  for (const reply of read) expect(await (await succeeded(reply)).text()).not.toContain(SECRET);
});

function compare({ key }: Client, before: Uint8Array, after: Uint8Array): Promise<Response> {
  const form = new FormData();
  for (const [name, pdf] of Object.entries({ before, after }))
    form.append(name, new Blob([Uint8Array.from(pdf)]), `${SECRET}.pdf`);
  return fetch(`${service.url}/v1/pdf/compare`, { method: 'POST', body: form, headers: { authorization: `Bearer ${key}` } });
}

test('contains nothing of the documents', async () => {
  await line({ msg: 'batch item' });
  expect(service.output()).not.toContain(SECRET);
});

test('counts outcomes from zero, and tells the versions', async () => {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`^platen_build_info\\{version="${VERSION}",node="\\d+\\.[^"]+",browser="[^"]+"\\} 1$`, 'm'));
  for (const zero of [
    'platen_renders_total{outcome="browser_unavailable"}',
    'platen_batch_items_total{outcome="cancelled"}',
    'platen_playground_renders_total{outcome="page_crashed"}',
    'platen_webhook_deliveries_total{outcome="failed"}',
    'platen_uploads_total{outcome="delivered"}',
  ])
    expect(metrics).toContain(`${zero} 0\n`);
});

test('counts memory that browser processes share only once', async () => {
  await Promise.all(Array.from({ length: 4 }, () => ada.pdf({ html: '<p>x' }))); // several renderers share their code
  const sizes = await Promise.all(
    (await browserProcesses(service)).map(async (pid) => Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1])),
  );
  const resident = 4_096 * sizes.reduce((sum, pages) => sum + pages, 0);
  const [browser, renderers] = [
    await service.metric('platen_browser_memory_bytes'),
    await service.metric('platen_renderer_memory_bytes'),
  ];
  expect(browser).toBeGreaterThan(10_000_000);
  expect(renderers).toBeGreaterThan(1_000_000);
  expect(browser + renderers).toBeLessThan(0.75 * resident);
});

test.each(['info', 'silent'])('is JSON to the last line, with version, first key and shutdown (%s)', async (level) => {
  const child = spawnCli(['serve'], {
    ...env,
    ...{ PLATEN_DATA_DIR: `${env.PLATEN_DATA_DIR}-${level}`, PLATEN_PORT: '0', PLATEN_LOG_LEVEL: level },
  });
  if (!child.stdout) throw new Error('no standard output');
  let output = '';
  const keyWritten = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('"key":"plt_')) resolve();
    });
  });
  await keyWritten;
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  const lines = output
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each) as Line);
  const started = lines.find(({ url }) => url);
  expect(started).toMatchObject({ version: VERSION, msg: expect.stringContaining('listens on http://127.0.0.1:') });
  const keys = lines.filter(({ key }) => key);
  expect(keys).toMatchObject([
    { key: expect.stringMatching(/^plt_\w{38}$/), key_id: expect.stringMatching(/^key_/), plan: 'operator' },
  ]);
  expect(output.split('\n').filter((line) => line.includes(String(keys[0]?.key)))).toHaveLength(1);
  if (level === 'silent') expect(lines).toEqual([started, ...keys]);
  else expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['shutting down', 'shut down']));
});

test('is text for a person at a terminal', async () => {
  const settings = {
    ...env,
    ...BROWSER_SETTINGS,
    PLATEN_DATA_DIR: `${env.PLATEN_DATA_DIR}-tty`,
    PLATEN_PORT: '0',
    PLATEN_LOG_LEVEL: 'silent',
  };
  // `script` provides the terminal; the service ends after it has printed its message.
  const command = `timeout -s TERM 20 ${process.execPath} --disable-warning=ExperimentalWarning ${CLI} serve`;
  const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], { env: settings }).catch(
    (error: { stdout: string }) => error,
  );
  const shown = stdout.replaceAll('\r', '');
  const [, url = ''] = /^Platen listens on (\S+)$/m.exec(shown) ?? [];
  const [, key = ''] = /^ {2}(plt_\w{38})$/m.exec(shown) ?? [];
  expect(shown).toContain(`curl ${url}/v1/pdf -H 'Authorization: Bearer ${key}'`);
  for (const path of ['/', '/dashboard', '/docs']) expect(shown).toContain(`${url}${path}\n`);
  expect(shown).not.toContain('{"level"');
}, 60_000);
