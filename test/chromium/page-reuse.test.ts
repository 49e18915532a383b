/** A document prints the same on a reused page as on a new one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classifyHtml, mentionsNetworkApis } from '../../src/chromium/load/html/classify-html.ts';
import type { Page } from '../../src/chromium/page.ts';
import { printOnce } from '../../src/chromium/print-once.ts';
import { loadConfig } from '../../src/config.ts';
import { Deadline } from '../../src/deadline.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { startBareBrowser } from '../support/bare-browser.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL_URL } from '../support/pixel.ts';

const { limits } = loadConfig({});

const bare = await startBareBrowser().then(closeAfterAll);

/** Returns the bytes of the PDF with its dates removed, which change every second. */
async function print(page: Page, html: string, options?: object): Promise<string> {
  using deadline = new Deadline(30_000);
  const request = parseRenderRequest(options ? { html, options } : { html }, limits);
  const { load, print } = request;
  const { chunks } = await printOnce(page, { content: { kind: 'html', html, baseUrl: undefined }, load, print }, deadline);
  return Buffer.concat(chunks)
    .toString('latin1')
    .replace(/\(D:\d{14}[^)]*\)/g, '(date)');
}

async function printFresh(html: string, options?: object): Promise<string> {
  const page = await bare.browser.openPage();
  try {
    return await print(page, html, options);
  } finally {
    await page.close();
  }
}

const fresh = new Map<string, Promise<string>>();

/** Returns the bytes printed on a new page. Each document is printed only once for all tests. */
function printedFresh(html: string): Promise<string> {
  const printed = fresh.get(html) ?? printFresh(html);
  fresh.set(html, printed);
  return printed;
}

/** Static documents that change everything a static document can change. */
const STATIC: Record<string, string> = {
  quirks: '<table><tr><td>quirks mode<td width=50%>x</table>',
  standards: '<!doctype html><html lang=de dir=rtl><title>Titel</title><p>standards mode',
  'a named page':
    '<!doctype html><style>@page wide { size: A5 landscape; margin: 3cm } div { page: wide }</style><p>a<div>b</div>',
  'page rules':
    '<!doctype html><title>rules</title><style>@page { size: A6; margin: 1mm; @top-center { content: "top" counter(page) } }</style><p>x',
  'a viewport and zoom':
    '<!doctype html><meta charset=utf-8><meta name=viewport content="width=200"><meta name=theme-color content=red><style>:root { zoom: 1.5; background: navy; writing-mode: vertical-rl }</style><p>x',
  'registered properties and counters':
    '<!doctype html><style>@property --x { syntax: "<length>"; inherits: true; initial-value: 50px } @counter-style c { system: cyclic; symbols: "§" } @keyframes k { to { margin-left: 9cm } } @layer a, b; p { margin-left: var(--x); animation: k 0s both } li { list-style: c }</style><ul><li>x</ul><p>y',
  'custom fonts':
    '<!doctype html><style>@font-face { font-family: f; src: local("DejaVu Serif"), local("Open Sans") } p { font: 20px f }</style><p>font',
  'images and shapes': `<!doctype html><img src="${PIXEL_URL}" width=100 height=50><svg width=100 height=100><defs><linearGradient id=g><stop stop-color=red /><stop offset=1 stop-color=blue /></linearGradient></defs><circle r=40 cx=50 cy=50 fill="url(#g)"><set attributeName=r to=10 /></circle></svg>`,
  'forms and ids':
    '<!doctype html><form><input id=x name=x value=typed><textarea>text</textarea><select><option>a<option selected>b</select><input type=checkbox checked></form><details open><summary>s</summary>d</details>',
  'a long table': `<!doctype html><table><thead><tr><th>head</thead>${'<tr><td>cell'.repeat(300)}</table>`,
  'broken markup': '</p></div><b><p>unclosed <i>nested</b> mess<table><p>in table',
  'nothing at all': '',
  'a base': '<!doctype html><base href=https://a.example/b/ target=_blank><a href=c>link</a><p>x',
  'body colours': '<body text=red bgcolor=lime background="data:," leftmargin=99><a href=x>a</a>',
  'dialogs and popovers':
    '<!doctype html><dialog open>d</dialog><div popover>p</div><progress value=.5></progress><q>q<q>r</q></q><ol start=7 reversed><li>x</ol>',
  'hidden style sheets':
    '<!doctype html><style>@import url(data:text/css;base64,OnJvb3R7Y29sb3Itc2NoZW1lOmRhcms7Y29sb3I6cmVkfUBwYWdle21hcmdpbjoyaW59)</style><p>x',
  'unclosed raw text': '<!doctype html><p>a<!-- b <p>c',
  animations:
    '<!doctype html><style>@keyframes k { from { opacity: 0 } to { margin-left: 9cm } } p { animation: k 2s both } b { animation: k 1s infinite }</style><p>x <b>y</b><svg><text y=20>z<animate attributeName=x to=50 dur=1s fill=freeze /></text></svg>',
  'declarative shadow trees':
    '<!doctype html><div><template shadowrootmode=open><style>p { color: red }</style><p>shadow</template></div>',
};

