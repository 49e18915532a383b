/** Photographs with an EXIF orientation are upright and stay JPEGs, wherever they come from. Checked with poppler. */
import { describe, expect, test } from 'vitest';
import { bytesOf } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { DrawnPixels } from '../support/drawn-pixels.ts';
import { type PhotoKind, photo, withExif } from '../support/photos.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';
import { Site, send } from '../support/site.ts';

const site = await Site.start().then(closeAfterAll);
const files = await PrintedFiles.open({ PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` }).then(closeAfterAll);

const ORIENTATIONS = [1, 2, 3, 4, 5, 6, 7, 8];
const PAGE = '<!doctype html><style>@page { size: 400px 400px; margin: 0 } body { margin: 0 } img { display: block }</style>';

interface Picture {
  /** Width and height in CSS pixels. */
  size: [width: number, height: number];
  /** The corner with the red square, as fractions. */
  red: [x: number, y: number];
}

/** The size of what is drawn, and the corner in which it is red. */
async function drawn(file: string): Promise<Picture> {
  const pixels = await DrawnPixels.of(file, { dpi: 96 });
  const { right, bottom } = pixels.box();
  const red = pixels.box((r, g) => r > 215 && g < 110);
  return { size: [right, bottom], red: [red.left > right / 2 ? 1 : 0, red.top > bottom / 2 ? 1 : 0] };
}

/** The encodings of the images of a PDF. */
async function encodings(file: string): Promise<string[]> {
  const rows = (await outputOf('pdfimages', '-list', file)).trimEnd().split('\n').slice(2);
  return rows.map((row) => row.trim().split(/\s+/)[8] ?? '');
}

/** A picture with this orientation is upright in the browser like this. */
function expected(orientation: number): Picture {
  const red = [[], [0, 0], [1, 0], [1, 1], [0, 1], [0, 0], [1, 0], [1, 1], [0, 1]][orientation];
  return { size: orientation > 4 ? [52, 72] : [72, 52], red: red as [number, number] };
}

async function renderPhoto(html: string, jpeg: Buffer, options?: object): Promise<string> {
  const assets = { 'photo.jpg': { content: jpeg.toString('base64') } };
  const response = await files.service.pdf({ html: `${PAGE}${html}`, assets, options });
  expect(response.status).toBe(200);
  return files.save(await bytesOf(response));
}

describe.each(['colour', 'progressive', 'grey'] as const)('a %s JPEG', (kind: PhotoKind) => {
  test.each(ORIENTATIONS)('with orientation %i', async (orientation) => {
    const file = await renderPhoto('<img src="photo.jpg">', photo(kind, orientation));
    const { size, red } = await drawn(file);
    expect(size).toEqual(expected(orientation).size);
    if (kind !== 'grey') expect(red).toEqual(expected(orientation).red);
    expect(await encodings(file)).toEqual(['jpeg']);
  });
});

test('has the pixels of the JPEG itself', async () => {
  const file = await renderPhoto('<img src="photo.jpg">', photo('colour', 6));
  const pdf = await outputOf('qpdf', '--show-object=trailer', file);
  expect(pdf).toContain('/Root');
  const raw = await run('cat', [file], { encoding: 'buffer', maxBuffer: 1e8 });
  const pixels = photo('colour').subarray(20); // after the header
  expect(raw.stdout.includes(pixels)).toBe(true);
});

describe('a photograph is upright and a JPEG', () => {
  const data = `data:image/jpeg;base64,${photo('colour', 6).toString('base64')}`;
  test.each([
    ['in a data: URL', `<img src="${data}">`],
    ['in an unquoted data: URL', `<img src=${data}>`],
    ['as a background from a data: URL', `<div style="background: url(${data}); width: 52px; height: 72px">`],
    ['as a background', '<div style="background: url(photo.jpg); width: 52px; height: 72px">'],
    ['with a density', '<img srcset="photo.jpg 1x">'],
    ['in a picture', '<picture><source srcset="photo.jpg"><img></picture>'],
    ['in SVG', '<svg width="52" height="72" style="display: block"><image href="photo.jpg"/></svg>'],
    ['with object-fit', '<img src="photo.jpg" style="width: 52px; height: 72px; object-fit: cover">'],
    ['added by a script', '<body><script>document.body.append(Object.assign(new Image(), { src: "photo.jpg" }))</script>'],
    [
      'when its natural size is read',
      '<script>onload = () => { const i = document.images[0]; if (i.naturalWidth !== 52) i.remove() }</script><img src="photo.jpg">',
    ],
    ['twice', '<img src="photo.jpg"><img src="photo.jpg" style="margin-top: -72px">'],
  ])('%s', async (_, html) => {
    const file = await renderPhoto(html, photo('colour', 6));
    expect(await drawn(file)).toEqual(expected(6));
    expect(new Set(await encodings(file))).toEqual(new Set(['jpeg']));
  });

  test.each(['html', 'url'])('from a site, in a document from %s', async (kind) => {
    site.serve({ '/photo.jpg': send('image/jpeg', photo('colour', 6)) });
    const html = `${PAGE}<img src="${site.origin}/photo.jpg">`;
    site.serve({ '/': send('text/html', html) });
    const response = await files.service.pdf(kind === 'url' ? { url: site.origin } : { html });
    const file = await files.save(await bytesOf(response));
    expect(await drawn(file)).toEqual(expected(6));
    expect(await encodings(file)).toEqual(['jpeg']);
  });

  test.each([{ tagged: true }, { conformance: ['PDF/A-3a', 'PDF/UA-1'] }, { compress: true }])('with %o', async (options) => {
    const html = '<html lang="en"><title>Photo</title><img src="photo.jpg" alt="A red square">';
    const file = await renderPhoto(html, photo('colour', 6), options);
    expect(await drawn(file)).toEqual(expected(6));
    expect(await encodings(file)).toEqual(['jpeg']);
    if (!('compress' in options)) expect(await outputOf('pdfinfo', '-struct-text', file)).toMatch(/Figure/);
  });
});

describe('stays as Chromium draws it', () => {
  test('if scripts read its bytes', async () => {
    const script = `fetch('photo.jpg').then((r) => r.blob()).then(async (b) => {
      const bytes = await b.arrayBuffer(); document.body.textContent = b.type + ' ' + bytes.byteLength })`;
    const jpeg = photo('colour', 6);
    const file = await renderPhoto(`<script>${script}</script>`, jpeg);
    expect(await outputOf('pdftotext', file, '-')).toContain(`image/jpeg ${jpeg.length}`);
  });

  test.each([
    [
      'with CSS that selects by density',
      '<div style="background: image-set(url(photo.jpg) 2x); width: 26px; height: 36px">',
      [26, 36],
    ],
    ['in CMYK', '<img src="photo.jpg">', [52, 72]],
  ])('%s', async (name, html, size) => {
    const file = await renderPhoto(html, photo(name === 'in CMYK' ? 'cmyk' : 'colour', 6));
    expect((await drawn(file)).size).toEqual(size);
    expect(await encodings(file)).not.toContain('jpeg');
  });

  test('if its EXIF data gives it another size', async () => {
    const density: Array<[number, number, number]> = [
      [0x112, 3, 6 * 65_536],
      [0x128, 3, 2 * 65_536],
    ];
    const file = await renderPhoto('<img src="photo.jpg">', withExif(photo('colour'), density));
    expect(await drawn(file)).toEqual(expected(6)); // the resolution is missing
  });
});

test('a broken photograph is reported, and EXIF data of any kind breaks nothing', async () => {
  const jpeg = photo('colour', 6);
  for (let end = 12; end < 48; end += 5) {
    const cut = Buffer.concat([jpeg.subarray(0, end), photo('colour').subarray(2)]);
    expect(
      (await files.service.pdf({ html: '<img src="a.jpg">', assets: { 'a.jpg': { content: cut.toString('base64') } } })).status,
    ).toBe(200);
  }
});
