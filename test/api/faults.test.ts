/** Hostile documents and crashed browsers: a documented answer in time, without effects on others. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { longTable } from '../support/long-documents.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { browserProcesses, browserProcessesOfType, eventually, type Service, startService } from '../support/service.ts';
import { image, Site } from '../support/site.ts';

const site = await Site.start().then(closeAfterAll);
let service: Service = await startService({
  PLATEN_RENDERER_MEMORY_MB: '400', // A small heap fills up quickly.
  PLATEN_RENDERER_HEAP_MB: '128',
  PLATEN_CONCURRENCY: '3',
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
});
let neighbour: string = (await service.createKey()).key;
afterAll(() => service[Symbol.asyncDispose]());

/** After each fault, both keys can render and no page is busy. */
afterEach(async () => {
  for (const key of [service.key, neighbour]) {
    const response = await service.pdf({ html: '<p>next' }, { key });
    expect((await readPdfReply(response)).pages).toEqual(['next']);
  }
  await eventually('no page is busy', async () => (await service.metric('platen_pages_busy')) === 0);
});

interface Problem {
  code: string;
  phase?: string;
  detail: string;
}

async function expectProblem(html: string, status: number, code: string, timeout = 20_000): Promise<Problem> {
  const response = await service.pdf({ html, options: { timeout } });
  const problem = (await response.json()) as Problem;
  expect({ status: response.status, code: problem.code, detail: problem.detail }).toMatchObject({ status, code });
  return problem;
}

/** The pause between renders of the other key, so that they leave processor time for the fault. */
const BREATH_MS = 100;

/** Renders with another key until `fault` has ended, and returns its result. */
async function besides<T>(fault: Promise<T>): Promise<T> {
  let over = false;
  const done = fault.finally(() => {
    over = true;
  });
  done.catch(() => {}); // The rejection is handled where the promise is awaited below.
  while (!over) {
    const response = await service.pdf({ html: '<p>neighbour' }, { key: neighbour });
    expect((await readPdfReply(response)).pages).toEqual(['neighbour']);
    await Promise.race([done.catch(() => {}), pause(BREATH_MS)]);
  }
  return done;
}

describe('documents that never end', () => {
  test.each([
    ['inline', '<p>x<script>for (;;);</script>', 'load'],
    ['in a load handler', '<p>x<script>onload = () => { for (;;); }</script>', 'load'],
    [
      'in a timer before load',
      '<p>x<script>setTimeout(() => { for (;;); })</script><script>while (performance.now() < 50);</script>',
      'load',
    ],
    ['in beforeprint', '<p>x<script>addEventListener("beforeprint", () => { for (;;); })</script>', 'print'],
    ['in a regular expression', '<p>x<script>/^(a+)+$/.test("a".repeat(40) + "b")</script>', 'load'],
    ['as microtasks', '<p>x<script>(function f() { Promise.resolve().then(f) })()</script>', 'load'],
    [
      'a stylesheet of fonts that never come',
      '<p>x<script>document.fonts.ready.then = () => {}; Object.defineProperty(document.fonts, "size", { value: 1 }); Object.defineProperty(document.fonts, "status", { value: "loading" }); Object.defineProperty(document.fonts, "ready", { value: new Promise(() => {}) })</script>',
      'load',
    ],
  ])('returns 504 with the phase for %s', async (_name, html, phase) => {
    const started = performance.now();
    const problem = await besides(expectProblem(html, 504, 'render_timeout', 1_500));
    expect(problem.phase).toBe(phase);
    expect(problem.detail).toContain('1500 ms');
    expect(performance.now() - started).toBeLessThan(20_000); // A render that hangs would take minutes.
  });
});

