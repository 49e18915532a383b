/** PDFs checked with poppler and qpdf: page size, text, images, fonts and validity. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { DrawnPixels } from '../support/drawn-pixels.ts';
import { PrintedFiles, run } from '../support/printed-files.ts';

const MM = 72 / 25.4;

const files = await PrintedFiles.open().then(closeAfterAll);

const render = (html: string, options?: object) => files.render(html, options);

async function pageSize(file: string): Promise<[number, number]> {
  const [, width, height] = /Page size:\s+([\d.]+) x ([\d.]+)/.exec((await run('pdfinfo', [file])).stdout) ?? [];
  return [Number(width), Number(height)];
}

describe('paper', () => {
  const papers: Array<[string, object, number, number]> = [
    ...(
      [
        ['A0', 841, 1189],
        ['A1', 594, 841],
        ['A2', 420, 594],
        ['A3', 297, 420],
        ['A4', 210, 297],
        ['A5', 148, 210],
        ['A6', 105, 148],
        ['Letter', 215.9, 279.4],
        ['Legal', 215.9, 355.6],
        ['Tabloid', 279.4, 431.8],
        ['Ledger', 431.8, 279.4],
      ] as Array<[string, number, number]>
    ).map(([format, width, height]): [string, object, number, number] => [format, { format }, width * MM, height * MM]),
    ['px', { width: 480, height: '640px' }, 360, 480],
    ['in', { width: '5in', height: '7.5in' }, 360, 540],
    ['cm', { width: '10cm', height: '12.5cm' }, 100 * MM, 125 * MM],
    ['mm', { width: '90mm', height: '55mm' }, 90 * MM, 55 * MM],
    ['pt', { width: '333pt', height: '444pt' }, 333, 444],
  ];

  test.each(papers)('has its exact size in %s, portrait and landscape', async (_name, options, width, height) => {
    for (const landscape of [false, true]) {
      const [wide, high] = await pageSize(await render('<p>x', { ...options, landscape }));
      // poppler prints six significant digits.
      expect(wide).toBe(Number((landscape ? height : width).toPrecision(6)));
      expect(high).toBe(Number((landscape ? width : height).toPrecision(6)));
    }
  });
});

describe('the edge of the paper', () => {
  /** Returns the last pixels before each edge of the first page, at 576 pixels per inch, on lines through its middle. */
  async function edges(file: string): Promise<string[][]> {
    const image = await DrawnPixels.of(file, { dpi: 576 });
    const { width, height } = image;
    const pixel = (x: number, y: number) => Buffer.from(image.pixel(x, y)).toString('hex');
    const [x, y] = [width >> 1, height >> 1];
    const last = Array.from({ length: 10 }, (_, n) => n);
    return [
      last.map((n) => pixel(x, n)),
      last.map((n) => pixel(width - 2 - n, y)), // the very last pixel is only partly on the page
      last.map((n) => pixel(x, height - 2 - n)),
      last.map((n) => pixel(n, y)),
    ];
  }

  const html =
    '<!doctype html><style>html { background: #ffff00 } body { margin: 0; height: 100vh; box-sizing: border-box; border: 1px solid #0000ff }</style>';
  const script = '<script>1</script>';

  test.each<[name: string, html: string, options: object]>([
    ['A4', html, { margin: 0 }],
    ['A4 with a script', html + script, { margin: 0 }],
    ['A5', html, { margin: 0, format: 'A5' }],
    ['A5 with a script', html + script, { margin: 0, format: 'A5' }],
    ['A6 in landscape', html, { margin: 0, format: 'A6', landscape: true }],
    ['an @page margin', `${html}<style>@page { margin: 0 }</style>`, {}],
    ['an @page margin and a script', `${html}<style>@page { margin: 0 }</style>${script}`, {}],
    ['an @page size', `${html}<style>@page { size: A5; margin: 0 }</style>`, {}],
    ['a label', html, { margin: 0, width: '57mm', height: '32mm' }],
    ['a single page', html.replace('100vh', '500px'), { margin: 0, width: '80mm', singlePage: true }],
  ])('is reached by background and border (%s)', async (_name, document, options) => {
    for (const edge of await edges(await render(document, options))) {
      expect(edge).toContain('0000ff');
      expect(edge).not.toContain('ffffff');
    }
  });
});

