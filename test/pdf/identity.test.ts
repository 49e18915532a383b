/** PDFs with nothing to finish: the same request gives the same bytes, and they say who made them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { normalizeInfoDictionary } from '../../src/pdf/edit/normalize-info-dictionary.ts';
import { DOCUMENT, inPieces, TAGGED } from '../support/finishing.ts';
import { RawPrinter } from '../support/raw-printer.ts';
import { readFinished } from '../support/read-finished.ts';
import { eventually } from '../support/service.ts';

let printer: RawPrinter;
let plain: Buffer;

beforeAll(async () => {
  printer = await RawPrinter.start();
  plain = await printer.print(DOCUMENT);
});
afterAll(() => printer.close());

const dateOf = (pdf: Buffer) => /CreationDate \((.*)\)/.exec(pdf.toString('latin1'))?.[1];

function settled(pdf: Buffer, size?: number): Buffer {
  const pieces = inPieces(pdf, size);
  normalizeInfoDictionary(pieces);
  return Buffer.concat(pieces);
}

describe('identity', () => {
  test.each([
    ['plain', {}],
    ['tagged, with an outline', TAGGED],
  ])('prints of two moments are the same bytes: %s', async (_name, options) => {
    const first = await printer.print(DOCUMENT, options);
    let second = first;
    await eventually('the next second', async () => {
      second = await printer.print(DOCUMENT, options);
      return dateOf(second) !== dateOf(first);
    });
    expect(second.equals(first)).toBe(false);
    expect(settled(second).equals(settled(first))).toBe(true);
  });

  test('names Platen and no date, keeps the title and every other byte', async () => {
    const pdf = settled(plain);
    expect(pdf).toHaveLength(plain.length);
    const { info, texts } = await readFinished(pdf);
    expect(info).toMatchObject({ Title: 'Quarterly “report” №1', Creator: 'Platen', Producer: 'Platen' });
    expect(info).not.toHaveProperty('CreationDate');
    expect(info).not.toHaveProperty('ModDate');
    expect(texts.join(' ')).toContain('Żółw, Ελληνικά');
    const body = plain.indexOf('endobj');
    expect(pdf.subarray(body).equals(plain.subarray(body))).toBe(true);
  });

  test('wherever the pieces are cut', () => {
    for (let size = 1; size < 400; size += 7) expect(settled(plain, size).equals(settled(plain)), `${size}`).toBe(true);
  });

  test('a title that looks like an entry stays as it is', async () => {
    const title = 'endobj /Producer (Skia/PDF m1) /ModDate (D:2024)';
    const pdf = settled(await printer.print(`<title>${title}</title><p>x`));
    const { info } = await readFinished(pdf);
    expect(info).toMatchObject({ Title: title, Producer: 'Platen' });
    expect(info).not.toHaveProperty('ModDate');
  });
});
