/** The printed document is finished: scripts have loaded their content, and animations have ended. */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { printBytes } from '../support/print-bytes.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { type Answer, html, image, never, send } from '../support/site.ts';
import { Web } from '../support/web.ts';

const OPEN = { 'access-control-allow-origin': '*' };
const json = (value: unknown): Answer => send('application/json', JSON.stringify(value), OPEN);
const library = async (path: string) => send('text/javascript', await readFile(`node_modules/${path}`), OPEN);

const web = await Web.start({ PLATEN_CONCURRENCY: '4' }).then(closeAfterAll);
const { site } = web;
const [chart, echarts, d3, paged] = await Promise.all(
  [
    'chart.js/dist/chart.umd.min.js',
    'echarts/dist/echarts.min.js',
    'd3/dist/d3.min.js',
    'pagedjs/dist/paged.polyfill.min.js',
  ].map(library),
);
const events: Answer = (_request, response) =>
  void response.writeHead(200, { 'content-type': 'text/event-stream', ...OPEN }).write('data: told\n\n');
site.serve({ '/chart.js': chart, '/echarts.js': echarts, '/d3.js': d3, '/paged.js': paged } as Record<string, Answer>);
const slowly: Answer = (_request, response) => void setTimeout(() => response.writeHead(200, OPEN).end(), 40); // This is the reply to a document that polls.
site.serve({
  '/slowly': slowly,
  '/never': never,
  '/events': events,
  '/data.json': json({ title: 'Sales' }),
  '/image.png': image,
});

/** Adds an answer that the site holds back until the test releases it. */
function hold(path: string, answer: Answer): { requested: Promise<void>; release(): void; releasedLate(): Promise<void> } {
  const requested = Promise.withResolvers<void>();
  const held: Array<() => void> = [];
  let isFree = false;
  site.serve({
    [path]: (request, response: ServerResponse) => {
      if (isFree) answer(request, response);
      else held.push(() => answer(request, response));
      requested.resolve();
    },
  });
  const release = () => {
    isFree = true;
    for (const each of held.splice(0)) each();
  };
  const releasedLate = async () => {
    await requested.promise;
    await others();
    release();
  };
  return { requested: requested.promise, release, releasedLate };
}

const textOf = async (source: string, options?: object) => (await web.render(source, options)).pages.join(' ');
const body = (script: string, markup = '') => `<!doctype html><title>x</title><body>${markup}<script>${script}</script>`;
/** Renders another document, which gives the service and the browser time while an answer is held back. */
const others = () => web.render('<p>another document');

