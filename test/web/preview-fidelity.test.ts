/** The preview is the file: first pages as the viewer draws them, beside those that PDFium draws of the same PDF. */
import { expect, test } from 'vitest';
import { readGallery } from '../support/gallery.ts';
import { DRAFT, fragmentOf } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { eventually } from '../support/service.ts';

/** Of the mean of a channel in an area of the page. Both programs smooth letters and lines in their own way. */
const MAX_DIFFERENCE = 40;
/** Returns the largest difference between the picture at a URL and the canvas of the viewer. */
const COMPARE = `async (url) => {
  const [columns, rows, side] = [30, 42, 24];
  const bitmap = await createImageBitmap(await (await fetch(url)).blob());
  const canvas = document.querySelector('.pdf-pages:not(.coming) .pdf-page canvas');
  const means = [bitmap, canvas].map((source) => {
    const context = new OffscreenCanvas(columns * side, rows * side).getContext('2d');
    context.fillStyle = 'white';
    context.fillRect(0, 0, columns * side, rows * side);
    context.drawImage(source, 0, 0, columns * side, rows * side);
    const { data } = context.getImageData(0, 0, columns * side, rows * side);
    const sums = new Float64Array(columns * rows * 4);
    for (let n = 0; n < data.length; n++) {
      const [x, y] = [(n >> 2) % (columns * side), Math.floor((n >> 2) / (columns * side))];
      sums[4 * (Math.floor(y / side) * columns + Math.floor(x / side)) + (n & 3)] += data[n] / side ** 2;
    }
    return sums;
  });
  return Math.max(...means[0].map((value, n) => Math.abs(value - means[1][n])));
}`;
const EMOJI = {
  folder: 'emoji',
  html: '<p style="font-size: 60px">🇩🇪 🇫🇷 🇯🇵 👩‍💻 👍🏽 😀</p>',
  samples: [{ name: 'flags', data: {}, options: {} }],
};

const { browser, service } = await openPlaygrounds();
const gallery = await readGallery();

test.each([EMOJI, ...gallery])('shows $folder as it is printed', async ({ html, samples }) => {
  const [{ data, options } = { data: {}, options: {} }] = samples;
  const { page, context } = await browser.visit(service.url);
  const reply = page.waitForResponse((response) => response.url().endsWith('/v1/playground/pdf') && response.ok());
  await page.goto(`/${await fragmentOf({ ...DRAFT, mode: 'template', template: html, data: JSON.stringify(data), options })}`);
  const id = (await reply).headers()['platen-result'];
  const canvas = page.locator('.pdf-pages:not(.coming) .pdf-page canvas');
  await canvas.first().waitFor({ state: 'attached' });
  await eventually('the pages are drawn', async () => (await page.locator('.pdf-pages.coming').count()) === 0);
  const difference = await page.evaluate(`(${COMPARE})('/v1/playground/results/${id}/pages/1.png')`);
  expect(difference).toBeLessThan(MAX_DIFFERENCE);
  await context.close();
});
