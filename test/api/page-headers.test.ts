/** Headers and footers that are elements of the document, checked with pdf.js. */
import { describe, expect, test } from 'vitest';
import { carriedInvoice, findMistakes } from '../support/carried-invoices.ts';
import { Client, problem } from '../support/client.ts';
import { openPdf } from '../support/open-pdf.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { type ReadPdf, readPdfReply, type TextPosition } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';
import { unpackedText } from '../support/unpacked-text.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

async function render(html: string, options: object = {}): Promise<ReadPdf> {
  return readPdfReply(await service.pdf({ html, options }));
}

const STYLE = '<style>.corner { text-align: right; color: #008000; font: bold 20px Arimo }</style>';
const LINES = Array.from({ length: 120 }, (_, n) => `<p>line ${n}</p>`).join('');
const REPORT = `<!doctype html><html lang=en><title>Annual report</title>${STYLE}${LINES}`;
const HEADER =
  '<div class=corner><span class=title></span>, page <span class=pageNumber></span> of <span class=totalPages></span></div>';
const PX = 0.75;

function find(pdf: ReadPdf, page: number, text: RegExp): TextPosition {
  const place = pdf.placed[page - 1]?.find((each) => text.test(each.text));
  if (!place) throw new Error(`page ${page} holds no ${text}: ${JSON.stringify(pdf.placed[page - 1])}`);
  return place;
}

