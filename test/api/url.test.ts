/** Documents from a URL: rendering, errors, blocked addresses and charges. */
import { beforeEach, describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { freePort } from '../support/free-port.ts';
import { html, image, never, redirect, send, status } from '../support/site.ts';
import { Web } from '../support/web.ts';

/** A port on which nothing listens. */
const closedPort = await freePort();
const web = await Web.start({}, [closedPort]).then(closeAfterAll);
const { site } = web;
site.serve({
  '/': html(
    '<title>A title</title><link rel="stylesheet" href="style.css"><p>from a site</p><img src="/image.png"><script src="/script.js"></script>',
  ),
  '/image.png': image,
  '/style.css': send('text/css', 'p { background: #ff0000 }'),
  '/script.js': send('text/javascript', 'document.querySelector("p").append(", scripted")'),
  '/latin': send('text/html; charset=iso-8859-1', Buffer.from('<p>caf\xe9', 'latin1')),
  '/xhtml': send('application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>strict</p></body></html>'),
  '/where': html('<p id="o"></p><script>o.textContent = location.pathname + location.search + location.hash</script>'),
  '/no-type': (_request, response) => void response.writeHead(200).end('<p>without a type'),
  '/file.pdf': send('application/pdf', '%PDF-1.4'),
  '/data.json': send('application/json', '{"secret": 1}'),
  '/text': send('text/plain', 'plain text'),
  '/bytes': send('application/octet-stream', '<p>x'),
  '/download': html('<p>x', { 'content-disposition': 'Attachment; filename=x.html' }),
  '/not-found': status(404),
  '/never': never,
});
beforeEach(() => web.forget());

describe('renders', () => {
  test('a URL with its resources and title', async () => {
    const pdf = await web.visit('/');
    expect(pdf.pages[0]).toBe('from a site, scripted');
    expect(pdf.title).toBe('A title');
    expect(pdf.images).toBe(1);
    expect(pdf.fills).toContain('#ff0000');
    expect(site.requests.map(({ path }) => path).sort()).toEqual(['/', '/image.png', '/script.js', '/style.css']);
  });

  test.each([
    ['in another encoding', '/latin', 'café'],
    ['of XHTML', '/xhtml', 'strict'],
    ['without a type', '/no-type', 'without a type'],
    ['with its query and fragment', '/where?a=b&c#d', '/where?a=b&c#d'],
  ])('%s', async (_name, path, text) => expect(await web.textOf(path)).toBe(text));

  test('a URL in unusual spelling', async () => {
    const response = await web.ada.pdf({ url: ` HTTP://127.1:${site.port}/x/../where?%41 ` });
    expect(response.status).toBe(200);
    expect(site.requests[0]?.path).toBe('/where?%41');
  });

  test('and stores it, with its source and a report', async () => {
    site.serve({
      '/parts': html(
        `<p>x</p><img src="/image.png"><img src="/not-found"><img src="${web.forbidden.origin}/x.png"><img src="http://nowhere.invalid/x.png">`,
      ),
    });
    const { source, report } = await web.ada.store({ url: `${site.origin}/parts` });
    expect(source).toBe('url');
    expect(report?.network).toMatchObject({
      requests: 5,
      contacted: [`127.0.0.1:${site.port}`],
      refused: [`127.0.0.1:${web.forbidden.port}`],
    });
    expect(report?.network.bytes).toBeGreaterThan(0);
    expect(report?.warning_count).toBe(3);
    expect(report?.warnings).toHaveLength(3);
    expect(report?.warnings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'resource_failed', url: `${site.origin}/not-found`, status: 404 }),
        expect.objectContaining({ kind: 'resource_refused', url: `${web.forbidden.origin}/x.png` }),
        expect.objectContaining({
          kind: 'resource_failed',
          url: 'http://nowhere.invalid/x.png',
          net_error: 'ERR_NAME_NOT_RESOLVED',
        }),
      ]),
    );
    expect(web.forbidden.requests).toEqual([]);
  });

  test('and counts missing resources in the reply', async () => {
    const response = await web.ada.pdf({ url: `${site.origin}/parts` });
    expect(response.headers.get('platen-warnings')).toBe('3');
    expect((await web.ada.pdf({ url: `${site.origin}/` })).headers.get('platen-warnings')).toBe('0');
  });
});

describe('422 if the response is not a document', () => {
  test.each([204, 205, 400, 401, 403, 404, 407, 410, 429, 500, 503])('returns 422 for the status %i', async (code) => {
    site.serve({ '/status': status(code) });
    expect(await web.problemAt(`${site.origin}/status`, 422, 'navigation_failed')).toMatchObject({ upstream_status: code });
  });

  test.each([
    ['a PDF', '/file.pdf', 'application/pdf'],
    ['an image', '/image.png', 'image/png'],
    ['JSON', '/data.json', 'application/json'],
    ['plain text', '/text', 'text/plain'],
    ['bytes', '/bytes', 'application/octet-stream'],
    ['a style sheet', '/style.css', 'text/css'],
    ['a download', '/download', 'text/html'],
  ])('%s', async (_name, path, type) => {
    const fault = await web.problemAt(site.origin + path, 422, 'navigation_failed');
    expect(fault).toMatchObject({ upstream_status: 200, content_type: type });
    expect(JSON.stringify(fault)).not.toContain('secret');
  });
});

