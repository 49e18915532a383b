/** Smaller PDFs show and say the same, checked with qpdf and poppler. */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { compressPrinted } from '../../src/pdf/compress/compress-printed.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';
import { RawPrinter } from '../support/raw-printer.ts';
import { BOOK, HINTED, VARIED } from '../support/varied-documents.ts';

const printer = await RawPrinter.start().then(closeAfterAll);
const files = await PrintedFiles.open().then(closeAfterAll);
const DPI = '150';
/** Of the box of a word, in points. */
const MAX_MOVED = 0.001;

async function pixels(file: string, password = ''): Promise<Buffer> {
  return (await run('pdftoppm', ['-r', DPI, '-upw', password, file], { encoding: 'buffer', maxBuffer: 1e9 })).stdout;
}

/** The words of all pages in their order, with their boxes. */
async function words(file: string) {
  const output = await outputOf('pdftotext', '-bbox', file, '-');
  return [...output.matchAll(/<word (.*)>(.*)<\/word>/g)].map(([, box = '', word]) => ({
    word,
    box: [...box.matchAll(/"([-\d.]+)"/g)].map(([, value]) => Number(value)),
  }));
}

async function expectSame(file: string, original: string): Promise<void> {
  expect((await pixels(file)).equals(await pixels(original))).toBe(true);
  const [after, before] = [await words(file), await words(original)];
  expect(after.map(({ word }) => word)).toEqual(before.map(({ word }) => word));
  const moved = after.flatMap(({ box }, n) => box.map((value, side) => Math.abs(value - (before[n]?.box[side] ?? Number.NaN))));
  expect(Math.max(0, ...moved)).toBeLessThan(MAX_MOVED);
  expect(await outputOf('pdftotext', '-raw', file, '-')).toBe(await outputOf('pdftotext', '-raw', original, '-'));
}

describe('a compressed PDF has the pixels, words and boxes of the printed one', () => {
  test.each(Object.entries(VARIED))('%s', async (_, html) => {
    const printed = await printer.print(html);
    await expectSame(await files.save(compressPrinted(printed)), await files.save(printed));
  });
});

describe('options have the same result with and without compression', () => {
  test.each<[string, string, object]>([
    ['none', BOOK, {}],
    ['tags and bookmarks', BOOK, { tagged: true, outline: true }],
    ['a watermark', HINTED, { watermark: { text: 'DRAFT' } }],
    ['a header and a footer', HINTED, { footerTemplate: '<i class="pageNumber"></i> Footer', margin: '20mm' }],
    ['conformance', VARIED.Arabic ?? '', { conformance: ['PDF/A-3a', 'PDF/UA-1'] }],
    ['form fields', '<h1>Form</h1><p>Name <input name="n" value="Ada"> <textarea name="t">long text</textarea>', { forms: true }],
  ])('%s', async (_, html, options) => {
    const [compressed, plain] = [
      await files.render(html, { ...options, compress: true }),
      await files.render(html, { ...options, compress: false }),
    ];
    await expectSame(compressed, plain);
    expect((await readFile(compressed)).length).toBeLessThan((await readFile(plain)).length);
    expect(await outputOf('pdfinfo', '-struct-text', compressed)).toBe(await outputOf('pdfinfo', '-struct-text', plain));
  });

  test('a password', async () => {
    const { service } = files;
    const pdf = await service.pdf({ html: BOOK, options: { password: 'secret' } }).then((reply) => reply.bytes());
    const plain = await files.render(BOOK, { compress: false });
    const encrypted = plain.replace(/\.pdf$/, '-encrypted.pdf');
    await writeFile(encrypted, pdf);
    await run('qpdf', ['--password=secret', '--check', encrypted]);
    expect((await pixels(encrypted, 'secret')).equals(await pixels(plain))).toBe(true);
  });
});
