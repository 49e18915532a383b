/** The effect of each option on a PDF, checked with poppler and qpdf. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { outputOf, PrintedFiles } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);

const render = (html: string, options: object) => files.render(html, options);
const LINES = Array.from({ length: 150 }, (_, n) => `<p>line ${n}`).join('');
const REPORT = `<!doctype html><html lang="de-AT"><title>Jahresbericht</title><h1>Kapitel eins</h1>${LINES}<h2>Ein Teil</h2><ul><li>Punkt</ul><img alt="Bild" src="${PIXEL_URL}">`;

interface Word {
  text: string;
  left: number;
  top: number;
  bottom: number;
}

/** Returns the words of a page with their positions, in points from its upper left corner. */
async function words(file: string, page: number): Promise<Word[]> {
  const xml = await outputOf('pdftotext', '-bbox', '-f', `${page}`, '-l', `${page}`, file, '-');
  return [...xml.matchAll(/<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="[\d.-]+" yMax="([\d.-]+)">([^<]*)</g)].map(
    ([, left, top, bottom, text]) => ({
      text: text ?? '',
      left: Number(left),
      top: Number(top),
      bottom: Number(bottom),
    }),
  );
}

async function text(file: string): Promise<string> {
  return (await outputOf('pdftotext', '-layout', file, '-')).replace(/\s+/g, ' ').trim();
}

const info = (file: string) => outputOf('pdfinfo', file);

/** Returns the objects of the document as text, as qpdf writes them. */
async function structure(file: string): Promise<string> {
  return outputOf('qpdf', '--qdf', '--object-streams=disable', '--no-original-object-ids', file, '-');
}

const file = await render(REPORT, {
  headerTemplate: '<span style="margin: auto" class="title"></span>',
  footerTemplate: '<span style="margin: auto"><span class="pageNumber"></span>/<span class="totalPages"></span></span>',
});

describe('header and footer', () => {
  test('are at the top of page 3, and at the bottom right with the page number', async () => {
    const all = await words(file, 3);
    const pages = Number(/Pages:\s+(\d+)/.exec(await info(file))?.[1]);
    expect(pages).toBeGreaterThan(3);
    expect(all.find((word) => word.text === 'Jahresbericht')?.top).toBeLessThan(50);
    expect(all.find((word) => word.text === `3/${pages}`)?.top).toBeGreaterThan(780);
  });

  test('do not overlap the text between them', async () => {
    const all = await words(file, 3);
    const lines = all.filter((word) => word.text === 'line');
    const [header, footer] = [all.find(({ text }) => text === 'Jahresbericht'), all.find(({ text }) => text.startsWith('3/'))];
    expect(Math.min(...lines.map(({ top }) => top))).toBeGreaterThan(header?.bottom ?? Number.POSITIVE_INFINITY);
    expect(Math.max(...lines.map(({ bottom }) => bottom))).toBeLessThan(footer?.top ?? 0);
  });
});

describe('tagged and outline', () => {
  test('writes language, title and tags', async () => {
    const file = await render(REPORT, { tagged: true });
    expect(await info(file)).toMatch(/Title:\s+Jahresbericht[\s\S]*Tagged:\s+yes/);
    expect(await structure(file)).toContain('/Lang (de-AT)');
    const tags = await outputOf('pdfinfo', '-struct-text', file);
    expect(tags).toMatch(/H1[\s\S]*Kapitel eins[\s\S]*H2[\s\S]*Ein Teil[\s\S]*LI[\s\S]*Punkt[\s\S]*Figure/);
  });

  test('writes bookmarks for the headings', async () => {
    const qdf = await structure(await render(REPORT, { outline: true }));
    expect(qdf).toMatch(/\/Title \(Kapitel eins\)/);
    expect(qdf).toMatch(/\/Title \(Ein Teil\)/);
  });

  test('writes no bookmarks without outline', async () => {
    const file = await render(REPORT, {});
    expect(await info(file)).toMatch(/Tagged:\s+no/);
    expect(await structure(file)).not.toContain('/Outlines');
  });
});