/** Documents that reveal traces of an earlier document. */
const PROBES: Record<string, string> = {
  plain: '<p>plain</p><ul><li>item</ul><table><tr><td>a<td width=50%>b</table>',
  standard:
    '<!doctype html><title>Probe</title><ul><li>item</ul><p style="margin-left: var(--x)">text</p><form><input name=x><select><option>a<option>b</select></form><div>block</div>',
  links: '<!doctype html><a href="https://x.y/">link</a> <a href="">self</a>',
  'images and styles': `<!doctype html><img src="${PIXEL_URL}" width=100 height=50><p style="color: red">styled</p>`,
  scripted: `<!doctype html><p id=p></p><script>
    p.textContent = [document.compatMode, document.title, document.dir, document.documentElement.lang, document.forms.length, document.styleSheets.length, document.adoptedStyleSheets.length,
      document.fonts.size, document.getElementById('x'), document.baseURI, document.referrer, document.characterSet, document.images.length, innerWidth, history.length, name,
      document.getAnimations().length, history.scrollRestoration, JSON.stringify(history.state), document.URL, getComputedStyle(document.documentElement).colorScheme, Object.keys(window).length,
      document.cookie, localStorage.length, localStorage.getItem('a'), localStorage.mark, sessionStorage.b].join(' ')
  </script>`,
};

/** Opens one page for all tests of a group. It is reset after each document. */
function groupPage(): { print(html: string, options?: object): Promise<string> } {
  let page: Page;
  beforeAll(async () => {
    page = await bare.browser.openPage();
  });
  afterAll(() => page.close());
  return {
    async print(html, options) {
      const printed = await print(page, html, options);
      await page.reset();
      return printed;
    },
  };
}

describe.each(Object.entries(STATIC))('after %s', (_name, before) => {
  const page = groupPage();
  test.each(Object.entries(PROBES))('prints %s as on a new page', async (_probe, html) => {
    expect(classifyHtml(before).isStatic).toBe(true);
    await page.print(before);
    const reused = await page.print(html);
    expect(reused === (await printedFresh(html)), 'the same bytes').toBe(true);
  });
});

const planted = (source: string) => `<!doctype html><title>planted</title><body>planted<script>${source}</script>`;

