/** Payloads that disguise where they go: spellings, names, redirects; and those that go to files and to the browser itself. */
import { type Payload, payloads, type Row, script, siteFrame } from './payload.ts';

const img = (url: string) => `<img src="${url}">`;
const host = (name: string, blocked?: string): Row => [name, img(`http://${name}:{port}/{mark}.png`), blocked];
const NO_ROUTE = 'this machine has no way to such an address';

const SPELLINGS: Row[] = [
  host('127.1'),
  host('127.0.1'),
  host('2130706433'),
  host('0x7f000001'),
  host('0x7f.1'),
  host('0177.0.0.1'),
  host('017700000001'),
  host('127.0.0.1.'),
  host('127.255.255.254'),
  host('0'),
  host('0.0.0.0'),
  host('[::1]'),
  host('[0:0:0:0:0:0:0:1]'),
  host('[::]'),
  host('[::ffff:127.0.0.1]'),
  host('[::ffff:7f00:1]'),
  host('[::127.0.0.1]', NO_ROUTE),
  host('localhost'),
  host('LOCALHOST.'),
  host('foo.localhost'),
  host('localhost.localdomain', 'not a name our name server knows'),
  host('１２７.０.０.１'),
  host('①②⑦.⓪.⓪.①'),
  host('127。0。0。1'),
  host('%31%32%37.0.0.1'),
  host('ｌｏｃａｌｈｏｓｔ'),
  host('{lan}'),
  [
    'userinfo',
    img('http://example.com:80@127.0.0.1:{port}/{mark}.png'),
    'Chromium loads no parts of a document from addresses with a password',
  ],
  ['userinfo and backslash', img('http://127.0.0.1:{port}\\@example.com/{mark}.png')],
  ['tab and newline', img('ht&#9;tp://127.0.&#10;0.1:{port}/{mark}.png')],
  ['odd case', img('HtTp://127.0.0.1:{port}/{mark}.png')],
  ['backslashes', img('http:\\\\127.0.0.1:{port}\\{mark}.png')],
  ['one slash', img('http:/127.0.0.1:{port}/{mark}.png')],
  ['https', img('https://{mark}.private.test:{port}/x.png')],
  ['the port of the allowed site on another address', img('http://127.0.0.2:{sitePort}/{mark}.png')],
  ['the port of the allowed site on IPv6', img('http://[::1]:{sitePort}/{mark}.png')],
  ['ftp:', '<iframe src="ftp://127.0.0.1:{own}/{mark}"></iframe>', 'not a scheme Chromium loads'],
];

const named = (zone: string, blocked?: string): Row => [zone, img(`http://{mark}.${zone}.test:{port}/x.png`), blocked];
/** Repeats a request, each time on a new connection. */
const again = (times: number) =>
  script(
    `(async () => { for (let n = 0; n < ${times}; n++) await fetch("http://{mark}.rebind${times}.test:{sitePort}/{mark}?" + n, { cache: "no-store" }).catch(() => {}) })()`,
  );

const NAMES: Row[] = [
  ...[
    'private',
    'private6',
    'zero',
    'zero6',
    'mapped',
    'mixed',
    'families',
    'publiclast',
    'alias',
    'lan',
    'halffailing',
    'slow',
  ].map((zone) => named(zone)),
  named('failing', 'a name that cannot be resolved has no address'),
  ['in capitals, with a dot', img('http://{mark}.PRIVATE.TEST.:{port}/x.png')],
  ['the allowed site and its neighbour', img('http://{mark}.neighbours.test:{sitePort}/x.png')],
  ['rebinding at the second answer', again(2)],
  ['rebinding at the sixth answer', again(6)],
  [
    'rebinding under a page',
    siteFrame(
      script('fetch("/{mark}", { cache: "no-store" }).then((r) => r.text()).then((t) => document.body.append(t))'),
      'http://{mark}.rebind2.test:{sitePort}',
    ),
  ],
  ['a socket to a name', script('new WebSocket("ws://{mark}.private.test:{port}/{mark}")')],
];

const to = (status: number, url = '{url}.html') => `{site}/redirect/${status}?to=${url}`;
const CODES = [301, 302, 303, 307, 308];

const NO_PRECONNECT = 'behind a proxy Chromium connects ahead of time to the proxy only';