describe('content', () => {
  test('contains selectable text in order', async () => {
    const { stdout } = await run('pdftotext', [
      '-layout',
      await render('<h1>Grüße an Żółw</h1><p>Zweite Zeile: Ελληνικά, Привет</p>'),
      '-',
    ]);
    expect(stdout).toMatch(/Grüße an Żółw\s+Zweite Zeile: Ελληνικά, Привет/);
  });

  test('embeds a font from a data: URL', async () => {
    const cache = join(process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache'), 'platen');
    const name = (await readdir(cache, { recursive: true })).find((path) =>
      /^chromium-[\d.]+\/.*OpenSans-Italic\.ttf$/.test(path),
    );
    const font = (await readFile(join(cache, name as string))).toString('base64');
    const face = `<style>@font-face { font-family: Mine; src: url(data:font/ttf;base64,${font}) } p { font-family: Mine, monospace }</style>`;
    for (const markup of [`${face}<p>glyphs`, `${face}<script>document.write('<p>glyphs')</script>`]) {
      const fonts = (await run('pdffonts', [await render(markup)])).stdout;
      expect(fonts).toMatch(/OpenSans-?Italic\S*\s.*yes yes/);
      expect(fonts).not.toContain('Mono');
    }
  });

  test('is valid with tags, bookmarks, a header, a footer, and what is added after printing', async () => {
    const file = await render('<html lang="de-AT"><title>Bericht</title><h1>Kapitel eins</h1><ul><li>Punkt</ul>', {
      ...{ tagged: true, outline: true, compress: true, margin: '2cm' },
      headerTemplate: '<span style="font-size: 12px">Oben</span>',
      footerTemplate: '<span style="font-size: 12px" class="pageNumber"></span>',
      watermark: { text: 'ENTWURF', rotate: 0 },
      metadata: { title: 'Titel – 漢字', author: 'A. U. Tor' },
      attachments: [{ name: 'ä.csv', type: 'text/csv', content: Buffer.from('a;b').toString('base64') }],
    });
    expect((await run('pdfinfo', [file])).stdout).toMatch(/Title:\s+Titel – 漢字[\s\S]*Author:\s+A. U. Tor[\s\S]*Tagged:\s+yes/);
    expect((await run('pdfinfo', ['-struct-text', file])).stdout).toMatch(/H1[\s\S]*Kapitel eins[\s\S]*LI[\s\S]*Punkt/);
    const words = (await run('pdftotext', ['-layout', file, '-'])).stdout.match(/Oben|Kapitel|ENTWURF|^ *1$/gm);
    expect(words?.map((word) => word.trim())).toEqual(['Oben', 'Kapitel', 'ENTWURF', '1']);
    expect((await run('qpdf', ['--show-attachment=ä.csv', file])).stdout).toBe('a;b');
    const { stdout } = await run('qpdf', ['--qdf', '--object-streams=disable', '--no-original-object-ids', file, '-']);
    for (const entry of ['/Lang (de-AT)', '/Title (Kapitel eins)']) expect(stdout).toContain(entry);
  });

  test('prints 150 pages', async () => {
    const file = await render(
      Array.from({ length: 150 }, (_, n) => `<p style="break-before: ${n ? 'page' : 'auto'}">page ${n + 1}`).join(''),
    );
    expect((await run('pdfinfo', [file])).stdout).toMatch(/Pages:\s+150/);
    expect((await run('pdftotext', ['-f', '150', '-l', '150', file, '-'])).stdout.trim()).toBe('page 150');
  });
});