describe('content that scripts load', () => {
  const rows = { rows: ['Paper 12.00', 'Ink 30.00'] };
  const show =
    'const show = ({ rows }) => { document.body.innerHTML = "<h1>Invoice</h1>" + rows.map((row) => "<p>" + row).join("") }';
  const WAYS: Array<[name: string, document: (url: string) => string]> = [
    ['fetch', (url) => body(`${show}; fetch("${url}").then((reply) => reply.json()).then(show)`)],
    ['fetch after load', (url) => body(`${show}; onload = async () => show(await (await fetch("${url}")).json())`)],
    [
      'XMLHttpRequest',
      (url) =>
        body(
          `${show}; const x = new XMLHttpRequest(); x.open("GET", "${url}"); x.onload = () => show(JSON.parse(x.response)); x.send()`,
        ),
    ],
    ['a short timer', (url) => body(`${show}; setTimeout(() => fetch("${url}").then((reply) => reply.json()).then(show), 900)`)],
  ];
  test.each(WAYS)('waits for invoice rows that arrive by %s', async (name, document) => {
    const path = `/rows-${name.replaceAll(' ', '-')}`;
    const held = hold(path, json(rows));
    const printed = textOf(document(site.origin + path));
    await held.releasedLate();
    expect(await printed).toBe('Invoice Paper 12.00 Ink 30.00');
  });

  test('waits when a request is aborted by opening it again', async () => {
    const source = body(
      `const x = new XMLHttpRequest(); x.open("GET", "${site.origin}/never"); x.send(); x.open("GET", "${site.origin}/data.json"); document.body.append("done")`,
    );
    expect(await textOf(source, { failOnWarning: ['printed_early'] })).toBe('done');
  });

  test.each([
    ['modules of WebAssembly', 'WebAssembly.instantiate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))'],
    ['pictures that are decoded', 'createImageBitmap(new ImageData(200, 200))'],
    ['answers that no network gives', 'fetch("data:,x").then((reply) => reply.text())'],
  ])('waits for %s in sequence', async (_name, begin) => {
    const work = `onload = async () => { for (let n = 0; n < 1500; n++) await ${begin}; document.body.append("done") }`;
    expect(await textOf(body(work), { timeout: 60_000 })).toBe('done');
  });

  test('waits for a worker, its requests and its own workers', async () => {
    const held = hold('/asked', send('text/plain', 'answer', OPEN));
    const inner = `onmessage = async () => postMessage(await (await fetch('${site.origin}/asked')).text())`;
    const outer = `const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(inner)}]))); onmessage = () => worker.postMessage(0); worker.onmessage = ({ data }) => postMessage(data)`;
    const source = body(
      `const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(outer)}]))); let n = 0;
      worker.onmessage = ({ data }) => { document.body.append(data + ' '); if (n++ < 2) worker.postMessage(0) }; worker.postMessage(0);
      new Worker(URL.createObjectURL(new Blob(['setInterval(() => postMessage(0), 10)'])))`,
    );
    const printed = textOf(source, { timeout: 60_000, failOnWarning: ['printed_early'] });
    await held.releasedLate();
    expect(await printed).toBe('answer answer answer');
  });

  test('waits for workers that workers start, one after the other', async () => {
    const held = hold('/asked-inside', send('text/plain', 'answer', OPEN));
    const start = (script: string) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))`;
    let script = `fetch('${site.origin}/asked-inside').then((reply) => reply.text()).then(postMessage)`;
    for (let depth = 0; depth < 4; depth++) script = `${start(script)}.onmessage = ({ data }) => postMessage(data)`;
    const source = body(`${start(script)}.onmessage = ({ data }) => document.body.append(data)`);
    const printed = textOf(source, { timeout: 60_000, failOnWarning: ['printed_early'] });
    await held.releasedLate();
    expect(await printed).toBe('answer');
  });

  test('does not wait for a worker that cannot be loaded, or is ended at once', async () => {
    const source = body(
      `new Worker('data:text/plain,x', { type: 'module' }); new Worker(URL.createObjectURL(new Blob([]))).terminate(); document.body.append('done')`,
    );
    expect(await textOf(source, { failOnWarning: ['printed_early'] })).toBe('done');
  });

  test('waits for workers of a site, including a shared one', async () => {
    const held = hold('/asked-by-site', send('text/plain', 'answer', OPEN));
    const fetchingWorker = (report: string) =>
      send('text/javascript', `fetch('/asked-by-site').then((r) => r.text()).then((text) => ${report})`);
    const report = 'onmessage = ({ data }) => document.body.append(data + " ")';
    site.serve({
      '/worker.js': fetchingWorker('postMessage(text)'),
      '/shared.js': send('text/javascript', 'onconnect = ({ ports: [port] }) => port.postMessage("shared")'),
      '/workers.html': html(body(`new SharedWorker('/shared.js').port.${report}; new Worker('/worker.js').${report}`)),
    });
    const printed = web.textOf('/workers.html', { timeout: 60_000, failOnWarning: ['printed_early'] });
    await held.releasedLate();
    expect(await printed).toBe('shared answer');
  });

  test('waits for work in steps that change the document only at the end', async () => {
    const source = body(`
      const say = (word) => document.body.append(word + ' ');
      const messages = () => { let n = 0; const { port1, port2 } = new MessageChannel(); port1.onmessage = () => n++ < 5000 ? port2.postMessage(0) : (say('messages'), idle()); port2.postMessage(0) };
      const idle = (n = 0) => requestIdleCallback(() => n < 10 ? idle(n + 1) : (say('idle'), tasks()));
      const tasks = async () => { for (let n = 0; n < 5000; n++) await scheduler.yield(); say('tasks'); file() };
      const file = () => { const reader = new FileReader(); reader.onload = () => { say('file'); picture() }; reader.readAsDataURL(new Blob([new Uint8Array(1e7)])) };
      const picture = () => { const canvas = document.createElement('canvas'); canvas.width = canvas.height = 1200; canvas.toBlob(() => { say('picture'); view() }) };
      const view = () => document.startViewTransition(() => say('view'));
      scheduler.postTask(messages, { delay: 900 })`);
    expect(await textOf(source, { timeout: 60_000, failOnWarning: ['printed_early'] })).toBe(
      'messages idle tasks file picture view',
    );
  });

  test.each([
    ['an image', (url: string) => `document.body.insertAdjacentHTML("beforeend", \`<img src="${url}" onload="come()">\`)`],
    [
      'a script',
      (url: string) => `const s = document.createElement("script"); s.src = "${url}"; s.onload = come; document.head.append(s)`,
    ],
    ['a module', (url: string) => `import("${url}").then(come)`],
    ['a picture that is not put anywhere', (url: string) => `const i = new Image(); i.onload = come; i.src = "${url}"`],
  ])('runs %s that a timer starts before the following timers', async (name, begin) => {
    const held = hold('/begun', /image|picture/.test(name) ? image : send('text/javascript', '', OPEN));
    const source = body(
      `const come = () => document.body.append("come "); setTimeout(() => { ${begin(`${site.origin}/begun`)} }, 500); setTimeout(() => document.body.append("after "), 2500)`,
    );
    const text = textOf(source, { timeout: 60_000 });
    await held.requested;
    held.release();
    expect(await text).toBe('come after');
  });

  test.each([
    ['functions', 'const load = () => open(); const open = () => import(URL_OF).then(come); setTimeout(() => load(), 500)'],
    [
      'a script from elsewhere',
      'onload = () => setTimeout(start, 500)</script><script src="ORIGIN/importer.js"></script><script>',
    ],
  ])('prints the result of a module that %s import from a timer', async (_how, script) => {
    const held = hold('/imported', send('text/javascript', 'document.body.append("module ")', OPEN));
    const url = `${site.origin}/imported`;
    site.serve({ '/importer.js': send('text/javascript', `function start() { import("${url}").then(come) }`, OPEN) });
    const text = textOf(
      body(
        `const come = () => document.body.append("come "); ${script.replace('URL_OF', `"${url}"`).replace('ORIGIN', site.origin)}`,
      ),
      { timeout: 60_000 },
    );
    await held.releasedLate();
    expect(await text).toBe('module come');
  });

  test('waits for sequential requests, then an image and a script', async () => {
    const first = hold('/first', json({ next: '/second' }));
    const second = hold('/second', send('text/javascript', 'document.body.append(" module")', OPEN));
    const source = body(
      `(async () => { const { next } = await (await fetch("${site.origin}/first")).json(); document.body.append("first");
        await import("${site.origin}" + next); const i = new Image(); i.onload = () => document.body.append(" image", i); i.src = "${site.origin}/image.png" })()`,
    );
    const printed = textOf(source);
    await first.requested;
    first.release();
    await second.requested;
    await others();
    second.release();
    expect(await printed).toBe('first module image');
  });

  test('waits in a document from a URL', async () => {
    const held = hold('/page.json', json({ title: 'Report' }));
    site.serve({
      '/page.html': html(body('fetch("/page.json").then((r) => r.json()).then((d) => { document.body.textContent = d.title })')),
    });
    const printed = web.textOf('/page.html');
    await held.releasedLate();
    expect(await printed).toBe('Report');
  });

  test.each(['spa-fetch.html', 'xhr-content.html'])('%s', async (name) => {
    const isText = name === 'xhr-content.html';
    const held = hold(`/${name}.data`, isText ? send('text/plain', '<p>rows', OPEN) : json({ title: 'Sales' }));
    const printed = textOf(REPRODUCTIONS[name as keyof typeof REPRODUCTIONS](`${site.origin}/${name}.data`));
    await held.releasedLate();
    expect(await printed).toBe(isText ? 'Invoice rows' : 'Sales');
  });

  test('does not wait with waitUntil: load', async () => {
    const source = body(`fetch("${site.origin}/never").then(() => document.body.append("late")); document.body.append("begun")`);
    expect(await textOf(source, { waitUntil: 'load' })).toBe('begun');
  });
});

