/** Parts of a document that are not there, for whatever reason: each is told once, and fails what wants all of them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problem, type Report } from '../support/client.ts';
import { html, image, redirect, type Site, send, status } from '../support/site.ts';
import { Web } from '../support/web.ts';

const FONT = new URL('../../node_modules/@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf', import.meta.url);
const BROKEN = 'data:image/png;base64,AAAA';
const SVG = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'%3E%3Crect width='5' height='5'/%3E%3C/svg%3E`;
/** Makes a document an active one. */
const SCRIPT = '<script>document.title = "x"</script>';

let web: Web;
let site: Site;
beforeAll(async () => {
  web = await Web.start();
  ({ site } = web);
  const font = await readFile(FONT);
  const later = (answer: ReturnType<typeof send>): ReturnType<typeof send> => {
    return (request, response) => void setTimeout(answer, 600, request, response);
  };
  site.serve({
    '/image.png': image,
    '/garbage.png': send('image/png', 'no picture'),
    '/moved.png': redirect('/none.png'),
    '/none.png': status(404),
    '/font.ttf': send('font/ttf', font, { 'access-control-allow-origin': '*' }),
    '/late.ttf': later(send('font/ttf', font, { 'access-control-allow-origin': '*' })),
    '/frame': later(html('<p>IN THE FRAME')),
    '/sprite.svg': send('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><g id="x"/></svg>'),
    '/good.css': send('text/css', 'p { color: navy }'),
    '/bad.xhtml': send('application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>a<b></p>lost</body></html>'),
    '/good.xhtml': send('application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>a</p></body></html>'),
  });
});
afterAll(() => web?.close());

function missingIn({ warnings, warning_count: count }: Report): string[] {
  const failed = warnings.filter(({ kind }) => kind === 'resource_failed').map(({ url }) => (url ?? '').replace(site.origin, ''));
  expect(count).toBe(warnings.length);
  return failed.sort();
}

const font = (src: string, more = '') =>
  `<style>@font-face { font-family: f; src: ${src}; ${more} } p { font-family: f, serif }</style><p>Ragtime</p>`;

/** An element with a shadow root, made by a script or, within another, in the markup alone. */
function shadow(markup: string, isDeclared = false): string {
  if (isDeclared) return `<div><template shadowrootmode="open">${markup}</template></div>`;
  return `<div></div><script>document.querySelector("div").attachShadow({ mode: 'open' }).setHTMLUnsafe('${markup}')</script>`;
}

const MISSING: Array<[what: string, markup: string, missing: string[]]> = [
  ['an image', '<img src="logo.png">', ['logo.png']],
  ['an image of the same protocol', '<img src="//cdn.invalid/x.png">', ['//cdn.invalid/x.png']],
  ['an image with a broken address', `<img src="${BROKEN}">`, [BROKEN]],
  ['an image of a file', '<img src="file:///etc/logo.png">', ['file:///etc/logo.png']],
  ['an image that was attached', '<img src="cid:logo@mail">', ['cid:logo@mail']],
  ['the same image twice', '<img src="logo.png"><img src="logo.png">', ['logo.png']],
  ['candidates', '<img srcset="a.png 1x, b.png 2x">', ['a.png']],
  ['a picture', `<picture><source media="print" srcset="p.png"><img src="${SVG}"></picture>`, ['p.png']],
  ['a background', '<style>p { background: url(bg.png) }</style><p>x', ['bg.png']],
  ['a background by a variable', '<style>:root { --x: url(v.png) } p { background: var(--x) }</style><p>x', ['v.png']],
  ['a background that is nested', '<style>div { & p { background: url(n.png) } }</style><div><p>x</div>', ['n.png']],
  ['a background in a style attribute', '<p style="background-image: url(&quot;s.png&quot;)">x', ['s.png']],
  ['a background of old', '<table background="t.png"><tr><td>x</table>', ['t.png']],
  ['a broken background', `<style>p { background: url("${BROKEN}") }</style><p>x`, [BROKEN]],
  ['a list mark', '<style>li { list-style-image: url(l.png) }</style><ul><li>x</ul>', ['l.png']],
  ['generated content', '<style>p::before { content: url(c.png) }</style><p>x', ['c.png']],
  ['a font', font('url(f.woff2)'), ['f.woff2']],
  ['a font of several addresses', font('url(f.eot), url(f.woff2) format("woff2")'), ['f.eot']],
  ['a font that is none', font('url(data:font/woff2;base64,AAAA)'), ['data:font/woff2;base64,AAAA']],
  ['an imported style', '<style>@import "i.css";</style>', ['i.css']],
  ['an image in SVG', '<svg><image href="si.png" /></svg>', ['si.png']],
  ['a sprite', '<svg><use href="icons.svg#x" /></svg>', ['icons.svg#x']],
  ['a sprite by its old name', '<svg><use xlink:href="icons.svg#x" /></svg>', ['icons.svg#x']],
];