/** Documents with a script. A replacement or a navigation removes everything that they change. */
const SCRIPTED: Record<string, string> = {
  'a script': planted('globalThis.mark = 1'),
  'a dark script': planted(
    "document.head.innerHTML = '<meta name=color-scheme content=dark><meta name=viewport content=width=200>'",
  ),
  'an editor': planted("document.designMode = 'on'; document.documentElement.style.zoom = 2; scrollTo(0, 99); name = 'mark'"),
  'a policy': planted(
    `const m = document.createElement('meta'); m.httpEquiv = 'Content-' + 'Security-Policy'; m.content = "img-src 'none'; style-src 'none'"; document.head.append(m)`,
  ),
  'a history': planted("history.pushState(1, '', '#a'); history.replaceState('mark', '')"),
  'styles and fonts': planted(
    "const s = new CSSStyleSheet(); s.replaceSync('body::after { content: \"MARK\" } @page { size: A7 }'); document.adoptedStyleSheets = [s]; document.fonts.add(new FontFace('Open Sans', 'local(monospace)'))",
  ),
  'storage and cookies': planted(
    "localStorage.a = sessionStorage.b = 'mark'; document.cookie = 'mark=1'; Storage.prototype.getItem = () => 'mark'; Object.setPrototypeOf(localStorage, { mark: 1 })",
  ),
  'a page rule': '<!doctype html><style>@page { size: A7; margin: 0 }</style><script>1</script><p>x',
  'a clock that was run forward': planted(
    "setTimeout(() => document.body.append('mark'), 2900); Date.mark = Performance.prototype.mark = 1; IntersectionObserver.prototype.observe = null",
  ),
  'a worker': planted(
    "new Worker('data:text/javascript,setInterval(() => postMessage(1), 20)').onmessage = () => document.body.append('mark')",
  ),
};

describe.each(Object.entries(SCRIPTED))('after %s', (_name, before) => {
  const page = groupPage();
  test.each(Object.entries(PROBES))('prints %s as on a new page', async (_probe, html) => {
    expect(classifyHtml(before).isStatic).toBe(false);
    for (let round = 0; round < 2; round++) await page.print(before);
    const reused = await page.print(html);
    expect(reused === (await printedFresh(html)), 'the same bytes').toBe(true);
  });
});

/** Documents that go on working, or try to survive their replacement. */
const PERSISTENT: Record<string, string> = {
  'work that goes on': planted(`
    const mark = () => window.document.body.append('mark');
    setInterval(mark, 5);
    requestAnimationFrame(function again() { mark(); requestAnimationFrame(again); });
    scheduler.postTask(mark, { delay: 50 });
    (async () => { for (;;) { await new Promise((resolve) => setTimeout(resolve, 3)); mark(); } })();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { mark(); port2.postMessage(1); };
    port2.postMessage(1);
    addEventListener('unload', () => { Promise.resolve().then(mark); setTimeout(mark); });
    const frame = document.createElement('iframe');
    frame.srcdoc = '<script>setInterval(() => top.document.body.append("mark"), 5)<\\/script>';
    document.body.append(frame)`),
  'callbacks of waiting atomics': planted(`
    const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    Atomics.waitAsync(new Int32Array(buffer), 0, 0, 50).value.then(() => window.document.body.append('mark'))`),
  'a promise that stops its replacement': planted('Promise = class { constructor() { stop(); document.open(); } }'),
  'an answer of another kind': planted('Promise = class { then(resolve) { resolve("Execution context was destroyed."); } }'),
};

describe.each(Object.entries(PERSISTENT))('after %s', (_name, before) => {
  const page = groupPage();
  test.each(Object.entries(PROBES))('prints %s as on a new page', async (_probe, html) => {
    await page.print(before, { waitUntil: 'load' });
    const reused = await page.print(html);
    expect(reused === (await printedFresh(html)), 'the same bytes').toBe(true);
  });
});

/** Marks the document that is in the window when V8 calls back, at the latest when its memory is collected. */
const LATE: Record<string, string> = {
  'the collector': 'new FinalizationRegistry(mark)',
  'the collector, by reflection': "Reflect.construct(FinalizationRegistry.prototype['const' + 'ructor'], [mark])",
  'the collector, by a subclass': 'new (class extends FinalizationRegistry {})(mark)',
  'the collector, from a frame':
    'new (document.body.appendChild(document.createElement("iframe")).contentWindow.FinalizationRegistry)(mark)',
};