const REPRODUCTIONS = {
  'spa-fetch.html': (url: string) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>spa</title><body><div id=app>Loading…</div><script>addEventListener("DOMContentLoaded",()=>fetch("${url}").then(r=>r.json()).then(d=>{app.innerHTML="<h1>"+d.title+"</h1>"}).catch(e=>app.textContent="ERR "+e))</script></body>`,
  'xhr-content.html': (url: string) =>
    `<!doctype html><meta charset="utf-8"><title>Invoice</title><div id="app"></div><script>fetch('${url}').then(r=>r.text()).then(t=>{app.innerHTML='<h1>Invoice</h1>'+t})</script>`,
};

describe('documents that announce when they are ready', () => {
  test('waits for a book of 60 chapters by Paged.js', async () => {
    const chapters = Array.from(
      { length: 60 },
      (_, n) => `<section><h1>Chapter ${n + 1}</h1><p>${'words '.repeat(40)}</p></section>`,
    );
    const style = '<style>@page { size: A5 } section { break-before: page }</style>';
    const source = `<!doctype html><title>Book</title><head>${style}<script src="${site.origin}/paged.js"></script></head><body>${chapters.join('')}`;
    const { pages } = await web.render(source, { timeout: 100_000 });
    expect(pages.filter((page) => page.startsWith('Chapter'))).toHaveLength(60);
    expect(pages.at(-1)).toContain('Chapter 60');
  });

  test.each([
    ['a boolean', 'window.platenReady = false; const ready = () => { window.platenReady = true }'],
    ['a promise', 'let ready; window.platenReady = new Promise((resolve) => { ready = resolve })'],
    ['MathJax', 'let ready; window.MathJax = { startup: { promise: new Promise((resolve) => { ready = resolve }) } }'],
  ])('%s', async (name, declared) => {
    const path = `/ready-${name.replaceAll(' ', '-')}`;
    const held = hold(path, send('text/event-stream', 'data: x\n\n', OPEN));
    // Only the readiness signal delays the print. An event source does not, because it may last as long as the document.
    const source = body(
      `${declared}; const events = new EventSource("${site.origin}${path}"); events.onmessage = () => { events.close(); document.body.append("ready"); ready() }`,
      'begun ',
    );
    const printed = textOf(source, { timeout: 60_000 });
    await held.releasedLate();
    expect(await printed).toBe('begun ready');
  });
});

describe('work that never ends', () => {
  const warningsOf = async (source: string, options: object = {}) => (await web.ada.report({ html: source, options })).warnings;

  test('waits for a long poll for a limited time, and names it in a warning', async () => {
    const source = body(
      `fetch("${site.origin}/never?a=1"); fetch("${site.origin}/data.json").then(() => document.body.append("there"))`,
    );
    const [report, refused] = await Promise.all([
      warningsOf(source),
      web.ada.pdf({ html: source, options: { failOnWarning: ['printed_early'] } }),
    ]);
    expect(report).toMatchObject([{ kind: 'printed_early', url: `${site.origin}/never?a=1` }]);
    const members = await problem(refused, 422, 'render_gate_failed');
    expect(members).toMatchObject({
      gate: 'failOnWarning',
      warnings: [{ kind: 'printed_early', url: `${site.origin}/never?a=1` }],
    });
  });

  test('does not wait for an event source or a timer', async () => {
    const source = body(
      `new EventSource("${site.origin}/events").onmessage = ({ data }) => { document.body.textContent = data }; setInterval(() => {}, 100)`,
    );
    const waitForFunction = 'document.body.textContent === "told"'; // Without `waitForFunction`, nothing waits for the first event.
    expect(await textOf(source, { timeout: 100_000, waitForFunction, failOnWarning: ['printed_early'] })).toBe('told');
  });

  test('does not wait for endless frames that a framework schedules by messages', async () => {
    const source = body(
      'let n = 0; const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { p.textContent = "drawn"; p.append("") }; const draw = () => { n++; port2.postMessage(0); requestAnimationFrame(draw) }; draw()',
      '<p id=p></p>',
    );
    expect(await textOf(source, { timeout: 60_000, failOnWarning: ['printed_early'] })).toBe('drawn');
  });

  test('prints a document that polls or changes forever, with a warning', async () => {
    const polls = body(
      `const poll = () => fetch("${site.origin}/slowly").then((r) => r.text()).then(poll); poll(); document.body.append("p")`,
    );
    const changes = body(
      'const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { document.body.textContent = "c"; port2.postMessage(0) }; port2.postMessage(0)',
    );
    const busy = body('window.platenReady = false; document.body.append("n")');
    const [ofPolls, ofChanges, ofBusy] = await Promise.all([
      warningsOf(polls),
      warningsOf(changes),
      warningsOf(busy, { timeout: 6_000 }),
    ]);
    expect(ofPolls.map(({ kind }) => kind)).toContain('printed_early');
    expect(ofChanges).toMatchObject([{ kind: 'printed_early', message: expect.stringContaining('changing') }]);
    expect(ofBusy).toMatchObject([{ kind: 'printed_early', message: expect.stringContaining('window.platenReady') }]);
  });
});

describe('moving content', () => {
  /** Chart libraries, each with a document whose chart is animated or not. */
  const CHARTS: Record<string, (moves: boolean) => string> = {
    'Chart.js': (moves) =>
      `<!doctype html><script src="${site.origin}/chart.js"></script><canvas id=c width=400 height=200></canvas><script>
        new Chart(c, { type: 'bar', data: { labels: ['a', 'b'], datasets: [{ label: 'n', data: [3, 9] }] }, options: { responsive: false, ${moves ? '' : 'animation: false'} } })</script>`,
    ECharts: (moves) =>
      `<!doctype html><script src="${site.origin}/echarts.js"></script><div id=c style="width: 400px; height: 200px"></div><script>
        echarts.init(c, null, { renderer: 'svg' }).setOption({ animation: ${moves}, xAxis: { data: ['a', 'b'] }, yAxis: {}, series: [{ type: 'bar', data: [3, 9] }] })</script>`,
    D3: (moves) =>
      `<!doctype html><script src="${site.origin}/d3.js"></script><svg id=c width=400 height=200></svg><script>
        const bars = d3.select(c).selectAll('rect').data([30, 90]).join('rect').attr('x', (d, n) => n * 50).attr('width', 40).attr('height', ${moves ? 0 : '(d) => d'});
        ${moves ? "bars.transition().delay(300).duration(900).attr('height', (d) => d / 2).transition().duration(900).attr('height', (d) => d)" : ''}</script>`,
  };
  test.each(Object.entries(CHARTS))('moves %s to its end, with the same bytes each time', async (_name, document) => {
    const still = await printBytes(await web.ada.pdf({ html: document(false) }));
    for (let time = 0; time < 2; time++)
      expect(
        (await printBytes(await web.ada.pdf({ html: document(true) }))) === still,
        'has the same bytes as a chart without animation',
      ).toBe(true);
  });
});

describe('animations', () => {
  const KEYFRAMES =
    '@keyframes in { from { visibility: hidden; margin-left: 300px } to { visibility: visible; margin-left: 0 } }';
  const styled = (css: string, markup: string) =>
    `<!doctype html><title>x</title><style>body { margin: 0 } ${KEYFRAMES} ${css}</style><body>${markup}`;
  const SCRIPT = '<script>document.title = "moves"</script>';
  /** Documents that must show `here` at the left margin when their animations have ended. */
  const ENDED: Record<string, string> = {
    'without a script': styled('p { animation: in 2s 1s both }', '<p>here'),
    'with one': styled('p { animation: in 2s 1s both }', `<p>here${SCRIPT}`),
    'of a pseudo-element': styled('p::before { content: "here"; display: block; animation: in 2s 1s both }', '<p>'),
    'that follows scrolling': styled(
      'p { margin-top: 3000px; animation: in linear both; animation-timeline: view(); animation-range: entry }',
      '<p>here',
    ),
    'begun by a transition': styled(
      'p { visibility: hidden; transition: visibility 2s } .on { visibility: visible }',
      '<p id=p>here<script>onload = () => setTimeout(() => { p.className = "on" }, 100)</script>',
    ),
    'of a script': styled(
      '',
      '<p id=p>here<script>p.animate([{ visibility: "hidden", marginLeft: "300px" }, {}], { duration: 5000, delay: 500, fill: "both" })</script>',
    ),
    'one after the other': styled(
      'p { visibility: hidden }',
      '<p id=p>here<script>p.animate([{ marginLeft: "9px" }, {}], 900).onfinish = () => { p.style.visibility = "visible" }</script>',
    ),
    'of a drawing':
      '<!doctype html><style>body { margin: 0 }</style><svg><text x="200" y="20" visibility="hidden">here<set attributeName="visibility" to="visible" begin="1s" fill="freeze"/><animate attributeName="x" to="0" dur="2s" fill="freeze"/></text></svg>',
    'in a frame': `<!doctype html><style>body { margin: 0 } iframe { border: 0 }</style><iframe srcdoc='${styled('p { animation: in 2s 1s both }', '<p>here').replaceAll("'", '')}'></iframe>`,
    'in a shadow root that the markup declares': styled(
      '',
      `<div><template shadowrootmode="open"><style>${KEYFRAMES} p { animation: in 2s 1s both }</style><p>here</template></div>`,
    ),
    'in a shadow root that the markup declares closed': styled(
      '',
      `<div><template shadowrootmode="closed"><style>${KEYFRAMES} p { animation: in 2s 1s both }</style><p>here</template></div>`,
    ),
    'in a shadow root that is closed': styled(
      '',
      `<div id=host></div><script>host.attachShadow({ mode: 'closed' }).innerHTML = '<style>${KEYFRAMES} p { animation: in 2s 1s both }</style><p>here'</script>`,
    ),
    'of an observer of visibility': styled(
      'p { margin-top: 2000px; visibility: hidden }',
      '<p id=p>here<script>new IntersectionObserver((entries, self) => { for (const { isIntersecting, target } of entries) if (isIntersecting) { target.style.visibility = "visible"; self.unobserve(target) } else target.style.visibility = "hidden" }).observe(p)</script>',
    ),
    'of an observer that is notified at half visibility of a partly visible element': styled(
      'p { margin-top: 580px; height: 200px; visibility: hidden }',
      '<p id=p>here<script>new IntersectionObserver(([{ intersectionRatio }]) => { if (intersectionRatio >= 0.5) p.style.visibility = "visible" }, { threshold: [0, 0.5] }).observe(p)</script>',
    ),
    'of a script that looks for itself what is on the screen': styled(
      'p { margin-top: 2000px; visibility: hidden }',
      '<p id=p>here<script>onscroll = () => { if (p.getBoundingClientRect().top < innerHeight) p.style.visibility = "visible" }</script>',
    ),
    'of a script that listens for scrolling': styled(
      'p { margin-top: 2000px; visibility: hidden }',
      '<p id=p>here<script>document.addEventListener("scroll", () => { if (p.offsetTop < document.documentElement.clientHeight) p.style.visibility = "visible" })</script>',
    ),
    'of a script that knows the height of the window by an element': styled(
      'p { margin-top: 2000px; visibility: hidden } div { position: absolute; height: 100vh }',
      '<div id=view></div><p id=p>here<script>onscroll = () => { if (p.getBoundingClientRect().top < view.offsetHeight) p.style.visibility = "visible" }</script>',
    ),
    'of frames': styled(
      'p { visibility: hidden }',
      '<p id=p>here<script>let begun; const draw = (now) => { begun ??= now; if (now - begun < 2000) requestAnimationFrame(draw); else p.style.visibility = "visible" }; requestAnimationFrame(draw)</script>',
    ),
  };
  test.each(Object.entries(ENDED))('moves %s to its end', async (_name, source) => {
    const { placed } = await web.render(source, { margin: 0 });
    const [place] = placed.flat();
    expect(place).toMatchObject({ text: 'here' });
    expect(place?.x).toBeCloseTo(0, 0);
    const [once, twice] = [await web.ada.pdf({ html: source }), await web.ada.pdf({ html: source })];
    expect((await printBytes(once)) === (await printBytes(twice)), 'the same bytes').toBe(true);
  });

  test('notifies intersection observers once for each observation', async () => {
    const markup = styled(
      '',
      `<div id=end style="height: 20px"></div><script>let running = 0, most = 0, parts = 0;
        new IntersectionObserver(async ([{ isIntersecting }], observer) => { if (!isIntersecting || parts >= 6) return;
          parts++; most = Math.max(most, ++running); await (await fetch("${site.origin}/data.json?" + parts)).json(); running--;
          observer.unobserve(end); observer.observe(end); if (parts === 6) document.body.append("at once: " + most) }).observe(end)</script>`,
    );
    expect(await textOf(markup)).toBe('at once: 1');
  });

  test('scrolls, instead of resizing, a window that shows the whole document, and scrolls others to the end and back', async () => {
    const note = 'for (const type of ["resize", "scroll"]) addEventListener(type, () => document.body.append(type + " "))';
    expect(await textOf(body(note))).toBe('scroll');
    expect(await textOf(body(note, '<div style="height: 900px"></div>'))).toBe('resize scroll scroll scroll');
  });

  test.each(['', SCRIPT])('prints endless animations at their first frame (%s)', async (script) => {
    const source = styled(
      '@keyframes on { from { margin-left: 30px } to { margin-left: 300px } } p { animation: on 1s linear infinite }',
      `<p>here${script}`,
    );
    const { placed } = await web.render(source, { margin: 0 });
    expect(placed[0]?.[0]?.x).toBeCloseTo(22.5, 0);
  });

  test('prints finite animations of a drawing at their end, and endless ones at their first frame', async () => {
    const animate = (more: string) => `<animate attributeName="x" from="40" to="240" ${more}/>`;
    const line = (text: string, more: string) => `<text x="9" y="20" font-size="20">${text}${animate(more)}</text>`;
    const finite = line('finite', 'dur="2s" fill="freeze"');
    const endless = line('endless', 'begin="1s" dur="0.7s" repeatCount="indefinite"');
    const clicked = line('clicked', 'begin="click" dur="0.7s" repeatCount="indefinite"');
    const source = `<!doctype html><style>body { margin: 0 } svg { display: block; height: 30px }</style>${[[finite, endless, clicked], [endless]].map((lines) => `<svg>${lines.join('')}</svg>`).join('')}`;
    const { placed } = await web.render(source, { margin: 0 });
    const at = placed.flat().map(({ text, x }) => [text, Math.round((x * 4) / 3)]);
    expect(at).toEqual([
      ['finite', 240],
      ['endless', 40],
      ['clicked', 9],
      ['endless', 40],
    ]);
  });

  test.each([
    ['when it is scrolled', 'onscroll = lay'],
    ['when its window changes', 'onresize = lay; onscroll = () => {}'],
    ['in either case', 'addEventListener("scroll", lay); addEventListener("resize", lay)'],
  ])('lays out a document that depends on the window height with its own window (%s)', async (_name, listen) => {
    const source = body(
      `const lay = () => { box.style.height = innerHeight + "px" }; lay(); ${listen}`,
      '<div id=box>box</div><p style="height: 1500px">below',
    );
    const [shown, still] = [await web.render(source), await web.render(source, { animations: 'run' })];
    expect(shown.placed).toEqual(still.placed);
  });

  test('keeps animations that the document paused', async () => {
    const source = styled(
      '@keyframes on { from { margin-left: 40px } to { margin-left: 300px } } p { animation: on 1s linear both paused }',
      '<p>here',
    );
    expect((await web.render(source, { margin: 0 })).placed[0]?.[0]?.x).toBeCloseTo(30, 0);
  });

  test('does not advance time with animations: run, and resets reduced motion for the next document', async () => {
    const source = body(
      'setTimeout(() => document.body.append(" timer"), 2900); document.body.append(matchMedia("(prefers-reduced-motion: reduce)").matches ? "reduced" : "moving")',
    );
    for (const [options, printed] of [
      [{}, 'reduced timer'],
      [{ animations: 'run' }, 'moving'],
      [{ animations: 'finish' }, 'reduced timer'],
    ] as const)
      expect(await textOf(source, options)).toBe(printed);
    const { template_id: id } = await web.ada.template(source);
    const response = await web.ada.pdf({ template_id: id, data: {}, options: { animations: 'run' } });
    expect((await readPdfReply(response)).pages).toEqual(['moving']);
    await problem(await web.ada.pdf({ html: source, options: { animations: 'stop' } }), 400, 'invalid_request');
  });

  test('runs no timers with waitUntil: load, but moves drawn animations to their end', async () => {
    const timer = body('setTimeout(() => document.body.append(" timer"), 2900); document.body.append("begun")');
    expect(await textOf(timer, { waitUntil: 'load' })).toBe('begun');
    expect(await textOf(ENDED['of frames'] ?? '', { waitUntil: 'load' })).toBe('here');
  });

  test('prints what a timer shows, with the clock it saw', async () => {
    const source = body(
      'const [d, p] = [Date.now(), performance.now()]; setTimeout(() => document.body.append([new Date() - d, performance.now() - p].every((ms) => ms >= 2498) ? "after 2.5 s" : "too soon"), 2500)',
    );
    expect(await textOf(source)).toBe('after 2.5 s');
  });

  test('does not navigate when a timer would reload or leave the document', async () => {
    for (const leave of ['location.reload()', `location.href = "${site.origin}/elsewhere"`])
      expect(
        await textOf(body(`document.body.append("stays"); setTimeout(() => { document.body.append(" on"); ${leave} }, 1500)`)),
      ).toBe('stays');
    expect(site.requestsFor('/elsewhere')).toEqual([]);
    const refresh = () => 'const refresh = () => location.reload(); setTimeout(() => refresh(), 1500)';
    site.serve({ '/refreshed.html': html(body(`document.body.append("stays"); ${refresh()}`)) });
    expect(await web.textOf('/refreshed.html')).toBe('stays');
    expect(site.requestsFor('/refreshed.html')).toHaveLength(1);
  });
});