const ACTIVE: typeof MISSING = [
  ['a style', '<link rel="stylesheet" href="s.css">', ['s.css']],
  ['a script', '<script src="/x.js"></script>', ['/x.js']],
  ['a script of a file', '<script src="file:///x.js"></script>', ['file:///x.js']],
  ['a frame', '<iframe src="frame.html"></iframe>', ['frame.html']],
  ['a frame of a file', '<iframe src="file:///frame.html"></iframe>', ['file:///frame.html']],
  ['an image in a frame', '<iframe srcdoc="<img src=inner.png>"></iframe>', ['inner.png']],
  ['an object', '<object data="o.svg"></object>', ['o.svg']],
  ['an embedded object', '<embed src="e.svg">', ['e.svg']],
  ['a poster', '<video poster="v.png"></video>', ['v.png']],
  ['a broken image in SVG', `<svg><image href="${BROKEN}" /></svg>`, [BROKEN]],
  ['an image in a shadow root', shadow('<img src="inner.png">'), ['inner.png']],
  ['an image in a shadow root of a shadow root', shadow(shadow('<img src="inner.png">', true)), ['inner.png']],
  ['a background in a shadow root', shadow('<style>p { background: url(bg.png) }</style><p>x'), ['bg.png']],
  ['a background of the host of a shadow root', shadow('<style>:host { background: url(h.png) }</style>x'), ['h.png']],
  ['a style of a shadow root', shadow('<link rel="stylesheet" href="s.css">'), ['s.css']],
];

const WHOLE: Array<[what: string, markup: string]> = [
  ['an image', `<img src="${SVG}">`],
  ['no address at all', '<img><img src=""><img alt="x">'],
  [
    'a style that applies to nothing',
    '<style>.none { background: url(no.png) } @media screen { p { background: url(no.png) } }</style><p>x',
  ],
  ['a style that is overruled', '<style>p { background: url(no.png) } p { background: none }</style><p>x'],
  ['an element that is not shown', '<style>p { background: url(no.png) }</style><p hidden>x'],
  ['a font nobody uses', '<style>@font-face { font-family: f; src: url(no.woff2) }</style><p>x'],
  [
    'parts of the document itself',
    '<svg><defs><g id="g"/><filter id="f"/></defs><use href="#g" filter="url(#f)"/></svg><a href="x.html">x</a>',
  ],
  ['a good background', `<style>p { background: url("${SVG}") }</style><p>x`],
  ['prose about it', '<p>&lt;img src="logo.png"&gt; and url(bg.png)'],
];

describe('without a base address', () => {
  test.each(MISSING)('%s', async (_what, markup, missing) => {
    expect(missingIn(await web.ada.report({ html: markup }))).toEqual(missing);
    expect(missingIn(await web.ada.report({ html: markup + SCRIPT }))).toEqual(missing);
  });

  test.each(ACTIVE)('%s', async (_what, markup, missing) => {
    expect(missingIn(await web.ada.report({ html: markup }))).toEqual(missing);
  });

  test.each(WHOLE)('nothing is missing of %s', async (_what, markup) => {
    expect(missingIn(await web.ada.report({ html: markup }))).toEqual([]);
    expect(missingIn(await web.ada.report({ html: markup + SCRIPT }))).toEqual([]);
  });

  test('without script', async () => {
    const markup = '<style>p { background: url(bg.png) }</style><p><img src="logo.png">';
    expect(missingIn(await web.ada.report({ html: markup, options: { javascript: false } }))).toEqual(['bg.png', 'logo.png']);
  });

  test('a document that hides what it is asked with', async () => {
    const markup =
      '<form><img name="querySelectorAll" src="logo.png"><input name="images"></form><img name="styleSheets" src="b.png">';
    expect(missingIn(await web.ada.report({ html: markup + SCRIPT }))).toEqual(expect.arrayContaining(['b.png', 'logo.png']));
  });

  test('the reason is told, and the address cut', async () => {
    const long = `${'x'.repeat(600)}.png`;
    const { warnings } = await web.ada.report({ html: `<img src="logo.png"><img src="${long}">` });
    expect(warnings).toMatchObject([
      { url: 'logo.png', message: expect.stringContaining('baseUrl') },
      { url: long.slice(0, 500) },
    ]);
  });

  test('many are told as a number', async () => {
    const images = Array.from({ length: 150 }, (_, n) => `<img src="${n}.png">`).join('');
    const { warnings, warning_count: count } = await web.ada.report({ html: images });
    expect([warnings.length, count]).toEqual([100, 150]);
  });
});

