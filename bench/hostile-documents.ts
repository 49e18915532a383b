/** Documents that use as many resources as they can: a name, with markup or the response of a site at their URL. */
import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';

export interface HostileDocument {
  name: string;
  html?: string;
  /** Sends the response of the bench's site, to be rendered by URL. */
  served?: (response: ServerResponse) => void;
  options?: object;
}

const MEGABYTE = 1_048_576;
const NESTED = Array.from({ length: 11 }, (_, n) => `<g id="a${n + 1}">${`<use href="#a${n}"/>`.repeat(10)}</g>`).join('');

/** Waits until `globalThis.over` is set, which most documents never do. */
const WAITS = { waitForFunction: 'globalThis.over' };

const script = (body: string) => `<p id=out>x</p><script>${body}</script>`;
/** Repeats the body until it fails. */
const endless = (body: string) =>
  script(`(async () => { try { for (let n = 0; ; n++) { ${body} } } catch { globalThis.over = true } })()`);
const inWorkers = (count: number, source: string) =>
  script(
    `const u = URL.createObjectURL(new Blob([${JSON.stringify(source)}])); for (let i = 0; i < ${count}; i++) new Worker(u)`,
  );
const startsWorkers = (body: string) => script(`const u = URL.createObjectURL(new Blob([''])); ${body}`);
const page = (html: string) => (response: ServerResponse) => void response.setHeader('content-type', 'text/html').end(html);

const PART = 'const part = globalThis.part ??= new Uint8Array(16 << 20).fill(7);';

