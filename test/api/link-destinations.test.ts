/** Links within a document lead to their destination at any scale. */
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { openPdf } from '../support/open-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, service.key);

const COUNT = 12;
const MARGIN = 50;
const PARTS = Array.from({ length: COUNT }, (_, n) => `<h2 id="part-${n}">Part${n}</h2><p>text</p>`);
const HTML = `<!doctype html><html lang="en"><title>Parts</title><p>${PARTS.map((_, n) => `<a href="#part-${n}">${n}</a> `).join('')}</p>${PARTS.join('')}`;
const WIDE = HTML.replace('<p>', '<div style="width: 1400px; background: #eee">wide</div><p>');

/** Returns, for each part, the distance in points from a link's destination down to the line of its heading. */
async function distances(pdf: Buffer): Promise<number[]> {
  await using opened = await openPdf(pdf);
  return await Promise.all(PARTS.map((_, n) => distanceOf(opened.document, n)));
}

async function distanceOf(document: PDFDocumentProxy, part: number): Promise<number> {
  const place = await document.getDestination(`part-${part}`);
  const page = await document.getPage((await document.getPageIndex(place?.[0])) + 1);
  const { items } = await page.getTextContent();
  const line = items.find((item) => 'str' in item && item.str.trim() === `Part${part}`) as TextItem;
  return Number(place?.[3]) - Number(line.transform[5]);
}

const DRAWING = `<svg xmlns='http://www.w3.org/2000/svg' width='60' height='30' viewBox='0 0 75 38'><rect width='75' height='38'/></svg>`;
const LOGO = HTML.replace('<p>', `<style>@page { @top-left { content: url("data:image/svg+xml,${DRAWING}") } }</style><p>`);

test.each([
  ['in its size', HTML, {}, 1],
  ['under a logo that its size scales', LOGO, {}, 1],
  ['at half its size', HTML, { scale: 0.5 }, 0.5],
  ['at one and a half of its size', HTML, { scale: 1.5 }, 1.5],
  ['tagged, with bookmarks and scaled', HTML, { scale: 0.6, outline: true }, 0.6],
  ['on a side, scaled', HTML, { scale: 0.7, landscape: true }, 0.7],
  ['finished, scaled', HTML, { scale: 0.5, metadata: { title: 'Parts' }, watermark: { text: 'DRAFT' } }, 0.5],
  ['of a document that names no language, scaled', HTML.replace(' lang="en"', ''), { scale: 0.7 }, 0.7],
  ['wider than the paper', WIDE, {}, 0.5],
])('%s', async (_, html, options, scale) => {
  const response = await succeeded(client.pdf({ html, options: { ...options, margin: MARGIN } }));
  // A line of 24 pixels has a box of 27 or 28, and the upper margin stays visible.
  for (const distance of await distances(await bytesOf(response))) {
    expect(distance).toBeGreaterThan(MARGIN * 0.75 + 14 * scale);
    expect(distance).toBeLessThan(MARGIN * 0.75 + 25 * scale);
  }
});
