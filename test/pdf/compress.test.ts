/** Smaller PDFs: the same text at the same places in fewer bytes, read with pdf.js. */
import { describe, expect, test } from 'vitest';
import { readTables } from '../../src/fonts/font-tables.ts';
import { compressPrinted } from '../../src/pdf/compress/compress-printed.ts';
import { reduceFontProgram } from '../../src/pdf/compress/font-program.ts';
import { shortenText } from '../../src/pdf/compress/text-runs.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openPdf } from '../support/open-pdf.ts';
import { RawPrinter } from '../support/raw-printer.ts';
import { unpackStreams } from '../support/unpacked-text.ts';
import { BOOK, HINTED, VARIED } from '../support/varied-documents.ts';

const printer = await RawPrinter.start().then(closeAfterAll);

/** Places are compared to half a thousandth of a point. */
const DECIMALS = 3;

/** Everything that pdf.js reads of the text of all pages. */
async function readTexts(pdf: Uint8Array) {
  await using opened = await openPdf(pdf);
  const texts = [];
  for (let number = 1; number <= opened.document.numPages; number++) {
    const { items } = await (await opened.document.getPage(number)).getTextContent();
    texts.push(...items.filter((item) => 'str' in item));
  }
  return texts.map(({ str, dir, hasEOL, transform, width, height }) => ({
    words: [str, dir, hasEOL],
    box: [...(transform as number[]), width, height],
  }));
}

describe('a printed PDF', () => {
  test.each(Object.entries(VARIED))('has the same text in fewer bytes: %s', async (_, html) => {
    const printed = await printer.print(html);
    const compressed = compressPrinted(printed);
    expect(compressed.length).toBeLessThan(printed.length);
    expect(Buffer.from(compressPrinted(printed)).equals(compressed)).toBe(true);
    const [before, after] = [await readTexts(printed), await readTexts(compressed)];
    expect(before.length).toBeGreaterThan(0);
    expect(after.map(({ words }) => words)).toEqual(before.map(({ words }) => words));
    for (const [index, { box }] of after.entries())
      for (const [n, value] of box.entries()) expect(value).toBeCloseTo(before[index]?.box[n] ?? Number.NaN, DECIMALS);
  });

  test('has an array for each line of a book, and no move for each word', async () => {
    const printed = await printer.print(BOOK);
    const count = (pdf: Uint8Array, operator: string) =>
      unpackStreams(pdf).reduce((sum, stream) => sum + stream.toString('latin1').split(`${operator}\n`).length - 1, 0);
    expect(count(printed, 'Tj')).toBeGreaterThan(1_000);
    const compressed = compressPrinted(printed);
    expect(count(compressed, 'Tj')).toBe(0);
    expect(count(compressed, 'TJ')).toBeLessThan(count(printed, 'Tj') / 8);
    expect(compressed.length).toBeLessThan(printed.length * 0.75);
  });

  test('has fonts without instructions and with right checksums', async () => {
    const printed = await printer.print(HINTED);
    const fonts = (pdf: Uint8Array) =>
      unpackStreams(pdf).filter((stream) => stream.length > 1_000 && stream.readUInt32BE(0) === 0x10000);
    const names = (pdf: Uint8Array) => new Set(fonts(pdf).flatMap((font) => [...readTables(font).keys()]));
    expect(names(printed)).toContain('fpgm');
    const compressed = compressPrinted(printed);
    expect([...names(compressed)].sort()).toEqual(['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp']);
    for (const font of fonts(compressed)) expect(addNumbers(font)).toBe(0xb1b0afba);
  });

  test('keeps tags and marked content', async () => {
    const printed = await printer.print(BOOK, { tagged: true });
    const marks = (pdf: Uint8Array) =>
      unpackStreams(pdf).flatMap((stream) => stream.toString('latin1').match(/.*BDC$|^EMC$/gm) ?? []);
    const compressed = compressPrinted(printed);
    expect(marks(printed).length).toBeGreaterThan(20);
    expect(marks(compressed)).toEqual(marks(printed));
  });
});

/** The sum of a font, which its header makes the same for all fonts. */
function addNumbers(font: Buffer): number {
  let sum = 0;
  for (let at = 0; at < font.length; at += 4) sum = (sum + font.readUInt32BE(at)) >>> 0;
  return sum;
}

describe('text of a content stream', () => {
  const fonts = new Map([['F1', { widths: Float64Array.of(0, 500, 250), otherWidth: 1_000 }]]);
  const shorten = (...lines: string[]) => shortenText(Buffer.from(`${lines.join('\n')}\n`, 'latin1'), fonts)?.toString('latin1');
  const begin = ['BT', '/F1 10 Tf', '1 0 0 -1 5 6 Tm'];

  test('keeps the place of each glyph', () => {
    expect(shorten(...begin, '<0001> Tj', '5 0 Td <0001> Tj', '4.51 0 Td <0102> Tj', 'ET')).toBe(
      `${begin.join('\n')}\n[(\0\x01\0\x01)49<0102>]TJ\nET\n`,
    );
  });

  test('leaves letters alone that are as far apart as words', () => {
    const spaced = ['<0001> Tj', '4 0 Td <0001> Tj', '6 0 Td <0001> Tj', '7 0 Td <0001> Tj', 'ET'];
    expect(shorten(...begin, ...spaced, ...begin, '<0001> Tj', '7.01 0 Td <0001> Tj', 'ET')).toBe(
      `${[...begin, ...spaced, begin[0], begin[2]].join('\n')}\n[(\0\x01)-201(\0\x01)]TJ\nET\n`,
    );
  });

  test('moves from where the line began after marked content', () => {
    const marked = ['/Span <</MCID 1>>BDC', '3 1 Td <0001> Tj', 'EMC'];
    expect(shorten(...begin, '<0001> Tj', '6.01 0 Td <0001> Tj', ...marked, '2 0 Td <0002> Tj', 'ET')).toBe(
      `${begin.join('\n')}\n[(\0\x01)-101(\0\x01)]TJ\n${marked[0]}\n9.01 1 Td <0001> Tj\nEMC\n2 0 Td\n[(\0\x02)]TJ\nET\n`,
    );
  });

  test('keeps fonts of other kinds, and selects a font once until the state may change', () => {
    const other = ['BT', '/F9 10 Tf', '<41> Tj', '2 0 Td <42> Tj', 'ET'];
    expect(shorten(...other)).toBe(`${other.join('\n')}\n`);
    expect(
      shorten(...begin, '<0002> Tj', 'ET', ...begin, '<0002> Tj', 'ET', 'Q', ...begin, 'ET')?.split('/F1 10 Tf'),
    ).toHaveLength(3);
  });

  test.each(['5 TL', '1 Tc', '<00> Tj <01> Tj', '3 0 Td', "(a) '", '[<0001>] TJ', 'BT', '/F1 10 Tf 5 0 Td'])(
    'stays as it is with %s',
    (line) => expect(shorten(...begin, '<0001> Tj', line, 'ET')).toBeUndefined(),
  );
});

test('refuses a damaged font', () => {
  expect(() => reduceFontProgram(Buffer.alloc(40), 'Any')).toThrow();
});
