/** Cookies, headers and credentials are sent only to the origin they are meant for. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type Answer, html, image, redirect, type Site, type SiteRequest, send } from '../support/site.ts';
import { Web } from '../support/web.ts';

const HEADERS = { 'X-Secret': 'header-secret', Authorization: 'Bearer token-secret' };
const COOKIES = [
  { name: 'plain', value: 'cookie-secret' },
  { name: 'strict', value: 'cookie-secret2', sameSite: 'Strict', httpOnly: true },
];
const SECRETS = { extraHTTPHeaders: HEADERS, cookies: COOKIES };

const web = await Web.start().then(closeAfterAll);
const { site } = web;
for (const each of [site, web.other])
  each.serve({
    '/image.png': image,
    '/style.css': send('text/css', '@import url(/imported.css)'),
    '/imported.css': send('text/css', ''),
    '/script.js': send('text/javascript', 'fetch("/fetched", { mode: "no-cors" })'),
    '/frame': html('<p>frame</p><img src="/image.png?frame">'),
    '/fetched': send('text/plain', 'x', { 'access-control-allow-origin': '*' }),
    '/there': html('<p>there</p><img src="/image.png?there">'),
  });
beforeEach(() => web.forget());

const secretsIn = ({ headers }: SiteRequest) =>
  ['x-secret', 'authorization', 'cookie'].filter((name) => /secret|Basic|Digest/.test(String(headers[name])));
const ALL = ['x-secret', 'authorization', 'cookie'];
/** Returns the requested paths, each with the names of the secrets that were sent along. */
const secretsByPath = (each: Site) => Object.fromEntries(each.requests.map((request) => [request.path, secretsIn(request)]));

/** Returns elements and scripts that make every kind of request to every origin. */
function parts(): string {
  const neighbours = [web.other.origin, site.as('x.private.test'), web.other.as('x.private.test')];
  const of = (origin: string) =>
    `<link rel="stylesheet" href="${origin}/style.css"><script src="${origin}/script.js"></script><img src="${origin}/image.png"><iframe src="${origin}/frame"></iframe>
<script>fetch('${origin}/fetched?page', { mode: 'no-cors', credentials: 'include' }); navigator.sendBeacon('${origin}/beacon', 'x')</script>`;
  return `<p>x</p>${[site.origin, ...neighbours].map(of).join('')}<img src="${site.origin}/moved.png">`;
}

describe.each(['url', 'html'] as const)('in %s', (way) => {
  const render = async (markup: string, options: object) => {
    site.serve({ '/document': html(markup) });
    const body =
      way === 'url'
        ? { url: `${site.origin}/document`, options }
        : { html: markup, options: { baseUrl: `${site.origin}/document`, ...options } };
    await succeeded(web.ada.pdf({ ...body, options: { waitUntil: 'networkidle0', ...body.options } }));
  };

  test('sends secrets with every request to the origin, but not to other ports, names or redirect targets', async () => {
    site.serve({ '/moved.png': redirect(`${web.other.origin}/image.png?moved`) });
    await render(parts(), SECRETS);
    const own = site.requests.filter(({ headers }) => headers.host?.startsWith('127.0.0.1'));
    const paths = [
      '/style.css',
      '/script.js',
      '/image.png',
      '/frame',
      '/fetched?page',
      '/imported.css',
      '/image.png?frame',
      '/moved.png',
    ];
    expect(own.map(({ path }) => path)).toEqual(expect.arrayContaining(way === 'url' ? ['/document', ...paths] : paths));
    for (const request of own) expect([request.path, secretsIn(request)]).toEqual([request.path, ALL]);
    const others = [...web.other.requests, ...site.requests.filter((request) => !own.includes(request))];
    expect(others.map(({ path }) => path)).toEqual(expect.arrayContaining([...paths.slice(0, -1), '/image.png?moved']));
    for (const request of others) expect([request.path, secretsIn(request)]).toEqual([request.path, []]);
  });

  test('replaces the headers of the browser with the given ones', async () => {
    const headers = { ...HEADERS, 'Accept-Language': 'de-DE', 'user-agent': 'Mine/1', 'X-Umlaut': 'sch\xf6n', 'X-Empty': '' };
    await render('<p>x</p><img src="image.png">', { ...SECRETS, extraHTTPHeaders: headers });
    const [request] = site.requestsFor('/image.png');
    expect(request?.headers).toMatchObject({
      'x-secret': 'header-secret',
      authorization: 'Bearer token-secret',
      'accept-language': 'de-DE',
      'user-agent': 'Mine/1',
      'x-empty': '',
    });
    expect(request?.headers.cookie?.split('; ').sort()).toEqual(['plain=cookie-secret', 'strict=cookie-secret2']);
  });

  test('sends cookies to their path only, until they expire', async () => {
    const cookies = [
      { name: 'deep', value: 'secret', path: '/deep' },
      { name: 'old', value: 'secret', expires: 1_000_000_000 },
      { name: 'coming', value: 'secret', expires: 4_000_000_000, domain: '127.0.0.1' },
      { name: 'session', value: '"secret"', expires: -1 },
    ];
    site.serve({ '/deep/image.png': image, '/deeper.png': image });
    await render('<p>x</p><img src="/deep/image.png"><img src="/deeper.png">', { cookies });
    const cookiesOf = (path: string) => site.requestsFor(path)[0]?.headers.cookie?.split('; ').sort();
    expect(cookiesOf('/deep/image.png')).toEqual(['coming=secret', 'deep=secret', 'session="secret"']);
    expect(cookiesOf('/deeper.png')).toEqual(['coming=secret', 'session="secret"']);
  });

  test('sends nothing in the next render of the same key', async () => {
    await render('<p>x</p><img src="image.png">', { ...SECRETS, authenticate: { username: 'ada', password: 'x' } });
    web.forget();
    await render('<p>x</p><img src="image.png?again">', {});
    expect(site.requests.length).toBeGreaterThan(0);
    for (const request of site.requests) expect(secretsIn(request)).toEqual([]);
  });

  test('keeps secrets out of logs', () => {
    expect(web.service.output()).not.toMatch(/cookie-secret|header-secret|token-secret/);
  });
});

