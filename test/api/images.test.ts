/** `POST /v1/image`: content of the image, rejections, charges, and no effects on later renders. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readImageHeader, readPng } from '../support/read-image.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { Site } from '../support/site.ts';

const site = await Site.start({
  '/page': ({ headers }, response) => {
    const isSent = headers.cookie === 'a=1' && headers['x-b'] === '2';
    response.writeHead(200, { 'content-type': 'text/html' }).end(`${STYLE}<body style="background: ${isSent ? 'lime' : 'red'}">`);
  },
}).then(closeAfterAll);
const service = await startService({
  PLATEN_CONCURRENCY: '2',
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
  PLATEN_MAX_IMAGE_PIXELS: '4000000',
}).then(closeAfterAll);
const ada = new Client(service.url, (await service.createKey()).key);

const STYLE = '<!doctype html><style>body { margin: 0 } div { width: 100px; height: 50px }</style>';
const RED = `${STYLE}<body style="background: red">`;
/** A document of 800 by 1000 pixels: the viewport is red, and the 400 pixels below it are blue. */
const TALL = `${STYLE}<div style="width: auto; height: 100vh; background: red"></div><div style="width: auto; height: 400px; background: blue"></div>`;

/** A document of noise, whose image has about three bytes for each pixel because it cannot be compressed. */
const noise = (side: number) => `${STYLE}<canvas id=c width=${side} height=${side} style="display: block"></canvas><script>
  const image = new ImageData(${side}, ${side});
  const words = new Uint32Array(image.data.buffer);
  for (let n = 0, word = 1; n < words.length; n++) {
    word ^= word << 13; word ^= word >>> 17; word ^= word << 5;
    words[n] = word | 0xff000000;
  }
  c.getContext('2d').putImageData(image, 0, 0);</script>`;

async function image(body: object, client = ada, headers?: Record<string, string>): Promise<Buffer> {
  const response = await succeeded(client.send('POST', '/v1/image', body, headers));
  return bytesOf(response);
}

const png = async (html: string, options = {}) => readPng(await image({ html, options }));

async function faults(body: object): Promise<string[]> {
  const { errors = [] } = await problem(await ada.send('POST', '/v1/image', body), 400, 'invalid_request');
  return errors.map(({ path, message }) => `${path}: ${message}`);
}

