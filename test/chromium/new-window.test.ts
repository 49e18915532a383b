/** A page that was given a new window in place of a navigation: nothing of the document before is left in it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, launchBrowser } from '../../src/chromium/browser.ts';
import { locateBrowser } from '../../src/chromium/locate-browser.ts';
import { NewWindow } from '../../src/chromium/new-window.ts';
import { OWN_WINDOW } from '../../src/chromium/own-window.ts';
import { loadConfig } from '../../src/config.ts';
import { type EgressProxy, startEgressProxy } from '../../src/outbound/egress-proxy.ts';
import { OutboundPolicy } from '../../src/outbound/policy.ts';
import { Tab } from '../support/tab.ts';

const config = loadConfig({});
let proxy: EgressProxy;
let browser: Browser;

beforeAll(async () => {
  proxy = await startEgressProxy(new OutboundPolicy(config));
  browser = await launchBrowser(await locateBrowser(config), config, proxy);
});
afterAll(async () => {
  await browser.close();
  await proxy.close();
});

const GIVE_UP_MS = 2_000;

async function openTab(): Promise<Tab & { openWindow(): Promise<boolean> }> {
  const tab = await Tab.open(browser);
  const window = new NewWindow(tab.session, tab.frameId);
  await tab.session.send('Page.addScriptToEvaluateOnNewDocument', { source: OWN_WINDOW });
  /** Where the document stands in the way the page is given up, as a page gives itself up that cannot be emptied. */
  const openWindow = async () => {
    const timer = setTimeout(() => tab.session.close(new Error('given up')), GIVE_UP_MS);
    return await window.open().finally(() => clearTimeout(timer));
  };
  return Object.assign(tab, { openWindow });
}

/** All that a window shows of its past. */
const LOOK = `JSON.stringify({
  names: Object.getOwnPropertyNames(globalThis).sort(), symbols: Object.getOwnPropertySymbols(globalThis).map(String).sort(),
  prototype: [[].mark, ({}).mark, String([1].map((x) => x))], name, url: document.URL, base: document.baseURI, referrer: document.referrer,
  history: [history.length, history.state, history.scrollRestoration], title: document.title, mode: document.designMode, markup: document.documentElement.outerHTML,
  scheme: getComputedStyle(document.documentElement).colorScheme, size: [innerWidth, innerHeight, scrollX, scrollY, devicePixelRatio],
  parts: [document.fonts.size, document.styleSheets.length, document.adoptedStyleSheets.length, frames.length, document.forms.length],
  focus: document.activeElement?.tagName, listeners: [onunload, onpagehide, onmessage].map(String), errors: globalThis[Symbol.for('platen.errors')],
})`;
/** Half of `LOOK` is what the replacement wrote; then another document is written over it, as renders do. */
const NEXT = '<!doctype html><title>next</title><p>next</p>';

const script = (source: string) => `<!doctype html><title>mark</title><p id=p>mark</p><script>${source}</script>`;
const flood = (work: string) =>
  `const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { port1.postMessage(1); ${work} }; port2.onmessage = () => port2.postMessage(1); port2.postMessage(1);`;
const meta = (policy: string) =>
  `const m = document.createElement('meta'); m.httpEquiv = 'Content-Security-Policy'; m.content = "${policy}"; document.head.append(m); m.remove();`;

/** Goes on by itself, outside of the document's tasks. */
const WAITS = `const t = top; const shared = new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
  (async () => { for (;;) { await Atomics.waitAsync(shared, 0, 0, 2).value; t.mark = 1; t.document.body.textContent = 'MARK' } })();`;
const COLLECTED = `const t = top; t.registry = new FinalizationRegistry(() => { t.mark = 1 }); for (let n = 0; n < 100; n++) t.registry.register({}, n);
  top.onpagehide = () => { for (let n = 0; n < 100; n++) new ArrayBuffer(1e7) };`;
const inFrame = (source: string) =>
  script(
    `const f = document.createElement('iframe'); document.body.append(f); f.contentWindow.eval(${JSON.stringify(source)}); f.remove();`,
  );

