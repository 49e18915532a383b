/** Ambiguous requests and `Expect`: the head decides, and each request is answered once. Grouped by fault. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { exchange, RawConnection } from '../support/raw-http.ts';
import { startService } from '../support/service.ts';

const service = await startService({ PLATEN_MAX_REQUEST_BYTES: '1000000' }).then(closeAfterAll);

const BODY = '{"html": "<p>x"}';
const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** Returns the head of a render request with a valid key. */
const render = (...headers: string[]) =>
  ['POST /v1/pdf HTTP/1.1', `Authorization: Bearer ${service.key}`, 'Content-Type: application/json', ...headers, '', ''].join(
    '\r\n',
  );

interface Answer {
  status: number;
  headers: Headers;
  code: string | undefined;
}

/** Returns the only answer to the last request of a connection. */
async function answerTo(request: string): Promise<Answer> {
  const received = await exchange(service.url, (write) => write(request));
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  expect(received.match(/^HTTP\/1\.1 \d/gm)).toHaveLength(1);
  const headers = new Headers(fields.map((field) => field.split(/: (.*)/).slice(0, 2) as [string, string]));
  const code = headers.get('content-type')?.includes('problem') ? (JSON.parse(body) as { code: string }).code : undefined;
  return { status: Number(line.split(' ')[1]), headers, code };
}

const CLOSE = 'Connection: close';