describe('a redirected document', () => {
  const visit = async (path: string) => {
    const options = { ...SECRETS, authenticate: { username: 'ada', password: 'pw' } };
    await succeeded(web.ada.pdf({ url: site.origin + path, options }));
  };
  const WAYS: Array<[way: string, to: (url: string) => Answer]> = [
    ['a redirect', (url) => redirect(url)],
    ['a script', (url) => html(`<script>location = "${url}"</script>`)],
    ['a form', (url) => html(`<form method="post" action="${url}"></form><script>document.forms[0].submit()</script>`)],
    ['a refresh', (url) => html(`<meta http-equiv="refresh" content="0; url=${url}">`)],
  ];

  test.each(WAYS)('sends nothing to another site after %s', async (_way, to) => {
    site.serve({ '/start': to(`${web.other.origin}/there`) });
    await visit('/start');
    expect(secretsByPath(site)).toEqual({ '/start': ALL });
    expect(secretsByPath(web.other)).toEqual({ '/there': [], '/image.png?there': [] });
  });

  test.each(WAYS)('sends nothing to another port or name of the host after %s', async (_way, to) => {
    site.serve({ '/start': to(`${site.as('x.private.test')}/there`) });
    await visit('/start');
    expect(secretsByPath(site)).toEqual({ '/start': ALL, '/there': [], '/image.png?there': [] });
  });

  test.each(WAYS)('keeps sending within its origin after %s', async (_way, to) => {
    site.serve({ '/start': to('/there') });
    await visit('/start');
    expect(secretsByPath(site)).toEqual({ '/start': ALL, '/there': ALL, '/image.png?there': ALL });
  });

  test('sends nothing for a page elsewhere that requests the origin', async () => {
    web.other.serve({ '/spy': html(`<img src="${site.origin}/image.png?spied"><iframe src="${site.origin}/frame"></iframe>`) });
    site.serve({ '/start': html(`<script>location = "${web.other.origin}/spy"</script>`) });
    await visit('/start');
    for (const request of site.requestsFor('/image.png')) expect(request.headers).not.toHaveProperty('x-secret');
    expect(secretsByPath(web.other)).toEqual({ '/spy': [] });
  });
});