describe('documents that use too many resources', () => {
  const use = Array.from({ length: 11 }, (_, n) => `<g id="a${n + 1}">${`<use href="#a${n}"/>`.repeat(10)}</g>`).join('');

  test.each(
    Object.entries({
      'a script that grows its heap': '<script>const a = []; for (;;) a.push(new Array(1e5).fill({}))</script>',
      'a script that grows buffers': '<script>const a = []; for (;;) a.push(new Uint8Array(2e7).fill(1))</script>',
      'a canvas bomb':
        '<body><script>for (let i = 0; i < 20; i++) { const c = document.createElement("canvas"); c.width = c.height = 16384; c.getContext("2d").fillRect(0, 0, 16384, 16384); document.body.append(c) }</script>',
      'an SVG use bomb': `<svg xmlns="http://www.w3.org/2000/svg"><defs><g id="a0"><rect width="1" height="1"/></g>${use}</defs><use href="#a11"/></svg>`,
      '100,000 table rows': `<table>${'<tr><td>a</td><td>b</td><td>c</td></tr>'.repeat(100_000)}</table>`,
    }),
  )('returns 422 resource_limit for %s', async (_name, html) => {
    const before = await browserProcessesOfType(service, 'browser');
    await besides(expectProblem(html, 422, 'resource_limit', 100_000));
    expect(await browserProcessesOfType(service, 'browser')).toEqual(before);
  });

  test('ends 500 busy workers with their document', async () => {
    const html =
      '<p>x<script>const u = URL.createObjectURL(new Blob(["for (;;);"])); for (let i = 0; i < 500; i++) new Worker(u)</script>';
    const response = await service.pdf({ html, options: { timeout: 5_000 } });
    expect([200, 422, 504]).toContain(response.status);
    await eventually('the workers have ended', async () => (await threads()) < 400);
  });

  test('rejects a PDF over the limit', async () => {
    await using small = await startService({ PLATEN_MAX_PDF_BYTES: '20000' });
    const response = await small.pdf({ html: '<p>word '.repeat(2_000) });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'resource_limit', limit: 20_000 });
  });

  async function threads(): Promise<number> {
    let count = 0;
    for (const pid of await browserProcesses(service)) count += (await readdir(`/proc/${pid}/task`).catch(() => [])).length;
    return count;
  }
});

test('a table of too many pages always fails with the same code, which says what to do', async () => {
  const row = (n: number) => `<tr><td>${n}<td>Item number ${n}<td>12.50<td>${n * 3}.00</tr>`;
  const style = '<style>tr { counter-increment: row }</style>'; // with counters, it is not printed in parts
  const html = `${style}<table><thead><tr><th>Head</thead>${Array.from({ length: 6_000 }, (_, n) => row(n)).join('')}</table>`;
  // The print and its renderer end at the same time, and the browser reports either first.
  for (let time = 0; time < 10; time++) {
    const { detail } = await expectProblem(html, 422, 'resource_limit', 60_000);
    expect(detail).toMatch(/after about 200 pages into several tables, or send the parts of the document as items of a batch/);
  }
});

describe('documents that try to use the browser', () => {
  const render = async (html: string) =>
    (await readPdfReply(await service.pdf({ html, options: { timeout: 100_000 } }))).pages.join(' ');

  test('dismisses alert, confirm and prompt', async () => {
    expect(await render('<p>x<script>alert(1); document.write(confirm(2), prompt(3))</script>')).toBe('xfalsenull');
  });

  test('ignores window.print, window.open and window.close', async () => {
    expect(await render('<p>x<script>print(); document.write(open("about:blank"))</script>')).toContain('null');
    expect(await render('<p>still here<script>setTimeout(close)</script><script>close()</script>')).toBe('still here');
    expect(await browserProcessesOfType(service, 'browser')).toHaveLength(1);
  });

  test('closes the page despite beforeunload', async () => {
    expect(await render('<p>x<script>onbeforeunload = (e) => { e.preventDefault(); return "stay" }</script>')).toBe('x');
  });

  test('starts no downloads', async () => {
    expect(await render('<a id=a download=f href="data:application/octet-stream,x">x</a><script>a.click()</script>')).toBe('x');
    expect((await readdir(service.tmp, { recursive: true })).filter((name) => name.endsWith('/f'))).toEqual([]);
  });

  test.each([
    ['a script', '<p>stays<script>onload = () => setTimeout(() => { location = "http://127.0.0.1:1/" })</script>'],
    ['https', '<p>stays<script>onload = () => setTimeout(() => { location = "https://example.org/" })</script>'],
    ['a meta refresh', '<meta http-equiv=refresh content="0; url=http://127.0.0.1:1/"><p>stays'],
    [
      'a form',
      '<p>stays<form id=f action="http://127.0.0.1:1/" method=post></form><script>onload = () => setTimeout(() => f.submit())</script>',
    ],
    ['a file: address', '<p>stays<script>location = "file:///etc/passwd"</script>'],
    ['a data: URL', '<p>stays<script>location = "data:text/html,gone"</script>'],
    ['a javascript: address', '<p>stays<script>location = "javascript:void 0"</script>'],
  ])('does not follow %s to another page', async (_name, html) => expect(await render(html)).toBe('stays'));

  test('rejects a document that navigates away or replaces itself while it loads', async () => {
    await expectProblem('<p>x<script>location = "http://127.0.0.1:1/"</script>', 422, 'navigation_failed');
    await expectProblem(
      '<form id=f action="https://127.0.0.1:1/" method=post></form><script>f.submit()</script>',
      422,
      'navigation_failed',
    );
    await expectProblem('<p>x<script>location.reload()</script>', 422, 'navigation_failed');
    await expectProblem(
      '<script>location = URL.createObjectURL(new Blob(["other"], { type: "text/html" }))</script>',
      422,
      'navigation_failed',
    );
  });

  test('survives a flood of console messages', async () => {
    expect(await render('<p>x<script>for (let i = 0; i < 200000; i++) console.log("x".repeat(100))</script>')).toBe('x');
  });

  test('ends dialogs in a loop at the deadline', async () => {
    await expectProblem('<script>for (;;) alert(1)</script>', 504, 'render_timeout', 1_500);
  });
});

