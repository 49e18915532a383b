/** Properties of printed PDFs that are read without parsing the whole file. */
import { expect, test } from 'vitest';
import { pageWidths, printedView } from '../../src/pdf/objects/inspect.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();

async function printed(html: string, options: object = {}): Promise<Buffer[]> {
  const response = await service.pdf({ html, options: { compress: false, ...options } });
  expect(response.status).toBe(200);
  return [Buffer.from(await response.arrayBuffer())];
}

const bar = (px: number) => `<style>body { margin: 0 }</style><div style="width: ${px}px">x</div>`;

test.each([
  ['at its natural size', bar(100), {}, 1],
  ['tagged', bar(100), { tagged: true }, 1],
  ['with a header', bar(100), { headerTemplate: '<b>h</b>' }, 1],
  ['with another scale', bar(100), { scale: 0.5 }, 0.5],
  ['with its own page size', `<style>@page { size: A5 landscape; margin: 0 }</style>${bar(100)}`, {}, 1],
  ['with an image before the text', `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">${bar(100)}`, {}, 1],
  ['shrunk to fit', bar(794), { margin: '1in' }, (794 - 192) / 794],
  ['shrunk to the limit', bar(3_000), {}, 1 / 1.5],
])('reads the scale of a document printed %s', async (_name, html, options, scale) => {
  expect(printedView(await printed(html, options))?.scale).toBeCloseTo(scale, 2);
});

test('finds no scale in a file without readable pages', () => {
  expect(printedView([])).toBeUndefined();
  expect(printedView([Buffer.from(`%PDF-1.4\n${'stream\nnothing packed\nendstream\n'.repeat(40)}`)])).toBeUndefined();
});

test('finds the widths of pages', async () => {
  const html = '<style>@page { size: 100pt 200pt } @page wide { size: 300pt 200pt } p { page: wide }</style>x<p>y';
  expect([...pageWidths(await printed(html))]).toEqual([expect.closeTo(100, 0), expect.closeTo(300, 0)]);
});
