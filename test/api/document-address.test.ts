/** Documents from markup that have assets or a base URL are at an address, but keep their opaque origin. */
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';
import { html as page, Site, send } from '../support/site.ts';

const service = await sharedService();
const client = new Client(service.url, service.key);
const site = await Site.start({
  '/dir/part.html': page('PART', { 'access-control-allow-origin': '*' }),
  '/dir/image.svg': send('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>', { 'cache-control': 'no-store' }),
  '/frame': page('<script>document.write("frame " + origin)</script>'),
}).then(closeAfterAll);

const asset = (content: string) => ({ content: Buffer.from(content).toString('base64') });
const ASSETS = { 'part.html': asset('PART') };
const ADDRESS = String.raw`http://a[0-9a-f]{32}\.invalid/`;
/** Prints values that it joins without white space, so that lines may break anywhere. */
const tell = (...values: string[]) =>
  `<style>p { word-break: break-all }</style><p id=out></p><script>out.textContent = [${values.join()}].join(' ')</script>`;

async function textOf(body: object): Promise<string> {
  return (await readPdfReply(await client.pdf(body))).pages.join();
}
async function printed(body: object): Promise<string> {
  return (await textOf(body)).replaceAll(' ', '');
}

describe('location', () => {
  test('is the origin of the assets', async () => {
    const html = tell("new URL('part.html', location.href)", 'origin', 'location.origin === new URL(document.baseURI).origin');
    expect(await printed({ html, assets: ASSETS })).toMatch(new RegExp(`^${ADDRESS}part.htmlnulltrue$`));
  });

  test.each([
    [
      'baseUrl',
      tell('location.href'),
      { baseUrl: 'https://example.com/dir/page.html?a=1' },
      'https://example.com/dir/page.html?a=1',
    ],
    ['baseUrl without TLS', tell('location.href'), { baseUrl: 'http://example.com/dir/' }, 'http://example.com/dir/'],
    [
      'a port that Chromium refuses',
      tell('document.baseURI'),
      { baseUrl: 'http://example.com:6667/' },
      'http://example.com:6667/',
    ],
    ['a base in the markup', `<base href="https://example.org/x/">${tell('location.href')}`, {}, 'https://example.org/x/'],
    ['no base', tell('location.href'), {}, 'about:blank'],
  ])('with %s', async (_what, html, options, expected) => {
    expect(await printed({ html, options })).toBe(expected);
  });

  test.each([
    ['scripts that are added', '<p id=out>', { addScriptTag: { content: 'out.textContent = location.href' } }],
    ['added styles, which ignore the policy of the document', tell('location.href'), { addStyleTag: { content: 'b {}' } }],
    ['a function to wait for', '<p id=out>', { waitForFunction: '(out.textContent = location.href)' }],
  ])('with %s', async (_what, html, options) => {
    expect(await printed({ html, options, assets: ASSETS })).toMatch(new RegExp(`^${ADDRESS}$`));
  });

  test('can be changed by history, and leads to parts', async () => {
    const html = `<p id=out></p><script>history.pushState({}, '', 'page-2#a'); out.textContent = location.pathname + location.hash + history.length;
      fetch('part.html', { headers: { 'hx-request': 'true' } }).then((reply) => reply.text()).then((text) => out.append(text))</script>`;
    expect(await textOf({ html, assets: ASSETS })).toBe('/page-2#a2PART');
    const load = `<p id=out></p><script>fetch(new URL('part.html', location.href)).then((reply) => reply.text()).then((text) => out.append(text))</script>`;
    expect(await textOf({ html: load, options: { baseUrl: `${site.origin}/dir/` } })).toBe('PART');
  });

  test('is that of requests with mode same-origin, as htmx sends them', async () => {
    const read = (url: string) =>
      `fetch('${url}', { mode: 'same-origin' }).then((reply) => reply.text(), () => ' refused').then((text) => out.append(text))`;
    const html = `<p id=out></p><script>${read('part.html')}.then(() => ${read(`${site.origin}/dir/part.html`)})</script>`;
    expect(await textOf({ html, assets: ASSETS })).toBe('PART refused');
    expect(await textOf({ html, options: { baseUrl: `${site.origin}/dir/` } })).toBe('PARTPART');
  });

  test('lets links within the document stay in it', async () => {
    const html = '<!doctype html><a href="#there">go</a><h1 id=there>There</h1><script>1</script>';
    const pdf = await (await client.pdf({ html, assets: ASSETS, options: { compress: false } })).bytes();
    expect(Buffer.from(pdf).toString('latin1')).toContain('/Dest /there');
  });
});