describe('what a document must not load', () => {
  test('loads nothing except data: and blob: URLs', async () => {
    using canary = await Site.start({}, '::');
    canary.serveOthers((_request, response) => void response.end('reached'));
    const { port } = canary;
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '2130706433'];
    const html = hosts
      .map((host) => `http://${host}:${port}`)
      .map(
        (
          url,
        ) => `<img src="${url}/img"><link rel=stylesheet href="${url}/css"><link rel=prefetch href="${url}/prefetch"><iframe src="${url}/frame"></iframe>
        <style>@font-face { font-family: f; src: url(${url}/font) } p { font-family: f; background: url(${url}/background) }</style>
        <script src="${url}/script"></script><script>fetch("${url}/fetch").catch(() => {}); navigator.sendBeacon("${url}/beacon"); new WebSocket("${url.replace('http', 'ws')}/socket"); new EventSource("${url}/events"); open("${url}/popup")</script>`,
      )
      .join('');
    const response = await service.pdf({
      html: `<p>text</p>${html}<iframe src="file:///etc/passwd"></iframe><object data="file:///etc/passwd"></object>`,
    });
    const pdf = await readPdfReply(response);
    expect(pdf.pages.join(' ')).toContain('text');
    expect(pdf.pages.join(' ')).not.toMatch(/reached|root:/);
    expect(await service.metric('platen_outbound_refused_total')).toBeGreaterThan(0);
    expect(canary.requests).toEqual([]);
  });
});

describe('crashed browsers', () => {
  /** Starts a render that waits for an image. The image arrives only when the document is loaded a second time. */
  const begin = async () => {
    site.forget();
    site.serve({ '/held.png': (...exchange) => void (site.requests.length > 1 && image(...exchange)) });
    const html = `<p>busy<img src="${site.origin}/held.png">`;
    const reply = service.pdf({ html, options: { timeout: 60_000, resourceTimeout: 60_000 } });
    await eventually('it is under way', () => site.requests.length === 1);
    return { reply };
  };

  test('repeats a render on another browser after kill -9 of the browser', async () => {
    const before = await browserProcessesOfType(service, 'browser');
    const crashes = await service.metric('platen_browser_crashes_total');
    const { reply } = await begin();
    for (const pid of before) process.kill(pid, 'SIGKILL');
    expect((await readPdfReply(await reply)).pages).toEqual(['busy']);
    expect(await browserProcessesOfType(service, 'browser')).not.toEqual(before);
    expect(await service.metric('platen_browser_crashes_total')).toBe(crashes + 1);
  });

  test('closes the connections of a browser that was killed', async () => {
    const pages = async () => (await service.metric('platen_pages_warm')) + (await service.metric('platen_pages_spare'));
    const rest = async () => (await listeningSockets()) - (await pages());
    const before = await rest(); // The number can be one higher while a page is being opened.
    for (let round = 0; round < 3; round++) {
      for (const pid of await browserProcessesOfType(service, 'browser')) process.kill(pid, 'SIGKILL');
      expect((await readPdfReply(await service.pdf({ html: '<p>next' }))).pages).toEqual(['next']);
    }
    await eventually('each page has one door', async () => (await rest()) <= before);
  });

  test('repeats a render on another page after kill -9 of the renderer', async () => {
    const browser = await browserProcessesOfType(service, 'browser');
    const retries = await service.metric('platen_render_retries_total');
    const { reply } = await begin();
    for (const pid of await browserProcessesOfType(service, 'renderer')) endIfAlive(pid);
    expect((await readPdfReply(await reply)).pages).toEqual(['busy']);
    expect(await service.metric('platen_render_retries_total')).toBe(retries + 1);
    expect(await browserProcessesOfType(service, 'browser')).toEqual(browser);
  });

  test('reports a page that always crashes at once, not at the deadline', async () => {
    let killing = true;
    const killer = (async () => {
      while (killing) await killBusyRenderers();
    })();
    const started = performance.now();
    const problem = await expectProblem('<script>for (;;);</script>', 422, 'page_crashed', 60_000);
    killing = false;
    await killer;
    expect(problem.detail).toContain('crash');
    expect(performance.now() - started).toBeLessThan(30_000); // The deadline is one minute, so the crash was noticed before it.
  });

  test('replaces a browser that is stopped and never answers', async () => {
    const [before] = await browserProcessesOfType(service, 'browser');
    process.kill(before as number, 'SIGSTOP');
    const reply = await service.pdf({ html: '<p>patience', options: { timeout: 60_000 } });
    expect((await readPdfReply(reply)).pages).toEqual(['patience']);
    expect(await browserProcessesOfType(service, 'browser')).not.toContain(before);
  });
});