const TAKEN_AWAY: Record<string, string> = {
  'nothing but text': script(''),
  'globals and prototypes': script(
    "globalThis.mark = 'MARK'; var mark2 = 1; Object.prototype.mark = Array.prototype.mark = 'MARK'; Array.prototype.map = () => ['MARK']",
  ),
  'a name': script("name = 'MARK'"),
  timers: script(
    `setInterval(() => { document.body.textContent = top.mark = 'MARK' }, 1); setTimeout(() => { top.mark = 1 }, 50)`,
  ),
  frames: script('requestAnimationFrame(function again() { top.mark = 1; requestAnimationFrame(again) })'),
  messages: script(
    `${flood('top.mark = 1')} onmessage = () => { top.mark = 1 }; for (let n = 0; n < 100; n++) postMessage(1, '*')`,
  ),
  promises: script(
    '(async () => { for (;;) await new Promise((resolve) => setTimeout(resolve, 1)).then(() => { top.mark = 1 }) })()',
  ),
  'waits that are no tasks': script(WAITS),
  'what is called when something is collected': script(COLLECTED),
  'words at its end': script(
    "onunload = onpagehide = () => { top.mark = 1; document.body.textContent = 'MARK'; Promise.resolve().then(() => { top.mark = 2 }) }",
  ),
  'a wish to stay': script("onbeforeunload = (event) => { event.preventDefault(); return 'stay' }"),
  'a say in navigations': script(
    'navigation.onnavigate = (event) => { try { event.preventDefault() } catch {} event.intercept?.({ handler: () => new Promise(() => {}) }) }',
  ),
  'a colour scheme': `<meta name=color-scheme content=dark>${script('')}`,
  'a base': `<base href="https://mark.example/">${script('')}`,
  'a viewport': `<meta name=viewport content="width=300">${script('')}`,
  styles: script(
    "const s = new CSSStyleSheet(); s.replaceSync('body::after { content: \"MARK\" }'); document.adoptedStyleSheets = [s]; document.fonts.add(new FontFace('MARK', 'url(data:font/woff2;base64,)')); CSS.registerProperty({ name: '--mark', syntax: '<length>', inherits: true, initialValue: '9px' })",
  ),
  'an editor': script("document.designMode = 'on'; document.body.style.zoom = 3; p.scrollIntoView()"),
  'what was typed':
    '<form><input id=i name=i autofocus><textarea id=t></textarea></form><script>i.value = t.value = "MARK"; i.focus()</script>',
  errors: script("console.error('MARK'); Promise.reject(new Error('MARK')); queueMicrotask(() => { throw new Error('MARK') })"),
  'custom elements': script(
    "customElements.define('x-mark', class extends HTMLElement {}); document.body.append(document.createElement('x-mark'))",
  ),
};

