/** PDFs without finishing have the same bytes for the same request, and name their producer. */
import { describe, expect, test } from 'vitest';
import { normalizeElementIds } from '../../src/pdf/edit/normalize-element-ids.ts';
import { normalizeInfoDictionary, withMetadata } from '../../src/pdf/edit/normalize-info-dictionary.ts';
import { RawFile } from '../../src/pdf/objects/raw-file.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { DOCUMENT, inChunks, TAGGED } from '../support/finishing.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { RawPrinter } from '../support/raw-printer.ts';
import { readFinished } from '../support/read-finished.ts';
import { eventually } from '../support/service.ts';

const printer = await RawPrinter.start().then(closeAfterAll);
const plain = await printer.print(DOCUMENT);

const dateOf = (pdf: Buffer) => /CreationDate \((.*)\)/.exec(pdf.toString('latin1'))?.[1];

function normalized(pdf: Buffer, size?: number): Buffer {
  const pieces = inChunks(pdf, size);
  normalizeInfoDictionary(pieces);
  return Buffer.concat(pieces);
}

describe('identity', () => {
  test.each([
    ['plain', {}],
    ['tagged, with an outline', TAGGED],
  ])('produces the same bytes at different times (%s)', async (_name, options) => {
    const first = await printer.print(DOCUMENT, options);
    let second = first;
    await eventually('the next second', async () => {
      second = await printer.print(DOCUMENT, options);
      return dateOf(second) !== dateOf(first);
    });
    expect(second.equals(first)).toBe(false);
    expect(normalized(second).equals(normalized(first))).toBe(true);
  });

  test('counts ids of header cells from one in every print', async () => {
    const html = `<title>x</title><img alt=node00000007 src="${PIXEL_URL}"><table><tr><th scope=col>A<th scope=col>B<tr><td>a<td>b</table><p>(node00000007)`;
    const first = await printer.print(html, TAGGED);
    // A browser that has printed before continues its own count.
    const another = first.toString('latin1').replace(/(?<!Alt )\(node000000(\d\d)\)/g, (_, id) => `(node000001${id})`);
    const prints = [first, Buffer.from(another, 'latin1')];
    const ids = (pdf: Buffer) => pdf.toString('latin1').match(/\/ID \(\w+\)|\[\(\w+\)[^\]]*\]/g);
    expect(ids(prints[0] as Buffer)).not.toEqual(ids(prints[1] as Buffer));
    for (const [index, pdf] of prints.entries()) {
      const pieces = inChunks(pdf, 100 + index);
      await normalizeElementIds(pieces);
      prints[index] = normalized(Buffer.concat(pieces));
    }
    expect(prints[0]?.equals(prints[1] as Buffer)).toBe(true);
    expect(ids(prints[0] as Buffer)).toEqual(
      expect.arrayContaining(['/ID (node00000001)', '/ID (node00000002)', '[(node00000001)]', '[(node00000001) (node00000002)]']),
    );
    expect(prints[0]?.toString('latin1')).toContain('/Alt (node00000007)');
  });

  test('names Platen without dates, and keeps the title and all other bytes', async () => {
    const pdf = normalized(plain);
    expect(pdf).toHaveLength(plain.length);
    const { info, texts } = await readFinished(pdf);
    expect(info).toMatchObject({ Title: 'Quarterly “report” №1', Creator: 'Platen', Producer: 'Platen' });
    expect(info).not.toHaveProperty('CreationDate');
    expect(info).not.toHaveProperty('ModDate');
    expect(texts.join(' ')).toContain('Żółw, Ελληνικά');
    const body = plain.indexOf('endobj');
    expect(pdf.subarray(body).equals(plain.subarray(body))).toBe(true);
  });

  test('works wherever the chunks are split', () => {
    for (let size = 1; size < 400; size += 7) expect(normalized(plain, size).equals(normalized(plain)), `${size}`).toBe(true);
  });

  test('keeps a title that looks like an entry', async () => {
    const title = 'endobj /Producer (Skia/PDF m1) /ModDate (D:2024)';
    const pdf = normalized(await printer.print(`<title>${title}</title><p>x`));
    const { info } = await readFinished(pdf);
    expect(info).toMatchObject({ Title: title, Producer: 'Platen' });
    expect(info).not.toHaveProperty('ModDate');
  });

  test('adds metadata wherever the chunks are split, with correct offsets', async () => {
    const metadata = { author: 'Zoë )>>', keywords: ['one', 'two'] };
    const expected = Buffer.concat(withMetadata(inChunks(normalized(plain)), metadata));
    for (let size = 1; size < 400; size += 13)
      expect(Buffer.concat(withMetadata(inChunks(normalized(plain), size), metadata)).equals(expected), `${size}`).toBe(true);
    const { info, texts } = await readFinished(expected);
    expect(info).toMatchObject({ Title: 'Quarterly “report” №1', Author: 'Zoë )>>', Keywords: 'one, two', Creator: 'Platen' });
    expect(texts.join(' ')).toContain('Żółw, Ελληνικά');
    const file = new RawFile(expected); // throws if the offsets in its cross-reference table are wrong
    const raw = Array.from({ length: file.size }, (_, id) => file.whole(id)?.toString('latin1', 0, 16));
    expect(raw.filter((object) => object && !/^\d+ 0 obj/.test(object))).toEqual([]);
  });
});
