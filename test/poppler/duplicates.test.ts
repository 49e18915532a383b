/** Streams that a PDF would contain several times are stored once, checked with qpdf and poppler. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { readTables } from '../../src/fonts/font-tables.ts';
import { removeDuplicates } from '../../src/pdf/compress/remove-duplicates.ts';
import { bytesOf, Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';
import { RawPrinter } from '../support/raw-printer.ts';

const printer = await RawPrinter.start().then(closeAfterAll);
const files = await PrintedFiles.open().then(closeAfterAll);

/** 90 cards with the same shadows, on several pages. Their texts look like references. */
const CARDS = `<!doctype html><html lang="en"><title>Cards (12 0 R)</title><style>
div { display: inline-block; width: 180px; height: 60px; margin: 14px; box-shadow: 0 4px 6px -1px #0003, 0 2px 4px -2px #0003 }
</style><h1>See 12 0 R</h1>${Array.from({ length: 90 }, (_, n) => `<div>Card ${n} 0 R</div>`).join('')}`;

const SANS_SERIF = '<style>p { font-family: sans-serif }</style>';

/** A picture with transparency, as a `data:` URL that the browser does not recognize as the same picture. */
function picture(comment: string): string {
  const png = new PNG({ width: 60, height: 60 });
  for (const index of png.data.keys()) png.data[index] = (index * 2_654_435_761) >>> 24;
  return `data:image/png;name=${comment};base64,${PNG.sync.write(png).toString('base64')}`;
}

async function imageObjects(file: string): Promise<{ drawn: number; stored: number }> {
  const rows = (await outputOf('pdfimages', '-list', file)).trimEnd().split('\n').slice(2);
  return { drawn: rows.length, stored: new Set(rows.map((row) => row.trim().split(/\s+/)[10])).size };
}

async function pixels(file: string): Promise<Buffer> {
  return (await run('pdftoppm', ['-r', '100', file], { encoding: 'buffer', maxBuffer: 1e9 })).stdout;
}

describe('a printed PDF', () => {
  test.each([
    ['shadows', CARDS],
    ['pictures with transparency', [1, 2, 3].map((n) => `<img src="${picture(`p${n}`)}">`).join('')],
  ])('has the same pixels without duplicate %s', async (name, html) => {
    const printed = await printer.print(html);
    const [before, after] = [await files.save(printed), await files.save(removeDuplicates(printed))];
    const [many, few] = [await imageObjects(before), await imageObjects(after)];
    expect(few.drawn, name).toBe(many.drawn);
    expect(few.stored).toBeLessThan(many.stored / 2);
    expect((await pixels(after)).equals(await pixels(before))).toBe(true);
    expect(await outputOf('pdftotext', after, '-')).toBe(await outputOf('pdftotext', before, '-'));
    expect(await outputOf('pdfinfo', after)).toContain((await outputOf('pdfinfo', before)).split('\n')[0] ?? '?');
  });

  test('stays as it is if it has none', async () => {
    const printed = await printer.print(`<h1>One</h1><img src="${picture('one')}"><img src="${picture('one')}">`);
    expect(removeDuplicates(printed)).toBe(printed);
  });
});

describe('a render', () => {
  test.each([
    ['without options', undefined],
    ['that is tagged', { tagged: true }],
    ['with a watermark', { watermark: { text: 'DRAFT' } }],
    ['that claims conformance', { conformance: ['PDF/A-3a', 'PDF/UA-1'] }],
  ])('%s stores equal shadows once, with the same bytes each time', async (_, options) => {
    const file = await files.render(CARDS, options);
    const { drawn, stored } = await imageObjects(file);
    expect(drawn).toBeGreaterThanOrEqual(180);
    expect(stored).toBeLessThan(60);
    expect(await outputOf('pdfinfo', file)).toMatch(/Title: +Cards \(12 0 R\)\n/);
    expect(await outputOf('pdftotext', file, '-')).toContain('See 12 0 R');
    expect(await outputOf('cmp', file, await files.render(CARDS, options))).toBe('');
  });
});

describe('a merged PDF', () => {
  test('stores a picture and a face once for all documents', async () => {
    const html = (name: string) =>
      `<h1>${name}</h1><img src="${picture('same')}"><p style="font-family: serif">${name} – ${name}`;
    const { file, alone } = await merge(['abc', 'Übergröße', 'Ελλάδα fi'].map(html));
    expect(await imageObjects(file)).toEqual({ drawn: 6, stored: 1 }); // a picture and its mask on each page
    expect((await facesIn(file)).toSorted()).toEqual(['Tinos-Bold', 'Tinos-Regular']);
    expect(await outputOf('pdftotext', file, '-')).toMatch(/abc – abc[\s\S]*Übergröße – Übergröße[\s\S]*Ελλάδα fi – Ελλάδα fi/);
    expect((await pixels(file)).equals(alone)).toBe(true);
  });

  test('stores a face once if only some documents are large enough to be compressed', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, n) => `${n * n} is ${n} * ${n}, `);
    const { file, alone } = await merge(['<p>small 1 2', `<p>${numbers.join('')}`].map((body) => SANS_SERIF + body));
    expect(await facesIn(file)).toEqual(['Arimo-Regular']);
    expect((await pixels(file)).equals(alone)).toBe(true);
  });

  test('keeps faces of one name apart if they have different glyphs', async () => {
    const font = await readFile(
      createRequire(import.meta.url).resolve('@expo-google-fonts/cousine/400Regular/Cousine_400Regular.ttf'),
    );
    const html = (bytes: Buffer) =>
      `<style>@font-face { font-family: Own; src: url(data:font/ttf;base64,${bytes.toString('base64')}) } p { font: 30px Own }</style><p>width`;
    const { file, alone } = await merge([html(font), html(widen(font)), html(font)]);
    expect(await facesIn(file)).toEqual(['Cousine-Regular', 'Cousine-Regular']);
    expect((await pixels(file)).equals(alone)).toBe(true);
  });
});

/** The batch of these documents as one PDF, and the pixels of each document by itself. */
async function merge(documents: string[]): Promise<{ file: string; alone: Buffer }> {
  const client = new Client(files.service.url, (await files.service.createKey()).key);
  const { batch_id } = await client.batch({ items: documents.map((html) => ({ html })) });
  const file = await files.save(await bytesOf(await client.get(`/v1/batches/${batch_id}.pdf`)));
  const alone = await Promise.all(documents.map(async (html) => pixels(await files.render(html))));
  return { file, alone: Buffer.concat(alone) };
}

/** The names of the fonts, without the tags of subsets. */
async function facesIn(file: string): Promise<string[]> {
  const lines = (await outputOf('pdffonts', file)).split('\n').slice(2).filter(Boolean);
  return lines.map((line) => line.replace(/^[A-Z]{6}\+/, '').split(' ')[0] ?? '');
}

/** A copy of a TrueType font with wider glyphs. */
function widen(font: Buffer): Buffer {
  const copy = Buffer.from(font);
  const tables = readTables(copy);
  const metrics = tables.get('hmtx') as Buffer;
  for (let n = 0; n < (tables.get('hhea') as Buffer).readUInt16BE(34); n++)
    metrics.writeUInt16BE(metrics.readUInt16BE(4 * n) + 300, 4 * n);
  return copy;
}