/** Kills every renderer that has used 0.2 s of processor time. */
async function killBusyRenderers(): Promise<void> {
  for (const pid of await browserProcessesOfType(service, 'renderer')) {
    const ticks = Number((await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(' ')[13]);
    if (ticks > 20) endIfAlive(pid);
  }
}

function endIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}

describe('clients', () => {
  test.each([
    ['with an endless script', '<script>for (;;);</script>'],
    ['in windows', longTable('', 20_000)],
  ])('frees the page when the client disconnects during a render %s', async (_, html) => {
    const gone = await service.metric('platen_renders_total', 'outcome="client_closed"');
    const controller = new AbortController();
    const reply = service.pdf({ html, options: { timeout: 60_000 } }, { signal: controller.signal });
    await eventually('the render is under way', async () => (await service.metric('platen_pages_busy')) > 0);
    controller.abort();
    await expect(reply).rejects.toThrow();
    await eventually('the page is free', async () => (await service.metric('platen_pages_busy')) === 0, 2_000);
    expect(await service.metric('platen_renders_total', 'outcome="client_closed"')).toBe(gone + 1);
  });

  test('gives 200 concurrent clients their own documents', async () => {
    const replies = await Promise.all(
      Array.from({ length: 200 }, async (_, n) =>
        readPdfReply(await service.pdf({ html: `<p>client ${n}` }, { key: n % 2 ? service.key : neighbour })),
      ),
    );
    expect(replies.map(({ pages }) => pages[0])).toEqual(replies.map((_, n) => `client ${n}`));
  });
});

test('leaves no pages, processes, file handles or temporary files behind', async () => {
  const shelved = (await service.metric('platen_pages_warm')) + (await service.metric('platen_pages_spare'));
  await eventually('one renderer a page', async () => (await browserProcessesOfType(service, 'renderer')).length <= shelved + 1);
  expect(await browserProcessesOfType(service, 'browser')).toHaveLength(1);
  expect((await readdir(service.tmp)).filter((name) => name.startsWith('platen-browser-'))).toHaveLength(1);
  expect(await openFiles()).toBeLessThan(60);
  expect(await service.stop()).toBe(0);
  expect(await browserProcesses(service)).toEqual([]);
  expect(await readdir(service.tmp)).toEqual([]);
  service = await startService();
  neighbour = service.key;
});

/** Counts the listening sockets of the service, including those of its pages. */
async function listeningSockets(): Promise<number> {
  const folder = `/proc/${service.child.pid}/fd`;
  const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  const own = new Set(targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]));
  const connections = (await readFile('/proc/net/tcp', 'latin1')).split('\n').map((line) => line.trim().split(/\s+/));
  return connections.filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(inode)).length;
}

/** Counts the open files of the service, without sockets, because clients may keep those alive. */
async function openFiles(): Promise<number> {
  const folder = `/proc/${service.child.pid}/fd`;
  const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => 'socket:')));
  return targets.filter((target) => !target.startsWith('socket:')).length;
}