describe('Host', () => {
  test.each([
    ['twice', ['Host: a.example', 'Host: b.example']],
    ['twice the same', ['Host: a.example', 'Host: a.example']],
    ['missing', []],
    ['with a space', ['Host: a b']],
    ['with a path', ['Host: a.example/b']],
    ['with a user', ['Host: u@a.example']],
  ])('%s', async (_name, hosts) => {
    expect(await answerTo(`${render(...hosts, LENGTH, CLOSE)}${BODY}`)).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test.each(['a.example', 'a.example:8080', '127.0.0.1:80', '[::1]:3000', 'under_score', ''])('accepts %s', async (host) => {
    expect((await answerTo(`${render(`Host: ${host}`, LENGTH, CLOSE)}${BODY}`)).status).toBe(200);
  });

  test('is not required in HTTP/1.0', async () => {
    expect((await answerTo('GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

describe('version', () => {
  test.each(['GET /healthz', 'GET /healthz HTTP/0.9', 'GET /healthz HTTP/2.0'])('%s', async (line) => {
    const answer = await answerTo(`${line}\r\nHost: x\r\n\r\n`);
    expect(answer).toMatchObject({ status: 505, code: 'http_version_not_supported' });
  });

  test('rejects a request line alone, as in HTTP/0.9', async () => {
    expect(await answerTo('GET /healthz\r\n\r\n')).toMatchObject({ status: 505 });
  });
});

describe('the end of a body', () => {
  test.each([
    'gzip',
    'gzip, chunked',
    'chunked, gzip',
    'identity',
    'chunked, chunked',
    'gzip\r\nTransfer-Encoding: chunked',
    'chunked;q=1',
  ])('rejects Transfer-Encoding: %s', async (encoding) => {
    const answer = await answerTo(`${render('Host: x', `Transfer-Encoding: ${encoding}`, CLOSE)}${CHUNKS}`);
    expect(answer).toMatchObject({ status: 501, code: 'not_implemented' });
  });

  test.each(['chunked', 'Chunked', '  chunked  '])('accepts Transfer-Encoding: %s', async (encoding) => {
    expect((await answerTo(`${render('Host: x', `Transfer-Encoding: ${encoding}`, CLOSE)}${CHUNKS}`)).status).toBe(200);
  });

  test.each([
    ['Content-Length before Transfer-Encoding', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['Content-Length after Transfer-Encoding', ['Transfer-Encoding: chunked', 'Content-Length: 4']],
    ['two lengths', [LENGTH, 'Content-Length: 5']],
    ['a list of lengths', ['Content-Length: 4, 4']],
    ['a length with a sign', [`Content-Length: +${BODY.length}`]],
    ['a folded header', ['X-Folded: a\r\n b', LENGTH]],
    ['a space before the colon', [`Content-Length : ${BODY.length}`]],
    ['an empty Transfer-Encoding', ['Transfer-Encoding: ']],
  ])('%s', async (_name, headers) => {
    const answer = await answerTo(`${render('Host: x', ...headers, CLOSE)}${CHUNKS}`);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('rejects chunks in HTTP/1.0', async () => {
    const request = render('Host: x', 'Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0');
    expect(await answerTo(`${request}${CHUNKS}`)).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

describe('Expect', () => {
  const EXPECT = 'Expect: 100-continue';

  test('sends 100 Continue, and keeps the connection', async () => {
    await using client = await RawConnection.open(service.url);
    client.socket.write(render('Host: x', LENGTH, EXPECT));
    expect(await client.head()).toMatch(/^HTTP\/1.1 100 /);
    client.socket.write(BODY);
    expect(await client.head()).toMatch(/^HTTP\/1.1 200 .*keep-alive/s);
  });

  test('answers a client that sends the body without waiting', async () => {
    await using client = await RawConnection.open(service.url);
    client.socket.write(`${render('Host: x', LENGTH, EXPECT)}${BODY}`);
    expect(await client.head()).toMatch(/^HTTP\/1.1 100 /);
    expect(await client.head()).toMatch(/^HTTP\/1.1 200 /);
  });

  // What follows such a request cannot be parsed reliably, so the service closes the connection and says so.
  test.each<[why: string, status: number, head: () => string]>([
    ['a wrong key', 401, () => render('Host: x', LENGTH, EXPECT).replace(/plt_./, 'plt_-')],
    ['a length over the limit', 413, () => render('Host: x', 'Content-Length: 1000001', EXPECT)],
    ['another type', 415, () => render('Host: x', LENGTH, EXPECT).replace('application/json', 'text/plain')],
    ['another charset', 415, () => render('Host: x', LENGTH, EXPECT).replace('json', 'json; charset=utf-16')],
    ['another address', 404, () => render('Host: x', LENGTH, EXPECT).replace('/v1/pdf', '/v1/nothing')],
    ['another method', 405, () => render('Host: x', LENGTH, EXPECT).replace('POST', 'PUT')],
  ])('sends no 100 Continue with %s', async (_why, status, head) => {
    const answer = await answerTo(head());
    expect(answer.status).toBe(status);
    expect(answer.headers.get('connection')).toBe('close');
  });

  test.each(['200-ok', '100-continue, 200-ok', '100'])('%s', async (expectation) => {
    const answer = await answerTo(`${render('Host: x', LENGTH, `Expect: ${expectation}`, CLOSE)}${BODY}`);
    expect(answer).toMatchObject({ status: 417, code: 'expectation_failed' });
  });
});

describe('early answers', () => {
  test.each([CLOSE, 'Connection: keep-alive'])(
    'reach a client that sends all of its body before it reads (%s)',
    async (connection) => {
      await using client = await RawConnection.open(service.url);
      const { socket } = client;
      socket.pause();
      const sent = (bytes: string | Buffer) =>
        new Promise<void>((done, lost) => socket.write(bytes, (e) => (e ? lost(e) : done())));
      await sent(render('Host: x', 'Content-Length: 40000000', connection));
      for (let n = 0; n < 40; n++) await sent(Buffer.alloc(1_000_000, 'x'));
      socket.resume();
      expect(await client.head()).toMatch(/^HTTP\/1.1 413 /);
      if (connection === CLOSE) await once(socket, 'close');
    },
  );

  test('ignore a body that the route does not use', async () => {
    const request = render('Host: x', 'Content-Length: 1', CLOSE).replace('/v1/pdf', '/v1/nothing');
    expect(await answerTo(`${request}{`)).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('methods', () => {
  test.each([
    ['/', 'GET, HEAD'],
    ['/edit', 'GET, HEAD'],
    ['/dashboard', 'GET, HEAD'],
    ['/dashboard/documents', 'GET, HEAD'],
    ['/assets/x.js', 'GET, HEAD'],
    ['/docs', 'GET, HEAD'],
    ['/docs/guide/pages', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD'],
    ['/readyz', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ['/errors', 'GET, HEAD'],
    ['/errors/queue_full', 'GET, HEAD'],
    ['/links/doc_x', 'GET, HEAD'],
    ['/v1/pdf', 'POST'],
    ['/v1/pdf/', 'POST'],
    ['/v1/pdf/compare', 'POST'],
    ['/v1/pdf?x=1', 'POST'],
    ['/v1/%70df', 'POST'],
    ['/v1/templates', 'GET, HEAD, POST'],
    ['/v1/templates/preview', 'POST'],
    ['/v1/templates/tpl_x', 'DELETE, GET, HEAD, PATCH, PUT'],
    ['/v1/templates/tpl_x/versions', 'GET, HEAD'],
    ['/v1/templates/tpl_x/versions/1', 'GET, HEAD'],
    ['/v1/documents', 'GET, HEAD'],
    ['/v1/documents/doc_x', 'DELETE, GET, HEAD'],
    ['/v1/documents/doc_x/links', 'POST'],
    ['/v1/batches', 'GET, HEAD, POST'],
    ['/v1/batches/bat_x', 'DELETE, GET, HEAD'],
    ['/v1/batches/bat_x.zip', 'GET, HEAD'],
    ['/v1/batches/bat_x.pdf', 'GET, HEAD'],
    ['/v1/batches/bat_x/events', 'GET, HEAD'],
    ['/v1/usage', 'GET, HEAD'],
    ['/v1/account', 'GET, HEAD, PATCH'],
    ['/v1/requests/req_x/picture', 'GET, HEAD'],
    ['/v1/session', 'DELETE, GET, HEAD, POST'],
    ['/v1/admin/accounts', 'GET, HEAD, POST'],
    ['/v1/admin/accounts/acc_x', 'DELETE, GET, HEAD, PATCH'],
    ['/v1/admin/keys/key_x', 'DELETE'],
    ['/v1/admin/audit', 'GET, HEAD'],
    ['/v1/playground', 'GET, HEAD'],
    ['/v1/playground/pdf', 'POST'],
    ['/v1/playground/results/pgr_1/pages/1.png', 'GET, HEAD'],
  ])('%s allows %s', async (path, allow) => {
    for (const method of ['QUERY', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const answer = await answerTo(
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${LENGTH}\r\n${CLOSE}\r\n\r\n${BODY}`,
      );
      expect(answer, method).toMatchObject({ status: 405, code: 'method_not_allowed' });
      expect(answer.headers.get('allow')).toBe(allow);
    }
  });

  test.each(['/nothing', '/v1', '/v1/nothing', '/V1/pdf', '*'])('returns 404 for %s with any method', async (path) => {
    for (const method of ['QUERY', 'OPTIONS', 'POST'])
      expect(await answerTo(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n\r\n`)).toMatchObject({ status: 404 });
  });
});

describe('charset', () => {
  const typed = (type: string) => answerTo(`${render('Host: x', LENGTH, CLOSE).replace('application/json', type)}${BODY}`);

  test.each([
    'application/json',
    'application/json;charset=utf-8',
    'application/json; charset=UTF8',
    'application/json; charset="utf-8"',
    'Application/JSON; Charset="UTF-8"',
    'application/json; version=1; charset=utf-8',
    'application/json; x-charset=latin1',
    'application/json;',
    'application/json; nothing',
  ])('accepts %s', async (type) => expect((await typed(type)).status).toBe(200));

  test.each([
    ['application/json', 'json'],
    ['text/html', 'html'],
    ['text/markdown', 'md'],
    ['multipart/form-data; boundary=x', 'txt'],
  ])('says how to convert %s', async (type, extension) => {
    const { detail } = await problem(
      await fetch(`${service.url}/v1/pdf`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': `${type}; charset=latin1` },
        body: BODY,
      }),
      415,
      'unsupported_media_type',
    );
    expect(detail).toContain(`iconv -f LATIN1 -t UTF-8 in.${extension} > utf8.${extension}`);
  });

  test.each([
    'application/json; charset=utf-16',
    'application/json;charset=iso-8859-1',
    'application/json; charset="latin1"',
    'application/json; CHARSET=us-ascii',
    'application/json; charset=',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json ; charset = utf-32',
    'application/json; ; charset="utf-16',
    'application/json; charset=utf-80',
  ])('rejects %s', async (type) => expect(await typed(type)).toMatchObject({ status: 415, code: 'unsupported_media_type' }));
});