describe('a document that changes the clock', () => {
  const HOSTILE: Record<string, string> = {
    'nothing to call':
      'Promise = Date = setTimeout = clearTimeout = requestAnimationFrame = MutationObserver = MessageChannel = performance = Reflect = null',
    'everything that throws':
      'for (const name of ["setTimeout", "requestAnimationFrame", "queueMicrotask", "fetch"]) window[name] = () => { throw 1 }; Promise.prototype.then = () => { throw 2 }',
    prototypes:
      'Map.prototype.set = Map.prototype.get = Map.prototype.delete = () => { throw 3 }; Array.prototype[Symbol.iterator] = null; Object.freeze(Object.prototype)',
    'its own hands on it':
      'const time = window[Symbol.for("platen.time")]; try { time.forward = () => new Promise(() => {}) } catch {} window[Symbol.for("platen.time")] = null; delete window[Symbol.for("platen.time")]; for (let n = 0; n < 9; n++) time.forward(true)',
    'readiness that lies':
      'window.platenReady = { then: (resolve) => { resolve(); throw 4 } }; Object.defineProperty(window, "MathJax", { get() { throw 5 } })',
    'another Symbol': 'const own = Symbol.for; Symbol.for = (key) => key === "platen.time" ? Symbol() : own(key)',
    'arrays, dates and promises that lie':
      'for (const name of ["map", "filter", "flatMap", "every", "push", "shift"]) Array.prototype[name] = () => { throw 6 }; Date.now = performance.now = () => -Infinity; Date.prototype.constructor = Promise.resolve = Promise.all = () => { throw 7 }; requestAnimationFrame = () => 0; Promise.prototype.then = Promise.prototype.finally = () => new Promise(() => {})',
    'readiness that throws': 'Object.defineProperty(window, "platenReady", { get() { throw 8 } })',
    'animations that take for ever, and are many':
      'for (let n = 0; n < 2000; n++) document.body.animate([{}, { marginLeft: 0 }], { duration: 1e300, iterations: n % 2 ? 1e300 : 9, delay: n % 3 ? 1e300 : 0, endDelay: -1e300 })',
    'animations that are not':
      'Document.prototype.getAnimations = () => ({ *[Symbol.iterator]() { for (let n = 0; n < 1e5; n++) yield { playState: "running", get effect() { throw 9 } } } }); Animation.prototype.finish = () => { throw 10 }',
    'shadow roots without end, and a list of them that lies':
      'const root = () => document.body.appendChild(document.createElement("div")).attachShadow({ mode: "closed" }); for (let n = 0; n < 12000; n++) root(); const list = window["platen.shadows"]; try { window["platen.shadows"] = () => [1, null, document] } catch {} try { list([1, null, window]) } catch {} Element.prototype.attachShadow = null; new MutationObserver(() => { list([document, document.body]) }).observe(document, { childList: true, subtree: true })',
    'shadow roots that are made up, each with another in it':
      'const made = () => ({ get shadowRoot() { return made() } }); DocumentFragment.prototype.querySelectorAll = Document.prototype.querySelectorAll = () => [made()]; Object.defineProperty(Node.prototype, "nodeType", { get: () => 11 }); document.body.setHTMLUnsafe("printed<div><template shadowrootmode=open>")',
    'timers without end': 'const on = () => { setTimeout(on); setTimeout(on) }; on(); setInterval(on, 0)',
    'frames without end': 'const on = () => { requestAnimationFrame(on) }; on()',
    'observers without end':
      'const watch = () => { const e = document.createElement("i"); new IntersectionObserver(watch).observe(e); document.head.append(e) }; watch()',
    'animations without end': 'const again = () => { document.body.animate([{}, {}], 1000).onfinish = again }; again()',
  };
  test.each(Object.entries(HOSTILE))('prints a document with %s, and the next one with its own clock', async (_name, script) => {
    const source = `<!doctype html><title>x</title><body>printed<script>${script}</script>`;
    expect(await textOf(source, { timeout: 60_000 })).toBe('printed');
    const now = body('document.body.append(Date.now()); setTimeout(() => document.body.append(" timer"), 1000)');
    const [date, word] = (await textOf(now)).split(' ');
    expect(word).toBe('timer');
    expect(Number(date)).toBeLessThanOrEqual(Date.now());
  });

  const HOLDING: Record<string, string> = {
    'readiness that never comes': 'window.platenReady = new Promise(() => {})',
    'a different promise at each access': 'Object.defineProperty(window, "platenReady", { get: () => new Promise(() => {}) })',
    'a clock of its own that stands still':
      'const key = Symbol.for; const { native } = window[key("platen.time")]; const mine = Symbol(); window[mine] = { native: { ...native, now: () => 0 }, forward: () => new native.Promise(() => {}), isDue: () => true, isTicking: () => false }; Symbol.for = (name) => name === "platen.time" ? mine : key(name)',
    'frames without end':
      'const add = () => { const frame = document.createElement("iframe"); frame.hidden = true; document.body.append(frame); if (document.querySelectorAll("iframe").length > 20) document.querySelector("iframe").remove(); native(add, 5) }; const native = window[Symbol.for("platen.time")].native.setTimeout; add()',
    'frames in frames':
      'const add = (page, depth) => { const frame = page.createElement("iframe"); frame.hidden = true; page.body.append(frame); if (depth) add(frame.contentDocument, depth - 1) }; add(document, 60)',
  };
  test.each(Object.entries(HOLDING))('prints a document with %s in time', async (_name, script) => {
    const source = `<!doctype html><title>x</title><body>printed<script>${script}</script>`;
    expect(await textOf(source, { timeout: 8_000 })).toBe('printed');
    expect(await textOf(body('setTimeout(() => document.body.append("next"), 1000)'))).toBe('next');
  });

  test('gives up a readiness check that never ends, and prints the next document', async () => {
    const script = 'Object.defineProperty(window, "platenReady", { get() { for (;;); } })';
    await problem(await web.ada.pdf({ html: body(script), options: { timeout: 5_000 } }), 504, 'render_timeout');
    expect(await textOf(body('setTimeout(() => document.body.append("next"), 1000)'))).toBe('next');
  });
});
