/** Renders share no page state, cookies, storage or scripts, neither between keys nor with later renders of the key. */
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';

const service = await startService({ PLATEN_CONCURRENCY: '2', PLATEN_SPARE_PAGES: '0' }).then(closeAfterAll);
const other = (await service.createKey()).key;

const text = async (html: string, key = service.key, options = {}) =>
  (await readPdfReply(await service.pdf({ html, options }, { key }))).pages[0];

/** The program in the page, as a script of the document can find it. */
const PROGRAM = "window[Object.getOwnPropertyNames(window).find((name) => name.startsWith('platen.'))]";

/** Leaves a mark in every place that a document can reach and that might outlive it. */
const PLANT = `<p>planted</p><script>
  const program = () => ${PROGRAM};
  const tries = {
    name: () => { window.name = 'MARK' },
    global: () => { window.mark = 'MARK' },
    prototype: () => { Object.prototype.mark = 'MARK'; Array.prototype.map = () => ['MARK'] },
    cookie: () => { document.cookie = 'mark=MARK; max-age=9999' },
    local: () => { localStorage.mark = 'MARK' },
    session: () => { sessionStorage.mark = 'MARK' },
    shims: () => {
      Object.setPrototypeOf(localStorage, { mark: 'MARK' });
      Storage.prototype.getItem = Storage.prototype.key = () => 'MARK';
      Storage.prototype[Symbol.for('mark')] = Storage.mark = 'MARK';
      Object.defineProperty(Document.prototype, 'cookie', { get: () => 'MARK' });
      Object.defineProperty(window, 'sessionStorage', { value: { mark: 'MARK' } });
      WeakMap.prototype.get = Map.prototype.get = () => 'MARK';
    },
    clock: () => {
      const time = program().clock;
      for (const each of [time, time.native, time.native.Promise, time.forward, Date, Date.now, performance, setTimeout, requestAnimationFrame, fetch])
        try { each.mark = 'MARK' } catch {}
      for (let n = 0; n < 5; n++) time.forward(true);
      Date.now = performance.now = () => 'MARK';
      Date.prototype.getTime = () => 'MARK';
      setTimeout(() => { document.body.textContent = 'MARK' }, 2500);
      requestAnimationFrame(function draw() { document.title = 'MARK'; requestAnimationFrame(draw) });
      Promise.prototype.then = () => 'MARK';
    },
    observers: () => {
      program().showAll.mark = IntersectionObserver.mark = IntersectionObserver.prototype.mark = 'MARK';
      const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' });
      root.innerHTML = 'MARK';
      program().listShadows.mark = Element.prototype.attachShadow.mark = 'MARK';
      EventTarget.prototype.addEventListener.mark = EventTarget.prototype.mark = 'MARK';
      new IntersectionObserver(() => { document.body.textContent = 'MARK' }).observe(document.body);
      Object.defineProperty(document.documentElement, 'clientHeight', { value: 'MARK' });
      innerHeight = 12345;
    },
    animations: () => {
      Document.prototype.getAnimations = () => [{ playState: 'running', get effect() { return 'MARK' } }];
      Animation.prototype.finish = () => { document.body.textContent = 'MARK' };
      document.body.animate([{ color: 'red' }, { color: 'blue' }], { duration: 1000, iterations: Infinity, id: 'MARK' });
    },
    ready: () => { window.platenReady = 'MARK'; window.MathJax = { startup: 'MARK' }; window.PagedPolyfill = 'MARK' },
    history: () => { history.pushState('MARK', '', '#MARK') },
    scroll: () => { history.scrollRestoration = 'manual' },
    window: () => {
      resizeTo(300, 300); moveTo(5, 5);
      const frame = document.createElement('iframe'); document.body.append(frame);
      frame.contentWindow.resizeTo.call(top, 301, 301); frame.contentWindow.moveTo.call(top, 6, 6);
    },
    timer: () => { setInterval(() => { document.body.textContent = 'MARK' }, 1) },
    listener: () => { addEventListener('load', () => { document.body.textContent = 'MARK' }); addEventListener('beforeprint', () => { document.body.textContent += 'MARK' }) },
    database: () => { indexedDB.open('MARK') },
    caches: () => { caches.open('MARK') },
    channel: () => { const c = new BroadcastChannel('mark'); setInterval(() => c.postMessage('MARK'), 1) },
    worker: () => { new SharedWorker('data:text/javascript,onconnect=e=>e.ports[0].postMessage("MARK")', 'mark') },
    fonts: () => { document.fonts.add(new FontFace('MARK', 'url(data:font/woff2;base64,)')) },
    sheet: () => { const s = new CSSStyleSheet(); s.replaceSync('body::after { content: "MARK" }'); document.adoptedStyleSheets = [s] },
  };
  for (const name in tries) try { tries[name]() } catch {}
</script>`;