describe('the image', () => {
  test('shows the whole document as PNG in a window of 800 by 600', async () => {
    const response = await ada.send('POST', '/v1/image', { html: TALL, filename: 'tall.png' });
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('content-disposition')).toBe('inline; filename=tall.png');
    expect(response.headers.get('platen-warnings')).toBe('0');
    expect(response.headers.get('server-timing')).toMatch(/^queue;dur=[\d.]+, load;/);
    const bytes = await bytesOf(response);
    expect(Number(response.headers.get('content-length'))).toBe(bytes.length);
    const { width, height, colorAt } = readPng(bytes);
    expect([width, height]).toEqual([800, 1000]);
    expect([colorAt(0, 0), colorAt(799, 599), colorAt(0, 600), colorAt(799, 999)]).toEqual([
      '#ff0000ff',
      '#ff0000ff',
      '#0000ffff',
      '#0000ffff',
    ]);
  });

  test('shows all of a document that is wider than its window', async () => {
    const { width, height, colorAt } = await png(`${STYLE}<div style="width: 1500px; height: 700px; background: lime"></div>`);
    expect([width, height, colorAt(1499, 699)]).toEqual([1500, 700, '#00ff00ff']);
  });

  test('shows only the window with fullPage: false', async () => {
    const { width, height, colorAt } = await png(TALL, { fullPage: false, viewport: { width: 300, height: 200 } });
    expect([width, height, colorAt(299, 199)]).toEqual([300, 200, '#ff0000ff']);
  });

  test('shows the part that clip selects, even far below the window', async () => {
    const { width, height, colorAt } = await png(TALL, { clip: { x: 10, y: 595, width: 20, height: 10 } });
    expect([width, height, colorAt(0, 4), colorAt(0, 5)]).toEqual([20, 10, '#ff0000ff', '#0000ffff']);
  });

  test('shows the first element that selector matches, wherever it is', async () => {
    const html = `${STYLE}<div style="height: 2000px"></div><div class=a style="background: lime; margin-left: 33px"></div><div class=a></div>`;
    const { width, height, colorAt } = await png(html, { selector: '.a' });
    expect([width, height, colorAt(0, 0), colorAt(99, 49)]).toEqual([100, 50, '#00ff00ff', '#00ff00ff']);
  });

  test('shows a scrolled document from its top', async () => {
    const html = `${TALL}<div id=a style="background: lime"></div><script>scrollTo(0, 9999)</script>`;
    const fullPage = await png(html);
    expect([fullPage.height, fullPage.colorAt(0, 0), fullPage.colorAt(0, 1049)]).toEqual([1050, '#ff0000ff', '#00ff00ff']);
    const element = await png(html, { selector: '#a' });
    expect([element.width, element.height, element.colorAt(0, 0)]).toEqual([100, 50, '#00ff00ff']);
    const window = await png(html, { fullPage: false });
    expect([window.height, window.colorAt(0, 0)]).toEqual([600, '#ff0000ff']);
  });

  test('has more pixels with deviceScaleFactor, as an option or in viewport', async () => {
    const html = `${STYLE}<div id=a style="background: red"></div><script>a.style.background = devicePixelRatio === 2 ? 'lime' : 'red'</script>`;
    for (const options of [{ deviceScaleFactor: 2 }, { viewport: { width: 400, height: 300, deviceScaleFactor: 2 } }]) {
      const { width, height, colorAt } = await png(html, { ...options, selector: '#a' });
      expect([width, height, colorAt(199, 99)]).toEqual([200, 100, '#00ff00ff']);
    }
  });

  test('uses the screen media unless print is requested', async () => {
    const html = `${RED}<style>@media print { body { background: lime !important } }</style>`;
    expect((await png(html)).colorAt(0, 0)).toBe('#ff0000ff');
    expect((await png(html, { mediaType: 'print' })).colorAt(0, 0)).toBe('#00ff00ff');
  });

  test('is transparent where nothing is painted with omitBackground', async () => {
    const html = `${STYLE}<div style="background: rgb(255 0 0 / 50%)"></div>`;
    const clear = await png(html, { omitBackground: true });
    expect([clear.colorAt(0, 0), clear.colorAt(0, 60)]).toEqual(['#ff000080', '#00000000']);
    const opaque = await png(html);
    expect([opaque.colorAt(0, 0), opaque.colorAt(0, 60)]).toEqual(['#ff7f7fff', '#ffffffff']);
  });

  test('can be JPEG or WebP, with fewer bytes at a lower quality', async () => {
    const html = `${STYLE}<div style="width: 800px; height: 600px; background: repeating-conic-gradient(red, blue 7deg, lime 11deg)"></div>`;
    for (const type of ['jpeg', 'webp']) {
      const response = await ada.send('POST', '/v1/image', { html, options: { type } });
      expect(response.headers.get('content-type')).toBe(`image/${type}`);
      const usual = await bytesOf(response);
      expect(readImageHeader(usual)).toEqual({ format: type, width: 800, height: 600 });
      const low = await image({ html, options: { type, quality: 10 } });
      expect(low.length).toBeLessThan(usual.length);
    }
  });

  test('can have many bytes', async () => {
    const bytes = await image({ html: noise(1_900) });
    expect(readImageHeader(bytes)).toEqual({ format: 'png', width: 1_900, height: 1_900 });
    expect(bytes.length).toBeGreaterThan(10_000_000);
  });

  test('is captured after scripts ran, animations ended and lazy content loaded', async () => {
    const html = `${STYLE}<style>@keyframes k { from { background: red } to { background: lime } } #a { animation: k 2s both }</style>
      <div id=a></div><div id=b></div><script>setTimeout(() => { b.style.background = 'blue' }, 1000)</script>`;
    const { colorAt } = await png(html);
    expect([colorAt(0, 0), colorAt(0, 50)]).toEqual(['#00ff00ff', '#0000ffff']);
  });
});

describe('sources', () => {
  test('captures a URL with cookies and headers for its origin', async () => {
    const options = { cookies: [{ name: 'a', value: '1' }], extraHTTPHeaders: { 'X-B': '2' } };
    const { colorAt } = readPng(await image({ url: `${site.origin}/page`, options }));
    expect(colorAt(0, 0)).toBe('#00ff00ff');
  });

  test('captures a template with data', async () => {
    const { template_id } = await ada.template(`${STYLE}<body style="background: {{color}}">`);
    expect(readPng(await image({ template_id, data: { color: 'lime' } })).colorAt(0, 0)).toBe('#00ff00ff');
  });

  test('captures no page of the internal network', async () => {
    await problem(await ada.send('POST', '/v1/image', { url: 'http://127.0.0.1:1/' }), 403, 'forbidden_url');
  });
});