const TABLE: Array<[name: string, html: string, options: object, judge: (file: string) => Promise<unknown>, expected: unknown]> =
  [
    ['pageRanges', REPORT, { pageRanges: '2' }, async (file) => /Pages:\s+(\d+)/.exec(await info(file))?.[1], '1'],
    ['singlePage', LINES, { singlePage: true }, async (file) => /Pages:\s+(\d+)/.exec(await info(file))?.[1], '1'],
    [
      'mediaType',
      '<style>@media screen { p::after { content: " screen" } }</style><p>x',
      { mediaType: 'screen' },
      text,
      'x screen',
    ],
    [
      'colorScheme',
      '<style>@media (prefers-color-scheme: dark) { p::after { content: " dark" } }</style><p>x',
      { colorScheme: 'dark' },
      text,
      'x dark',
    ],
    ['viewport', '<script>document.write(innerWidth)</script>', { viewport: { width: 1_234, height: 600 } }, text, '1234'],
    ['locale', '<script>document.write((0.5).toLocaleString())</script>', { locale: 'de' }, text, '0,5'],
    ['timezone', '<script>document.write(new Date(0).getHours())</script>', { timezone: 'Asia/Tokyo' }, text, '9'],
    ['javascript', '<p>x<script>document.write("ran")</script>', { javascript: false }, text, 'x'],
    ['addStyleTag', '<p>x', { addStyleTag: { content: 'p::after { content: " added" }' } }, text, 'x added'],
    ['addScriptTag', '<p>x', { addScriptTag: { content: 'document.querySelector("p").append(" added")' } }, text, 'x added'],
    [
      'waitForSelector',
      '<script>setTimeout(() => document.write("<b>late</b>"), 200)</script>',
      { waitForSelector: 'b' },
      text,
      'late',
    ],
    [
      'waitForFunction',
      '<p>x<script>setTimeout(() => { document.querySelector("p").append(" late"); window.there = 1 }, 200)</script>',
      { waitForFunction: 'window.there' },
      text,
      'x late',
    ],
    [
      'waitForTimeout',
      '<p>x<script>setTimeout(() => document.querySelector("p").append(" late"), 200)</script>',
      { waitForTimeout: 600 },
      text,
      'x late',
    ],
    ['userAgent', '<script>document.write(navigator.userAgent)</script>', { userAgent: 'Printer/1' }, text, 'Printer/1'],
    [
      'watermark',
      REPORT,
      { pageRanges: '1-2', watermark: { text: 'ENTWURF', pages: '2', rotate: 0 } },
      async (file) => Promise.all([1, 2].map(async (page) => (await words(file, page)).some((word) => word.text === 'ENTWURF'))),
      [false, true],
    ],
    [
      'watermark of an image',
      '<p>x',
      { watermark: { image: PIXEL_URL } },
      async (file) => (await outputOf('pdfimages', '-list', file)).trim().split('\n').length > 2,
      true,
    ],
    [
      'metadata',
      '<p>x',
      { metadata: { title: 'Titel – 漢字', author: 'A. U. Tor', subject: 'Über', keywords: ['a', 'b'], creator: 'ich' } },
      async (file) =>
        (await info(file))
          .split('\n')
          .slice(0, 6)
          .map((line) => line.replace(/\s+/g, ' ')),
      ['Title: Titel – 漢字', 'Subject: Über', 'Keywords: a, b', 'Author: A. U. Tor', 'Creator: ich', 'Producer: Platen'],
    ],
    [
      'attachments',
      '<p>x',
      { attachments: [{ name: 'ä.csv', type: 'text/csv', content: Buffer.from('a;b\n1;2').toString('base64') }] },
      async (file) => [
        (await outputOf('pdfdetach', '-list', file)).includes('ä.csv'),
        await outputOf('qpdf', '--show-attachment=ä.csv', file),
      ],
      [true, 'a;b\n1;2'],
    ],
    [
      'compress',
      LINES,
      { compress: true },
      async (file) => (await outputOf('qpdf', '--show-xref', file)).includes('compressed'),
      true,
    ],
    ['omitBackground', '<p>x', { omitBackground: true }, text, 'x'],
  ];

test.each(TABLE)('applies %s', async (_name, html, options, judge, expected) => {
  expect(await judge(await render(html, options))).toEqual(expected);
});

test('encrypts a PDF with a password so that poppler needs it', async () => {
  const response = await files.service.pdf({
    html: '<p>geheim',
    options: { password: { user: 'auf', owner: 'alles', permissions: ['print'] } },
  });
  expect(response.status).toBe(200);
  const file = `${await files.render('<p>x')}.locked.pdf`;
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  await expect(outputOf('pdftotext', file, '-')).rejects.toThrow(/Incorrect password/);
  for (const password of [
    ['-upw', 'auf'],
    ['-opw', 'alles'],
  ])
    expect((await outputOf('pdftotext', ...password, file, '-')).trim()).toBe('geheim');
  expect(await outputOf('qpdf', '--show-encryption', '--password=auf', file)).toMatch(
    /R = 6[\s\S]*print high resolution: allowed[\s\S]*modify anything: not allowed[\s\S]*AESv3/,
  );
});