const REDIRECTS: Row[] = [
  ...CODES.map((status): Row => [`${status} of an image`, img(to(status, '{url}.png'))]),
  ...CODES.map(
    (status): Row => [
      `${status} of a fetch with a body`,
      script(`fetch("${to(status)}", { method: "POST", body: "x", mode: "no-cors" })`),
    ],
  ),
  ['a frame', `<iframe src="${to(302)}"></iframe>`],
  ['a style sheet', `<link rel="stylesheet" href="${to(302, '{url}.css')}">`],
  ['a script', `<script src="${to(302, '{url}.js')}"></script>`],
  ['a module', `<script type="module" src="${to(302, '{url}.js')}"></script>`],
  ['a font', `<style>@font-face { font-family: f; src: url("${to(302)}") } p { font-family: f }</style><p>x</p>`],
  ['an object', `<object data="${to(302)}"></object>`],
  ['a video', `<video src="${to(302)}" preload="auto"></video>`],
  ['an EventSource', script(`new EventSource("${to(302, '{url}.events')}")`)],
  ['a beacon', script(`navigator.sendBeacon("${to(307)}", "x")`)],
  [
    'a form in a frame',
    `<iframe name="f"></iframe><form method="post" target="f" action="${to(307)}"></form><script>document.forms[0].submit()</script>`,
  ],
  ['a redirect to a redirect', img(`{site}/redirect/302?to=${encodeURIComponent('/redirect/301?to=')}{url}.png`)],
  ['to a spelling', img(to(302, 'http://2130706433:{port}/{mark}.png'))],
  ['to a name', img(to(302, 'http://{mark}.private.test:{port}/x.png'))],
  ['without a scheme', img(to(302, '//127.0.0.1:{port}/{mark}.png'))],
  ['with backslashes', img(to(302, '/%5C127.0.0.1:{port}/{mark}.png'))],
  ['header Refresh', '<iframe src="{site}/refresh?to={url}.html"></iframe>'],
  ['header Link, preload', '<iframe src="{site}/link?to={url}.css&rel=preload;as=style"></iframe>'],
  ['header Link, modulepreload', '<iframe src="{site}/link?to={url}.js&rel=modulepreload"></iframe>'],
  [
    'header Link, stylesheet',
    '<iframe src="{site}/link?to={url}.css&rel=stylesheet"></iframe>',
    'Chromium takes no style sheets from this header',
  ],
  ['header Link, preconnect', '<iframe src="{site}/link?to=http://127.0.0.1:{own}&rel=preconnect"></iframe>', NO_PRECONNECT],
  ['report of a policy', '<iframe src="{site}/policy?to={url}.html"></iframe>'],
];

const FILE = 'no file is read from a document of an opaque origin';
const INTERNAL = 'an address of the browser itself, which is not for documents';

const FILES: Row[] = [
  ['iframe', '<iframe src="file://{file}"></iframe>', FILE],
  ['object', '<object data="file://{file}"></object>', FILE],
  ['embed', '<embed src="file://{file}">', FILE],
  ['img', '<img src="file://{file}">', FILE],
  ['script', '<script src="file://{file}"></script>', FILE],
  ['style sheet', '<link rel="stylesheet" href="file://{file}">', FILE],
  ['fetch', script('fetch("file://{file}").then((r) => r.text()).then((t) => document.body.append(t))'), FILE],
  [
    'XMLHttpRequest',
    script(
      'const x = new XMLHttpRequest(); x.open("GET", "file://{file}", false); x.send(); document.body.append(x.responseText)',
    ),
    FILE,
  ],
  ['frame of a site', siteFrame('<iframe src="file://{file}"></iframe>'), FILE],
  ['redirect of a frame', '<iframe src="{site}/redirect/302?to=file://{file}"></iframe>', FILE],
  [
    'redirect of a fetch',
    script('fetch("{site}/redirect/302?to=file://{file}").then((r) => r.text()).then((t) => document.body.append(t))'),
    FILE,
  ],
  ['localhost', '<iframe src="file://localhost{file}"></iframe>', FILE],
  ['UNC', '<iframe src="file://///127.0.0.1{file}"></iframe>', FILE],
  ['dots', '<iframe src="file:///proc/self/root/../..{file}"></iframe>', FILE],
  ['environment', '<iframe src="file:///proc/self/environ"></iframe>', FILE],
  ['view-source:', '<iframe src="view-source:file://{file}"></iframe>', FILE],
  ['view-source: of the canary', '<iframe src="view-source:{url}.html"></iframe>', INTERNAL],
  ['filesystem:', '<iframe src="filesystem:file://{file}"></iframe>', FILE],
  ['chrome:', '<iframe src="chrome://version"></iframe><iframe src="chrome://settings"></iframe>', INTERNAL],
  ['devtools:', '<iframe src="devtools://devtools/bundled/inspector.html?ws=127.0.0.1:{own}"></iframe>', INTERNAL],
];

const FILES_ALONE: Row[] = [
  ['location', script('location = "file://{file}"'), FILE],
  ['meta refresh', '<meta http-equiv="refresh" content="0; url=file://{file}">', FILE],
];

export const addressPayloads: Payload[] = [
  ...payloads('address', SPELLINGS),
  ...payloads('name', NAMES, { late: true }),
  ...payloads('redirect', REDIRECTS, { late: true }),
  ...payloads('file', FILES, { late: true }),
  ...payloads('file', FILES_ALONE, { late: true, alone: true }),
];
