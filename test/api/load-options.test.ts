/** Options for loading: scripts, user agent and base URL, and invalid values of all options. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { millimetresOf } from '../support/read-pdf.ts';
import { type Answer, html, image, redirect, send } from '../support/site.ts';
import { Web } from '../support/web.ts';

const VECTOR = `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">vector</text><script>fetch('/ran/vector')</script></svg>`;
const shown: Answer = (request, response) =>
  html(
    `<p id="o"></p><script>o.textContent = ${JSON.stringify(request.headers['user-agent'])} + ' = ' + navigator.userAgent</script>`,
  )(request, response);

const web = await Web.start({ PLATEN_CONCURRENCY: '1' }).then(closeAfterAll);
const { site } = web;
/** The origin of the other site under a host name, so that it differs from the first one in host and port. */
const elsewhere = web.other.as('x.private.test');
for (const each of [site, web.other])
  each.serve({
    '/script.js': send('text/javascript', `fetch('/ran/external'); document.body.append(' external')`),
    '/frame': html(`<p>frame</p><script>document.body.append(' frame-script'); fetch('/ran/frame')</script>`),
    '/vector.svg': send('image/svg+xml', VECTOR),
    '/worker.js': send('text/javascript', `fetch('/ran/worker')`),
    '/image.png': image,
  });
beforeEach(() => web.forget());

const ran = () => [...site.requests, ...web.other.requests].map(({ path }) => path).filter((path) => path.startsWith('/ran/'));

describe('javascript: false', () => {
  /** Uses every way to run a script. Each one is visible in the text or in the requests to a site. */
  const scripts = (origin: string) => `<!doctype html><p>static</p><noscript>noscript</noscript>
<script>document.body.append(' inline')</script>
<script src="${origin}/script.js"></script>
<script type="module">document.body.append(' module')</script>
<body onload="document.body.append(' onload')">
<img src="x:" onerror="document.body.append(' onerror')">
<iframe src="javascript:'<p>javascript-url'"></iframe>
<iframe srcdoc="<p>srcdoc</p><script>document.body.append(' srcdoc-script')</script>"></iframe>
<iframe src="data:text/html,<p>data</p><script>document.body.append(' data-script')</script>"></iframe>
<iframe src="${origin}/frame"></iframe>
<iframe src="${elsewhere}/frame"></iframe>
<iframe sandbox="allow-scripts" src="${elsewhere}/frame"></iframe>
<object data="${elsewhere}/vector.svg"></object><embed src="${origin}/vector.svg">
<svg width="90" height="9"><script>document.body.append(' vector-script')</script><set attributeName="x" onbegin="document.body.append(' smil')" /></svg>
<details open ontoggle="document.body.append(' ontoggle')"></details>
<style>@keyframes k { to { color: red } } p { animation: k 1ms }</style><p onanimationend="document.body.append(' onanimation')"></p>
<meta http-equiv="refresh" content="0; url=javascript:document.body.append(' refresh')">
<script>new Worker(URL.createObjectURL(new Blob(["fetch('${site.origin}/ran/worker', { mode: 'no-cors' }).finally(() => postMessage(0))"]))).onmessage = () => { globalThis.workerRan = true }</script>`;
  const WORDS = [
    'inline',
    'external',
    'module',
    'onload',
    'onerror',
    'javascript-url',
    'srcdoc-script',
    'data-script',
    'frame-script',
    'vector-script',
  ];

  const check = async (text: string, isOn: boolean) => {
    for (const word of WORDS) expect(text.includes(word), `${word} in ${text}`).toBe(isOn);
    expect(text.includes('noscript')).toBe(!isOn);
    for (const word of ['static', 'srcdoc', 'data', 'frame', 'vector']) expect(text).toContain(word);
    await Promise.all([site.allRecorded(), web.other.allRecorded()]);
    if (isOn) expect(ran()).toEqual(expect.arrayContaining(['/ran/frame', '/ran/vector', '/ran/worker']));
    else expect(ran()).toEqual([]);
  };
  const textOf = async (isUrl: boolean, options: object) => {
    site.serve({ '/scripts': html(scripts('')) });
    const { pages } = isUrl ? await web.visit('/scripts', options) : await web.render(scripts(site.origin), options);
    return pages.join(' ');
  };

  test.each([
    ['html', false],
    ['url', true],
  ])('in %s runs nothing, and the next render of the key runs scripts again', async (_name, isUrl) => {
    await check(await textOf(isUrl, { waitForFunction: 'globalThis.workerRan', waitForTimeout: 500 }), true);
    web.forget();
    await check(await textOf(isUrl, { javascript: false, waitForTimeout: 500 }), false);
    web.forget();
    await check(await textOf(isUrl, { waitForFunction: 'globalThis.workerRan', waitForTimeout: 500 }), true);
  });

  test('supports waits, fonts, lazy images and page rules', async () => {
    const options = {
      javascript: false,
      waitForSelector: { selector: 'p', visible: true },
      waitForFunction: 'document.images.length === 2',
    };
    const pdf = await web.render(
      `<style>@page { size: 10cm 20cm }</style><p>x</p><img src="${site.origin}/image.png"><div style="height: 3000px"></div><img loading="lazy" src="${site.origin}/image.png?lazy">`,
      options,
    );
    expect(pdf.images).toBe(2);
    expect(millimetresOf(pdf)[0]).toEqual([100, 200]);
  });
});