describe('the origin', () => {
  const storage = (work: string) => `(() => { try { return ${work} } catch (error) { return error.name } })()`;

  test.each([
    ['assets', { assets: ASSETS }],
    ['baseUrl', { options: { baseUrl: 'https://example.com/' } }],
    ['an added style', { assets: ASSETS, options: { addStyleTag: { content: 'b {}' } } }],
  ])('is opaque, and stores nothing for the next document, with %s', async (_what, more) => {
    const html = tell(
      'origin',
      storage('indexedDB.open("x") && "open"'),
      storage('new SharedWorker("part.html") && "shared"'),
      'localStorage.mark ?? "new"',
      'document.cookie || "none"',
      '(localStorage.mark = 1, document.cookie = "mark=1", "set")',
    );
    for (let n = 0; n < 3; n++) expect(await textOf({ html, ...more })).toBe('null SecurityError SecurityError new none set');
  });

  test('sends no referrer, and null as the origin', async () => {
    site.forget();
    const html = `<img src="${site.origin}/dir/image.svg"><script>fetch('${site.origin}/dir/part.html', { cache: 'no-store' })</script>`;
    for (const more of [{ assets: ASSETS }, { options: { baseUrl: `${site.origin}/dir/` } }]) await client.pdf({ html, ...more });
    expect(site.requestsFor('/dir/image.svg').map(({ headers }) => headers.referer)).toEqual([undefined, undefined]);
    expect(site.requestsFor('/dir/part.html').map(({ headers }) => [headers.referer, headers.origin])).toEqual([
      [undefined, 'null'],
      [undefined, 'null'],
    ]);
  });

  test('of a frame of a site stays that of the site', async () => {
    const html = `<iframe src="${site.origin}/frame"></iframe>${tell('location.href')}`;
    for (const more of [{ assets: ASSETS }, { options: { baseUrl: `${site.origin}/dir/` } }])
      expect(await printed({ html, ...more })).toContain(`frame${site.origin}`);
  });

  test('can be that of a frame from a blob: URL', async () => {
    const frame = `<iframe id="f"></iframe><script>f.src = URL.createObjectURL(new Blob(['<p>frame'], { type: 'text/html' }))</script>`;
    for (const more of [{}, { assets: ASSETS }, { options: { baseUrl: `${site.origin}/dir/` } }])
      expect(await textOf({ html: `<p>page${frame}`, ...more })).toContain('frame');
  });

  test('lets a secure document load what is not secure', async () => {
    const html = `<img id=i src="${site.origin}/dir/image.svg">${tell('1')}<script>onload = () => { out.textContent = i.complete && i.width > 0 }</script>`;
    expect(await printed({ html, options: { baseUrl: 'https://example.com/' } })).toBe('true');
  });
});

test('parts of an earlier document with the same names are not reused', async () => {
  const html = `<link rel=stylesheet href=s.css><img id=i src=i.svg><p id=out></p><script src=a.js></script>
    <script type=module src=m.js></script><script>onload = () => out.append(i.naturalWidth, getComputedStyle(out).zIndex)</script>`;
  for (let n = 1; n <= 3; n++) {
    const assets = {
      's.css': asset(`p { position: relative; z-index: ${n} }`),
      'i.svg': asset(`<svg xmlns="http://www.w3.org/2000/svg" width="${n}" height="1"/>`),
      'a.js': asset(`out.append('a${n} ')`),
      'm.js': asset(`out.append('m${n} ')`),
    };
    expect(await textOf({ html, assets })).toBe(`a${n} m${n} ${n}${n}`);
  }
});

