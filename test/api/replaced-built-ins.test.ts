/**
 * Documents whose scripts replace built-in objects that the service uses in the page. They are printed, or end with an error that
 * says why, and the service prints the next document of the same key and of another.
 */
import { describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const ada = new Client(service.url, service.key);
const bob = new Client(service.url, (await service.createKey('growth')).key);

/** What the replaced methods and getters do. */
const REPLACEMENTS: Record<string, string> = {
  'return null': '() => null',
  'return [null]': '() => [null]',
  'return 1e308': '() => 1e308',
  'return NaN': '() => NaN',
  'return -1': '() => -1',
  'return a cycle': '() => cycle',
  'return 10n': '() => 10n',
  'return a symbol': '() => Symbol()',
  'return text': '() => "x"',
  'return objects without text': '() => [{ toString() { throw 1 } }, [null, undefined]]',
  'return a hostile proxy': '() => hostile',
  throw: '() => { throw 1 }',
  'return an endless list': '() => ({ *[Symbol.iterator]() { for (;;) yield null } })',
};

const TARGETS = [
  ...['Map', 'Set', 'WeakMap', 'Array', 'String', 'Number', 'RegExp', 'Promise', 'Date', 'URL'].map(
    (name) => `${name}.prototype`,
  ),
  ...['Math', 'JSON', 'Object', 'Object.prototype', 'Array', 'Number', 'Reflect', 'Symbol', 'Promise', 'console', 'URL'],
  ...['Document', 'DocumentFragment', 'Node', 'Element', 'HTMLElement', 'HTMLIFrameElement', 'HTMLImageElement', 'Range'],
  ...['CSSStyleSheet', 'CSSStyleDeclaration', 'StylePropertyMapReadOnly', 'DOMRectReadOnly', 'NodeList', 'TreeWalker'],
  ...['FontFaceSet', 'Animation', 'Event', 'EventTarget', 'MutationObserver'],
  'Object.getPrototypeOf([][Symbol.iterator]())',
  'globalThis',
].map((name) =>
  /^[A-Z]\w+$/.test(name) && !/^(?:Math|JSON|Object|Array|Number|Reflect|Symbol|Promise|URL)$/.test(name)
    ? `${name}.prototype`
    : name,
);

const JOBS: Array<[path: string, options: object]> = [
  ['/v1/pdf', {}],
  ['/v1/pdf', { tagged: true, outline: true }],
  ['/v1/pdf', { conformance: 'PDF/UA-1' }],
  ['/v1/pdf', { forms: true }],
  ['/v1/pdf', { singlePage: true }],
  ['/v1/pdf', { format: 'A5', margin: '1in', headerTemplate: 'h' }],
  ['/v1/pdf', { waitForFunction: 'document.body.dataset.done' }],
  ['/v1/pdf', { waitForSelector: '#box', failOnWarning: ['content_clipped'] }],
  ['/v1/pdf', { addScriptTag: { content: '1' }, addStyleTag: { content: 'p { color: red }' } }],
  ['/v1/pdf', { failOnConsoleError: true }],
  ['/v1/image', {}],
  ['/v1/image', { fullPage: false }],
  ['/v1/image', { selector: '#box' }],
];

/** A document with something for each check, whose script replaces the members of `target`. */
const replacing = (target: string, replacement: string) => `<!doctype html><html lang=en><title>t</title>
<meta name=author content=A><style>@page { margin: 1cm } p { hyphens: auto } @font-face { font-family: f; src: url(missing.woff2) }
@keyframes k { to { opacity: 0.5 } } b { animation: k 1s } .cut { overflow: hidden; height: 20px }</style>
<h1>H</h1><p class=cut lang=cy>Averylongwordthatwouldbehyphenated 漢字 <b>b</b><br>x<br>y</p><div id=box style="width: 100px; height: 50px">x</div>
<img src="data:image/png;base64,AAAA"><canvas></canvas><iframe srcdoc="<p>f"></iframe><form><input value=v><select><option>a</select></form>
<table><tr><th>h<td>d</table><a href="#box">l</a><script>
const cycle = {};
cycle.cycle = cycle;
const hostile = new Proxy(function () {}, { get() { throw 1 }, apply: () => hostile, ownKeys: () => [1] });
setTimeout(() => { document.body.dataset.done = 1 }, 10);
(() => {
  const [target, replacement, { defineProperty, getOwnPropertyDescriptor }] = [${target}, ${replacement}, Reflect];
  const names = Reflect.ownKeys(target);
  for (let n = 0; n < names.length; n++) {
    const name = names[n];
    if (name === 'constructor' || (target === globalThis && !/^(?:[A-Z]|get|match|parse|is)/.test(name))) continue;
    const before = getOwnPropertyDescriptor(target, name);
    const value = typeof before.value === 'function' ? replacement : 1;
    try {
      defineProperty(target, name, before.get ? { get: replacement, set() {}, configurable: true } : { value, configurable: true });
    } catch {}
  }
})()</script>`;

describe.each(Object.entries(REPLACEMENTS))('built-in members that %s', (_what, replacement) => {
  const from = Object.values(REPLACEMENTS).indexOf(replacement);

  test.concurrent.each(TARGETS.map((target, n) => [target, JOBS[(n + from) % JOBS.length]] as const))(
    '%s',
    async (target, [path, options] = ['/v1/pdf', {}]) => {
      const body = { html: replacing(target, replacement), options: { ...options, timeout: 5_000 } };
      const response = await ada.send('POST', path, body);
      const text = response.ok ? '' : await response.text();
      expect([200, 422, 504], `${path} ${JSON.stringify(options)}: ${text}`).toContain(response.status);
    },
  );

  test('the next document of this key and of another', async () => {
    for (const client of [ada, bob]) expect((await readPdfReply(await client.pdf({ html: '<p>next' }))).pages).toEqual(['next']);
  });
});

describe('document_interferes', () => {
  const spoil = (script: string) => `<p>x</p><div id=box>y</div><script>${script}</script>`;

  test.each<[what: string, path: string, script: string, options: object]>([
    ['a height that is no number', '/v1/pdf', 'Math.ceil = () => NaN', { singlePage: true }],
    ['a height beyond all layouts', '/v1/pdf', 'Math.ceil = () => 1e308', { singlePage: true }],
    ['a height without JSON', '/v1/pdf', 'Math.ceil = () => 10n', { singlePage: true }],
    ['a cycle as a height', '/v1/pdf', 'const o = {}; o.o = o; Math.ceil = () => o', { singlePage: true }],
    [
      'a box that is none',
      '/v1/image',
      'Element.prototype.getBoundingClientRect = () => ({ x: Symbol() })',
      { selector: '#box' },
    ],
    [
      'a box without end',
      '/v1/image',
      'Element.prototype.getBoundingClientRect = () => ({ x: 0, y: 0, width: 1e308, height: 9 })',
      { selector: '#box' },
    ],
    ['a search that fails', '/v1/image', 'Document.prototype.querySelector = () => { throw new Error() }', { selector: '#box' }],
    ['margins that cannot be set', '/v1/pdf', 'Document.prototype.createElementNS = () => null', { margin: '1in' }],
  ])('%s', async (_what, path, script, options) => {
    const { detail } = await problem(await ada.send('POST', path, { html: spoil(script), options }), 422, 'document_interferes');
    expect(detail).toMatch(/built-in .*Array\.prototype.*remove/);
  });

  test('is not the answer for a wrong selector', async () => {
    await problem(await ada.send('POST', '/v1/image', { html: '<p>x', options: { selector: '##' } }), 400, 'invalid_request');
  });

  test('is not the answer for libraries that only add to built-in objects', async () => {
    const html = spoil(
      'Array.prototype.remove = function () {}; Map.prototype.entries = () => [null]; Object.prototype.each = 1',
    );
    expect((await readPdfReply(await ada.pdf({ html, options: { failOnWarning: ['console_error'] } }))).pages).toEqual(['x y']);
  });
});
