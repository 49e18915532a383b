/** Options that decide when a document has loaded, each with a limit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL } from '../support/pixel.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { type Answer, endless, html, image, never, status, trickle } from '../support/site.ts';
import { Web } from '../support/web.ts';

const PNG = PIXEL.subarray(0, 20);
/** Most tests only wait and use no processor time, so many can run at the same time. */
const AT_ONE_TIME = 10;
/** The first deadline of renders that never finish. */
const DEADLINE_MS = 2_000;
const MAX_DEADLINE_MS = 100_000;
/** The delay of replies that are too late for every document here. */
const MUCH_LATER_MS = 60_000;
const after =
  (milliseconds: number, answer: Answer): Answer =>
  (request, response) =>
    void sleep(milliseconds, undefined, { ref: false }).then(() => answer(request, response));

const web = await Web.start({ PLATEN_CONCURRENCY: String(AT_ONE_TIME) }).then(closeAfterAll);
const { site } = web;
const json: Answer = (_request, response) => void response.writeHead(200, { 'access-control-allow-origin': '*' }).end('there');
site.serve({
  '/image.png': image,
  '/slow.png': after(700, image),
  '/much-later.png': after(MUCH_LATER_MS, image),
  '/slow': after(700, json),
  '/quick': json,
  '/never': never,
  '/not-found.png': status(404),
  '/trickle.png': trickle('image/png', PNG),
  '/endless.png': endless('image/png', '', PNG),
});

/** Each document is tested as HTML and from a URL. */
const WAYS = ['html', 'url'] as const;
type Way = (typeof WAYS)[number];

let documents = 0;
function sourceOf(way: Way, markup: string): object {
  if (way === 'html') return { html: markup };
  const path = `/document-${++documents}.html`;
  site.serve({ [path]: html(markup) });
  return { url: site.origin + path };
}

const post = (way: Way, markup: string, options: object = {}) => web.ada.pdf({ ...sourceOf(way, markup), options });

/** Resolves to the error of a render that never finishes. On a busy machine its deadline can pass before it begins to wait; the next one is later. */
async function timeOut(way: Way, markup: string, options: object, waitsFor = '', timeout = DEADLINE_MS): Promise<unknown> {
  const { phase, detail } = await problem(await post(way, markup, { ...options, timeout }), 504, 'render_timeout');
  const hasWaited = phase === 'load' && detail.includes(waitsFor);
  return hasWaited || timeout > MAX_DEADLINE_MS ? { phase, detail } : timeOut(way, markup, options, waitsFor, 4 * timeout);
}

const print = async (way: Way, markup: string, options?: object) => readPdfReply(await post(way, markup, options));
const textOf = async (way: Way, markup: string, options?: object) => (await print(way, markup, options)).pages.join(' ');
const script = (source: string) =>
  `<p>begun</p><script>const say = (word) => document.body.append(' ' + word); ${source}</script>`;