/** Looks for the marks in the same places. */
const LOOK = `<body><p>looked</p><pre id=out style="white-space: pre-wrap"></pre><script>
  const program = () => ${PROGRAM};
  const found = [];
  const tries = {
    name: () => window.name,
    global: () => window.mark,
    prototype: () => ({}).mark + String([1].map(x => x)),
    cookie: () => document.cookie,
    local: () => localStorage.mark,
    session: () => sessionStorage.mark + sessionStorage.length + sessionStorage.key(0),
    items: () => localStorage.getItem('mark') + localStorage.length + localStorage.key(0) + Object.keys(localStorage),
    shims: () => Storage.mark + Storage.prototype[Symbol.for('mark')] + new WeakMap().get(self) + new Map().get(1),
    clock: () => {
      const time = program().clock;
      const all = [time, time.native, time.native.Promise, time.forward, Date, Date.now, performance, setTimeout, requestAnimationFrame, fetch];
      const isAhead = Math.abs(Date.now() - performance.timeOrigin - performance.now()) > 2000 || performance.now() > 60000;
      return all.map((each) => each.mark) + String(Date.now()) + new Date().getTime() + isAhead;
    },
    shadows: () => {
      const list = program().listShadows;
      return [list.mark, Element.prototype.attachShadow.mark, ...Array.from(list(), (root) => root.textContent)].join();
    },
    observers: () => [program().showAll.mark, IntersectionObserver.mark, IntersectionObserver.prototype.mark,
      EventTarget.prototype.addEventListener.mark, document.mark, document.documentElement.clientHeight],
    height: () => innerHeight < 10000,
    animations: () => document.getAnimations().map(({ id }) => id) + String(Animation.prototype.finish),
    ready: () => [window.platenReady, window.MathJax, window.PagedPolyfill],
    history: () => history.length + ' ' + JSON.stringify(history.state) + location.hash,
    scroll: () => history.scrollRestoration,
    window: () => [outerWidth, outerHeight, screenX, screenY].join('x'),
    fonts: () => [...document.fonts].map(f => f.family),
    sheet: () => document.adoptedStyleSheets.length,
  };
  for (const name in tries) try { found.push(name + '=' + tries[name]()) } catch (e) { found.push(name + ' denied') }
  new BroadcastChannel('mark').onmessage = e => { document.body.append(' channel=' + e.data) };
  document.getElementById('out').textContent = found.join(' ');
  // Leaves time for a planted timer or channel to show itself.
  const until = performance.now() + 100; while (performance.now() < until);
</script>`;

describe('state that one render leaves', () => {
  test('is not visible to another key', async () => {
    await text(PLANT);
    const found = await text(LOOK, other);
    expect(found).toContain('looked');
    expect(found).not.toContain('MARK');
  });

  test('is not visible to later renders of the same key on a reused page', async () => {
    for (let round = 0; round < 3; round++) {
      await text(PLANT);
      const found = await text(LOOK);
      expect(found).toContain('looked');
      expect(found).not.toContain('MARK');
      expect(found).toContain('history=1');
      expect(found).toContain('scroll=auto');
      expect(found).toMatch(/clock=.*false shadows=, observers=/);
      expect(found).toContain('height=true');
      expect(found).toContain('window=800x600x0x0');
    }
    expect(await service.metric('platen_pages_warm')).toBeLessThanOrEqual(3);
  });

  test('is not visible to a static document of the same key', async () => {
    await text(PLANT);
    expect(await text('<p>clean</p>')).toBe('clean');
  });

  test('is not visible to the same key if the script of an option left it', async () => {
    const plants = "(globalThis.mark = 1, setInterval(() => { document.body.textContent = 'MARK' }, 1), true)";
    await text('<p>plain', service.key, { waitForFunction: plants });
    expect(await text('<p>clean</p>', service.key, { waitForTimeout: 200 })).toBe('clean');
    const looks = '(document.body.textContent = String(globalThis.mark), true)';
    expect(await text('<p>clean</p>', service.key, { waitForFunction: looks })).toBe('undefined');
  });

  test('is not visible to concurrent renders', async () => {
    const rounds = Array.from({ length: 10 }, (_, round) =>
      Promise.all([text(PLANT), text(LOOK, other)]).then(([, found]) => expect(found, `round ${round}`).not.toContain('MARK')),
    );
    await Promise.all(rounds);
  });
});

test('gives documents an opaque origin without files and databases, with storage in memory', async () => {
  const found = await text(`<pre id=o style="white-space:pre-wrap"></pre><script>
    const say = (what) => { o.textContent += what + ' ' };
    say('origin=' + self.origin); say('url=' + location.href); say('secure=' + isSecureContext);
    for (const f of ['localStorage', 'sessionStorage', 'caches', 'indexedDB.open("x")', 'document.cookie'])
      try { eval(f); say(f + '=open') } catch (e) { say(f + '=' + e.name) }
  </script>`);
  expect(found).toContain('origin=null');
  expect(found).toContain('indexedDB.open("x")=SecurityError');
  for (const shim of ['localStorage', 'sessionStorage', 'document.cookie']) expect(found).toContain(`${shim}=open`);
});

test('never mixes up documents of two keys under load', async () => {
  const keys = [service.key, other];
  const replies = Array.from({ length: 60 }, async (_, n) => {
    const script = n % 3 ? '' : `<script>document.body.append(' scripted')</script>`;
    expect(await text(`<p>document ${n} of ${n % 2}</p>${script}`, keys[n % 2])).toBe(
      `document ${n} of ${n % 2}${script ? ' scripted' : ''}`,
    );
  });
  await Promise.all(replies);
});
