/** `data-last-page-bottom` prints a block at the bottom of the last page. */
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const STYLE = 'body { margin: 0; font: 16px/20px sans-serif } p, h2 { margin: 0 } #slip { break-inside: avoid }';
const html = (body: string, css = '') => `<!doctype html><style>${STYLE} ${css}</style>${body}`;
const lines = (count: number) => `<p>${Array.from({ length: count }, (_, n) => `line ${n}`).join('<br>')}</p>`;
const SLIP = '<div data-last-page-bottom id="slip" style="height: 200px; border: 1px solid">Payment slip</div>';
/** The lower edge of the area between margins of 50 pixels on A4, in points. */
const BOTTOM = 841.89 - 37.5;

/** Where an element ends on its last page, and on which page that is. */
async function endOf(document: string, selector = '#slip', options: object = {}) {
  const body = { html: document, options: { margin: '50px', layout: [selector], ...options } };
  const { layout } = await client.report(body);
  const last = layout?.[0]?.fragments.at(-1);
  return { page: last?.page, bottom: (last?.y ?? 0) + (last?.height ?? 0), fragments: layout?.[0]?.fragments.length };
}

async function countPages(document: string, options: object = {}): Promise<number> {
  const reply = await client.pdf({ html: document, options: { margin: '50px', ...options } });
  return (await readPdfReply(reply)).pages.length;
}

const withoutPin = (document: string) => document.replace('data-last-page-bottom', '');