describe('authenticate', () => {
  const challenge = (scheme: string, answers: (header: string, request: IncomingMessage) => boolean, inside: Answer): Answer => {
    return (request, response) => {
      if (answers(request.headers.authorization ?? '', request)) return inside(request, response);
      response.writeHead(401, { 'www-authenticate': scheme, 'content-type': 'text/html' }).end('<p>outside');
    };
  };
  const basic = (inside: Answer, realm = 'x') =>
    challenge(
      `Basic realm="${realm}"`,
      (header) => header === `Basic ${Buffer.from('ada:p\u00e4ss').toString('base64')}`,
      inside,
    );
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const digest = (inside: Answer) =>
    challenge(
      'Digest realm="x", nonce="n0nce", qop="auth"',
      (header, { method, url }) => {
        const { response, cnonce, nc } = Object.fromEntries(
          [...header.matchAll(/(\w+)="?([^",]+)"?/g)].map(([, name, value]) => [name, value]),
        );
        return response === md5(`${md5('ada:x:p\u00e4ss')}:n0nce:${nc}:${cnonce}:auth:${md5(`${method}:${url}`)}`);
      },
      inside,
    );
  const RIGHT = { username: 'ada', password: 'p\u00e4ss' };
  const SCHEMES: Array<[string, (inside: Answer) => Answer]> = [
    ['Basic', basic],
    ['Digest', digest],
  ];
  const inside = html('<p>inside</p><img src="/guarded.png"><script src="/guarded.js"></script>');

  test.each(SCHEMES)('authenticates a URL with its resources (%s)', async (_scheme, guard) => {
    site.serve({
      '/guarded': guard(inside),
      '/guarded.png': guard(image),
      '/guarded.js': guard(send('text/javascript', 'document.body.append("script")')),
    });
    const pdf = await web.visit('/guarded', { authenticate: RIGHT });
    expect(pdf.pages).toEqual(['inside script']);
    expect(pdf.images).toBe(1);
  });

  test.each(SCHEMES)('authenticates styles, scripts and frames of markup with a base URL (%s)', async (_scheme, guard) => {
    site.serve({
      '/guarded.css': guard(send('text/css', 'p { background: #ff0000 }')),
      '/guarded.js': guard(send('text/javascript', 'document.body.append("script")')),
      '/guarded': guard(html('<p>inside')),
    });
    const markup =
      '<link rel="stylesheet" href="guarded.css"><p>x</p><iframe src="guarded"></iframe><script src="guarded.js"></script>';
    const pdf = await web.render(markup, { authenticate: RIGHT, baseUrl: `${site.origin}/` });
    expect(pdf.pages[0]).toContain('inside');
    expect(pdf.pages[0]).toContain('script');
    expect(pdf.fills).toContain('#ff0000');
  });

  test.each(SCHEMES)('tries wrong credentials once, and fails (%s)', async (_scheme, guard) => {
    site.serve({ '/guarded': guard(inside) });
    for (const [password, times] of [
      ['wrong', 2],
      ['', 2],
    ] as const) {
      web.forget();
      const fault = await web.problemAt(`${site.origin}/guarded`, 422, 'navigation_failed', {
        authenticate: { username: 'ada', password },
      });
      expect(fault).toMatchObject({ upstream_status: 401 });
      expect(site.requests).toHaveLength(times);
    }
  });

  test('returns 401 without credentials', async () => {
    site.serve({ '/guarded': basic(inside) });
    expect(await web.problemAt(`${site.origin}/guarded`, 422, 'navigation_failed')).toMatchObject({ upstream_status: 401 });
    expect(site.requests).toHaveLength(1);
  });

  test('follows a redirect between two realms of the origin', async () => {
    site.serve({ '/first': basic(redirect('/second')), '/second': basic(html('<p>second'), 'y') });
    expect(await web.textOf('/first', { authenticate: RIGHT })).toBe('second');
  });

  test.each([
    ['elsewhere, by a redirect', () => redirect(`${web.other.origin}/guarded`)],
    ['elsewhere, by a script', () => html(`<script>location = "${web.other.origin}/guarded"</script>`)],
    ['on the same port by another name', () => redirect(`${site.as('x.private.test')}/guarded`)],
  ])('does not answer a challenge %s', async (_name, start) => {
    for (const each of [site, web.other]) each.serve({ '/guarded': basic(inside) });
    site.serve({ '/start': start() });
    const fault = await web.problemAt(`${site.origin}/start`, 422, 'navigation_failed', { authenticate: RIGHT });
    expect(fault).toMatchObject({ upstream_status: 401 });
    for (const request of [...site.requests, ...web.other.requests]) expect(request.headers.authorization).toBeUndefined();
  });

  test('does not answer challenges of other origins and of proxies', async () => {
    web.other.serve({
      '/guarded.js': basic(send('text/javascript', '')),
      '/guarded': basic(html('<p>inside')),
      '/guarded.png': basic(image),
    });
    const parts = `<p>x</p><script src="${web.other.origin}/guarded.js"></script><iframe src="${web.other.origin}/guarded"></iframe><img src="${web.other.origin}/guarded.png">`;
    site.serve({
      '/start': html(parts),
      '/proxy': (_request, response) => void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end(),
    });
    await web.visit('/start', { authenticate: RIGHT });
    await web.render(parts, { authenticate: RIGHT, baseUrl: site.origin });
    expect(web.other.requests.length).toBeGreaterThan(4);
    for (const request of web.other.requests) expect(request.headers.authorization).toBeUndefined();
    await web.problemAt(`${site.origin}/proxy`, 422, 'navigation_failed', { authenticate: RIGHT });
    for (const { headers } of site.requests) expect(headers).not.toHaveProperty('proxy-authorization');
  });
});
