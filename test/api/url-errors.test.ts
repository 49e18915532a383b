/** Documents from servers with invalid, too large, slow or incomplete responses return a problem, and the next one renders. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { eventually } from '../support/service.ts';
import { bomb, endless, html, RawSite, trickle } from '../support/site.ts';
import { Web } from '../support/web.ts';

const MAX_DOCUMENT_BYTES = 5_242_880;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';

const sendText = (text: string) => (socket: Socket) => void socket.end(text, 'latin1');
const respond = (line: string, headers = 'Content-Type: text/html\r\n') => sendText(`${line}\r\n${headers}\r\n<p>x`);

/** Invalid replies of a server, each with Chromium's name for the error. */
const FAULTS: Array<[name: string, speak: (socket: Socket) => void, netError: string]> = [
  ['a connection closed at once', (socket) => socket.end(), 'ERR_EMPTY_RESPONSE'],
  ['a connection that is reset', (socket) => socket.resetAndDestroy(), 'ERR_CONNECTION_RESET'],
  ['no HTTP at all', sendText('220 mail.example.com ESMTP\r\n'), 'ERR_INVALID_HTTP_RESPONSE'],
  ['HTML without a head', sendText('<p>as in 1991'), 'ERR_INVALID_HTTP_RESPONSE'],
  ['a bad status line', respond('HTTP/1.1 OK'), 'ERR_INVALID_HTTP_RESPONSE'],
  ['status 000', respond('HTTP/1.1 000 None'), 'ERR_INVALID_HTTP_RESPONSE'],
  ['status 099', respond('HTTP/1.1 099 None'), 'ERR_INVALID_HTTP_RESPONSE'],
  ['status 1000', respond('HTTP/1.1 1000 None'), 'ERR_INVALID_HTTP_RESPONSE'],
  ['101', respond('HTTP/1.1 101 Switching Protocols', 'Upgrade: x\r\nConnection: upgrade\r\n'), 'ERR_INVALID_HTTP_RESPONSE'],
  [
    '101, and an open connection',
    (socket) => socket.write('HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    'ERR_INVALID_HTTP_RESPONSE',
  ],
  ['a header without a colon', respond('HTTP/1.1 200 OK', 'no header\r\n'), 'ERR_INVALID_HTTP_RESPONSE'],
  ['a header with a control character', respond('HTTP/1.1 200 OK', 'X-A: b\x01c\r\n'), 'ERR_INVALID_HTTP_RESPONSE'],
  ['two lengths', respond('HTTP/1.1 200 OK', 'Content-Length: 4\r\nContent-Length: 5\r\n'), 'ERR_INVALID_HTTP_RESPONSE'],
  [
    'a length and pieces',
    respond('HTTP/1.1 200 OK', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'),
    'ERR_INVALID_HTTP_RESPONSE',
  ],
  ['a header of 300 KB', respond('HTTP/1.1 200 OK', `X-A: ${'a'.repeat(300_000)}\r\n`), 'ERR_RESPONSE_HEADERS_TOO_BIG'],
  ['50,000 headers', respond('HTTP/1.1 200 OK', 'X-A: b\r\n'.repeat(50_000)), 'ERR_RESPONSE_HEADERS_TOO_BIG'],
  ['half a body', sendText(`${HEAD}Content-Length: 1000\r\n\r\n<p>half`), 'ERR_CONTENT_LENGTH_MISMATCH'],
  ['half a piece', sendText(`${HEAD}Transfer-Encoding: chunked\r\n\r\nff\r\n<p>half`), 'ERR_INCOMPLETE_CHUNKED_ENCODING'],
  [
    'a body without its declared encoding',
    sendText(`${HEAD}Content-Encoding: gzip\r\n\r\n<p>not packed`),
    'ERR_CONTENT_DECODING_FAILED',
  ],
  ['more than 100 interim responses', sendText('HTTP/1.1 102 Processing\r\n\r\n'.repeat(200)), 'ERR_INVALID_HTTP_RESPONSE'],
];

const answers = Object.fromEntries(FAULTS.map(([, speak], n) => [`/${n}`, speak]));
const raw = await RawSite.start({
  ...answers,
  '/999': respond('HTTP/1.1 999 Denied'),
  '/pieces': sendText(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n<p>x`),
  '/hints': sendText(`HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload; as=style\r\n\r\n${HEAD}\r\n<p>after hints`),
  '/silent-after-100': (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  '/silent-after-head': (socket) => socket.write(`${HEAD}Content-Length: 9\r\n`),
}).then(closeAfterAll);
const web = await Web.share().then(closeAfterAll);
const { site } = web;
afterEach(async () => expect((await web.render('<p>still alive')).pages).toEqual(['still alive']));

describe('malformed responses', () => {
  test.each(FAULTS.map(([name, , netError], n) => [name, netError, n] as const))(
    'fail for %s with %s',
    async (_name, netError, n) => {
      const fault = await web.problemAt(`${raw.origin}/${n}`, 422, 'navigation_failed');
      expect(fault).toMatchObject({ net_error: netError });
      expect(fault).not.toHaveProperty('upstream_status');
    },
  );

  test('rejects chunks without a size', async () => {
    expect((await web.problemAt(`${raw.origin}/pieces`, 422, 'navigation_failed')).net_error).toMatch(/^ERR_/);
  });

  test('treats the status 999 as any other error', async () => {
    expect(await web.problemAt(`${raw.origin}/999`, 422, 'navigation_failed')).toMatchObject({ upstream_status: 999 });
  });

  test('accepts early hints', async () => {
    const { pages } = await web.render(`<iframe src="${raw.origin}/hints"></iframe>`);
    expect(pages).toEqual(['after hints']);
    expect((await web.ada.pdf({ url: `${raw.origin}/hints` })).status).toBe(200);
  });

  test.each(['/silent-after-100', '/silent-after-head'])('ends at the deadline (%s)', async (path) => {
    const fault = await web.problemAt(raw.origin + path, 504, 'render_timeout', { timeout: 1_500 });
    expect(fault).toMatchObject({ phase: 'load' });
  });

  test('reports each as a missing resource with its reason', async () => {
    const images = FAULTS.map((_fault, n) => `<iframe src="${raw.origin}/${n}"></iframe>`).join('');
    const { warnings } = await web.ada.report({ html: `<p>whole</p>${images}` });
    const found = new Map(warnings.map(({ url, net_error, status }) => [url, net_error ?? status]));
    expect(found).toEqual(new Map(FAULTS.map(([, , netError], n) => [`${raw.origin}/${n}`, netError])));
  });
});

describe('413 for documents over 5 MB', () => {
  const tooLarge = async (path: string) => {
    const fault = await web.problemAt(site.origin + path, 413, 'content_too_large', { timeout: 45_000 });
    expect(fault).toMatchObject({ limit: MAX_DOCUMENT_BYTES });
    await eventually('the site is left alone', () => site.openConnections === 0);
  };

  test('while they arrive without end', async () => {
    site.serve({ '/endless': endless('text/html', '<p>x', Buffer.alloc(65_536, 'abcdefg ')) });
    await tooLarge('/endless');
  });

  test('by one byte', async () => {
    site.serve({ '/over': html(`<p>x<!--${'a'.repeat(MAX_DOCUMENT_BYTES + 1 - 11)}-->`) });
    await tooLarge('/over');
    site.serve({ '/under': html(`<p>x<!--${'a'.repeat(MAX_DOCUMENT_BYTES - 11)}-->`) });
    expect(await web.textOf('/under')).toBe('x');
  });

  test('after decompression', async () => {
    const packed = gzipSync(Buffer.alloc(MAX_DOCUMENT_BYTES + 1, 'a '));
    expect(packed.length).toBeLessThan(20_000);
    site.serve({ '/packed': html(packed, { 'content-encoding': 'gzip' }) });
    await tooLarge('/packed');
  });

  test('compressed and without end', async () => {
    site.serve({ '/packed-endless': bomb('text/html', '<p>x', Buffer.alloc(1_048_576, 'a ')) });
    await tooLarge('/packed-endless');
  });

  test('after a redirect from a small one', async () => {
    site.serve({ '/small': html('<script>location = "/endless"</script>') });
    await tooLarge('/small');
  });
});

test('gives a slow document the time of the render', async () => {
  site.serve({ '/trickle': trickle('text/html', '<p>x') });
  const fault = await web.problemAt(`${site.origin}/trickle`, 504, 'render_timeout', { timeout: 2_000, resourceTimeout: 200 });
  expect(fault).toMatchObject({ phase: 'load' });
  await eventually('the site is left alone', () => site.openConnections === 0);
});