describe('from elsewhere', () => {
  test('what came is no image, and what was redirected is told once', async () => {
    const markup = `<img src="${site.origin}/garbage.png"><img src="${site.origin}/moved.png"><img src="${site.origin}/image.png">`;
    expect(missingIn(await web.ada.report({ html: markup }))).toEqual(['/garbage.png', '/none.png']);
  });

  test('a sprite of another origin', async () => {
    const { warnings } = await web.ada.report({ html: `<svg><use href="${site.origin}/sprite.svg#x"/></svg>` });
    expect(warnings).toMatchObject([{ kind: 'resource_failed', message: expect.stringContaining('origin') }]);
    site.serve({ '/own': html('<svg><use href="/sprite.svg#x"/></svg>') });
    expect(missingIn(await web.ada.report({ url: `${site.origin}/own` }))).toEqual([]);
  });

  test('a good style and font', async () => {
    const markup = `<link rel="stylesheet" href="${site.origin}/good.css">${font(`url(${site.origin}/font.ttf)`)}`;
    expect(missingIn(await web.ada.report({ html: markup }))).toEqual([]);
  });

  test('a font that came too late for its text', async () => {
    const late = (display: string) => font(`url(${site.origin}/late.ttf)`, `font-display: ${display}`);
    expect(missingIn(await web.ada.report({ html: late('optional') }))).toEqual(['/late.ttf']);
    expect(missingIn(await web.ada.report({ html: late('swap') }))).toEqual([]);
  });

  test('XHTML that does not parse', async () => {
    expect(missingIn(await web.ada.report({ url: `${site.origin}/bad.xhtml` }))).toEqual(['/bad.xhtml']);
    expect(missingIn(await web.ada.report({ url: `${site.origin}/good.xhtml` }))).toEqual([]);
  });

  test('a lazy frame is loaded, and awaited', async () => {
    const frame = `<p>top<div style="height: 20000px"></div><iframe loading="lazy" src="${site.origin}/frame"></iframe>`;
    expect((await web.render(frame)).pages.join()).toContain('IN THE FRAME');
    const lost = frame.replace('/frame', '/none');
    expect(missingIn(await web.ada.report({ html: lost }))).toEqual(['/none']);
    expect(
      (
        await web.render(`<iframe loading="lazy" src="about:blank"></iframe><iframe loading="lazy" src="x"></iframe>ok`)
      ).pages.join(),
    ).toContain('ok');
  });
});

test.each([
  ['failOnResourceError', { failOnResourceError: true }, 'resources'],
  ['failOnWarning', { failOnWarning: ['resource_failed'] }, 'warnings'],
])('%s', async (gate, options, member) => {
  const fault = await problem(await web.ada.pdf({ html: '<img src="logo.png">', options }), 422, 'render_gate_failed');
  expect(fault).toMatchObject({ gate, [member]: [{ url: 'logo.png' }] });
  expect((await web.ada.pdf({ html: `<img src="${SVG}">`, options })).status).toBe(200);
});

test('every way out: header, JSON', async () => {
  const body = { html: '<img src="logo.png">' };
  expect((await web.ada.pdf(body)).headers.get('platen-warnings')).toBe('1');
  const json = await web.ada.pdf(body, { accept: 'application/json' });
  expect(await json.json()).toMatchObject({ report: { warnings: [{ kind: 'resource_failed', url: 'logo.png' }] } });
});