test.each(Object.entries(LATE))('callbacks of %s do not reach the next document', async (_name, registry) => {
  const page = await bare.browser.openPage();
  const before = planted(`
    const mark = () => window.document.body.append('mark');
    globalThis.kept = ${registry};
    (() => { for (let n = 0; n < 1000; n++) kept.register({}, n); })()`);
  const html = '<!doctype html><p>next';
  const waits = { waitForTimeout: 400 };
  const own = await printFresh(html, waits);
  await print(page, before, { waitUntil: 'load' });
  await page.reset();
  const printing = print(page, html, waits);
  for (let n = 0; n < 4; n++) {
    page.trim();
    await new Promise((resolve) => setTimeout(resolve, 75));
  }
  expect((await printing) === own, 'the same bytes').toBe(true);
  await page.close();
});

/** A document that a hostile one puts in its place: it changes and marks every later one. */
const HEIR = `"javascript:" + encodeURIComponent(JSON.stringify("<body><script>setInterval(() => document.body && document.body.append('mark'), 1)<\\/script>"))`;
const TAKE = `window['loca' + 'tion'].href = ${HEIR}`;

/** Documents that cancel their replacement and replace themselves, or change what stays while they are replaced. */
const TAKEOVERS: Record<string, string> = {
  'in the constructor of promises': `const P = Promise; Promise = function () { stop(); ${TAKE}; return new P(() => {}); }`,
  'in a getter of promises': `Object.defineProperty(window, 'Promise', { get() { stop(); ${TAKE}; } })`,
  'in a loop of messages': `let at = 0; const c = new MessageChannel(); c.port1.onmessage = () => {
    c.port2.postMessage(1); stop(); at ||= performance.now(); if (performance.now() - at > 300) { at = Infinity; ${TAKE}; } };
    addEventListener('afterprint', () => c.port2.postMessage(1))`,
  'in a timer': `addEventListener('afterprint', () => setInterval(() => { stop(); ${TAKE}; }, 1))`,
  'before it is asked to': `addEventListener('afterprint', () => { ${TAKE}; })`,
  'when it is hidden': `onpagehide = onunload = () => { ${TAKE}; }`,
  'by a blob': `const u = URL.createObjectURL(new Blob(['<script>setInterval(() => document.body && document.body.append("mark"), 1)</' + 'script>'], { type: 'text/html' }));
    addEventListener('afterprint', () => setInterval(() => { stop(); window['loca' + 'tion'].href = u; }, 1))`,
  'by its history':
    "addEventListener('afterprint', () => setTimeout(() => history['push' + 'State']({ secret: 1 }, '', '#mark')))",
  'by its history, at the end': "onpagehide = () => history['push' + 'State']({ secret: 1 }, '', '#mark')",
  'by the restoration of scrolling': "history['scroll' + 'Restoration'] = 'manual'",
  'by a title of its styles': "document.head.innerHTML = '<style title=one>p { color: red }</style>'",
};

test.each(Object.entries(TAKEOVERS))('a document that stays %s does not reach the next ones', async (_name, source) => {
  const probes = Object.values(PROBES);
  const own = await Promise.all(probes.map(printedFresh));
  const before = planted(source);
  expect(classifyHtml(before)).toMatchObject({ isStatic: false, mayOutlast: false });
  for (let round = 0; round < 3; round++) {
    await using page = { page: await bare.browser.openPage(), [Symbol.asyncDispose]: () => page.page.close() };
    const taken = print(page.page, before, { waitUntil: 'load' }).then(() => page.page.reset());
    const isKept = await taken.then(
      () => true,
      () => false, // its pool closes it, also if the document left before its render had ended
    );
    for (const [n, html] of isKept ? probes.entries() : []) {
      expect((await print(page.page, html)) === own[n], `the same bytes in round ${round} for ${html}`).toBe(true);
      await page.page.reset();
    }
  }
});