export const HOSTILE_DOCUMENTS: HostileDocument[] = [
  // Memory of the renderer.
  { name: 'heap of objects', html: script('const a = []; for (;;) a.push(new Array(1e5).fill({}))') },
  { name: 'typed arrays', html: script('const a = []; for (;;) a.push(new Uint8Array(2e7).fill(1))') },
  { name: 'strings', html: script("const a = []; for (let n = 0; ; n++) a.push([...('x' + n).repeat(1e5)].join('y'))") },
  {
    name: 'WebAssembly memory',
    html: script(
      'const a = []; for (;;) { const m = new WebAssembly.Memory({ initial: 1024 }); new Uint8Array(m.buffer).fill(1); a.push(m) }',
    ),
  },
  {
    name: 'shared memory in workers',
    html: inWorkers(8, 'const a = []; for (;;) a.push(new Uint8Array(2e7).fill(1))'),
    options: WAITS,
  },
  { name: 'nodes', html: script("for (;;) document.body.append(document.createElement('p'))") },
  {
    name: 'canvas',
    html: `<body><script>for (let i = 0; i < 20; i++) { const c = document.createElement("canvas"); c.width = c.height = 16384; c.getContext("2d").fillRect(0, 0, 16384, 16384); document.body.append(c) }</script>`,
  },
  {
    name: 'offscreen canvas',
    html: script(
      'const a = []; for (;;) { const c = new OffscreenCanvas(8192, 8192); c.getContext("2d").fillRect(0, 0, 8192, 8192); a.push(c) }',
    ),
  },
  {
    name: 'image bitmaps',
    html: endless('const a = globalThis.a ??= []; a.push(await createImageBitmap(new ImageData(4096, 4096)))'),
    options: WAITS,
  },
  {
    name: 'WebGL',
    html: script(
      'for (let i = 0; i < 100; i++) { const c = document.createElement("canvas"); c.width = c.height = 8192; c.getContext("webgl")?.clear(16384); document.body.append(c) }',
    ),
  },
  {
    name: 'audio',
    html: endless(
      'await new OfflineAudioContext(2, 44100 * 600, 44100).startRendering().then((b) => (globalThis.a ??= []).push(b))',
    ),
    options: WAITS,
  },
  {
    name: 'nested <use>',
    html: `<svg xmlns="http://www.w3.org/2000/svg"><defs><g id="a0"><rect width="1" height="1"/></g>${NESTED}</defs><use href="#a11"/></svg>`,
  },
  { name: 'blur filters', html: '<div style="width:5000px;height:5000px;background:red;filter:blur(900px)">x</div>'.repeat(100) },
  { name: '100,000 rows', html: `<table>${'<tr><td>a</td><td>b</td><td>c</td></tr>'.repeat(100_000)}</table>` },
  { name: '100,000 page breaks', html: '<p style="break-before:page">x'.repeat(100_000) },
  { name: '33 million px tall', html: '<div style="height:33554428px;background:linear-gradient(red,blue)">x</div>' },
  { name: 'a page of one pixel', html: `<style>@page { size: 1px 1px; margin: 0 }</style>${'<p>word '.repeat(500)}` },
  {
    name: 'a table of 1,000 × 1,000',
    html: script(
      "const t = document.createElement('table'); for (let r = 0; r < 1000; r++) { const row = t.insertRow(); for (let c = 0; c < 1000; c++) row.insertCell().textContent = c } document.body.append(t)",
    ),
  },
  {
    name: 'a grid of 10 million',
    html: '<div style="display:grid;grid-template:repeat(3000,1px)/repeat(3000,1px)"><p style="grid-area:3000/3000">x</div>',
  },
  { name: 'nested deeply', html: '<div>'.repeat(200_000) },
  { name: '4 MB of text', html: `<p>${'lorem ipsum '.repeat(350_000)}` },
  {
    name: 'an image of 30,000 × 30,000',
    html: `<img src="data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="30000"><rect width="100%" height="100%" fill="red" filter="blur(3px)"/></svg>')}">`,
  },
  // Time.
  { name: 'a loop', html: script('for (;;);') },
  { name: 'a loop before printing', html: script('addEventListener("beforeprint", () => { for (;;); })') },
  { name: 'a regular expression', html: script('/^(a+)+$/.test("a".repeat(40) + "b")') },
  { name: '500 busy workers', html: inWorkers(500, 'for (;;);'), options: WAITS },
  { name: 'workers without end', html: startsWorkers('for (;;) new Worker(u).terminate()'), options: WAITS },
  {
    name: 'workers of workers',
    html: startsWorkers(
      `const v = URL.createObjectURL(new Blob(['for (;;) try { new Worker("' + u + '").terminate() } catch {}'])); for (;;) new Worker(v)`,
    ),
    options: WAITS,
  },
  { name: 'dialogs', html: script('for (;;) alert(1)') },
  { name: 'printing itself', html: script('addEventListener("beforeprint", () => print()); for (;;) print()') },
  { name: 'reloading itself', html: script('location.reload()') },
  {
    name: 'a document that grows',
    html: endless("for (let i = 0; i < 1000; i++) document.body.append('more '); await new Promise((go) => setTimeout(go))"),
    options: WAITS,
  },
  // DevTools messages.
  {
    name: 'the console',
    html: endless("console.log('x'.repeat(1 << 20) + n); if (n % 10 === 0) await new Promise((go) => setTimeout(go))"),
    options: WAITS,
  },
  {
    name: 'errors',
    html: endless("console.error('x'.repeat(1 << 16) + n); if (n % 100 === 0) await new Promise((go) => setTimeout(go))"),
    options: WAITS,
  },
  {
    name: 'messages to a busy worker',
    html: script(
      `const w = new Worker(URL.createObjectURL(new Blob(['for (;;);']))); const b = new Uint8Array(16 << 20).fill(7); for (;;) w.postMessage(b.slice())`,
    ),
  },
  { name: '1,000 frames', html: '<iframe srcdoc="<p>x"></iframe>'.repeat(1_000) },
  {
    name: 'frames in frames',
    html: script(
      `let frames = 'x'; for (let depth = 0; depth < 6; depth++) frames = ('<iframe srcdoc="' + frames.replaceAll('&', '&amp;').replaceAll('"', '&quot;') + '"></iframe>').repeat(3); document.body.innerHTML = frames`,
    ),
  },
  // Memory of the browser process.
  {
    name: 'blobs',
    html: endless(`${PART} (globalThis.k ??= []).push(new Blob([part])); await new Promise((go) => setTimeout(go, 5))`),
    options: WAITS,
  },
  {
    name: 'blobs made from blobs',
    served: page(
      endless(
        `${PART} globalThis.u ??= URL.createObjectURL(new Blob([part])); (globalThis.k ??= []).push(await (await fetch(u)).blob())`,
      ),
    ),
    options: WAITS,
  },
  {
    name: 'files (OPFS)',
    served: page(
      endless(
        `${PART} const f = await (await navigator.storage.getDirectory()).getFileHandle('f' + n, { create: true }); const w = await f.createWritable(); await w.write(part); await w.close()`,
      ),
    ),
    options: WAITS,
  },
  {
    name: 'Cache API',
    served: page(endless(`${PART} await (await caches.open('c')).put('/' + n, new Response(part))`)),
    options: WAITS,
  },
  {
    name: 'IndexedDB',
    served: page(
      endless(
        `${PART} const db = globalThis.db ??= await new Promise((done) => { const q = indexedDB.open('d'); q.onupgradeneeded = () => q.result.createObjectStore('s'); q.onsuccess = () => done(q.result) }); await new Promise((done, fail) => { const t = db.transaction('s', 'readwrite'); t.objectStore('s').put(part, n); t.oncomplete = done; t.onabort = fail })`,
      ),
    ),
    options: WAITS,
  },
  // The network.
  { name: '2 GB in a gzip', served: (response) => void gzipped(response, 2_000 * MEGABYTE) },
  {
    name: 'fetched into blobs',
    served: (response) => page(endless("(globalThis.k ??= []).push(await (await fetch('/data')).blob())"))(response),
    options: WAITS,
  },
];

/** Sends a text that is tiny while it is compressed. */
function gzipped(response: ServerResponse, bytes: number): void {
  response.setHeader('content-type', 'text/html').setHeader('content-encoding', 'gzip');
  const gzip = createGzip();
  gzip.pipe(response);
  const part = Buffer.alloc(MEGABYTE, 'x');
  let left = bytes;
  const write = () => {
    while (left > 0 && !response.destroyed) {
      left -= part.length;
      if (!gzip.write(part)) return void gzip.once('drain', write);
    }
    gzip.end();
  };
  write();
}