describe('exceptions in scripts of another origin', () => {
  const messages = async (body: object) => (await client.report(body)).warnings.map(({ message }) => message);

  test('are reported with message, file and line, in their order', async () => {
    const assets = {
      'lib/a.js': asset('\nfunction f() {\n  null.foo\n}\nf()'),
      'b.js': asset('Promise.reject(new Error("lost"));\nPromise.reject(1).catch(() => {})'),
      'm.js': asset('import "./n.js"'),
      'n.js': asset('\n\nthrow new RangeError("in a module")'),
      'broken.js': asset('function ('),
    };
    const html = `<script>console.error('first')</script><script src=lib/a.js></script><script src=b.js></script>
      <script src=broken.js></script><script>nope()</script><script type=module src=m.js></script>`;
    const found = await messages({ html, assets });
    expect(found).toEqual([
      'first',
      "Uncaught TypeError: Cannot read properties of null (reading 'foo') (lib/a.js:3)",
      'Uncaught SyntaxError: Function statements require a function name (broken.js:1)',
      'Uncaught ReferenceError: nope is not defined (line 2)',
      'Uncaught RangeError: in a module (n.js:3)',
      'Uncaught (in promise) Error: lost (b.js:1)',
    ]);
  });

  test.each([
    ['an object', 'throw { code: 1 }', 'Uncaught [object Object]'],
    ['null', 'throw null', 'Uncaught null'],
    ['an error of two lines', 'throw new Error("one\\ntwo")', 'Uncaught Error: one\ntwo'],
    ['nothing, rejected', 'Promise.reject()', 'Uncaught (in promise) undefined'],
  ])('are reported once, with their line, in a script of the document: %s', async (_what, code, message) => {
    for (const before of ['', '<script src=a.js></script>'])
      expect(await messages({ html: `${before}<script>\n${code}</script>`, assets: { 'a.js': asset('1') } })).toEqual([
        `${message} (line 2)`,
      ]);
  });

  test('of functions that the service replaces are where the script calls them', async () => {
    const assets = { 'a.js': asset('\nnew Worker("w.js")') };
    expect(await messages({ html: '<script src=a.js></script>', assets })).toEqual([
      expect.stringMatching(/'w\.js'.* \(a\.js:2\)$/),
    ]);
  });

  test('fail the render with failOnConsoleError', async () => {
    const body = { html: '<script src=a.js></script>', assets: { 'a.js': asset('\nthrow new Error("E")') } };
    const response = await client.pdf({ ...body, options: { failOnConsoleError: true } });
    expect(await response.json()).toMatchObject({ status: 422, messages: [expect.stringMatching(/Error: E.*\(a\.js:2/s)] });
  });

  test('that are handled later, or belong to a frame, are not reported', async () => {
    const late = 'const p = Promise.reject(new Error("late")); setTimeout(() => p.catch(() => {}), 1)';
    const assets = { 'a.js': asset(late), 'f.html': asset('<script>null.x</script>') };
    expect(await messages({ html: '<script src=a.js></script><iframe src=f.html></iframe>', assets })).toEqual([]);
  });

  test('are those of this document only', async () => {
    const body = { html: '<script src=a.js></script>', assets: { 'a.js': asset('throw new Error("E")') } };
    for (let n = 0; n < 3; n++) expect(await messages(body)).toEqual(['Uncaught Error: E (a.js:1)']);
    expect(await messages({ ...body, assets: { 'a.js': asset('1') } })).toEqual([]);
  });
});

test('pages are reused for documents with an address', async () => {
  const body = { html: tell('location.href'), assets: ASSETS };
  const addresses = new Set<string>();
  for (let n = 0; n < 8; n++) addresses.add(await printed(body));
  expect(addresses.size).toBeLessThan(8); // each page has one
});
