/** Documents that break or hide what the service inspects are printed, with bounded reports. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdf, readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';

const service = await startService().then(closeAfterAll);
const ada = new Client(service.url, (await service.createKey()).key);
const bob = new Client(service.url, (await service.createKey()).key);

const ERRORS = 'globalThis[Symbol.for("platen.errors")]';
const SPOILT: Array<[name: string, script: string]> = [
  ['much to say', `${ERRORS} = Array(60).fill("x".repeat(1 << 20))`],
  ['long errors', `${ERRORS} = Array(2000).fill("x".repeat(1000))`],
  ['errors that are none', `${ERRORS} = [{ toString: 1, valueOf: 1 }]`],
  ['errors that cannot be converted to text', `${ERRORS} = [Symbol()]`],
  [
    'promises of its own',
    'Promise.prototype.then = function () { return [[], { characters: "x", families: [{ toString: 1 }] }] }',
  ],
  ['numbers of its own', 'Math.max = () => 1; Math.ceil = () => ({ toString: 1, valueOf: 1 })'],
];

describe('scripts that break the page', () => {
  test.each(SPOILT)('%s', async (_name, script) => {
    const response = await ada.pdf(
      { html: `<p>x<script>${script}</script>`, options: { timeout: 20_000 } },
      { accept: 'application/json' },
    );
    const body = await response.text();
    expect(response.status, body.slice(0, 500)).toBe(200);
    const { report, pdf } = JSON.parse(body) as { report: object; pdf: string };
    expect(JSON.stringify(report).length).toBeLessThan(30_000);
    expect((await readPdf(Buffer.from(pdf, 'base64'))).pages).toEqual(['x']);
    expect((await readPdfReply(await ada.pdf({ html: '<p>next' }))).pages).toEqual(['next']);
  });

  test('cannot delay the check of its images', async () => {
    const picture = '<style>p { background: url("data:image/png;base64,AAAA") }</style>';
    const html = `${picture}<p>x<script>Image = class { addEventListener() {} }</script>`;
    expect((await readPdfReply(await ada.pdf({ html, options: { timeout: 20_000 } }))).pages).toEqual(['x']);
  });

  test('cannot change the height of a single page', async () => {
    const html = '<p>x<script>Math.max = () => 1; Math.ceil = () => ({ toString: 1, valueOf: 1 })</script>';
    expect((await ada.pdf({ html, options: { singlePage: true } })).status).toBe(422);
  });
});

describe('names that hide document members', () => {
  test.each<[string, string, object]>([
    ['fonts', '<form name="fonts"><input></form><p onclick="">Hi', { javascript: false }],
    ['querySelectorAll', '<form name="querySelectorAll"></form><p onclick="">Hi', { javascript: false }],
    ['images', '<img name="images"><p>Hi<script>1</script>', {}],
  ])('%s', async (_name, html, options) => {
    expect((await readPdfReply(await ada.pdf({ html, options }))).pages).toEqual(['Hi']);
  });

  test('does not hide console errors', async () => {
    const { warnings } = await bob.report({
      html: '<img name="images"><form name="fonts"></form><script>console.error("E1")</script>',
    });
    expect(warnings).toMatchObject([{ kind: 'console_error', message: 'E1' }]);
  });

  test('reports errors of the first script, whatever it wrote into the window before', async () => {
    const failing = '<script>nope()</script><p>x<script>Promise.reject("lost")</script>';
    for (const before of [failing, '<p>no script', '<p>no script either']) await bob.pdf({ html: before });
    const { warnings } = await bob.report({ html: failing });
    const consoleError = (message: string) => ({ kind: 'console_error', message: expect.stringContaining(message) });
    expect(warnings).toMatchObject([consoleError('nope'), consoleError('lost')]);
  });
});

describe('unbalanced header markup', () => {
  test.each<[string, object]>([
    ['a style', { headerTemplate: '<style>p{}', footerTemplate: 'F' }],
    ['a text field', { headerTemplate: '<textarea>', footerTemplate: 'F' }],
    ['the end of the document', { headerTemplate: '</div></body></html><!--' }],
    ['a name', { headerTemplate: '<div id="footer">H', footerTemplate: '<div style="height: 200px">F</div>' }],
  ])('%s', async (_name, options) => {
    expect((await ada.pdf({ html: '<p>x', options })).status).toBe(200);
  });

  test('does not let a header swallow the footer', async () => {
    const options = { headerTemplate: '<div style="width: 100%">Head', footerTemplate: '<div style="height: 200px">Foot</div>' };
    const pdf = await readPdfReply(await ada.pdf({ html: '<p style="margin: 0">x', options }));
    expect(pdf.placed[0]?.find(({ text }) => text === 'x')?.y).toBeLessThan(90);
  });
});

test('does not let one key spoil the font knowledge for another', async () => {
  const html = '<style>p { font-family: "Corp Six" }</style><p>hello';
  const face = '<style>@font-face { font-family: "Corp ſix"; src: local("Cousine Bold") }</style>';
  expect((await ada.pdf({ html: face + html })).status).toBe(200);
  expect((await bob.report({ html })).warnings).toMatchObject([{ kind: 'font_substituted', family: 'Corp Six' }]);
});

test('reports a watermark that no font can show', async () => {
  const { warnings } = await bob.report({ html: '<p>x', options: { watermark: { text: 'བོད' } } });
  expect(warnings).toMatchObject([{ kind: 'missing_glyphs', script: 'Tibetan' }]);
});

test('keeps the browser usable when a document floods its console', async () => {
  const html = `<p>x<script>(async () => {
    for (let n = 0; ; n++) {
      console.error("x".repeat(1 << 16) + n);
      if (n % 100 === 0) await new Promise((go) => setTimeout(go));
    }
  })()</script>`;
  let over = false;
  const options = { timeout: 10_000, waitForFunction: 'globalThis.over' };
  const flood = ada.pdf({ html, options }).finally(() => {
    over = true;
  });
  while (!over) {
    expect((await readPdfReply(await bob.pdf({ html: '<p>neighbour' }))).pages).toEqual(['neighbour']);
    await Promise.race([flood, pause(100)]); // The pause leaves processor time for the flood.
  }
  expect((await flood).status).toBe(504);
  expect(await service.metric('platen_browser_crashes_total')).toBe(0);
});

/** The browser's events about a request contain its URL. Events with more than eight megabytes are not read at all. */
test.each([1e6, 9e6])('keeps the browser usable when workers request data: URLs of %d bytes', async (bytes) => {
  const request = `fetch("data:text/plain," + "x".repeat(${bytes}) + Math.random()).catch(() => {})`;
  const html = `<p>x<script>
    const script = URL.createObjectURL(new Blob([${JSON.stringify(`setInterval(() => ${request}, 10)`)}]));
    for (let n = 0; n < 4; n++) new Worker(script);
  </script>`;
  const flood = ada.pdf({ html, options: { timeout: 60_000, waitForFunction: 'globalThis.over' } });
  expect((await readPdfReply(await bob.pdf({ html: '<p>neighbour' }))).pages).toEqual(['neighbour']);
  const response = await flood;
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ type: expect.stringMatching(/resource_limit$/), limit: 134_217_728 });
  expect((await readPdfReply(await bob.pdf({ html: '<p>neighbour' }))).pages).toEqual(['neighbour']);
});