describe.concurrent.each(WAYS)('waitUntil in %s', (way) => {
  const slowImage = () => `<p>x</p><img src="${site.origin}/slow.png" onload="document.body.append('loaded')">`;
  const lateFetch = (times: number, path = '/slow') =>
    script(
      `onload = async () => { for (let n = 0; n < ${times}; n++) { await fetch("${site.origin}${path}?" + n); say("fetched" + n) } }`,
    );
  const polling = (sockets: number) =>
    script(
      `onload = () => { for (let n = 0; n < ${sockets}; n++) fetch("${site.origin}/never?" + n); setTimeout(() => say("later"), 100) }`,
    );

  test('load waits for images but not for later requests', async () => {
    expect(await textOf(way, slowImage(), { waitUntil: 'load' })).toBe('x loaded');
    expect(await textOf(way, lateFetch(1, '/never'), { waitUntil: 'load' })).toBe('begun');
  });

  test('finished, the default, waits for both', async () => {
    for (const options of [{}, { waitUntil: 'finished' }]) {
      expect(await textOf(way, slowImage(), options)).toBe('x loaded');
      expect(await textOf(way, lateFetch(3), options)).toBe('begun fetched0 fetched1 fetched2');
    }
  });

  test('domcontentloaded does not wait for resources that never arrive, but load does', async () => {
    const markup = `<p>x</p><img src="${site.origin}/never"><script>addEventListener('DOMContentLoaded', () => document.body.append('parsed'))</script>`;
    const options = { resourceTimeout: 60_000, timeout: 10_000 };
    expect(await textOf(way, markup, { ...options, waitUntil: 'domcontentloaded' })).toBe('x parsed');
    expect(await timeOut(way, markup, { ...options, waitUntil: 'load' })).toMatchObject({ phase: 'load' });
  });

  test('networkidle0 waits until no request has been pending for half a second', async () => {
    expect(await textOf(way, lateFetch(3), { waitUntil: 'networkidle0' })).toBe('begun fetched0 fetched1 fetched2');
  });

  test('networkidle2 ignores two requests', async () => {
    expect(await textOf(way, polling(2), { waitUntil: 'networkidle2' })).toBe('begun later');
  });

  test('networkidle2 waits for three requests and networkidle0 for one until the deadline', async () => {
    const options = { resourceTimeout: 120_000 };
    expect(await timeOut(way, polling(3), { ...options, waitUntil: 'networkidle2' })).toMatchObject({ phase: 'load' });
    expect(await timeOut(way, polling(1), { ...options, waitUntil: 'networkidle0' })).toMatchObject({ phase: 'load' });
  });

  test.each(['finished', 'load', 'domcontentloaded', 'networkidle0', 'networkidle2'])(
    '%s prints a document without resources',
    async (waitUntil) => {
      expect(await textOf(way, '<p>plain', { waitUntil })).toBe('plain');
      expect(await textOf(way, '<p>plain<script>1</script>', { waitUntil })).toBe('plain');
    },
  );

  test('applies one value after the other on the same page', async () => {
    for (const waitUntil of ['networkidle0', 'load', 'finished', 'networkidle2', 'domcontentloaded', 'networkidle0'])
      expect(await textOf(way, script('say("done")'), { waitUntil })).toBe('begun done');
  });
});

describe.concurrent.each(WAYS)('waitForSelector in %s', (way) => {
  const late = (source: string, ms = 300) => script(`setTimeout(() => { ${source} }, ${ms})`);
  /** Inserts an element after a delay, and removes its style after a second delay. */
  const element = (style: string, { comesMs = 300, showsMs = 300 } = {}) =>
    late(
      `const e = document.createElement('b'); e.id = 'late'; e.textContent = 'arrived'; e.style = '${style}'; document.body.append(e); setTimeout(() => { e.style = '' }, ${showsMs})`,
      comesMs,
    );

  test('waits for an element that is added later', async () => {
    expect(await textOf(way, element('', { comesMs: MUCH_LATER_MS }))).toBe('begun');
    for (const waitForSelector of ['#late', 'p ~ b:not(.x)', { selector: '#late' }, { selector: '#late', visible: false }])
      expect(await textOf(way, element(''), { waitForSelector })).toContain('arrived');
  });

  test.each(['display: none', 'visibility: hidden', 'position: absolute; width: 0; height: 0; overflow: hidden'])(
    'waits with visible for an element that is shown later than added (%s)',
    async (style) => {
      expect(await textOf(way, element(style), { waitForSelector: { selector: '#late', visible: true } })).toContain('arrived');
    },
  );

  test('does not wait for visibility with attached', async () => {
    expect(await textOf(way, element('display: none', { showsMs: MUCH_LATER_MS }), { waitForSelector: '#late' })).toBe('begun');
  });

  test('waits with hidden until no element is visible', async () => {
    const waitForSelector = { selector: '.spinner', hidden: true };
    for (const how of [
      'e.remove()',
      'e.style.display = "none"',
      'e.style.visibility = "hidden"',
      'e.className = ""; e.textContent = ""',
    ])
      expect(
        await textOf(way, `<i class="spinner">spins</i>${late(`const e = document.querySelector('i'); ${how}`)}`, {
          waitForSelector,
        }),
      ).toBe('begun');
    expect(await textOf(way, '<p>none', { waitForSelector })).toBe('none');
  });

  test.each([
    ['that never comes', '#never'],
    ['that never shows', { selector: 'template', visible: true }],
    ['that never hides', { selector: 'p', hidden: true }],
  ])('fails at the deadline: one %s', async (_name, waitForSelector) => {
    const selector = typeof waitForSelector === 'string' ? waitForSelector : waitForSelector.selector;
    const waits = `; it was still waiting for options.waitForSelector (${selector}). `;
    const error = await timeOut(way, '<p>x</p><template>y</template>', { waitForSelector }, waits);
    expect(error).toEqual({ phase: 'load', detail: expect.stringContaining(waits) });
  });

  test.each([
    ')(',
    'p[',
    '##',
    'p:nth-child(',
    'div,',
    ':nonsense',
    '//p',
    { selector: '.a..b', visible: true },
    { selector: '1', hidden: true },
  ])('rejects an invalid selector before anything is loaded (%j)', async (waitForSelector) => {
    const image = `/image-of-${encodeURIComponent(JSON.stringify(waitForSelector))}.png`;
    const response = await post(way, `<p>x</p><img src="${site.origin}${image}">`, { waitForSelector });
    expect((await problem(response, 400, 'invalid_request')).errors).toEqual([
      { path: 'options.waitForSelector', message: expect.stringContaining('is not a CSS selector') },
    ]);
    expect(site.requestsFor(image)).toEqual([]);
    expect(await textOf(way, '<p>next', { waitForSelector: 'p:has(+ p), p:is(p)' })).toBe('next');
  });

  test('accepts quotes in the selector', async () => {
    const waitForSelector = `[title='a"b\\\\c']`;
    expect(await textOf(way, `<p title='a"b\\c'>there</p>`, { waitForSelector })).toBe('there');
  });
});