describe('userAgent', () => {
  test('is sent and visible in resources and frames, and is reset for the next render', async () => {
    site.serve({ '/agent': shown });
    const options = { userAgent: 'ReportPrinter/2.0 (test)' };
    expect(await web.textOf('/agent', options)).toBe('ReportPrinter/2.0 (test) = ReportPrinter/2.0 (test)');
    expect((await web.render(`<iframe src="${site.origin}/agent"></iframe>`, options)).pages[0]).toBe(
      'ReportPrinter/2.0 (test) = ReportPrinter/2.0 (test)',
    );
    web.forget();
    await web.render(`<img src="${site.origin}/image.png?agent">`, options);
    expect(site.requests[0]?.headers['user-agent']).toBe('ReportPrinter/2.0 (test)');
    expect(await web.textOf('/agent')).not.toContain('ReportPrinter');
    expect((await web.render(`<iframe src="${site.origin}/agent"></iframe>`)).pages[0]).not.toContain('ReportPrinter');
  });
});

describe('baseUrl', () => {
  const at = (path = '/dir/page') => ({ baseUrl: site.origin + path });
  beforeAll(() =>
    site.serve({
      '/dir/image.png': image,
      '/dir/style.css': send('text/css', 'p { background: #ff0000 url(image.png?style) }'),
      '/dir/frame': html('<p>frame</p>'),
      '/sub/image.png': image,
    }),
  );

  test('loads images, styles, scripts and frames', async () => {
    const pdf = await web.render(
      `<link rel="stylesheet" href="style.css"><p>x</p><img src="image.png"><img src="/image.png"><img src="//127.0.0.1:${site.port}/image.png?full"><div style="width: 9px; height: 9px; background: url(image.png?attribute)"></div><iframe src="frame"></iframe><script src="../script.js"></script>`,
      at(),
    );
    expect(pdf.fills).toContain('#ff0000');
    expect(pdf.pages[0]).toContain('frame');
    expect(pdf.pages[0]).toContain('external');
    expect(site.requests.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/dir/style.css',
        '/dir/image.png',
        '/image.png',
        '/image.png?full',
        '/dir/image.png?attribute',
        '/dir/image.png?style',
        '/dir/frame',
        '/script.js',
      ]),
    );
  });

  test('works with a template', async () => {
    const { template_id } = await web.ada.template('<img src="image.png?{{n}}">');
    const response = await web.ada.pdf({ template_id, data: { n: 7 }, options: at() });
    expect(response.status).toBe(200);
    expect(site.requests.map(({ path }) => path)).toEqual(['/dir/image.png?7']);
  });

  test.each([
    ['a base', (origin: string) => `<base href="${origin}/sub/">`],
    [
      'a base after other things',
      (origin: string) => `<!doctype html><title>x</title><base target="_blank" href='${origin}/sub/'>`,
    ],
  ])('%s in the markup takes precedence', async (_name, base) => {
    await web.render(`${base(site.origin)}<img src="image.png">`, at());
    expect(site.requests.map(({ path }) => path)).toEqual(['/sub/image.png']);
  });

  test.each([
    ['<base href="sub/">', '/dir/sub/image.png'],
    ['<base href=/sub/>', '/sub/image.png'],
    ["<base target=x href='../other/'>", '/other/image.png'],
  ])('resolves a relative %s against it', async (base, path) => {
    await web.render(`${base}<img src="image.png">`, at());
    expect(site.requests.map((request) => request.path)).toEqual([path]);
  });

  test.each([
    ['a base without an address', '<base target="_blank">'],
    ['a base in a comment', '<!-- <base href="/sub/"> -->'],
    ['a comment without end', '<p>x</p><img src="image.png"><!-- <base href="/sub/">'],
  ])('does not apply to %s', async (_name, base) => {
    await web.render(`${base}<img src="image.png">`, at());
    expect(site.requests.map(({ path }) => path)).toEqual(['/dir/image.png']);
  });

  test.each([
    ['a doctype', '<!doctype html>', 'CSS1Compat'],
    ['a byte order mark', '\uFEFF<!doctype html>', 'CSS1Compat'],
    ['blanks', ' \r\n\t<!DOCTYPE HTML>', 'CSS1Compat'],
    ['a comment', '<!-- made by hand > --> <!doctype html>', 'CSS1Compat'],
    ['an empty comment', '<!--><!doctype html>', 'CSS1Compat'],
    ['comments that end oddly', '<!---><!-- a --!><!doctype html>', 'CSS1Compat'],
    ['an XML declaration', '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>', 'CSS1Compat'],
    [
      'a long doctype',
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
      'CSS1Compat',
    ],
    ['1,500 blanks', `${' '.repeat(1_500)}<!doctype html>`, 'CSS1Compat'],
    ['a condition for a browser', '<![if !IE]><!doctype html><![endif]>', 'CSS1Compat'],
    ['CDATA', '<![CDATA[ a ]]><!doctype html>', 'CSS1Compat'],
    ['a doctype of 2,000 characters', `<!doctype html PUBLIC "${'x'.repeat(2_000)}">`, 'CSS1Compat'],
    ['a limited quirks doctype', '<!doctype html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "">', 'CSS1Compat'],
    ['an end tag', '</p><!doctype html>', 'BackCompat'],
    ['no doctype', '', 'BackCompat'],
    ['a doctype too late', '<p></p><!doctype html>', 'BackCompat'],
  ])('keeps the rendering mode for %s', async (_name, start, mode) => {
    const source = `${start}<p id="o"></p><script>o.textContent = document.compatMode + ' ' + document.baseURI</script>`;
    expect((await web.render(source, at())).pages).toEqual([`${mode} ${site.origin}/dir/page`]);
    expect((await web.render(source)).pages).toEqual([`${mode} about:blank`]);
  });

  test('changes nothing else in the document', async () => {
    const source = (script: string) =>
      `<!doctype html PUBLIC "${'-'.repeat(1_200)}"><!-- a --><html lang="de"><!-- b --><head id="h" class="c">\n<title>x</title></head><body><p id="o"></p><script>${script}</script>`;
    const tree = `document.querySelector('base')?.remove(); o.textContent = document.documentElement.outerHTML.split('<body>')[0] + document.scripts.length`;
    const expected = ['<html lang="de"><!-- b --><head id="h" class="c"> <title>x</title></head>1'];
    expect((await web.render(source(tree))).pages).toEqual(expected);
    expect((await web.render(source(tree), at())).pages).toEqual(expected);
  });

  test('escapes special characters', async () => {
    const baseUrl = `${site.origin}/a"><script>document.title="x"</script>&amp;/`;
    const { pages } = await web.render('<!doctype html><p id="o"></p><script>o.textContent = document.baseURI</script>', {
      baseUrl,
    });
    expect(pages).toEqual([new URL(baseUrl).href]);
  });

  test('scans 5 MB of comments once', async () => {
    const source = `${'<!--'.repeat(1_200_000)}`;
    expect((await web.ada.pdf({ html: source, options: { ...at(), timeout: 20_000 } })).status).toBe(200);
  });
});