test('a titled style sheet does not disable others in the next document', async () => {
  const titled = (title: string) => `<!doctype html><style title=${title}>b { font-size: 30px }</style><p>text <b>bold</b>`;
  const page = await bare.browser.openPage();
  await print(page, planted('1'));
  await page.reset();
  await print(page, titled('one'));
  await page.reset();
  expect((await print(page, titled('two'))) === (await printedFresh(titled('two'))), 'the same bytes').toBe(true);
  await page.close();
});

test('gives up a page whose document forbids its replacement', async () => {
  const forbids = planted(
    "const m = document.createElement('meta'); m.httpEquiv = 'Content-' + 'Security-Pol' + 'icy'; m.content = \"script-src 'unsafe-eval'\"; document.head.append(m)",
  );
  const page = await bare.browser.openPage();
  await print(page, forbids);
  await expect(page.reset()).rejects.toMatchObject({ code: 'page_crashed' });
  expect(page.alive).toBe(false);
  await page.close();
});

test('prints many static documents on one page, each as on a new page', async () => {
  const page = await bare.browser.openPage();
  for (const html of [...Object.values(STATIC), ...Object.values(STATIC).reverse()]) {
    expect((await print(page, html)) === (await printedFresh(html)), `the same bytes for ${html}`).toBe(true);
    await page.reset();
  }
  await page.close();
});

test('removes the page rule of the caller with its document', async () => {
  const html = '<style>@page { margin: 2cm }</style><p>x';
  const page = await bare.browser.openPage();
  const own = await print(page, html);
  await page.reset();
  const narrow = await print(page, html, { margin: 0, format: 'A6' });
  await page.reset();
  expect(narrow).not.toBe(own);
  expect(await print(page, html)).toBe(own);
  await page.close();
});

test.each([
  '<script>1</script>',
  '<SCRIPT src=x>',
  '<p onclick=x>',
  '<p title="a"onclick=x>',
  '<svg/onload=x>',
  '<iframe srcdoc=x>',
  '<frameset><frame src=x>',
  '<object data=x>',
  '<embed src=x>',
  '<link rel=stylesheet href=x>',
  '<meta http-equiv=refresh content=0>',
  '<meta name=referrer content=no-referrer>',
  '<meta name=color-scheme content=dark>',
  '<body link=red>',
  '<body text=x vlink = red>',
  '<svg><style>&#64;page{}</style></svg>',
  '<p style="color&#45;scheme: dark">',
  '<style>:root { color\\-scheme: dark }</style>',
  '<style>:root { color-scheme: dark }</style>',
  '<a href="javascript:x">',
  '<input autofocus>',
  '<video src=x>',
  '<canvas>',
])('%s is not static', (html) => expect(classifyHtml(html).isStatic).toBe(false));

test.each([
  '<p>x',
  '<style>p { color: red }</style>',
  '<img src="data:,">',
  '<p class="on">one = two</p>'.replace('one =', 'two ='),
])('%s is static', (html) => expect(classifyHtml(html).isStatic).toBe(true));

test.each([
  '<img src="http://a.example/x.png">',
  '<img src="HTTPS:a.example/x.png">',
  '<img src="//a.example/x.png">',
  '<img src="//\ta.example/x.png">',
  '<img src="\\\\a.example\\x.png">',
  '<script>new WebSocket("wss://a.example")</script>',
  '<svg xmlns="http://www.w3.org/2000/svg"><image href="http://a.example/x.png" /></svg>',
  '<script>//a comment like an address</script>',
])('%s mentions network APIs', (html) => expect(mentionsNetworkApis(html)).toBe(true));

test.each([
  '<p>one / two <b>x</b>',
  '<script>// a comment\nx = 1 // another</script>',
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"></svg>',
])('%s does not mention network APIs', (html) => expect(mentionsNetworkApis(html)).toBe(false));