describe('workers', () => {
  const SCRIPT = "const script = URL.createObjectURL(new Blob(['']));";
  const START =
    'const start = (Kind) => { try { for (;;) { new Kind(script).terminate(); started++ } } catch {} }; let started = 0;';

  test('limits the workers of a document, however it gets their constructor', async () => {
    const html = `<body><script>${SCRIPT} ${START}
      const frame = (html) => { const frame = document.createElement('iframe'); if (html) frame.srcdoc = html; return document.body.appendChild(frame) };
      start(Worker); start(Worker.prototype.constructor); start(class extends Worker {}); start(frame().contentWindow.Worker);
      start(frame().contentWindow.Worker.prototype.constructor);
      const last = frame('<p>'); last.onload = () => { start(last.contentWindow.Worker); document.body.prepend(started) }
    </script>`;
    expect(
      (await readPdfReply(await ada.pdf({ html, options: { waitForFunction: 'document.body.firstChild.data' } }))).pages,
    ).toEqual(['128']);
  });

  test('limits workers and frames of other origins separately', async () => {
    const inner = (report: string) => `${SCRIPT} ${START} start(Worker); ${report}`;
    const html = `<body><script>const say = ({ data }) => { document.body.append(data + ' '); globalThis.told = (globalThis.told ?? 0) + 1 }; onmessage = say;
      new Worker(URL.createObjectURL(new Blob([${JSON.stringify(inner('postMessage(started)'))}]))).onmessage = say;
    </script><iframe sandbox="allow-scripts" srcdoc="<script>${inner("parent.postMessage(started, '*')")}</script>">`;
    const options = { waitForFunction: 'globalThis.told === 2' };
    expect((await readPdfReply(await ada.pdf({ html, options }))).pages).toEqual(['4 4']);
  });

  test('ends a document that keeps as many workers as it may start', async () => {
    const html = `<p>x<script>${SCRIPT} for (let n = 0; n < 128; n++) new Worker(script)</script>`;
    const options = { timeout: 60_000, waitForFunction: 'globalThis.over' };
    expect(await problem(await ada.pdf({ html, options }), 422, 'resource_limit')).toMatchObject({ limit: 127 });
  });
});
