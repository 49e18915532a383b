/** Where a watermark image is drawn on the page, checked with poppler. */
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type Box, DrawnPixels } from '../support/drawn-pixels.ts';
import { PrintedFiles } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);

/** A grey picture, as base64. */
function picture(width: number, height: number): string {
  const png = new PNG({ width, height, colorType: 2 });
  png.data.fill(128);
  return PNG.sync.write(png, { colorType: 2 }).toString('base64');
}

const A4 = picture(210, 297);
const WIDE = picture(300, 100);
const NARROW = picture(1, 400);
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10"><rect width="30" height="10"/></svg>');

/** The box around everything that is not white, and the size of the page, in points. */
async function drawn(file: string, page = 1): Promise<Box & { width: number; height: number }> {
  const pixels = await DrawnPixels.of(file, { page });
  return { ...pixels.box((r) => r < 250), width: pixels.width, height: pixels.height };
}

/** Within a pixel, because poppler smooths edges. */
function expectBox(found: Box, expected: Box): void {
  for (const side of ['left', 'top', 'right', 'bottom'] as const)
    expect(Math.abs(found[side] - expected[side]), `${side}: ${JSON.stringify(found)}`).toBeLessThanOrEqual(1.5);
}

const stamped = (watermark: object, style = '@page { size: A4 }') =>
  files.render(`<!doctype html><style>${style}</style>`, { watermark: { opacity: 1, ...watermark } });

test.each([
  ['with the shape of the page fills the page', A4, {}, [0, 0, 595, 842]],
  ['that is wide is as wide as the page, in the middle', WIDE, {}, [0, 322, 595, 520]],
  ['that is narrow is as high as the page', NARROW, {}, [296, 0, 299, 842]],
  ['in SVG is as wide as the page', SVG.toString('base64'), {}, [0, 322, 595, 520]],
  ['that is turned by 90 degrees is as large as fits', WIDE, { rotate: 90 }, [157, 0, 438, 842]],
  ['that is turned by 180 degrees fills the page', A4, { rotate: 180 }, [0, 0, 595, 842]],
  ['that is turned by 45 degrees touches the edges of the page', WIDE, { rotate: 45 }, [0, 123, 595, 719]],
])('an image %s', async (_, image, options, [left = 0, top = 0, right = 0, bottom = 0]) => {
  expectBox(await drawn(await stamped({ image, ...options })), { left, top, right, bottom });
});

test('an image is as large as fits on each page of a document with several sizes', async () => {
  const style = '@page { size: A4 } @page wide { size: A4 landscape } div { page: wide }';
  const file = await files.render(`<!doctype html><style>${style}</style><p>&nbsp;<div>&nbsp;</div>`, {
    watermark: { image: A4, opacity: 1 },
  });
  expectBox(await drawn(file, 1), { left: 0, top: 0, right: 595, bottom: 842 });
  const shown = await drawn(file, 2);
  expect([shown.width, shown.height]).toEqual([842, 596]);
  expectBox(shown, { left: 211, top: 0, right: 631, bottom: 595 });
});

test('a text stays as large as the shorter side of the page allows', async () => {
  const { left, right, top, bottom } = await drawn(await stamped({ text: 'DRAFT', rotate: 0 }));
  expect(right - left).toBeGreaterThan(390);
  expect(right - left).toBeLessThan(400);
  expect(bottom - top).toBeLessThan(150);
});
