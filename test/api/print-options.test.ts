/** The effect of print options on the PDF, checked with pdf.js. */
import { describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { type ReadPdf, readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();

const MM = 72 / 25.4;

async function render(html: string, options?: object): Promise<ReadPdf> {
  return readPdfReply(await service.pdf(options ? { html, options } : { html }));
}

async function renderWithQuery(html: string, options: Record<string, string>): Promise<ReadPdf> {
  const path = `/v1/pdf?${new URLSearchParams(options)}`;
  return readPdfReply(await new Client(service.url, service.key).send('POST', path, html, { 'content-type': 'text/html' }));
}

/** Compares the page size to within a hundredth of a point. */
function expectSize(pdf: ReadPdf, width: number, height: number, page = 0): void {
  expect(pdf.sizes[page]?.width).toBeCloseTo(width, 2);
  expect(pdf.sizes[page]?.height).toBeCloseTo(height, 2);
}

const SCRIPT = '<script>1</script>';

describe('paper', () => {
  const formats: Array<[string, number, number]> = [
    ['A0', 841 * MM, 1189 * MM],
    ['A1', 594 * MM, 841 * MM],
    ['A2', 420 * MM, 594 * MM],
    ['A3', 297 * MM, 420 * MM],
    ['A4', 210 * MM, 297 * MM],
    ['A5', 148 * MM, 210 * MM],
    ['A6', 105 * MM, 148 * MM],
    ['Letter', 612, 792],
    ['Legal', 612, 1008],
    ['Tabloid', 792, 1224],
    ['Ledger', 1224, 792],
  ];

  test.each(formats)('%s is exact, portrait, landscape and in any case', async (format, width, height) => {
    expectSize(await render('<p>x', { format }), width, height);
    expectSize(await render(`<p>x${SCRIPT}`, { format }), width, height);
    expectSize(await render('<p>x', { format: format.toLowerCase(), landscape: true }), height, width);
    expectSize(await render('<style>@page { size: 50mm 60mm }</style><p>x', { format: format.toUpperCase() }), width, height);
  });

  test.each(['<p>x', `<p>x${SCRIPT}`, '<style>@page { margin: 0 }</style><p>x', ''])('is A4 by default (%s)', async (html) =>
    expectSize(await render(html), 210 * MM, 297 * MM),
  );

  const SIZES: Array<[size: string, width: number, height: number]> = [
    ['57mm 32mm', 57 * MM, 32 * MM],
    ['10.1cm 15.3cm', 101 * MM, 153 * MM],
    ['148mm', 148 * MM, 148 * MM],
    ['A5 landscape', 210 * MM, 148 * MM],
    ['landscape B5', 250 * MM, 176 * MM],
    ['JIS-B4', 257 * MM, 364 * MM],
    ['301.5pt 404q', 301.5, 101 * MM],
    ['33.3pc 5.37in', 399.6, 386.64],
    ['401px 303px', 300.75, 227.25],
    ['595pt 842pt', 595, 842],
  ];
  test.each(SIZES)('@page { size: %s } is exact, with and without a script', async (size, width, height) => {
    const html = `<style>@media print { @page { size: ${size}; margin: 0 } }</style><p>x`;
    expectSize(await render(html), width, height);
    expectSize(await render(html + SCRIPT), width, height);
    expectSize(await render(html, { javascript: false }), width, height);
  });

  test('is exact for each page with its own size, on any number of pages', async () => {
    const pages = Array.from({ length: 60 }, (_, n) => `<div style="page: ${n % 2 ? 'label' : 'sheet'}">${n}</div>`).join('');
    const html = `<style>@page label { size: 100mm 62mm } @page sheet { size: A5 }</style>${pages}`;
    const pdf = await render(html);
    expect(pdf.pages).toHaveLength(60);
    for (const page of pdf.pages.keys()) {
      const [width, height] = page % 2 ? [100, 62] : [148, 210];
      expectSize(pdf, width * MM, height * MM, page);
    }
  });

  test.each([
    ['A5', {}],
    ['A5', { landscape: true }],
    ['A6', { landscape: true }],
    ['A4', {}],
  ])('does not move the drawn content: %s %o', async (format, options) => {
    const html = '<style>body { margin: 0; font: 20px sans-serif }</style><p style="margin: 0">top';
    const pdf = await render(html, { format, margin: 0, ...options });
    expect(pdf.firstText?.y).toBeCloseTo(13.5, 1); // This is the distance from the upper edge to the baseline of text of 20px.
  });

  test.each([
    ['100mm', '5cm', 100 * MM, 50 * MM],
    ['4in', '6.5in', 288, 468],
    ['400px', 300, 300, 225],
    ['300pt', '200pt', 300, 200],
    ['70.5pc', '8.267716535433071in', 846, 210 * MM],
  ])('accepts width %s and height %s', async (width, height, points, high) => {
    expectSize(await render('<p>x', { width, height }), points, high);
    expectSize(await render('<p>x', { width, height, landscape: true }), high, points);
  });

  const SPELLINGS: Array<[format: string, width: number, height: number]> = [
    ['A4 landscape', 297, 210],
    ['landscape a4', 297, 210],
    ['A4-L', 297, 210],
    ['A4-P', 210, 297],
    ['a5_Portrait', 148, 210],
    [' letter ', 215.9, 279.4],
    ['US Letter', 215.9, 279.4],
    ['us-legal landscape', 355.6, 215.9],
    ['DIN A5', 148, 210],
    ['A7', 74, 105],
    ['a10', 26, 37],
    ['B4', 250, 353],
    ['ISO B5', 176, 250],
    ['JIS-B5', 182, 257],
    ['B4 (JIS)', 257, 364],
    ['C5', 162, 229],
    ['Executive', 184.15, 266.7],
  ];

  test.each(SPELLINGS)('is known as %s', async (format, width, height) => {
    expectSize(await render('<style>@page { size: 50mm 60mm }</style><p>x', { format }), width * MM, height * MM);
    expectSize(await renderWithQuery('<p>x', { format }), width * MM, height * MM);
  });

  const REFUSED: Array<[options: object, path: string, message: RegExp]> = [
    [{ format: 'A4 landscape', landscape: false }, 'options.landscape', /contradicts options.format, which says landscape/],
    [{ format: 'A4 portrait', landscape: true }, 'options.landscape', /contradicts options.format, which says portrait/],
    [{ format: 'Ledger landscape' }, 'options.format', /Ledger .* or Tabloid/],
    [{ format: 'A4 portrait landscape' }, 'options.format', /A0 to A10/],
    [{ format: 'US A4' }, 'options.format', /A0 to A10/],
    [{ format: 'constructor' }, 'options.format', /options.width and options.height/],
    [{ format: '8.5x11in' }, 'options.format', /options.width and options.height/],
    [{ width: 'auto', height: '10cm' }, 'options.width', /must be a length/],
    [{ width: '50%', height: '10cm' }, 'options.width', /must be a length/],
    [{ width: '8cm', height: '10 furlongs' }, 'options.height', /must be a length.*"auto"/],
    [{ width: '8cm', height: 'auto', singlePage: false }, 'options.height', /singlePage/],
    [{ height: 'auto', pageRanges: '1' }, 'options.pageRanges', /"auto", which prints one page/],
  ];

  test.each(REFUSED)('is refused for %j', async (options, path, message) => {
    const { errors } = await problem(await service.pdf({ html: '<p>x', options }), 400, 'invalid_request');
    expect(errors).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test('A4 landscape goes with landscape: true', async () =>
    expectSize(await render('<p>x', { format: 'A4 landscape', landscape: true }), 297 * MM, 210 * MM));

  test.each<[object, number]>([
    [{ width: '80mm', height: 'auto' }, 80],
    [{ width: '80mm', height: ' Auto', singlePage: true }, 80],
    [{ format: 'A5', height: 'auto' }, 148],
    [{ format: 'A5 landscape', height: 'auto' }, 210],
    [{ height: 'auto' }, 210],
  ])('is as high as the document with %j', async (options, width) => {
    const rows = Array.from({ length: 100 }, (_, n) => `<p>row ${n}`).join('');
    const { pages, sizes } = await render(rows, options);
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain('row 99');
    expect(sizes[0]?.width).toBeCloseTo(width * MM, 1);
  });

  test.each([
    ['8.5 in.', '11"'],
    ['8.5inches', '66pc'],
    ['8.5″', '1117.6q'],
    ['215.9 MM', '11 Inch'],
  ])('accepts width %s and height %s in other units', async (width, height) =>
    expectSize(await render('<p>x', { width, height }), 612, 792),
  );

  test('uses an @page size in the markup unless format, width or height was sent', async () => {
    const html = '<style>@page { size: A5 }</style><p>x';
    expectSize(await render(html), 148 * MM, 210 * MM);
    expectSize(await render(html, { landscape: true }), 148 * MM, 210 * MM);
    expectSize(await render(html, { format: 'A3' }), 297 * MM, 420 * MM);
    expectSize(await render(html, { width: '3in', height: '4in' }), 216, 288);
    expectSize(await render(html, { format: 'A3', preferCSSPageSize: true }), 148 * MM, 210 * MM);
    expectSize(await render(html, { preferCSSPageSize: false }), 210 * MM, 297 * MM);
  });

  test.each([
    '@page { size: A3 !important }',
    '@page :first { size: A3 !important }',
    '@page wide { size: A3 !important } p { page: wide }',
    '@page wide:first { size: A3 !important } @page { size: 30mm 30mm !important } p { page: wide }',
    '@media print { @page { size: A3 !important; margin: 3cm !important } }',
    '@import url("data:text/css,@page{size:A3!important}");',
  ])('prefers an option over %s', async (rule) => {
    const html = `<!doctype html><title>x</title><style>${rule}</style><p>x`;
    const script =
      '<script>{ const s = new CSSStyleSheet(); s.replaceSync("@page { size: A2 !important }"); document.adoptedStyleSheets = [s] }</script>';
    expectSize(await render(html, { format: 'A5' }), 148 * MM, 210 * MM);
    expectSize(await render(html + script, { format: 'A5' }), 148 * MM, 210 * MM);
    expectSize(await render(html + script, { width: '100mm', height: '50mm', margin: 0 }), 100 * MM, 50 * MM);
  });

  test('is not affected by a policy against style elements', async () => {
    const html =
      '<!doctype html><meta http-equiv="Content-Security-Policy" content="style-src data:"><link rel="stylesheet" href="data:text/css,@page{size:A5}">';
    expectSize(await render(`${html}<p>x`), 148 * MM, 210 * MM);
    expectSize(await render(`${html}<p>x`, { margin: 0 }), 148 * MM, 210 * MM);
    expectSize(await render(`${html}<p>x`, { format: 'A3' }), 297 * MM, 420 * MM);
  });

  test('@page { size: landscape } rotates the default paper', async () => {
    expectSize(await render('<style>@page { size: landscape }</style><p>x'), 297 * MM, 210 * MM);
  });

  test('lays out the document for the paper of the option', async () => {
    const html = '<style>@page { size: A6; margin: 0 } body { margin: 0; text-align: right }</style><p>edge';
    const pdf = await render(html, { format: 'A3' });
    expect(pdf.firstText?.x).toBeGreaterThan(297 * MM - 60);
  });

  test('named @page rules rotate single pages', async () => {
    const pdf = await render('<style>@page wide { size: A4 landscape } div { page: wide }</style><p>one</p><div>two</div>');
    expectSize(pdf, 210 * MM, 297 * MM, 0);
    expectSize(pdf, 297 * MM, 210 * MM, 1);
  });
});

describe('margin', () => {
  const start = '<style>html, body { margin: 0; font: 20px sans-serif }</style>HELLO';
  const left = async (html: string, options?: object) => (await render(html, options)).firstText?.x ?? -1;

  test('is 0.4in by default', async () => expect(await left(start)).toBeCloseTo(0.4 * 72, -0.5));

  test('accepts one length for all sides, or one for each', async () => {
    expect(await left(start, { margin: '1in' })).toBeCloseTo(72, -0.5);
    expect(await left(start, { margin: 96 })).toBeCloseTo(72, -0.5);
    expect(await left(start, { margin: { left: '2in' } })).toBeCloseTo(144, -0.5);
    const pdf = await render(start, { margin: { top: '3in', left: '10mm' } });
    expect(pdf.firstText?.x).toBeCloseTo(10 * MM, -0.5);
    expect(pdf.firstText?.y).toBeGreaterThan(3 * 72);
    expect(pdf.firstText?.y).toBeLessThan(3 * 72 + 30);
  });

  test.each<[margin: string, top: number, right: number, bottom: number, left: number]>([
    ['10mm 15mm', 10, 15, 10, 15],
    ['10mm 15mm 30mm', 10, 15, 30, 15],
    ['10mm 20mm 30mm 40mm', 10, 20, 30, 40],
    ['1 cm 1.5 cm', 10, 15, 10, 15],
    ['0 96', 0, 25.4, 0, 25.4],
  ])('is read as in CSS: %s', async (margin, top, right, bottom, left) => {
    const box =
      '<!doctype html><style>body { margin: 0 }</style><body><div style="height: 100vh; position: relative">top<i style="position: absolute; right: 0; bottom: 0">end';
    const sides = { top: `${top}mm`, right: `${right}mm`, bottom: `${bottom}mm`, left: `${left}mm` };
    expect((await render(box, { margin })).placed).toEqual((await render(box, { margin: sides })).placed);
    expect((await renderWithQuery(box, { margin })).placed).toEqual((await render(box, { margin: sides })).placed);
  });

  test.each(['10mm, 15mm', '1mm 2mm 3mm 4mm 5mm', '10mm auto', 'none', '', '10 mm mm', '-1mm 2mm', ' '.repeat(300)])(
    'is refused as %j',
    async (margin) => {
      const { errors } = await problem(await service.pdf({ html: '<p>x', options: { margin } }), 400, 'invalid_request');
      expect(errors).toEqual([{ path: 'options.margin', message: expect.stringContaining('one to four lengths') }]);
    },
  );

  test('uses an @page margin in the markup unless margin was sent', async () => {
    const html = `<style>@page { margin: 2in }</style>${start}`;
    expect(await left(html)).toBeCloseTo(144, -0.5);
    expect(await left(html, { margin: '1in' })).toBeCloseTo(72, -0.5);
    expect(await left(html, { margin: 0 })).toBeCloseTo(0, -0.5);
    expect(await left(html.replace('2in', '2in !important'), { margin: '1in' })).toBeCloseTo(72, -0.5);
    expect(await left(html.replace('2in', '2in !important') + SCRIPT, { margin: '1in' })).toBeCloseTo(72, -0.5);
    expect(await left(html, { format: 'A3' })).toBeCloseTo(144, -0.5);
  });

  test('overrides an @page rule that is written with escapes or added by a script', async () => {
    expect(await left(`<style>@p\\61 ge { margin: 2in }</style>${start}`, { margin: '1in' })).toBeCloseTo(72, -0.5);
    const script =
      '<script>document.head.append(Object.assign(document.createElement("style"), { textContent: "@pa" + "ge { margin: 2in }" }))</script>';
    expect(await left(script + start, { margin: '1in' })).toBeCloseTo(72, -0.5);
  });
});

describe('content', () => {
  const html = `<style>body { background: #ff0000 } div { width: 50px; height: 50px; background: url(${PIXEL_URL}) 0 0 / 50px 50px no-repeat } </style><div></div><p>text`;

  test('prints background colours and images by default', async () => {
    const pdf = await render(html);
    expect(pdf.fills).toContain('#ff0000');
    expect(pdf.images).toBeGreaterThan(0);
  });

  test('omits backgrounds with printBackground: false', async () => {
    const pdf = await render(html, { printBackground: false });
    expect(pdf.fills).not.toContain('#ff0000');
    expect(pdf.images).toBe(0);
    expect(pdf.pages[0]).toBe('text');
  });

  test('contains text as text', async () => {
    const pdf = await render('<h1>Grüße, Żółw & co.</h1><p>Ελληνικά Привет');
    expect(pdf.pages[0]).toContain('Grüße, Żółw & co.');
  });

  test('changes the size of the content with scale', async () => {
    const long = '<p style="height: 30px; margin: 0">line</p>'.repeat(60);
    const at = async (scale: number) => (await render(long, { scale })).pages.length;
    expect(await at(0.5)).toBe(1);
    expect(await at(1)).toBe(2);
    expect(await at(2)).toBeGreaterThan(3);
  });

  test('prints only the pages in pageRanges', async () => {
    const pages = ['one', 'two', 'three', 'four'].map((text) => `<p style="break-after: page">${text}</p>`).join('');
    expect((await render(pages, { pageRanges: '2-3' })).pages).toEqual(['two', 'three']);
    expect((await render(pages, { pageRanges: ' 1 , 3- ' })).pages.slice(0, 3)).toEqual(['one', 'three', 'four']);
    expect((await render(pages, { pageRanges: '- 2' })).pages).toEqual(['one', 'two']);
    expect((await render(pages, { pageRanges: '2 -99999999999' })).pages.slice(0, 3)).toEqual(['two', 'three', 'four']);
  });

  test.each(['7', '1, 7', '2, 9-', '3-3'])(
    'pageRanges %s past the end returns 422 with the number of pages',
    async (pageRanges) => {
      const html = '<p>one<p style="break-before: page">two';
      const response = await service.pdf({ html, options: { pageRanges } });
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        code: 'print_failed',
        pages: 2,
        detail: expect.stringContaining('has 2 pages'),
      });
    },
  );

  test('says that numbers are pixels if the paper has no room for the content', async () => {
    const response = await service.pdf({ html: 'x', options: { width: 8.27, height: 11.7 } });
    expect((await problem(response, 422, 'print_failed')).detail).toMatch(/margins leave no room.*CSS pixels.*"8.27in"/);
  });

  test.each([
    ['1-9', ['one', 'two']],
    ['2-', ['two']],
    ['-1', ['one']],
  ])('pageRanges %s prints the existing pages', async (pageRanges, texts) => {
    expect((await render('<p>one<p style="break-before: page">two', { pageRanges })).pages).toEqual(texts);
  });

  test('writes tags with tagged, and otherwise none', async () => {
    expect((await render('<h1>x</h1>')).tagged).toBe(false);
    expect((await render('<h1>x</h1>', { tagged: true })).tagged).toBe(true);
  });

  test('applies print styles', async () => {
    const pdf = await render(
      '<style>@media print { .screen { display: none } } @media screen { .print { display: none } }</style><p class=screen>screen</p><p class=print>print</p>',
    );
    expect(pdf.pages[0]).toBe('print');
  });

  test('contains images from data: URLs, also lazy ones', async () => {
    expect((await render(`<img src="${PIXEL_URL}">`)).images).toBe(1);
    expect((await render(`<div style="height: 9000px"></div><img loading=lazy src="${PIXEL_URL}">`)).images).toBe(1);
    expect(
      (await render(`<script>const i = new Image(); i.src = "${PIXEL_URL}"; document.documentElement.append(i)</script>`)).images,
    ).toBe(1);
  });
});

describe('size', () => {
  test('renders HTML of 5 MB', async () => {
    const paragraph = `<p>${'word '.repeat(200)}</p>`;
    const head = '<style>p { font: 4px serif; margin: 0 }</style>';
    const html = head + paragraph.repeat(Math.floor((5_242_880 - head.length) / paragraph.length));
    expect(Buffer.byteLength(html)).toBeGreaterThan(5_241_000);
    const response = await service.pdf({ html, options: { timeout: 60_000 } });
    expect(response.status).toBe(200);
    const bytes = await response.arrayBuffer();
    expect(bytes.byteLength).toBe(Number(response.headers.get('content-length')));
    expect(Number(response.headers.get('platen-pages'))).toBeGreaterThan(50);
  });

  test('returns 413 with limit and size for one byte more', async () => {
    const response = await service.pdf({ html: `${'é'.repeat(5_242_880 / 2)}x` });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'content_too_large', limit: 5_242_880, actual: 5_242_881 });
  });

  test('prints 150 pages of a document in order', async () => {
    const html = Array.from({ length: 150 }, (_, n) => `<p style="break-before: ${n ? 'page' : 'auto'}">page ${n + 1}</p>`).join(
      '',
    );
    const response = await service.pdf({ html });
    expect(response.headers.get('platen-pages')).toBe('150');
    const pdf = await readPdfReply(response);
    expect(pdf.pages).toHaveLength(150);
    expect(pdf.pages[149]).toBe('page 150');
  });

  test('returns a PDF of many megabytes completely', async () => {
    const script = `<canvas id=c width=1500 height=1500></canvas><script>
      const x = c.getContext('2d'), d = x.createImageData(1500, 1500);
      for (let i = 0; i < d.data.length; i++) d.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
      x.putImageData(d, 0, 0)</script>`;
    const response = await service.pdf({ html: script });
    expect(response.status).toBe(200);
    const bytes = await response.arrayBuffer();
    expect(bytes.byteLength).toBeGreaterThan(5_000_000);
    expect(bytes.byteLength).toBe(Number(response.headers.get('content-length')));
    expect(Buffer.from(bytes).subarray(-6).toString()).toContain('%%EOF');
  });
});
