/** Files sent with a document: relative URLs load them, and no other render can read them. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL } from '../support/pixel.ts';
import { readPdf, readPdfReply } from '../support/read-pdf.ts';
import { browserProcessesOfType, startService } from '../support/service.ts';
import { html, Site } from '../support/site.ts';
import { visitorAt } from '../support/visitor.ts';

const site = await Site.start().then(closeAfterAll);
const service = await startService({
  PLATEN_OUTBOUND: 'listed',
  PLATEN_OUTBOUND_ALLOW: '127.0.0.1',
  PLATEN_MAX_ASSETS: '5',
  PLATEN_MAX_ASSETS_MB: '1',
  PLATEN_SPARE_PAGES: '0',
  PLATEN_CONCURRENCY: '2',
  PLATEN_BROWSERS: '1',
}).then(closeAfterAll);
const client = new Client(service.url, service.key);
const other = new Client(service.url, (await service.createKey()).key);

const asset = (content: string | Buffer, type?: string) => ({
  content: Buffer.from(content).toString('base64'),
  ...(type && { type }),
});
const SECRET = 'SECRET-OF-ONE-RENDER';
/** Prints the address of the document, whose origin no other document can guess. */
const TELL = '<p id=out style="font: 6px monospace"></p><script>out.textContent = document.baseURI</script>';

describe('assets of a document', () => {
  test('loads images, style sheets and their references, fonts, scripts and frames', async () => {
    const font = await readFile(
      new URL('../../node_modules/@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf', import.meta.url),
    );
    const reply = await client
      .pdf({
        html: `<!doctype html><link rel=stylesheet href="css/print.css"><img src="./img/my%20logo.png"><p class=f>Font</p>
        <div id=a></div><p id=b></p><iframe src="frame.html"></iframe><script src="/app.js"></script>`,
        assets: {
          'css/print.css': asset(
            '@font-face { font-family: Ours; src: url(../fonts/x.ttf) } .f { font-family: Ours } #a { width: 9px; height: 9px; background: url(../img/my%20logo.png) }',
          ),
          'fonts/x.ttf': asset(font.subarray()),
          'img/my logo.png': asset(PIXEL),
          'frame.html': asset('<p>In a frame ü'),
          'app.js': asset('b.textContent = "By script"'),
        },
      })
      .then((given) => given);
    expect(reply.headers.get('platen-warnings'), JSON.stringify([...reply.headers])).toBe('0');
    const pdf = await readPdfReply(reply);
    expect(pdf.pages[0]).toContain('Font By script In a frame ü');
    expect(pdf.images).toBe(1);
    expect(pdf.fonts.join()).toContain('Inter');
  });

  test.each([
    ['a template', async () => ({ template_id: (await client.template('<img src="{{x}}.png">')).template_id, data: { x: 'a' } })],
    ['Markdown', async () => ({ markdown: '![a](a.png)' })],
    ['a document whose scripts are off', async () => ({ html: '<img src="a.png">', options: { javascript: false } })],
    ['a type of its own', async () => ({ html: '<img src="a.png">' })],
  ])('%s', async (_, source) => {
    const reply = await client.pdf({ ...(await source()), assets: { './a.png': asset(PIXEL, 'image/png') } });
    expect(await readPdfReply(reply)).toMatchObject({ images: 1 });
  });

  test('reports a missing asset as a warning with the path as written', async () => {
    const { warnings, network } = await client.report({
      html: '<img src="img/none.png"><link rel=stylesheet href="a.css">',
      assets: { 'a.css': asset('@import "none.css"') },
    });
    expect(warnings.map(({ kind, url, status }) => ({ kind, url, status }))).toEqual(
      expect.arrayContaining([
        { kind: 'resource_failed', url: 'img/none.png', status: 404 },
        { kind: 'resource_failed', url: 'none.css', status: 404 },
      ]),
    );
    expect(JSON.stringify(warnings)).not.toContain('.invalid');
    expect(network).toEqual({ requests: 0, bytes: 0, contacted: [], refused: [] });
    const gate = await client.pdf({
      html: '<img src="none.png">',
      assets: { 'a.png': asset(PIXEL) },
      options: { failOnResourceError: true },
    });
    const refused = await problem(gate, 422, 'render_gate_failed');
    expect(JSON.stringify(refused)).not.toContain('.invalid');
    expect(refused.detail).toContain('none.png');
  });

  test('names the asset with the same file name in another folder', async () => {
    const body = { html: '<img src="logo.png"><img src="none.png"><p>x', assets: { 'img/logo.png': asset(PIXEL) } };
    const { warnings } = await client.report(body);
    expect(warnings.map(({ message }) => message).sort()).toEqual([
      'answered with status 404',
      'answered with status 404: assets has no logo.png; it has img/logo.png',
    ]);
    const image = await client.send('POST', '/v1/image', body, { accept: 'application/json' });
    expect(JSON.stringify(await image.json())).toContain('it has img/logo.png');
  });

  test('produces the same bytes for the same request, and keeps relative links relative', async () => {
    const body = { html: '<a href="annex%20(1).pdf">x</a> <img src=a.png>', assets: { 'a.png': asset(PIXEL) } };
    const [one, two] = [await bytesOf(await client.pdf(body)), await bytesOf(await client.pdf(body))];
    expect(one).toEqual(two);
    expect(one.toString('latin1')).not.toContain('.invalid');
    expect(one.toString('latin1')).toMatch(/\/URI \(annex%20\\?\(1\\?\)\.pdf\)/);
    expect((await readPdf(one)).images).toBe(1);
  });
});