describe('a block at the bottom of the last page', () => {
  test.each([
    ['on the only page', lines(3), 1],
    ['on the last of several', lines(120), 3],
    ['that fits exactly', `${'<div style="height: 820px"></div>'}`, 1],
    ['that does not fit is at the bottom of a new page', lines(50), 2],
    ['below a table', `<table>${'<tr><td>row'.repeat(60)}</table>`, 2],
    ['below a margin', `${lines(3)}<p style="margin-bottom: 40px">x</p>`, 1],
  ])('%s', async (_, above, page) => {
    const found = await endOf(html(above + SLIP));
    expect(found).toMatchObject({ page, fragments: 1 });
    expect(Math.abs(found.bottom - BOTTOM)).toBeLessThan(1);
    expect(await countPages(html(above + SLIP))).toBe(page);
  });

  test.each([
    ['a box with a padding', `<main style="padding-bottom: 30px">${lines(5)}${SLIP}</main>`, 30],
    ['a body with a padding', `<style>body { padding: 20px }</style>${lines(5)}${SLIP}`, 20],
  ])('in %s, which keeps its room', async (_, body, px) => {
    const { bottom } = await endOf(html(body));
    expect(Math.abs(bottom - (BOTTOM - px * 0.75))).toBeLessThan(1);
    expect(await countPages(html(body))).toBe(1);
  });

  test.each([
    ['of the body', `<body style="margin: 20px">${lines(50)}${SLIP}`, 20],
    ['of its own', `${lines(3)}${SLIP.replace('style="', 'style="margin-bottom: 25px; ')}`, 25],
    ['of what is in it', `${lines(3)}<div data-last-page-bottom id="slip">Slip<p style="margin: 9px">text</div>`, 9],
    [
      'that collapse',
      `<main style="margin: 30px">${lines(60)}${SLIP.replace('style="', 'style="margin-bottom: 25px; ')}</main>`,
      30,
    ],
  ])('above margins %s, which add no page', async (_, body, px) => {
    const { bottom, page } = await endOf(html(body));
    expect(Math.abs(bottom - (BOTTOM - px * 0.75))).toBeLessThan(1);
    expect(await countPages(html(body))).toBe(page);
  });

  test('together with what follows it', async () => {
    const document = html(`${lines(60)}${SLIP}<p id="after">Thank you</p>`);
    const [slip, after] = [await endOf(document), await endOf(document, '#after')];
    expect(after.page).toBe(2);
    expect(Math.abs(after.bottom - BOTTOM)).toBeLessThan(1);
    expect(Math.abs(after.bottom - slip.bottom - 15)).toBeLessThan(1);
  });

  test.each([
    ['page numbers', { footerTemplate: '<span class="pageNumber" style="font-size: 9px"></span>' }],
    ['a scale', { scale: 0.6 }],
    ['landscape', { landscape: true }],
    ['page ranges', { pageRanges: '2-' }],
    ['tags', { tagged: true }],
  ])('with %s', async (_, options) => {
    const { bottom } = await endOf(html(lines(130) + SLIP), '#slip', options);
    const edge = 'landscape' in options ? 595.28 - 37.5 : BOTTOM;
    expect(Math.abs(bottom - edge)).toBeLessThan(1);
  });

  test.each([
    ['the body', 'body { zoom: 1.5; padding-bottom: 20px }', 30],
    ['a box around it', 'main { zoom: 0.5; padding-bottom: 20px }', 10],
    ['its own', '#slip { zoom: 2 }', 0],
  ])('also if it is enlarged by the zoom of %s', async (_, css, px) => {
    const { bottom } = await endOf(html(`<main><p style="margin-bottom: 30px">text</p>${lines(9)}${SLIP}</main>`, css));
    expect(Math.abs(bottom - (BOTTOM - px * 0.75))).toBeLessThan(1.1);
  });

  test('below a table with sums that are carried forward', async () => {
    const rows = Array.from({ length: 70 }, (_, n) => `<tr data-sum="${n}"><td>row ${n}`).join('');
    const foot = '<tfoot><tr data-on="not-last"><td data-carry="sum"></tfoot>';
    const document = html(`<table><thead><tr><th>Head</thead>${rows}${foot}</table>${SLIP}`);
    const found = await endOf(document);
    expect(found).toMatchObject({ page: 2, fragments: 1 });
    expect(Math.abs(found.bottom - BOTTOM)).toBeLessThan(1);
    expect(await countPages(document)).toBe(2);
  });

  test.each([0, 4, 33])('above footnotes, which take room when it has been moved (%i)', async (count) => {
    const note = '<p>text<span class="n">A note<br>of two lines.</span></p>';
    const css = '@page { @footnote { margin: 0; border: none; padding: 0; font-size: 16px } } .n { float: footnote }';
    const { bottom, fragments } = await endOf(html(lines(count) + note + SLIP, css));
    expect(fragments).toBe(1);
    expect(Math.abs(bottom - (BOTTOM - 2 * 20 * 0.75))).toBeLessThan(1);
  });

  test('that a script adds', async () => {
    const script = `<script>document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(SLIP)})</script>`;
    const found = await endOf(html(`<body>${lines(60)}${script}`));
    expect(found.page).toBe(2);
    expect(Math.abs(found.bottom - BOTTOM)).toBeLessThan(1);
  });

  test('in 40 documents of 1 to 12 pages of any height, without another page', { timeout: 240_000 }, async () => {
    let state = 7;
    const random = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * limit);
    };
    for (let n = 0; n < 40; n++) {
      const blocks = Array.from({ length: 1 + random(90) }, () => `<p style="height: ${(5 + random(3_000)) / 13}px">x</p>`);
      const slip = SLIP.replace('200px', `${50 + random(4_000) / 10}px`);
      const document = html(blocks.join('') + slip);
      const { bottom, page, fragments } = await endOf(document);
      expect(Math.abs(bottom - BOTTOM), document).toBeLessThan(1);
      expect(fragments).toBe(1);
      const pages = await countPages(document);
      expect(page).toBe(pages);
      expect(pages).toBe(await countPages(withoutPin(document)));
    }
  });

  test('is left where it is if it is higher than a page, or not shown', async () => {
    const high = html(`${lines(3)}${SLIP.replace('200px', '1500px')}`);
    expect(await countPages(high)).toBe(await countPages(withoutPin(high)));
    expect((await endOf(html(`<p>a${SLIP.replace('height', 'display: none; height')}`))).fragments).toBe(0);
  });
});