describe('422 if the server cannot be reached', () => {
  test.each([
    ['a name nobody knows', () => 'http://nowhere.invalid/', 'ERR_NAME_NOT_RESOLVED'],
    ['a name whose servers fail', () => 'http://x.failing.test/', 'ERR_NAME_NOT_RESOLVED'],
    ['a port nobody listens on', () => `http://127.0.0.1:${closedPort}/`, 'ERR_CONNECTION_REFUSED'],
    ['a port without TLS', () => `https://127.0.0.1:${site.port}/`, 'ERR_SSL_PROTOCOL_ERROR'],
    ['a port nobody listens on, by TLS', () => `https://127.0.0.1:${closedPort}/`, 'ERR_CONNECTION_REFUSED'],
  ])('%s', async (_name, url, netError) =>
    expect(await web.problemAt(url(), 422, 'navigation_failed')).toMatchObject({ net_error: netError }),
  );

  test('gives a server that never answers the time of the render', async () => {
    const fault = await web.problemAt(`${site.origin}/never`, 504, 'render_timeout', { timeout: 1_500, resourceTimeout: 100 });
    expect(fault).toMatchObject({ phase: 'load', timeout_ms: 1_500 });
    expect(site.requestsFor('/never')).toHaveLength(1);
  });
});

describe('403 if the address is blocked', () => {
  const places: Array<[string, () => string]> = [
    ['a port that was not allowed', () => web.forbidden.origin],
    ['the same on a port nobody listens on', () => 'http://127.0.0.1:9'],
    ['the service itself', () => web.service.url],
    ['the service by another name', () => web.service.url.replace('127.0.0.1', 'x.private.test')],
    ['the address on which everything listens', () => web.forbidden.as('0.0.0.0')],
    ['IPv6', () => web.forbidden.as('[::1]')],
    ['an address within IPv6', () => web.forbidden.as('[::ffff:127.0.0.1]')],
    ['a name that leads there', () => web.forbidden.as('x.private.test')],
    ['a name that leads there and elsewhere', () => web.forbidden.as('x.mixed.test')],
    ['a number', () => web.forbidden.as('2130706433')],
    ['metadata of a cloud', () => 'http://169.254.169.254'],
    ['a private network', () => 'http://10.0.0.1'],
    ['a private network, by TLS', () => 'https://10.0.0.1'],
    ['a public address on a port that is not for the web', () => 'http://198.41.0.4:8080'],
    ['a port Chromium keeps to other protocols', () => 'http://198.41.0.4:6000'],
  ];

  test.each(places)('%s', async (_name, place) => {
    const { request_id, ...fault } = await web.problemAt(`${place()}/healthz?x`, 403, 'forbidden_url');
    expect(fault).toEqual({
      type: `${web.service.url}/errors/forbidden_url`,
      title: 'The URL is not allowed',
      status: 403,
      code: 'forbidden_url',
      detail: 'the network policy of this service does not allow url, or a URL that it leads to',
    });
    expect(web.forbidden.requests).toEqual([]);
  });
});

describe('400', () => {
  const expected = 'must be a URL that begins with https:// or http://';
  test.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'FILE:/etc/passwd',
    'about:blank',
    'data:text/html,x',
    'javascript:1',
    'chrome://version',
    'view-source:http://example.com/',
    'blob:http://example.com/x',
    'filesystem:http://example.com/x',
    'ws://example.com/',
    'example.com',
    '//example.com',
    '/path',
    'http://',
    'http://[::1/',
    'http://a b/',
    '',
  ])('%o', async (url) =>
    expect((await problem(await web.ada.pdf({ url }), 400, 'invalid_request')).errors).toEqual([
      { path: 'url', message: expected },
    ]),
  );

  test.each([
    ['a number', 5],
    ['a list', ['http://example.com/']],
    ['too long', `http://example.com/${'a'.repeat(8_192)}`],
  ])('%s', async (_name, url) => {
    const { errors } = await problem(await web.ada.pdf({ url }), 400, 'invalid_request');
    expect(errors).toEqual([{ path: 'url', message: expected }]);
  });

  test.each([
    ['html', { html: '<p>x' }, 'url'],
    ['a template', { template_id: 'tpl_0123456789ABCDEFGHIJKL' }, 'template_id'],
    ['data', { data: {} }, 'data'],
  ])('rejects a URL together with %s', async (_name, more, path) => {
    const { errors } = await problem(await web.ada.pdf({ url: `${site.origin}/`, ...more }), 400, 'invalid_request');
    expect(errors).toEqual([{ path, message: expect.stringMatching(/cannot be combined|requires/) }]);
    expect(site.requests).toEqual([]);
  });
});

test('charges what was rendered, and not what failed', async () => {
  const before = await web.ada.usage();
  const failing: Array<[string, number]> = [
    ['/not-found', 422],
    ['/data.json', 422],
    ['/to-forbidden', 403],
    ['/never', 504],
  ];
  site.serve({ '/to-forbidden': redirect(web.forbidden.origin) });
  for (const [path, code] of failing) {
    const options = code === 504 ? { timeout: 2_000 } : {};
    expect((await web.ada.pdf({ url: site.origin + path, options })).status).toBe(code);
  }
  expect((await web.ada.usage()).documents.used).toBe(before.documents.used);
  await web.visit('/');
  expect((await web.ada.usage()).documents.used).toBe(before.documents.used + 1);
});