describe('header and footer', () => {
  test('have the styles of the document, and fields that are filled in', async () => {
    const pdf = await render(REPORT, { header: HEADER, footer: '<p>about:<span class=url></span>.</p>', margin: 'auto' });
    expect(pdf.pages.length).toBeGreaterThan(3);
    for (const [index, text] of pdf.pages.entries()) {
      expect(text).toContain(`Annual report, page ${index + 1} of ${pdf.pages.length}`);
      expect(text).toContain('about:.');
      expect(find(pdf, index + 1, /Annual/).x).toBeGreaterThan(300); // aligned by the style sheet
    }
    expect(pdf.fills).toContain('#008000');
    expect(pdf.fonts).toContain('Arimo-Bold');
  });

  test('do not repeat what margin boxes show, however important it is', async () => {
    const boxes = '<style>@page { margin: 30mm; @top-right { content: "box" !important } }</style>';
    const { pages } = await render(boxes + REPORT, { footer: '<p>foot</p>' });
    expect(pages.map((text) => text.match(/box|foot/g)?.sort())).toEqual(pages.map(() => ['box', 'foot']));
  });

  test('have the height that they need with an automatic margin', async () => {
    const high = '<div style="height: 200px">head</div>';
    const pdf = await render(REPORT, { header: { all: HEADER, first: high }, margin: 'auto' });
    const top = find(pdf, 1, /^line 0$/).y;
    expect(top).toBeGreaterThan(200 * PX);
    expect(top).toBeLessThan(200 * PX + 80);
    expect(Math.abs(find(pdf, 2, /^line/).y - top)).toBeLessThan(20); // every page has this margin
    const plain = await render(REPORT, { margin: 'auto' });
    expect(plain.pages).toEqual((await render(REPORT)).pages);
  });

  test('differ by page', async () => {
    const named = `${REPORT}<style>@page wide { size: A4 landscape } div { page: wide }</style><div>wide</div><p>end</p>`;
    const header = { all: 'H all.', first: 'H first.', last: 'H last.', left: 'H left.', pages: { wide: 'H wide.' } };
    const shown = (await render(named, { header, margin: '20mm' })).pages.map((text) => /H (\w+)\./.exec(text)?.[1]);
    expect(shown.length).toBeGreaterThan(5);
    const expected = shown.map((_, page) => (page % 2 ? 'left' : 'all'));
    expect(shown).toEqual(['first', ...expected.slice(1, -2), 'wide', 'last']);
  });

  test('are the same on hundreds of pages, which are printed with one font', async () => {
    const pages = Array.from({ length: 230 }, (_, n) => `<p style="break-after: page">text ${n + 1}`).join('');
    const reply = await service.pdf({ html: `${STYLE}${pages}<p>end`, options: { header: HEADER } });
    const pdf = await readPdfReply(reply.clone());
    expect(pdf.pages).toHaveLength(231);
    for (const [n, text] of pdf.pages.entries()) {
      expect(text).toMatch(n === 230 ? /^end\b/ : new RegExp(`^text ${n + 1}\\b`));
      expect(text).toContain(`page ${n + 1} of 231`);
    }
    const files = unpackedText(Buffer.from(await reply.arrayBuffer())).match(/\/FontFile2 \d+ 0 R/g);
    expect(files?.length).toBe(2); // of the text and of the headers, although these are printed in parts
  });

  test('can be empty on the first page', async () => {
    const [first, second] = (await render(REPORT, { header: { all: HEADER, first: '' }, margin: '20mm' })).pages;
    expect(first).not.toContain('Annual report');
    expect(second).toContain('Annual report');
  });

  test('number the pages of sections', async () => {
    const chapters = `${REPORT}<style>h1 { counter-reset: page 1; break-before: page }</style><h1>Chapter</h1>${LINES}`;
    const footer = '<p>S <span class=sectionPage></span> of <span class=sectionPages></span>.';
    const { pages } = await render(chapters, { footer, margin: 'auto' });
    const sections = pages.map((text) => /S (\d+) of (\d+)\./.exec(text)?.slice(1).map(Number));
    const start = pages.findIndex((text) => text.includes('Chapter'));
    expect(start).toBeGreaterThan(1);
    expect(sections).toEqual(
      pages.map((_, page) => (page < start ? [page + 1, start] : [page - start + 1, pages.length - start])),
    );
  });

  test('are above the text of the document, whatever it sets as margins', async () => {
    const rules =
      '<style>@page { margin: 3cm !important; @bottom-center { content: "box" } } @page :left { margin-top: 5cm }</style>';
    for (const options of [{}, { margin: '25mm' }, { scale: 0.7, margin: '25mm' }]) {
      const pdf = await render(rules + REPORT, { header: HEADER, ...options });
      for (let page = 1; page <= pdf.pages.length; page++) {
        expect(find(pdf, page, /Annual/).y).toBeLessThan(40);
        expect(find(pdf, page, /Annual/).x).toBeGreaterThan(250);
        expect(pdf.pages[page - 1]?.match(/box/g)).toEqual(['box']);
      }
    }
  });

  test.each([{}, { conformance: ['PDF/UA-1'] }])('have links (%o)', async (options) => {
    const header = '<p><a href="https://example.org/">example.org</a> <a href="#end">end</a> <a href="#nowhere">nowhere</a></p>';
    const html = `${REPORT}<h1 id="end">End</h1><p><a href="#end">up</a>`;
    await using opened = await openPdf(await client.rendered({ html, options: { header, margin: '20mm', ...options } }));
    const { document } = opened;
    for (let number = 1; number <= document.numPages; number++) {
      const links = (await (await document.getPage(number)).getAnnotations()).filter(({ rect }) => rect[1] > 841.9 - 56.7);
      expect(links.map(({ url, dest }) => url ?? dest)).toEqual(['https://example.org/', 'end']);
    }
    expect(document.numPages).toBeGreaterThan(2);
  });

  test('show images, and run no scripts', async () => {
    const image = `<img src="${PIXEL_URL}" style="height: 90px"><script>document.title = 'changed'</script>`;
    const pdf = await render(REPORT, { header: `${image}<b onclick="0" class=title></b>`, margin: 'auto' });
    expect(find(pdf, 1, /^line 0$/).y).toBeGreaterThan(90 * PX);
    expect(pdf.images).toBe(pdf.pages.length);
    expect(pdf.pages[0]).toContain('Annual report');
  });

  test.each(['<img src="missing.png">', '<img loading="lazy" src="https://platen.invalid/missing.png">'])(
    'are on the page although an image is missing: %s',
    async (image) => {
      const { pages, placed, sizes } = await render('<p>text', { footer: `${image}<p>foot</p>`, margin: 'auto' });
      const foot = placed[0]?.find(({ text }) => text === 'foot');
      expect(pages).toHaveLength(1);
      expect(foot?.y).toBeLessThan(sizes[0]?.height ?? 0);
    },
  );

  test('have a warning for each image that is missing', async () => {
    const images = ['missing.png', 'data:image/png;base64,AAAA', 'http://missing.invalid/a.png'];
    const header = images.map((src) => `<img src="${src}">`).join('');
    const { warnings } = await client.report({ html: '<p>text', options: { header, margin: 'auto' } });
    const missing = warnings.filter(({ kind }) => kind === 'resource_failed').map(({ url }) => url);
    expect(missing.toSorted()).toEqual(images.toSorted());
  });

  test('also without scripts, tagged, and on the pages that are asked for', async () => {
    const options = { header: HEADER, margin: 'auto', javascript: false, conformance: 'PDF/UA-1', pageRanges: '2-3' };
    const { pages } = await render(REPORT, options);
    expect(pages.map((text) => /page (\d+) of/.exec(text)?.[1])).toEqual(['2', '3']);
  });

  test('with sums that are carried forward', async () => {
    const invoice = carriedInvoice(90);
    const { pages } = await render(invoice.html, { header: HEADER, margin: 'auto', format: 'A5' });
    expect(findMistakes(invoice, pages)).toEqual([]);
    expect(pages.every((text) => text.includes('Invoice, page'))).toBe(true);
  });

  test('in a template', async () => {
    const body = { template: '<p>Dear {{name}}', data: { name: 'Ada' }, options: { header: '<i>head</i>' } };
    const { template_id } = await new Client(service.url, service.key).template(body.template);
    const pdf = await readPdfReply(await service.pdf({ template_id, data: body.data, options: body.options }));
    expect(pdf.pages[0]).toContain('Dear Ada');
    expect(pdf.pages[0]).toContain('head');
  });
});

describe('they are refused', () => {
  const cases: Array<[string, object, RegExp]> = [
    [
      'together with a template',
      { header: 'x', headerTemplate: 'x' },
      /options.header: cannot be combined with options.headerTemplate/,
    ],
    ['without markup', { footer: {} }, /options.footer: has no markup/],
    ['with unknown members', { header: { even: 'x' } }, /options.header/],
  ];
  test.each(cases)('%s', async (_, options, detail) => {
    expect((await problem(await service.pdf({ html: REPORT, options }), 400, 'invalid_request')).detail).toMatch(detail);
  });

  test('if they are higher than their margin', async () => {
    const options = { footer: '<div style="height: 90px">x', margin: '1cm' };
    const found = await problem(await service.pdf({ html: REPORT, options }), 422, 'print_failed');
    expect(found.detail).toMatch(/^options\.footer: it is 90 CSS pixels high, and the margin is 3[78]: send margin: "auto"/);
  });
});