describe('limits', () => {
  const limited = async (assets: unknown, more: object = {}) => client.pdf({ html: '<p>x', assets, ...more });

  test.each([
    ['a path that leads out', { '../a': asset('x') }, 'assets.../a'],
    ['an absolute path', { '/a': asset('x') }, 'assets./a'],
    ['a backslash', { 'a\\b': asset('x') }, 'assets.a\\b'],
    ['the same path twice', { a: asset('x'), './a': asset('y') }, 'assets../a'],
    ['no base64', { a: { content: 'ä' } }, 'assets.a.content'],
    ['a type that is none', { a: asset('x', 'x\r\ny: z') }, 'assets.a.type'],
    ['a type of two lines', { a: asset('x', 'text/css\n;charset=utf-8') }, 'assets.a.type'],
    ['a path of two lines with what is no text', { 'a\n': { content: { length: 2_000_000_000 } } }, 'assets.a\n'],
    ['a path of two lines with nothing', { 'a\u2028': null }, 'assets.a\u2028'],
    ['no content', { a: {} }, 'assets.a.content'],
    ['too many', Object.fromEntries('abcdef'.split('').map((name) => [name, asset(name)])), 'assets'],
  ])('%s', async (_, assets, path) => {
    const { errors } = await problem(await limited(assets), 400, 'invalid_request');
    expect(errors?.map((error) => error.path)).toEqual([path]);
  });

  test('rejects assets whose total size is too large', async () => {
    const half = asset(Buffer.alloc(600_000));
    const large = await problem(await limited({ a: half, b: half }), 413, 'content_too_large');
    expect(large).toMatchObject({ limit: 1_048_576, actual: 1_200_000, detail: expect.stringContaining('assets') });
  });

  test('rejects assets together with a URL', async () => {
    const assets = { a: asset('x') };
    const withUrl = await problem(await client.pdf({ url: `${site.origin}/`, assets }), 400, 'invalid_request');
    const withBase = await problem(await limited(assets, { options: { baseUrl: site.origin } }), 400, 'invalid_request');
    for (const { errors } of [withUrl, withBase]) expect(errors?.map(({ path }) => path)).toEqual(['assets']);
  });

  test('gives batch items the assets of the defaults and their own', async () => {
    const reply = await client.send(
      'POST',
      '/v1/batches',
      {
        defaults: { html: '<img src=a.png><link rel=stylesheet href=b.css><p>x', assets: { 'a.png': asset(PIXEL) } },
        items: [{ assets: { 'b.css': asset('p { color: #0000f0 }') } }, { assets: { 'b.css': asset('p { color: #f00000 }') } }],
      },
      { prefer: 'wait=60' },
    );
    const { items } = (await reply.json()) as { items: Array<{ document_id: string }> };
    const pdfs = await Promise.all(
      items.map(async ({ document_id: id }) => readPdfReply(await client.get(`/v1/documents/${id}`))),
    );
    expect(pdfs.map(({ images, fills }) => [images, fills.find((fill) => /0000f0|f00000/.test(fill))])).toEqual([
      [1, '#0000f0'],
      [1, '#f00000'],
    ]);
  });
});