describe.concurrent.each(WAYS)('waitForFunction in %s', (way) => {
  const later = script('let ready = 0; setTimeout(() => { ready = 1; window.late = { ready }; say("ready") }, 300)');
  test.each([
    ['an expression', 'ready === 1'],
    ['a member that is not there at first', 'window.late?.ready'],
    ['a function', '() => ready'],
    ['a function of the old kind', 'function () { return ready }'],
    ['an asynchronous function', 'async () => { await new Promise((r) => setTimeout(r, 10)); return ready }'],
    ['a promise', 'Promise.resolve(ready)'],
    ['a comment at its end', 'ready // until then'],
    ['an object', '(ready && {})'],
    ['a comma', '0, ready'],
  ])('%s', async (_name, waitForFunction) => {
    expect(await textOf(way, later, { waitForFunction })).toBe('begun ready');
  });

  test.each(['false', '0', '""', 'null', 'undefined', '() => false', 'new Promise(() => {})'])(
    'fails at the deadline if it never returns true: %s',
    async (waitForFunction) => {
      const waits = '; it was still waiting for options.waitForFunction. ';
      const error = await timeOut(way, '<p>x', { waitForFunction }, waits);
      expect(error).toEqual({ phase: 'load', detail: expect.stringContaining(waits) });
    },
  );

  test('fails at the deadline if it does not end', async () => {
    const forever = '() => { while (true); }'; // occupies a processor
    expect(await timeOut(way, '<p>x', { waitForFunction: forever })).toMatchObject({ phase: 'load' });
  });

  const THROWS: Array<[name: string, source: string, message: string]> = [
    ['a name that is not there', 'x.y.z', 'ReferenceError: x is not defined'],
    ['a member of nothing', 'document.querySelector("#none").textContent === "y"', 'TypeError: Cannot read properties of null'],
    ['a function', '() => { throw new RangeError("too far\\nin lines") }', 'RangeError: too far;'],
    ['an asynchronous function', 'async () => { await null; throw new Error("later") }', 'Error: later'],
    ['a promise that is rejected', 'Promise.reject(new Error("rejected"))', 'Error: rejected'],
    ['a text', '() => { throw "a text" }', 'a text'],
    ['nothing', '() => { throw undefined }', 'undefined'],
    ['a selector that is none', 'document.querySelector("p[")', 'SyntaxError: Failed to execute'],
    [
      'what is thrown later',
      '() => { window.asked = (window.asked ?? 0) + 1; if (window.asked > 3) throw new Error("at last") }',
      'Error: at last',
    ],
  ];
  test.each(THROWS)('reports an exception (%s)', async (_name, waitForFunction, message) => {
    // If the wait continued until the deadline, the status would be 504.
    const { detail } = await problem(await post(way, '<p>x', { waitForFunction, timeout: 60_000 }), 422, 'wait_failed');
    expect(detail).toContain('options.waitForFunction threw an exception');
    expect(detail).toContain(message);
    expect(await textOf(way, '<p>next')).toBe('next');
  });

  test('truncates a long message', async () => {
    const waitForFunction = '() => { throw new Error("m".repeat(100_000)) }';
    const { detail } = await problem(await post(way, '<p>x', { waitForFunction }), 422, 'wait_failed');
    expect(detail.length).toBeLessThan(500);
  });

  test.each(['await', 'await 1', 'yield 1; 2'])('rejects an invalid expression (%s)', async (waitForFunction) => {
    expect((await problem(await post(way, '<p>x', { waitForFunction }), 400, 'invalid_request')).errors).toEqual([
      { path: 'options.waitForFunction', message: expect.stringContaining('is not a JavaScript expression') },
    ]);
  });

  test('cannot escape from its function', async () => {
    const source = sourceOf(way, `<img src="${site.origin}/broken-out.png">`);
    const response = await web.ada.pdf({ ...source, options: { waitForFunction: 'true) }); (() => { (1' } });
    expect((await problem(response, 400, 'invalid_request')).errors).toEqual([
      { path: 'options.waitForFunction', message: expect.stringContaining('is not a JavaScript expression') },
    ]);
    expect(site.requests.filter(({ path }) => JSON.stringify(source).includes(path))).toEqual([]);
  });
});