describe('400 for invalid values', () => {
  const WRONG: Array<[option: string, values: unknown[], path?: string]> = [
    ['waitUntil', ['', 'loaded', 'networkidle', ['load'], 5]],
    ['waitForSelector', ['', 5, {}, { selector: '' }, { selector: 'p', visible: 1 }, 'a'.repeat(1_001)]],
    ['waitForSelector', [{ selector: 'p', visible: true, hidden: true }]],
    ['waitForFunction', [5, 'a b', '(', 'return 1', 'if (x) {}', '"', 'a'.repeat(10_001)]],
    ['waitForTimeout', [-1, 1.5, '5', 1e9]],
    ['waitForTimeout', [30_000, 30_001]], // as long as the render
    ['resourceTimeout', [0, -1, 1.5, '5', 1e9]],
    ['javascript', ['false', 0]],
    ['userAgent', ['', 5, 'a\nb', 'é', 'a'.repeat(501)]],
    ['failOnHttpStatus', ['true', 404, ['404'], [99], [600], [1.5]]],
    ['failOnResourceError', ['true', 1]],
    ['failOnConsoleError', ['true', 1]],
    ['cookies', [{}, 'a=b', Array.from({ length: 101 }, () => ({ name: 'a', value: 'b' }))]],
    ['extraHTTPHeaders', [[], 'a: b', Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, 'y']))]],
    ['authenticate', [{}, 'ada:secret', { username: 'ada' }, { username: 'ada', password: 5 }]],
    ['baseUrl', ['', '/path', 'ftp://example.com/', 'data:text/html,x', 5]],
  ];
  const WRONG_COOKIES: Array<[cookie: object, member: string]> = [
    [{ name: '', value: 'b' }, 'name'],
    [{ name: 'a b', value: 'b' }, 'name'],
    [{ name: 'a', value: 'b;c' }, 'value'],
    [{ name: 'a', value: 'b\r\nX: y' }, 'value'],
    [{ name: 'a', value: 'b', path: 'x' }, 'path'],
    [{ name: 'a', value: 'b', path: '/x;y' }, 'path'],
    [{ name: 'a', value: 'b', domain: 'example.com' }, 'domain'],
    [{ name: 'a', value: 'b', secure: true }, 'secure'],
    [{ name: 'a', value: 'b', sameSite: 'lax' }, 'sameSite'],
    [{ name: 'a', value: 'b', expires: 'soon' }, 'expires'],
    [{ name: 'a', value: 'b', httponly: true }, 'httponly'],
    [{ name: 'a' }, 'value'],
  ];
  const WRONG_HEADERS = [
    'Host',
    'content-length',
    'Connection',
    'Transfer-Encoding',
    'Upgrade',
    'Proxy-Authorization',
    'Sec-Fetch-Site',
    'TE',
    'a b',
    'a:',
    '',
  ];

  const pathsOf = async (body: object) => {
    const { errors = [] } = await problem(await web.ada.pdf(body), 400, 'invalid_request');
    expect(site.requests).toEqual([]);
    for (const { message } of errors) expect(message).toBeTruthy();
    return errors.map(({ path }) => path);
  };
  const isAt = (path: string) => (found: string) =>
    found === path || found.startsWith(`${path}.`) || found.startsWith(`${path}[`);

  const rows = WRONG.flatMap(([option, values]) =>
    values.map((value) => [option, JSON.stringify(value).slice(0, 60), value] as const),
  );
  test.each(rows)('rejects %s with the value %s', async (option, _shown, value) => {
    const options = { [option]: value };
    const source = option === 'baseUrl' ? { html: '<p>x' } : { url: `${site.origin}/image.png` };
    const paths = await pathsOf({ ...source, options });
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect(isAt(`options.${option}`)(path), path).toBe(true);
  });

  test.each(WRONG_COOKIES)('rejects the cookie %o', async (cookie, member) => {
    const cookies = [{ name: 'good', value: 'x' }, cookie];
    expect(await pathsOf({ url: `${site.origin}/`, options: { cookies } })).toContain(`options.cookies[1].${member}`);
  });

  test.each(WRONG_HEADERS)('rejects the header %o', async (name) => {
    expect(await pathsOf({ url: `${site.origin}/`, options: { extraHTTPHeaders: { [name]: 'x' } } })).toEqual([
      `options.extraHTTPHeaders.${name}`,
    ]);
  });

  test.each(['a\r\nb', 'a\0b', '€'])('rejects the header value %o', async (value) => {
    expect(await pathsOf({ url: `${site.origin}/`, options: { extraHTTPHeaders: { 'x-a': value } } })).toEqual([
      'options.extraHTTPHeaders.x-a',
    ]);
  });

  test.each(['cookies', 'extraHTTPHeaders', 'authenticate'])('rejects %s without a target', async (option) => {
    const values: Record<string, unknown> = {
      cookies: [{ name: 'a', value: 'b' }],
      extraHTTPHeaders: { 'x-a': 'b' },
      authenticate: { username: 'a', password: 'b' },
    };
    expect(await pathsOf({ html: '<p>x', options: { [option]: values[option] } })).toEqual([`options.${option}`]);
  });

  test('rejects a base URL together with a URL', async () => {
    expect(await pathsOf({ url: `${site.origin}/`, options: { baseUrl: site.origin } })).toEqual(['options.baseUrl']);
    expect(await pathsOf({ html: '<p>x', options: { baseUrl: 'http://ada:secret@example.com/' } })).toEqual(['options.baseUrl']);
  });
});

test('follows a redirect of a resource', async () => {
  site.serve({ '/moved.png': redirect(`${elsewhere}/image.png`) });
  expect((await web.render(`<img src="moved.png">`, { baseUrl: site.origin })).images).toBe(1);
  expect(web.other.requestsFor('/image.png')).toHaveLength(1);
});
