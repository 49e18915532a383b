/** `options.images` makes pictures smaller and changes nothing else, checked with poppler and qpdf. */
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { encodeJpeg } from '../../src/pdf/images/jpeg-codec.ts';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);
const [width, height] = [480, 360];
const picture = PNG.sync.write(photograph(width, height, false)).toString('base64');
const clear = PNG.sync.write(photograph(width, height, true)).toString('base64');
const data = Uint8Array.from(photograph(width, height, false).data.filter((_, index) => index % 4 < 3));
const jpeg = Buffer.from(await encodeJpeg({ width, height, channels: 3, data }, 95)).toString('base64');
const drawing = PNG.sync.write(lines(width, height)).toString('base64');
const assets = {
  'photo.png': { content: picture },
  'clear.png': { content: clear },
  'photo.jpg': { content: jpeg },
  'drawing.png': { content: drawing },
};

/** Smooth colours with some noise, as cameras make them. */
function photograph(width: number, height: number, isTransparent: boolean): PNG {
  const png = new PNG({ width, height });
  let noise = 1;
  for (let at = 0; at < png.data.length; at += 4) {
    const [x, y] = [((at / 4) % width) / width, Math.floor(at / 4 / width) / height];
    for (const [channel, value] of [x, y, Math.sin(6 * x * y) ** 2].entries()) {
      noise = (noise * 48_271) % 2_147_483_647;
      png.data[at + channel] = 40 + 160 * value + (noise % 16);
    }
    png.data[at + 3] = isTransparent ? 255 * Math.hypot(x - 0.5, y - 0.5) : 255;
  }
  return png;
}

/** Black lines on white, which are smaller without loss. */
function lines(width: number, height: number): PNG {
  const png = new PNG({ width, height });
  for (let at = 0; at < png.data.length; at += 4) png.data.fill((at / 4) % 10 < 2 || at % 4_001 < 8 ? 0 : 255, at, at + 3);
  for (let at = 3; at < png.data.length; at += 4) png.data[at] = 255;
  return png;
}

const PAGE = '<!doctype html><html lang="en"><title>Pictures</title><style>img { width: 240px; display: block }</style>';
const img = (name: string, style = '') => `<img src="${name}" alt="picture" style="${style}">`;

async function render(html: string, options: object): Promise<string> {
  const response = await succeeded(files.service.pdf({ html: PAGE + html, assets, options }));
  return files.save(await bytesOf(response));
}

interface Listed {
  type: string;
  width: number;
  encoding: string;
  ppi: number;
}

async function images(file: string): Promise<Listed[]> {
  const rows = (await outputOf('pdfimages', '-list', file)).trimEnd().split('\n').slice(2);
  return rows.map((row) => {
    const [, , type = '', width, , , , , encoding = '', , , , ppi] = row.trim().split(/\s+/);
    return { type, width: Number(width), encoding, ppi: Number(ppi) };
  });
}

/** The mean difference of all colours of the first page, 0 to 255. */
async function difference(one: string, other: string): Promise<number> {
  const pixelsOf = async (file: string) =>
    (await run('pdftoppm', ['-r', '96', '-l', '1', file], { encoding: 'buffer', maxBuffer: 1e8 })).stdout;
  const [a, b] = [await pixelsOf(one), await pixelsOf(other)];
  expect(a.length).toBe(b.length);
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length;
}

describe('quality', () => {
  test('makes JPEGs of pictures that Chromium stores without loss, and keeps their transparency', async () => {
    const html = img('photo.png') + img('clear.png') + img('photo.jpg');
    const [before, after] = [await render(html, {}), await render(html, { images: { quality: 85 } })];
    const encodings = async (file: string) => (await images(file)).map(({ type, encoding }) => `${type} ${encoding}`);
    expect(await encodings(before)).toEqual(['image image', 'image image', 'smask image', 'image jpeg']);
    expect(await encodings(after)).toEqual(['image jpeg', 'image jpeg', 'smask image', 'image jpeg']);
    expect((await bytes(after)).length).toBeLessThan((await bytes(before)).length / 2);
    expect(await difference(before, after)).toBeLessThan(1);
  });

  test('is smaller with less quality', async () => {
    const [low, high] = await Promise.all([20, 90].map((quality) => render(img('photo.png'), { images: { quality } })));
    expect((await bytes(low ?? '')).length).toBeLessThan((await bytes(high ?? '')).length / 2);
  });

  test('keeps what is smaller without loss, and JPEGs', async () => {
    const html = img('drawing.png') + img('photo.jpg');
    const [before, after] = [await render(html, {}), await render(html, { images: { quality: 1 } })];
    expect(await images(after)).toEqual(await images(before));
    expect(await difference(before, after)).toBe(0);
  });
});