describe('rejected requests', () => {
  test('rejects options of PDFs by name', async () => {
    expect(await faults({ html: RED, options: { format: 'A4', password: 'x' } })).toEqual([
      'options.format: is an option for PDFs, not for images; use options.type',
      'options.password: is an option for PDFs, not for images',
    ]);
  });

  test('rejects unknown options and suggests the nearest name', async () => {
    expect(await faults({ html: RED, options: { fullpage: true } })).toEqual([
      'options.fullpage: there is no such field; did you mean options.fullPage?',
    ]);
  });

  test.each([
    [{ type: 'gif' }, 'options.type: must be one of png, jpeg, webp'],
    [
      { quality: 90 },
      'options.quality: cannot be combined with options.type: png, which has no quality setting; send jpeg or webp',
    ],
    [{ type: 'jpeg', quality: 101 }, 'options.quality: must be a whole number from 0 to 100'],
    [
      { type: 'jpeg', omitBackground: true },
      'options.omitBackground: cannot be combined with options.type: jpeg, which has no transparency; send png or webp',
    ],
    [{ fullPage: true, selector: 'p' }, 'options.fullPage: cannot be combined with options.selector'],
    [{ clip: { x: 0, y: 0, width: 1, height: 1 }, selector: 'p' }, 'options.selector: cannot be combined with options.clip'],
    [{ selector: '#!' }, 'options.selector: is not a CSS selector that Chromium can read: use one such as #chart'],
  ])('%o', async (options, message) => {
    expect(await faults({ html: RED, options })).toEqual([message]);
  });

  test('rejects a missing element, or one without a size', async () => {
    const missing = await ada.send('POST', '/v1/image', { html: RED, options: { selector: '#none' } });
    expect((await problem(missing, 422, 'print_failed')).detail).toContain('no element of the document matches');
    const html = `${RED}<p id=a hidden>`;
    const hidden = await ada.send('POST', '/v1/image', { html, options: { selector: '#a' } });
    expect((await problem(hidden, 422, 'print_failed')).detail).toContain('has no size');
  });

  test('rejects an image of too many pixels before it is drawn', async () => {
    const html = `${STYLE}<div style="width: 2000px; height: 2001px; background: red">`;
    const { detail, limit, actual } = await problem(await ada.send('POST', '/v1/image', { html }), 422, 'resource_limit');
    expect(detail).toContain('the image would have 2000 × 2001 pixels, 4002000 in all, but png may have at most 4000000');
    expect([limit, actual]).toEqual([4_000_000, 4_002_000]);
  });

  test('rejects an image of too many bytes', async () => {
    await using small = await startService({ PLATEN_MAX_PDF_BYTES: '60000' });
    const html = noise(300);
    const response = await new Client(small.url, small.key).send('POST', '/v1/image', { html });
    const { detail, limit } = await problem(response, 422, 'resource_limit');
    expect(detail).toContain('the image is larger than 60000 bytes');
    expect(limit).toBe(60_000);
  });

  test('rejects an image that is larger than the browser may send', async () => {
    await using large = await startService({ PLATEN_MAX_IMAGE_PIXELS: '100000000' });
    const client = new Client(large.url, large.key);
    const response = await client.send('POST', '/v1/image', { html: noise(3_200), options: { timeout: 60_000 } });
    expect((await problem(response, 422, 'resource_limit')).detail).toContain('the image is larger than');
    expect((await client.pdf({ html: 'x' })).status).toBe(200);
  });

  test('rejects a side longer than the format allows', async () => {
    const options = { type: 'webp', viewport: { width: 100, height: 100 } };
    const html = `${STYLE}<div style="height: 16384px">`;
    const { detail } = await problem(await ada.send('POST', '/v1/image', { html, options }), 422, 'resource_limit');
    expect(detail).toContain('a side of webp may have at most 16383');
    const clip = { x: 0, y: 0, width: 50, height: 16_383 };
    expect(
      readImageHeader(await image({ html: `${STYLE}<div style="height: 16383px">`, options: { ...options, clip } })).height,
    ).toBe(16_383);
  });

  test('rejects an Accept header without the type of the image', async () => {
    const accept = { accept: 'application/pdf' };
    await problem(await ada.send('POST', '/v1/image', { html: RED }, accept), 406, 'not_acceptable');
  });

  test('applies the fail conditions of the caller', async () => {
    const body = { html: '<img src="http://127.0.0.1:1/a.png">', options: { failOnResourceError: true } };
    await problem(await ada.send('POST', '/v1/image', body), 422, 'render_gate_failed');
  });
});