describe.concurrent.each(WAYS)('waitForTimeout in %s', (way) => {
  const later = (ms: number) => script(`onload = () => setTimeout(() => say("later"), ${ms})`);

  test('waits after all other waits', async () => {
    expect(await textOf(way, later(MUCH_LATER_MS))).toBe('begun');
    expect(await textOf(way, later(300), { waitForTimeout: 2_000 })).toBe('begun later');
    const options = { waitForFunction: 'document.body.textContent.includes("later")', waitForTimeout: 2_000 };
    expect(
      await textOf(way, script('setTimeout(() => { say("later"); setTimeout(() => say("latest"), 200) }, 200)'), options),
    ).toBe('begun later latest');
  });

  test('waits no longer than the render', async () => {
    const options = { waitForTimeout: 3_999, timeout: 4_000 };
    expect(await problem(await post(way, '<p>x', options), 504, 'render_timeout')).toMatchObject({ phase: 'load' });
  });
});

describe.concurrent.each(WAYS)('resourceTimeout in %s', (way) => {
  const KINDS: Array<[kind: string, element: (url: string) => string]> = [
    ['image', (url) => `<img src="${url}">`],
    ['style sheet', (url) => `<link rel="stylesheet" href="${url}">`],
    ['script', (url) => `<script src="${url}"></script>`],
    ['deferred script', (url) => `<script defer src="${url}"></script>`],
    ['frame', (url) => `<iframe src="${url}"></iframe>`],
    ['font', (url) => `<style>@font-face { font-family: f; src: url("${url}") } p { font-family: f, serif }</style>`],
    ['object', (url) => `<object data="${url}"></object>`],
  ];
  const warningsOf = async (markup: string, options: object) => {
    const { warnings } = await web.ada.report({ ...sourceOf(way, markup), options: { timeout: 30_000, ...options } });
    return warnings.filter(({ kind }) => kind !== 'font_substituted'); // A font that does not arrive also causes this warning.
  };

  test.each(KINDS)('skips a %s that never arrives, with a warning', async (_kind, element) => {
    const warnings = await warningsOf(`<p>here</p>${element(`${site.origin}/never`)}`, { resourceTimeout: 500 });
    expect(warnings).toContainEqual(
      expect.objectContaining({ kind: 'resource_failed', url: `${site.origin}/never`, net_error: 'ERR_TIMED_OUT' }),
    );
    expect(warnings).toHaveLength(1);
  });

  test.each(['/trickle.png', '/endless.png'])('also skips %s that keeps sending', async (path) => {
    const url = site.origin + path;
    const warnings = await warningsOf(`<p>here</p><img src="${url}">`, { resourceTimeout: 500 });
    expect(warnings).toContainEqual(expect.objectContaining({ url, net_error: 'ERR_TIMED_OUT' }));
  });

  test('loads faster resources, each with its own time', async () => {
    const images = (...paths: string[]) => `<p>here</p>${paths.map((path) => `<img src="${site.origin}${path}">`).join('')}`;
    const pdf = await print(way, images('/never', '/slow.png', '/image.png'), { resourceTimeout: 3_000 });
    expect(pdf.images).toBe(3); // There are two images, and Chromium's icon for the broken one.
    const short = await warningsOf(images('/never', '/much-later.png', '/image.png'), { resourceTimeout: 3_000 });
    expect(short.map(({ url }) => url).sort()).toEqual([`${site.origin}/much-later.png`, `${site.origin}/never`]);
  });

  test('takes the time of one for many that never arrive', async () => {
    const markup = `<p>here</p>${Array.from({ length: 40 }, (_, n) => `<img src="${site.origin}/never?${n}">`).join('')}`;
    expect((await post(way, markup, { resourceTimeout: 1_000, timeout: 25_000 })).status).toBe(200);
  });
});
