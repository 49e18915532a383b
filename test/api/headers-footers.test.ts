/** What stands above and below the text of each page, and documents on one page, judged by pdf.js. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PIXEL_URL } from '../support/pixel.ts';
import { type Place, type ReadPdf, readPdfReply } from '../support/read-pdf.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function render(html: string, options: object = {}): Promise<ReadPdf> {
  return readPdfReply(await service.pdf({ html, options }));
}

const LINES = Array.from({ length: 120 }, (_, n) => `<p>line ${n}</p>`).join('');
const REPORT = `<!doctype html><title>Annual report</title>${LINES}`;
const HEADER = '<span style="margin: auto"><span class="title"></span>, confidential</span>';
const FOOTER = '<span style="margin: auto">page <span class="pageNumber"></span> of <span class="totalPages"></span></span>';
const A4_HEIGHT = 842;
const PX = 0.75;

function find(pdf: ReadPdf, page: number, text: RegExp): Place {
  const place = pdf.placed[page - 1]?.find((each) => text.test(each.text));
  if (!place) throw new Error(`page ${page} holds no ${text}: ${JSON.stringify(pdf.placed[page - 1])}`);
  return place;
}

describe('headerTemplate and footerTemplate', () => {
  let pdf: ReadPdf;
  beforeAll(async () => {
    pdf = await render(REPORT, { headerTemplate: HEADER, footerTemplate: FOOTER });
  });

  test('stand at the top and bottom of every page, with title and numbers filled in', () => {
    expect(pdf.pages.length).toBeGreaterThan(3);
    for (let page = 1; page <= pdf.pages.length; page++) {
      expect(find(pdf, page, /Annual report/).y).toBeLessThan(45);
      expect(find(pdf, page, /Annual report/).x).toBeGreaterThan(200); // in the middle
      expect(pdf.pages[page - 1]).toContain(`page ${page} of ${pdf.pages.length}`);
      expect(find(pdf, page, /^page/).y).toBeGreaterThan(A4_HEIGHT - 45);
    }
  });

  test('never overlap the text', () => {
    for (let page = 1; page <= pdf.pages.length; page++) {
      const lines = (pdf.placed[page - 1] ?? []).filter(({ text }) => /^line/.test(text));
      expect(Math.min(...lines.map(({ y }) => y))).toBeGreaterThan(find(pdf, page, /Annual report/).y + 10);
      expect(Math.max(...lines.map(({ y }) => y))).toBeLessThan(find(pdf, page, /^page/).y - 10);
    }
  });

  test('nor do those that hold nothing but what is filled in', async () => {
    const filled = await render(REPORT, {
      headerTemplate: '<span style="margin: auto" class="title"></span>',
      footerTemplate: '<span style="margin: auto" class="pageNumber"></span>',
    });
    const lines = (filled.placed[2] ?? []).filter(({ text }) => /^line/.test(text));
    expect(Math.min(...lines.map(({ y }) => y))).toBeGreaterThan(find(filled, 3, /Annual report/).y + 10);
    expect(Math.max(...lines.map(({ y }) => y))).toBeLessThan(find(filled, 3, /^3$/).y - 10);
  });

  test('every line is there, once', () => {
    const text = pdf.pages.join(' ');
    for (let n = 0; n < 120; n++) expect(text.match(new RegExp(`line ${n}(?!\\d)`, 'g'))).toHaveLength(1);
  });

  test('a tall one pushes the text down, an image in it is there', async () => {
    const tall = await render(REPORT, {
      headerTemplate: `<div style="height: 200px"><img src="${PIXEL_URL}" style="width: 50px; height: 150px"></div>`,
    });
    expect(find(tall, 1, /line 0/).y).toBeGreaterThan(200 * PX);
    expect(tall.images).toBe(tall.pages.length);
  });

  test('one alone brings no other: nothing of Chromium stands at the other end', async () => {
    const headed = await render('<title>T</title><p>x', { headerTemplate: '<b>top</b>' });
    expect(headed.pages[0]?.split(' ').sort()).toEqual(['top', 'x']);
    const footed = await render('<title>T</title><p>x', { footerTemplate: '<b>bottom</b>' });
    expect(footed.pages[0]?.split(' ').sort()).toEqual(['bottom', 'x']);
  });

  test('a margin that was sent, and an @page margin, stay as they are', async () => {
    const sent = await render('<body style="margin: 0">x', { headerTemplate: '<i>h</i>', margin: { top: '50mm', left: 0 } });
    expect(find(sent, 1, /^x/).y).toBeGreaterThan(140);
    const ruled = await render('<style>@page { margin: 3in } body { margin: 0 }</style>x', { headerTemplate: '<i>h</i>' });
    expect(find(ruled, 1, /^x/).y).toBeGreaterThan(216);
  });

  test('scripts in them do not run, and the next document knows nothing of them', async () => {
    const headerTemplate =
      '<span id="a">safe</span><script>document.getElementById("a").textContent = "RAN"</script><img src="x" onerror="document.body.append(\'RAN\')">';
    const pdf = await render('<p>x', { headerTemplate });
    expect(pdf.pages[0]).toContain('safe');
    expect(pdf.pages[0]).not.toContain('RAN');
    expect((await render('<p>next')).pages).toEqual(['next']);
  });

  test("Chromium's own margin boxes count pages, too", async () => {
    const html = `<style>@page { margin: 2cm; @top-center { content: counter(page) " von " counter(pages) } }</style>${LINES}`;
    const pdf = await render(html);
    expect(find(pdf, 3, /von/).y).toBeLessThan(60);
    expect(pdf.pages[2]).toContain(`3 von ${pdf.pages.length}`);
  });
});

describe('the address of the document', () => {
  test('is nothing where the document was sent as markup', async () => {
    const pdf = await render('<p>x', { headerTemplate: '<span>[<span class="url"></span>]</span>' });
    expect(pdf.pages[0]).toBe('x []');
  });
});

describe('singlePage', () => {
  test('is as high as the document, whatever it says about pages', async () => {
    const html = `<style>@page { size: A5; margin: 4cm } h2 { break-before: page } body { margin: 0 }</style><div style="height: 2000px">a</div><h2>b</h2><p style="break-after: page">c<p>d`;
    const pdf = await render(html, { singlePage: true, margin: '10mm' });
    expect(pdf.pages).toEqual(['a b c d']);
    expect(pdf.sizes[0]?.width).toBeCloseTo(595, -1);
    expect(pdf.sizes[0]?.height).toBeGreaterThan(2000 * PX);
    expect(pdf.sizes[0]?.height).toBeLessThan(2300 * PX);
  });

  test('takes the width that is sent, and the next document its own paper', async () => {
    const pdf = await render(LINES, { singlePage: true, width: '80mm', scale: 0.5 });
    expect(pdf.pages).toHaveLength(1);
    expect(pdf.sizes[0]?.width).toBeCloseTo((80 * 72) / 25.4, 0);
    expect((await render('<p>next')).sizes[0]?.height).toBeCloseTo(A4_HEIGHT, 0);
  });

  test('with a header', async () => {
    const pdf = await render(LINES, { singlePage: true, headerTemplate: '<b>head</b>' });
    expect(pdf.pages).toHaveLength(1);
    expect(find(pdf, 1, /line 0/).y).toBeGreaterThan(find(pdf, 1, /head/).y + 10);
  });

  test('higher than 200 inches is 422', async () => {
    const response = await service.pdf({ html: '<div style="height: 30000px">x', options: { singlePage: true } });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'print_failed', detail: expect.stringContaining('200') });
  });
});

test('outline writes bookmarks from the headings, in a tagged PDF', async () => {
  const html = '<h1>One</h1><h2>One A</h2><p style="break-before: page">x<h1>Two</h1>';
  const pdf = await render(html, { outline: true });
  expect(pdf.outline).toEqual(['One', '  One A', 'Two']);
  expect(pdf.tagged).toBe(true);
  expect((await render(html)).outline).toEqual([]);
});