describe('charges and reports', () => {
  test('charges one document of the month, and nothing for a failure', async () => {
    const key = new Client(service.url, (await service.createKey()).key);
    await image({ html: RED }, key);
    await problem(await key.send('POST', '/v1/image', { html: RED, options: { selector: '#a' } }), 422, 'print_failed');
    expect((await key.usage()).documents.used).toBe(1);
  });

  test('returns the same image for an Idempotency-Key, charged once', async () => {
    const key = new Client(service.url, (await service.createKey()).key);
    const body = { html: '<script>document.write(Math.random())</script>', filename: 'a.png' };
    const again = { 'idempotency-key': 'one' };
    const first = await image(body, key, again);
    const second = await key.send('POST', '/v1/image', body, again);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('content-type')).toBe('image/png');
    expect(second.headers.get('content-disposition')).toContain('a.png');
    expect((await bytesOf(second)).equals(first)).toBe(true);
    expect((await key.usage()).documents.used).toBe(1);
    await problem(await key.send('POST', '/v1/pdf', { html: 'x' }, again), 422, 'idempotency_mismatch');
  });

  test('returns the report with the image as JSON on request', async () => {
    const html = `${RED}<img src="missing.png">`;
    const response = await ada.send('POST', '/v1/image', { html }, { accept: 'application/json' });
    const body = (await response.json()) as Record<string, unknown> & { image: string; report: { warning_count: number } };
    const bytes = Buffer.from(body.image, 'base64');
    expect(body).toMatchObject({ type: 'image/png', bytes: bytes.length, width: 800, height: 600 });
    expect(body.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(body.report.warning_count).toBe(1);
    expect(readPng(bytes).colorAt(0, 0)).toBe('#ff0000ff');
  });
});

describe('the page afterwards', () => {
  /** Prints everything that an image option could have changed. */
  const FACTS = `<!doctype html><p>Facts</p><script>
    document.querySelector('p').textContent = JSON.stringify([innerWidth, innerHeight, devicePixelRatio, screen.width, matchMedia('print').matches,
      matchMedia('(prefers-color-scheme: dark)').matches, navigator.language, navigator.userAgent, scrollX, scrollY])</script>`;
  const STATIC = '<!doctype html><body style="color: navy"><h1>Static</h1><table><tr><td>1<td>2</table>';
  const OPTIONS = {
    ...{ viewport: { width: 1234, height: 345 }, deviceScaleFactor: 3, omitBackground: true, colorScheme: 'dark' },
    ...{ locale: 'de-AT', userAgent: 'Other/1', timezone: 'Asia/Tokyo', addStyleTag: { content: 'p { color: red }' } },
  };

  test.each([
    ['a document with scripts', FACTS],
    ['a static document', STATIC],
  ])('prints the same bytes after images as before, on the same page (%s)', async (_, html) => {
    const key = new Client(service.url, (await service.createKey()).key);
    const print = async () => bytesOf(await key.pdf({ html }));
    const before = await print();
    for (const options of [OPTIONS, { fullPage: false }, { selector: 'p', deviceScaleFactor: 2 }]) {
      await image({ html: `<p>secret</p>${FACTS}`, options }, key);
      expect((await print()).equals(before)).toBe(true);
    }
  });

  test('keeps nothing of a rejected image', async () => {
    const key = new Client(service.url, (await service.createKey()).key);
    const before = await bytesOf(await key.pdf({ html: FACTS }));
    const options = { ...OPTIONS, viewport: { width: 4000, height: 4000 } };
    await problem(await key.send('POST', '/v1/image', { html: FACTS, options }), 422, 'resource_limit');
    expect((await bytesOf(await key.pdf({ html: FACTS }))).equals(before)).toBe(true);
  });

  test('captures the same image after a PDF', async () => {
    const key = new Client(service.url, (await service.createKey()).key);
    const before = await image({ html: FACTS }, key);
    const pdf = await readPdfReply(await key.pdf({ html: TALL, options: { singlePage: true, width: '300px' } }));
    expect(pdf.pages).toHaveLength(1);
    expect((await image({ html: FACTS }, key)).equals(before)).toBe(true);
  });
});
