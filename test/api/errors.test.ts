/** Invalid requests get a clear 4xx that names the field, and the service keeps running. Grouped by status. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { exchange as talkTo } from '../support/raw-http.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, runCli, startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';

const service = await startService({ PLATEN_REQUEST_TIMEOUT_SECONDS: '2', PLATEN_MAX_REQUEST_BYTES: '8000000' }).then(
  closeAfterAll,
);
afterEach(async () => expect((await service.pdf({ html: '<p>still alive' })).status).toBe(200));

const invalid = async (body: unknown) => (await problem(await service.pdf(body), 400, 'invalid_request')).errors ?? [];

const talk = (send: Parameters<typeof talkTo>[1]) => talkTo(service.url, send);

const head = (extra: string) => `POST /v1/pdf HTTP/1.1\r\nHost: x\r\n${extra}\r\n`;

describe('400', () => {
  test.each([
    ['malformed JSON', '{"html": "<p>x"'],
    ['nothing', ''],
    ['a bare word', 'hello'],
    ['a raw NUL', '{"html": "\0"}'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['100,000 levels of arrays', `{"html": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['100,000 levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('rejects %s as JSON', async (_name, body) => {
    const { detail } = await problem(await service.pdf(body), 400, 'invalid_json');
    expect(detail).not.toContain('<p>');
  });

  test.each([
    ["{'html': 'x'}", '(at character 1): the name of a member must be in double quotes'],
    ['{"html": "x",}', '(at character 13): a comma must be followed by the name of another member, in double quotes'],
    ['{"html": "a\nb"}', '(at character 11): a line break inside a string is written as \\n, and a tab as \\t'],
    ['{"html": "<a href="x">"}', 'a double quote inside a string is written as \\"'],
    ['{"store": True}', 'a value is missing, or is neither in double quotes nor a number, true, false or null'],
    ['{"html": "x"', '(at character 12): a comma or a closing bracket is missing'],
  ])('says what is wrong with %s', async (body, message) =>
    expect((await problem(await service.pdf(body), 400, 'invalid_json')).detail).toContain(message),
  );

  test.each([
    [{ scale: '0.8' }, 'options.scale', 'must be a number from 0.1 to 2, not a string: leave out the quotes'],
    [{ scale: 'big' }, 'options.scale', 'must be a number from 0.1 to 2'],
    [{ landscape: 'true' }, 'options.landscape', 'must be true or false, not a string: leave out the quotes'],
    [{ watermark: { text: 'x', color: 'red' } }, 'options.watermark.color', 'must be a colour such as #c00000'],
    [{ webhook: 'x' }, 'options.webhook', 'there is no such field; did you mean webhook_url, beside options?'],
    [{ pdfa: 'PDF/A-3b' }, 'options.pdfa', 'there is no such field; did you mean options.conformance?'],
    [{ pageSize: 'A4' }, 'options.pageSize', 'there is no such field; did you mean options.format?'],
    [{ margin_top: 1 }, 'options.margin_top', 'there is no such field; did you mean options.margin.top?'],
    [{ 'print-background': true }, 'options.print-background', 'there is no such field; did you mean options.printBackground?'],
    [{ viewport: { width: 0, height: 9 } }, 'options.viewport.width', 'must be a whole number from 1 to 16384'],
    [
      { authenticate: { username: 5, password: '' } },
      'options.authenticate.username',
      'must be a string of at most 1000 characters',
    ],
    [{ extraHTTPHeaders: { 'X-A': 5 } }, 'options.extraHTTPHeaders.X-A', 'must be a string of at most 8192 characters'],
    [{ password: 5 }, 'options.password', 'must be a string of 1 to 127 bytes of UTF-8, or an object {user, owner, permissions}'],
  ])('says what is valid in place of %j', async (options, path, message) =>
    expect(await invalid({ html: 'x', options })).toEqual([{ path, message }]),
  );

  test.each([
    [{ template_id: 'tpl_none' }, 'template_id: there is no such template, or it belongs to another key'],
    [
      { html: 'x', options: { signature: { certificate: 'cert_none' } } },
      'options.signature.certificate: there is no such certificate, or it belongs to another key',
    ],
  ])('names the field whose object does not exist (%j)', async (body, detail) =>
    expect((await problem(await service.pdf(body), 404, 'not_found')).detail).toBe(detail),
  );

  test.each([
    ['an array', []],
    ['null', 'null'],
    ['a number', '5'],
  ])('rejects %s instead of an object', async (_name, body) =>
    expect(await invalid(body)).toEqual([{ path: '', message: 'must be a JSON object' }]),
  );

  test('requires html to be a string', async () => {
    expect(await invalid({})).toEqual([{ path: 'html', message: 'is required, or markdown, url or template_id in its place' }]);
    expect(await invalid({ html: 5 })).toEqual([{ path: 'html', message: 'must be a string of HTML' }]);
  });

  test.each([
    ['GET', '/v1/usage'],
    ['GET', '/v1/account'],
    ['GET', '/v1/documents/doc_x'],
    ['GET', '/v1/batches/bat_x'],
    ['DELETE', '/v1/templates/tpl_x'],
    ['POST', '/v1/templates'],
    ['POST', '/v1/pdf'],
    ['POST', '/v1/playground/pdf'],
  ])('rejects an unknown query parameter: %s %s', async (method, path) => {
    const client = new Client(service.url, service.key);
    const reply = await client.send(method, `${path}?pretty=1`, method === 'POST' ? { html: 'x' } : undefined);
    const { errors } = await problem(reply, 400, 'invalid_request');
    expect(errors).toEqual([{ path: 'pretty', message: expect.stringContaining('there is no such parameter') }]);
  });

  test('treats null as missing in optional fields, and rejects it in others', async () => {
    const options = {
      format: null,
      margin: { top: '1cm', left: null },
      password: null,
      viewport: { width: 9, height: 9, deviceScaleFactor: null },
    };
    expect((await service.pdf({ html: 'x', url: null, data: null, store: null, assets: null, options })).status).toBe(200);
    expect((await service.pdf({ html: 'x', options: null })).status).toBe(200);
    expect((await invalid({ html: null })).map(({ path }) => path)).toEqual(['html']);
    expect(await invalid({ html: 'x', options: { cookies: [{ name: 'a', value: null }], baseUrl: 'http://x.y' } })).toEqual([
      { path: 'options.cookies[0].value', message: expect.stringMatching(/, not null$/) },
    ]);
  });

  test.each([
    [{ format: 'A4' }, 'format', 'options.format'],
    [{ printbackground: true }, 'printbackground', 'options.printBackground'],
    [{ displayHeaderFooter: true }, 'displayHeaderFooter', 'options.headerTemplate or options.footerTemplate'],
    [{ source: 'x' }, 'source', 'html or url'],
    [{ options: { emulateMediaType: 'screen' } }, 'options.emulateMediaType', 'options.mediaType'],
    [{ options: { delay: 5 } }, 'options.delay', 'options.waitForTimeout'],
    [{ options: { waitDelay: '5s' } }, 'options.waitDelay', 'options.waitForTimeout'],
    [{ options: { waitWindowStatus: 'ready' } }, 'options.waitWindowStatus', 'options.waitForFunction'],
    [{ options: { embedsMetadata: {} } }, 'options.embedsMetadata', 'options.attachments'],
    [{ options: { marginTop: 1 } }, 'options.marginTop', 'options.margin.top'],
    [{ options: { foter: 'x' } }, 'options.foter', 'options.footer'],
    [{ options: { filename: 'x' } }, 'options.filename', 'filename, beside options'],
  ])('suggests the name of our option for %j', async (member, path, name) => {
    expect(await invalid({ html: 'x', ...member })).toEqual([{ path, message: `there is no such field; did you mean ${name}?` }]);
  });

  test.each([
    [{ password: { permissions: ['fly'] } }, 'options.password.permissions[0]', /^must be one of print, /],
    [{ margin: { foo: 1 } }, 'options.margin.foo', /one of top, right, bottom, left$/],
    [{ addStyleTag: [{ content: 5 }] }, 'options.addStyleTag[0].content', /string/],
    [
      { addStyleTag: { content: '', url: 'x' } },
      'options.addStyleTag.url',
      /^cannot be combined with options.addStyleTag.content$/,
    ],
    [{ failOnHttpStatus: [99] }, 'options.failOnHttpStatus[0]', /a whole number from 100 to 599$/],
    [{ failOnWarning: ['fonts'] }, 'options.failOnWarning[0]', /^must be one of resource_failed, /],
    [{ cookies: [{ name: 5, value: '' }] }, 'options.cookies[0].name', /^must be a string of 1 to 256 characters$/],
    [{ cookies: [{ name: '', value: '' }] }, 'options.cookies[0].name', /^must be a string of 1 to 256 characters$/],
    [{ waitForSelector: { selector: 5 } }, 'options.waitForSelector.selector', /string/],
  ])('reports the fault in the union branch that is most likely meant (%j)', async (options, path, message) => {
    expect(await invalid({ html: 'x', options })).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test('rejects unknown names and suggests the nearest valid one', async () => {
    expect(await invalid({ html: 'x', htlm: 'y' })).toEqual([
      { path: 'htlm', message: 'there is no such field; did you mean html?' },
    ]);
    expect(await invalid({ html: 'x', options: { printbackground: true } })).toEqual([
      { path: 'options.printbackground', message: 'there is no such field; did you mean options.printBackground?' },
    ]);
    expect(await invalid({ html: 'x', options: { margins: 1 } })).toEqual([
      { path: 'options.margins', message: 'there is no such field; did you mean options.margin?' },
    ]);
    expect(await invalid({ html: 'x', options: { margin: { topp: 1 } } })).toContainEqual({
      path: 'options.margin.topp',
      message: 'there is no such field; did you mean options.margin.top?',
    });
    const [far] = await invalid({ html: 'x', options: { zzzzzzzzzzzz: 1 } });
    expect(far?.message).toContain('use one of format, width, height');
  });

  test('treats names of Object.prototype as any other unknown name', async () => {
    expect((await invalid('{"html": "x", "__proto__": {"options": {}}}'))[0]?.path).toBe('__proto__');
    expect((await invalid('{"html": "x", "options": {"constructor": 1}}'))[0]?.path).toBe('options.constructor');
  });

  test.each([
    ['format', 'A11', 'must be one of A0 to A10, Letter, Legal, Tabloid, Ledger, Executive, Statement, B0 to B10 (ISO)'],
    ['format', 'constructor', 'must be one of A0 to A10'],
    ['format', 4, 'must be one of A0 to A10, Letter, Legal, Tabloid, Ledger'],
    ['scale', 3, 'must be a number from 0.1 to 2'],
    ['scale', '1', 'must be a number from 0.1 to 2'],
    ['landscape', 'yes', 'must be true or false'],
    ['printBackground', 1, 'must be true or false'],
    ['margin', '1 furlong', 'must be a length'],
    ['margin', -1, 'must be a length'],
    ['margin', '30cm', 'leaves no room'],
    ['pageRanges', 'one', 'must be page ranges such as 1-3, 5, 8-'],
    ['pageRanges', '3-1', 'the range 3-1 ends before it starts'],
    ['pageRanges', '0', 'pages are counted from 1'],
    ['pageRanges', '1\u00a0', 'must be page ranges'],
    ['timeout', 0, 'must be a whole number of milliseconds'],
    ['timeout', 1.5, 'must be a whole number of milliseconds'],
    ['timeout', 999_999_999, 'must be at most 120000 ms on this server'],
    ['tagged', 'true', 'must be true or false'],
    ['preferCSSPageSize', {}, 'must be true or false'],
  ])('rejects options.%s with the value %j, which %s', async (name, value, message) => {
    const errors = await invalid({ html: 'x', options: { [name]: value } });
    expect(errors[0]?.path).toBe(`options.${name}`);
    expect(errors[0]?.message).toContain(message);
  });

  test('requires width and height together, and rejects them together with format', async () => {
    expect(await invalid({ html: 'x', options: { width: '10cm' } })).toEqual([
      { path: 'options.height', message: expect.stringContaining('is required') },
    ]);
    expect((await invalid({ html: 'x', options: { format: 'A4', width: 1, height: 1 } }))[0]?.path).toBe('options.format');
    expect((await invalid({ html: 'x', options: { width: '300in', height: '10in' } }))[0]?.message).toContain(
      'from 1px to 200in',
    );
    expect((await invalid({ html: 'x', options: { width: 0, height: 10 } }))[0]?.message).toContain('from 1px to 200in');
  });

  test('reports other faults despite many unknown names', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`x${n}`, 1]));
    const errors = await invalid({ html: 'x', options: many });
    expect(errors.length).toBeGreaterThan(4);
    expect(errors[0]).toEqual({ path: 'options.x0', message: expect.stringContaining('there is no such field') });
  });

  test('reports every fault at once', async () => {
    const paths = (await invalid({ html: 5, options: { scale: 9, landscape: 1, colour: 1 } })).map(({ path }) => path);
    expect(paths.sort()).toEqual(['html', 'options.colour', 'options.landscape', 'options.scale']);
  });

  test('reports the position of lone surrogates and NUL characters', async () => {
    expect(await invalid('{"html": "ab\\ud800c"}')).toEqual([
      { path: 'html', message: 'contains half of a surrogate pair at position 2' },
    ]);
    expect(await invalid('{"html": "a\\u0000"}')).toEqual([{ path: 'html', message: 'contains a NUL character at position 1' }]);
  });

  test('rejects requests that are not HTTP', async () => {
    expect(await talk((write) => write('HELLO\r\n\r\n'))).toContain('HTTP/1.1 400');
  });
});

describe('401', () => {
  const attempt = (authorization: string | undefined) =>
    fetch(`${service.url}/v1/pdf`, {
      method: 'POST',
      body: '{"html": "x"}',
      headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    });

  test('answers all invalid credentials identically', async () => {
    const mistyped = service.key.slice(0, -1) + (service.key.endsWith('A') ? 'B' : 'A');
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      `Basic ${service.key}`,
      service.key,
      `Bearer ${mistyped}`,
      `Bearer plt_${'0'.repeat(38)}`,
    ];
    const bodies = new Set<string>();
    for (const authorization of wrong) {
      const response = await attempt(authorization);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      const { request_id, ...rest } = await problem(response, 401, 'unauthorized');
      expect(request_id).toBeTruthy();
      bodies.add(JSON.stringify(rest));
    }
    expect(bodies.size).toBe(1);
  });

  test('is returned before the body is read', async () => {
    const answer = await talk((write) => write(head('Content-Type: application/json\r\nContent-Length: 1000000\r\n')));
    expect(answer).toContain('HTTP/1.1 401');
  });

  test('accepts the name of the scheme in any case', async () =>
    expect((await attempt(`bearer ${service.key}`)).status).toBe(200));

  test('revokes a key within a second, also a rotated one, and keeps its successor valid', async () => {
    const { key, key_id } = await service.createKey();
    expect((await service.pdf({ html: 'x' }, { key })).status).toBe(200);
    const rotated = JSON.parse((await runCli(['keys', 'rotate', key_id, '--json'], service.env)).stdout) as {
      key: string;
      key_id: string;
    };
    expect(rotated.key_id).toBe(key_id);
    expect((await service.pdf({ html: 'x' }, { key })).status).toBe(401);
    expect((await service.pdf({ html: 'x' }, { key: rotated.key })).status).toBe(200);
    await runCli(['keys', 'revoke', key_id], service.env);
    expect((await service.pdf({ html: 'x' }, { key: rotated.key })).status).toBe(401);
  });
});

describe('404 and 405', () => {
  test('returns 404 for an unknown path', async () => {
    await problem(await fetch(`${service.url}/v1/nothing`), 404, 'not_found');
    await problem(await fetch(`${service.url}/nothing`), 404, 'not_found');
    await problem(await fetch(`${service.url}/errors/nothing`), 404, 'not_found');
    const withoutVersion = await fetch(`${service.url}/pdf`, { method: 'POST', body: '{}' });
    expect((await problem(withoutVersion, 404, 'not_found')).detail).toBe(
      'there is no endpoint at this URL; the paths of the API begin with /v1',
    );
  });

  test('names the setting for Gotenberg paths that are turned off', async () => {
    const response = await fetch(`${service.url}/forms/chromium/convert/html`, { method: 'POST', body: new FormData() });
    const { detail } = await problem(response, 404, 'not_found');
    expect(detail).toContain('PLATEN_GOTENBERG_ROUTES=on');
  });

  test('returns 405 with the allowed methods for a known path', async () => {
    const response = await fetch(`${service.url}/v1/pdf`);
    expect(response.headers.get('allow')).toBe('POST');
    await problem(response, 405, 'method_not_allowed');
    const other = await fetch(`${service.url}/errors/queue_full`, { method: 'DELETE' });
    expect(other.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('406', () => {
  test('rejects types that the route cannot produce', async () => {
    await problem(await service.pdf({ html: 'x' }, { headers: { accept: 'text/html' } }), 406, 'not_acceptable');
    await problem(await service.pdf({ html: 'x' }, { headers: { accept: 'image/png, text/plain' } }), 406, 'not_acceptable');
  });

  test('returns JSON with the PDF and the report of its render on request', async () => {
    const body = { html: '<p>x<script>nope()</script>', filename: 'x.pdf' };
    const response = await service.pdf(body, { headers: { accept: 'application/json' } });
    expect(response.status).toBe(200);
    const { pdf, ...facts } = (await response.json()) as Record<string, unknown> & { pdf: string };
    const bytes = Buffer.from(pdf, 'base64');
    expect(facts).toMatchObject({ bytes: bytes.length, pages: 1, sha256: sha256(bytes), filename: 'x.pdf' });
    expect(facts.report).toMatchObject({
      warning_count: 1,
      warnings: [{ kind: 'console_error', message: expect.stringContaining('nope') }],
    });
    expect((await readPdf(bytes)).pages).toEqual(['x']);
  });

  test.each<[name: string, html: string, options: object]>([
    ['without waiting', '<p>x<script>nope()</script>', { waitUntil: 'domcontentloaded' }],
    ['of an added script', '<p>x', { addScriptTag: { content: 'nope()' } }],
  ])('reports console errors (%s)', async (_name, html, options) => {
    const response = await service.pdf({ html, options }, { headers: { accept: 'application/json' } });
    const { report } = (await response.json()) as { report: object };
    expect(report).toMatchObject({ warnings: [{ kind: 'console_error', message: expect.stringContaining('nope') }] });
  });

  test.each(['*/*', 'application/json, text/plain, */*', 'application/pdf', 'application/*', 'application/pdf;q=0.5, text/html'])(
    'returns the PDF for Accept: %s',
    async (accept) => {
      const response = await service.pdf({ html: 'x' }, { headers: { accept } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/pdf');
    },
  );
});

describe('408', () => {
  const authorized = () => `Authorization: Bearer ${service.key}\r\nContent-Type: application/json\r\n`;

  test('ends a chunked body that never ends', async () => {
    const answer = await talk((write) => write(`${head(`${authorized()}Transfer-Encoding: chunked\r\n`)}5\r\n{"htm\r\n`));
    expect(answer).toContain('HTTP/1.1 408');
    expect(answer).toContain('"code":"request_timeout"');
  });

  test('ends headers that never end', async () => {
    expect(await talk((write) => write('POST /v1/pdf HTTP/1.1\r\nHost: x\r\nX-Slow: '))).toContain('HTTP/1.1 408');
  });
});

describe('413 and 431', () => {
  test('rejects a body over the limit, announced or not', async () => {
    const body = JSON.stringify({ html: 'x'.repeat(8_000_001) });
    expect(await problem(await service.pdf(body), 413, 'content_too_large')).toMatchObject({ limit: 8_000_000 });
    const chunk = `${(1_000_000).toString(16)}\r\n${'x'.repeat(1_000_000)}\r\n`;
    const answer = await talk((write) => {
      write(head(`Authorization: Bearer ${service.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n`));
      for (let n = 0; n < 9; n++) write(chunk);
    });
    expect(answer).toContain('HTTP/1.1 413');
  });

  test.each(['Content-Length: 40000000', 'Transfer-Encoding: chunked'])(
    'delivers the error to a client that sends everything before it reads (%s)',
    async (announced) => {
      const chunked = announced.startsWith('Transfer');
      const megabyte = Buffer.alloc(1_000_000, 'x');
      const { hostname, port } = new URL(service.url);
      const socket = connect(Number(port), hostname).pause();
      const send = (bytes: Buffer | string) =>
        new Promise<void>((sent, lost) => socket.write(bytes, (e) => (e ? lost(e) : sent())));
      await send(head(`Authorization: Bearer ${service.key}\r\nContent-Type: application/json\r\n${announced}\r\n`));
      for (let n = 0; n < 40; n++) {
        if (chunked) await send('f4240\r\n');
        await send(megabyte);
        if (chunked) await send('\r\n');
      }
      if (chunked) await send('0\r\n\r\n');
      const [answer] = (await once(socket.resume().setEncoding('utf8'), 'data')) as [string];
      expect(answer).toContain('HTTP/1.1 413');
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      expect((await once(socket, 'data'))[0]).toContain('HTTP/1.1 200'); // The connection is still usable.
      socket.destroy();
    },
  );

  test('rejects HTML over its limit in a smaller body', async () => {
    expect(await problem(await service.pdf({ html: 'x'.repeat(5_242_881) }), 413, 'content_too_large')).toMatchObject({
      limit: 5_242_880,
      actual: 5_242_881,
    });
  });

  test('rejects headers over the limit', async () => {
    expect(await talk((write) => write(`GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`))).toContain(
      'HTTP/1.1 431',
    );
  });
});

describe('415', () => {
  test('names the type that curl sends by default', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { detail } = await problem(await service.pdf({ html: 'x' }, { headers }), 415, 'unsupported_media_type');
    expect(detail).toMatch(/x-www-form-urlencoded, which curl sends unless -H sets another Content-Type; send application\/json/);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])('%s', async (type) => {
    await problem(await service.pdf({ html: 'x' }, { headers: { 'content-type': type } }), 415, 'unsupported_media_type');
  });

  test('rejects a body with an unsupported compression', async () => {
    await problem(await service.pdf({ html: 'x' }, { headers: { 'content-encoding': 'br' } }), 415, 'unsupported_media_type');
  });

  test('ignores a byte order mark', async () => {
    expect((await service.pdf(Buffer.from('\ufeff{"html": "x"}'))).status).toBe(200);
  });

  test('accepts application/json with a charset', async () => {
    expect((await service.pdf({ html: 'x' }, { headers: { 'content-type': 'application/json; charset=utf-8' } })).status).toBe(
      200,
    );
  });
});

test('logs nothing of a request except its outcome', async () => {
  await service.pdf({ html: '<p>SECRETMARK</p>', options: { scale: 99, SECRETNAME: 1 } });
  await service.pdf('{"html": "SECRETMARK"');
  await fetch(`${service.url}/v1/pdf?token=SECRETMARK`, { method: 'POST', headers: { authorization: 'Bearer SECRETMARK' } });
  const last = await service.pdf({
    html: '<p>SECRETMARK</p><script>console.log("SECRETMARK"); throw new Error("SECRETMARK")</script>',
  });
  await eventually('the last is in the log', () => service.output().includes(String(last.headers.get('x-request-id'))));
  const log = service.output().split('the first API key was created')[1] ?? '';
  expect(log).toContain('"route":"/v1/pdf"');
  expect(log).not.toMatch(/SECRET/);
  expect(log.split('\n').slice(3).join('\n')).not.toContain(service.key);
});