describe('isolation', () => {
  /** Tries every way to read the file of another render, and prints what it finds. */
  const thief = (origin: string) => `<body>looked<pre id=out></pre><link rel=stylesheet href="${origin}secret.css">
    <iframe src="${origin}secret.html"></iframe><img src="${origin}a.png" onload="out.textContent += '${SECRET}'"><script>
    fetch('${origin}secret.txt').then((r) => r.text()).then((t) => { out.textContent += t }, () => {});
    const x = new XMLHttpRequest(); x.open('GET', '${origin}secret.txt', false);
    try { x.send(); out.textContent += x.responseText } catch {}
    </script><script src="${origin}secret.js"></script>`;
  const secrets = {
    'secret.txt': asset(SECRET),
    'secret.html': asset(`<p>${SECRET}<script>try { document.cookie = 'mark=${SECRET}' } catch {}</script>`),
    'secret.css': asset(`body::after { content: "${SECRET}" }`),
    'secret.js': asset(`document.body.append('${SECRET}')`),
    'a.png': asset(PIXEL),
  };

  async function originOfRender(): Promise<string> {
    const { pages } = await readPdfReply(
      await client.pdf({ html: `${TELL}<iframe src="secret.html"></iframe><img src="a.png">`, assets: secrets }),
    );
    const origin = /http:\/\/a[0-9a-f]{32}\.invalid\//.exec(pages[0]?.replace(/ /g, '') ?? '')?.[0];
    if (!origin || !pages[0]?.includes(SECRET)) throw new Error(`the document shows no origin: ${pages[0]}`);
    return origin;
  }

  async function shows(reply: Response): Promise<string> {
    const pdf = await readPdfReply(reply);
    expect(pdf.pages.join()).toContain('looked');
    return pdf.pages.join();
  }

  /** The image must look the same as the image for an origin that does not exist. */
  async function expectNothingInImage(origin: string): Promise<void> {
    const nowhere = `http://a${'0'.repeat(32)}.invalid/`;
    for (const key of [client, other]) {
      const [found, empty] = await Promise.all(
        [origin, nowhere].map(async (each) => {
          const reply = await key.send('POST', '/v1/image', { html: thief(each) });
          expect(reply.status).toBe(200);
          return Buffer.from(await reply.arrayBuffer());
        }),
      );
      expect(found?.equals(empty as Buffer)).toBe(true);
    }
  }

  test('control: an image of the same document that sends the files shows them', async () => {
    const images = [{ html: thief(''), assets: secrets }, { html: thief('') }].map(async (body) => {
      const reply = await client.send('POST', '/v1/image', body);
      return Buffer.from(await reply.arrayBuffer());
    });
    const [shown, empty] = await Promise.all(images);
    expect(shown?.equals(empty as Buffer)).toBe(false);
  });

  test('are not readable by a later render of the same key, with its own assets, of another key, of a URL, or in the playground', async () => {
    const origin = await originOfRender();
    site.serve({ '/later-thief': html(thief(origin)) });
    expect(await shows(await client.pdf({ url: `${site.origin}/later-thief` }))).not.toContain(SECRET);
    expect(await shows(await other.pdf({ url: `${site.origin}/later-thief` }))).not.toContain(SECRET);
    const visitor = visitorAt(service.url);
    await visitor.wakeUp();
    expect(await shows(await visitor.pdf({ html: thief(origin) }))).not.toContain(SECRET);
    await visitor.leave();
    expect(await shows(await client.pdf({ html: thief(origin) }))).not.toContain(SECRET);
    expect(await shows(await client.pdf({ html: thief(origin), assets: { a: asset('x') } }))).not.toContain(SECRET);
    expect(await shows(await client.pdf({ html: thief('') }))).not.toContain(SECRET);
    expect(await shows(await other.pdf({ html: thief(origin) }))).not.toContain(SECRET);
    await expectNothingInImage(origin);
  });

  test('are not readable by concurrent renders of the same key, another key, a URL or the playground', async () => {
    const received = Promise.withResolvers<{ origin: string; end: () => void }>();
    site.serve({
      '/hold.js': ({ url }, response) => {
        const origin = new URL(url ?? '', site.origin).searchParams.get('origin') ?? '';
        received.resolve({ origin, end: () => response.end() });
      },
    });
    const sendOrigin = `<script>document.write('<script src="${site.origin}/hold.js?origin=' + encodeURIComponent(document.baseURI) + '"><\\/script>')</script>`;
    const first = client.pdf({ html: `${sendOrigin}<p>done<img src="a.png">`, assets: secrets });
    const { origin, end } = await received.promise;
    try {
      expect(origin).toMatch(/^http:\/\/a[0-9a-f]{32}\.invalid\/$/);
      site.serve({ '/thief': html(thief(origin)) });
      expect(await shows(await client.pdf({ html: thief(origin) }))).not.toContain(SECRET);
      expect(await shows(await other.pdf({ html: thief(origin) }))).not.toContain(SECRET);
      expect(await shows(await client.pdf({ url: `${site.origin}/thief` }))).not.toContain(SECRET);
      const visitor = visitorAt(service.url);
      await visitor.wakeUp();
      expect(await shows(await visitor.pdf({ html: thief(origin) }))).not.toContain(SECRET);
      await visitor.leave();
      await expectNothingInImage(origin);
    } finally {
      end();
    }
    expect(await readPdfReply(await first)).toMatchObject({ pages: ['done'], images: 1 });
  });

  test('gives a file in a frame an opaque origin without storage', async () => {
    const assets = { 'f.html': asset("<p id=p></p><script>p.textContent = 'origin ' + origin</script>") };
    const reply = await client.pdf({ html: '<iframe src="f.html"></iframe>', assets });
    expect((await readPdfReply(reply)).pages[0]).toContain('origin null');
  });
});

test('reuses a page that has served assets only for its key', async () => {
  const body = (text: string) => ({ html: `<p>${text}<img src=a.png>`, assets: { 'a.png': asset(PIXEL) } });
  const renderers = () => browserProcessesOfType(service, 'renderer');
  expect(await readPdfReply(await client.pdf(body('first')))).toMatchObject({ pages: ['first'], images: 1 });
  const before = await renderers();
  for (const text of ['second', 'third'])
    expect(await readPdfReply(await client.pdf(body(text)))).toMatchObject({ pages: [text], images: 1 });
  for (const pid of await renderers()) expect(before).toContain(pid);
});