describe('a new window', () => {
  test.each(Object.entries(TAKEN_AWAY))('takes away %s', async (_name, html) => {
    await using fresh = await openTab();
    await fresh.load(NEXT);
    await using tab = await openTab();
    await tab.load(html);
    expect(await tab.openWindow()).toBe(true);
    await tab.load(NEXT);
    expect(JSON.parse(String(await tab.evaluate(LOOK)))).toEqual(JSON.parse(String(await fresh.evaluate(LOOK))));
    await tab.evaluate('new Promise((resolve) => setTimeout(resolve, 100))'); // what still ran would show itself
    expect(await tab.evaluate('[globalThis.mark, document.body.textContent].join()')).toBe(',next');
  });

  test('opens again and again', async () => {
    await using tab = await openTab();
    for (let n = 0; n < 20; n++) {
      await tab.load(script(`document.title = globalThis.mark ?? 'none'; globalThis.mark = ${n}`));
      expect(await tab.evaluate('document.title')).toBe('none');
      expect(await tab.openWindow()).toBe(true);
    }
  });

  test('has forgotten what was said about referrers', async () => {
    const policyOf = async (tab: Tab) => {
      await tab.session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
      const asked = tab.session.next('Fetch.requestPaused');
      void tab.load('<!doctype html><img src="http://mark.example/x.png">').catch(() => {});
      return (await asked).request.referrerPolicy;
    };
    await using fresh = await openTab();
    await using tab = await openTab();
    await tab.load(
      script(
        "const m = document.createElement('meta'); m.name = 'referrer'; m.content = 'unsafe-url'; document.head.append(m); m.remove()",
      ),
    );
    expect(await tab.openWindow()).toBe(true);
    expect(await policyOf(tab)).toBe(await policyOf(fresh));
  });

  test.each([
    ['a frame', `<iframe srcdoc="x"></iframe>${script('')}`],
    ['a frame whose waits go on', inFrame(WAITS)],
    ['a frame that is called when something is collected', inFrame(COLLECTED)],
    ['an object', `<object data="data:text/html,x"></object>${script('')}`],
    ['an image in an object', `<object type="image/svg+xml" data="data:image/svg+xml,x"></object>${script('')}`],
    ['an embedded document', `<embed type="text/html" src="data:text/html,x">${script('')}`],
    ['a frame of a frameset', `<frameset><frame src="data:text/html,x"></frameset>`],
    [
      'a frame of an old kind',
      script(
        "document.documentElement.append(document.createElement('frameset')); document.querySelector('frameset').append(document.createElement('frame'))",
      ),
    ],
    ['a wish about scrolling', script("history.scrollRestoration = 'manual'")],
    ['a state of its history', script("history.replaceState('MARK', '')")],
    ['entries of its history', script("history.pushState('MARK', '')")],
    ['a fragment', script("location.hash = 'MARK'")],
    ['a policy for images', script(meta("img-src 'none'"))],
    ['a policy for connections', script(meta('upgrade-insecure-requests'))],
    [
      'a say in scripts',
      script(
        `${meta("require-trusted-types-for 'script'")} trustedTypes.createPolicy('default', { createScript: (source) => source.replace('</scr', ';globalThis.mark=1</scr') })`,
      ),
    ],
    ['a navigation', script("const a = document.createElement('a'); a.href = 'blob:null/x'; document.body.append(a); a.click()")],
    ['a navigation of later', `<meta http-equiv=refresh content="900; url=about:blank#MARK">${script('')}`],
    [
      'a form that was sent',
      script("const f = document.createElement('form'); f.action = 'about:blank#MARK'; document.body.append(f); f.submit()"),
    ],
  ])('is not enough after %s', async (_name, html) => {
    await using tab = await openTab();
    await tab.load(html);
    expect(await tab.openWindow()).toBe(false);
  });

  test('is not believed in while the document forbids scripts', async () => {
    await using tab = await openTab();
    await tab.load(script(meta("script-src 'none'")));
    await expect(tab.openWindow()).rejects.toThrow('given up');
  });

  test('is not believed in while the document has not come to an end', async () => {
    await using tab = await openTab();
    await tab.load(script(''));
    void tab.evaluate('for (;;);').catch(() => {});
    await expect(tab.openWindow()).rejects.toThrow('given up');
  });

  const back = `location.href = "javascript:'<script>globalThis.mark = 1; document.currentScript.remove()</scr" + "ipt>'";`;
  test.each([
    ['stops whatever begins', flood('stop();')],
    ['writes itself anew', "setInterval(() => { document.open(); document.write('<p>MARK'); document.close() }, 1);"],
    ['replaces itself', `setTimeout(() => { ${flood(back)} }, 1);`],
    ['replaces itself now and then', `setInterval(() => { ${back} }, 1);`],
    ['replaces itself at its end', `onunload = onpagehide = () => { ${back} };`],
    [
      'goes elsewhere',
      "setInterval(() => { location.href = URL.createObjectURL(new Blob(['<script>mark = 1</scr' + 'ipt>'], { type: 'text/html' })) }, 1);",
    ],
  ])('is empty or not believed in while the document %s', async (_name, source) => {
    for (let n = 0; n < 4; n++) {
      await using tab = await openTab();
      await tab.load(script(source));
      const opened = await tab.openWindow().catch(() => false); // who is first is chance
      if (!opened) continue;
      await tab.load(NEXT);
      await tab.evaluate('new Promise((resolve) => setTimeout(resolve, 50))');
      expect(await tab.evaluate('[globalThis.mark, document.body.textContent].join()')).toBe(',next');
    }
  });
});