describe('maxDpi', () => {
  test('scales down every kind of picture, and masks with them', async () => {
    const html = img('photo.png') + img('clear.png') + img('photo.jpg') + img('drawing.png');
    const [before, after] = [await render(html, {}), await render(html, { images: { maxDpi: 100 } })];
    expect((await images(before)).map(({ ppi }) => ppi)).toEqual([192, 192, 192, 192, 192]);
    expect((await images(after)).map(({ ppi, encoding }) => `${ppi} ${encoding}`)).toEqual([
      '100 image',
      '100 image',
      '100 image',
      '100 jpeg',
      '100 image',
    ]);
    expect(await difference(before, after)).toBeLessThan(2);
  });

  test.each([
    ['in a group', `<div style="opacity: 0.5">${img('photo.png')}</div>`],
    ['turned', img('photo.png', 'transform: rotate(30deg)')],
    ['as a background', '<div style="background: url(photo.png) 0 0 / 240px; width: 240px; height: 180px">'],
    ['in tiles', '<div style="background: url(photo.png) 0 0 / 120px; width: 480px; height: 180px">'],
    ['in SVG', '<svg width="240" height="180"><image href="photo.png" width="240" height="180"/></svg>'],
  ])('knows how large a picture is %s', async (_, html) => {
    const file = await render(html, { images: { maxDpi: 100 } });
    for (const { ppi } of await images(file)) expect(ppi).toBeLessThanOrEqual(101);
    expect(await difference(await render(html, {}), file)).toBeLessThan(2);
  });

  test('counts the largest of several drawings, and leaves pictures with fewer pixels', async () => {
    const several = await render(img('photo.png') + img('photo.png', 'width: 60px'), { images: { maxDpi: 100 } });
    expect((await images(several)).map(({ width }) => width)).toEqual([250, 250]);
    const [before, after] = [await render(img('photo.png'), {}), await render(img('photo.png'), { images: { maxDpi: 192 } })];
    expect(await difference(before, after)).toBe(0);
    expect(await images(after)).toEqual(await images(before));
  });

  test('leaves the shadows of boxes', async () => {
    const html = '<div style="width: 200px; height: 90px; box-shadow: 0 0 9px #000"></div>';
    const [before, after] = [await render(html, {}), await render(html, { images: { maxDpi: 50, quality: 1 } })];
    expect(await difference(before, after)).toBe(0);
  });
});

describe('together with', () => {
  const both = { images: { quality: 70, maxDpi: 100 } };

  test.each([
    { conformance: ['PDF/A-3a', 'PDF/UA-1'] },
    { tagged: true, outline: true },
    { password: { owner: 'secret', permissions: ['print'] } },
    { watermark: { text: 'DRAFT' } },
    { compress: true },
  ])('%o, the pictures are smaller, and the same request gives the same bytes', async (options) => {
    const html = img('photo.png') + img('clear.png');
    const file = await render(html, { ...options, ...both });
    for (const { ppi } of await images(file)) expect(ppi).toBeLessThanOrEqual(101);
    expect((await bytes(file)).equals(await bytes(await render(html, { ...options, ...both })))).toBe(true);
    expect(await difference(await render(html, options), file)).toBeLessThan(3);
  });

  test('a batch, a dry run and the default options of a batch', async () => {
    const client = new Client(files.service.url, (await files.service.createKey()).key);
    const items = [{ html: PAGE + img('photo.png'), assets }];
    const { batch_id, succeeded } = await client.batch({ items, defaults: { options: both } });
    expect(succeeded).toBe(1);
    const file = await files.save(await bytesOf(await client.get(`/v1/batches/${batch_id}.pdf`)));
    expect(await images(file)).toEqual([{ type: 'image', width: 250, encoding: 'jpeg', ppi: 100 }]);
    const dry = await files.service.pdf({ ...items[0], options: both, dry_run: true });
    expect(dry.status).toBe(200);
  });
});

test('large pictures without loss are reported with a remedy, until the caller chooses', async () => {
  const noisy = new PNG({ width: 1_400, height: 1_400 });
  let noise = 1;
  for (const index of noisy.data.keys()) {
    noise = (noise * 48_271) % 2_147_483_647;
    noisy.data[index] = index % 4 === 3 ? 255 : noise >>> 8;
  }
  const content = PNG.sync.write(noisy, { deflateLevel: 1 }).toString('base64');
  const patient = { timeout: 100_000 }; // for a busy machine
  const warnings = async (options: object) => {
    const body = {
      html: img('noise.png'),
      assets: { 'noise.png': { content } },
      options: { ...patient, ...options },
      store: true,
    };
    const client = new Client(files.service.url, (await files.service.createKey()).key);
    const { report } = (await (await client.pdf(body)).json()) as {
      report: { warnings: Array<{ kind: string; count: number; message: string }> };
    };
    return report.warnings.filter(({ kind }) => kind === 'pictures_large').map(({ message }) => message.split(' of the PDF')[0]);
  };
  expect(await warnings({})).toEqual([expect.stringMatching(/^1 picture takes \d+\.\d MB$/)]);
  expect(await warnings({ images: { quality: 80 } })).toEqual([]);
  const failing = { ...patient, failOnWarning: ['pictures_large'] };
  const gate = { html: img('noise.png'), assets: { 'noise.png': { content } }, options: failing };
  const refused = await files.service.pdf(gate);
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('images.quality');
});

test.each([
  [{}, /options\.images.*quality or maxDpi/],
  [{ quality: 0 }, /options\.images\.quality.*1 to 100/],
  [{ quality: 101 }, /options\.images\.quality.*1 to 100/],
  [{ quality: 50.5 }, /options\.images\.quality.*whole number/],
  [{ maxDpi: 0 }, /options\.images\.maxDpi/],
  [{ maxdpi: 100 }, /maxDpi/],
])('refuses %o', async (given, message) => {
  const response = await files.service.pdf({ html: 'x', options: { images: given } });
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toMatch(message);
});

async function bytes(file: string): Promise<Buffer> {
  return (await run('cat', [file], { encoding: 'buffer', maxBuffer: 1e8 })).stdout;
}
