/** Streams that a PDF would contain several times are stored once, checked with qpdf and poppler. */
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { hasDuplicates, removeDuplicates } from '../../src/pdf/edit/remove-duplicates.ts';
import { bytesOf, Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { inChunks } from '../support/finishing.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';
import { RawPrinter } from '../support/raw-printer.ts';

const printer = await RawPrinter.start().then(closeAfterAll);
const files = await PrintedFiles.open().then(closeAfterAll);

/** 90 cards with the same shadows, on several pages. Their texts look like references. */
const CARDS = `<!doctype html><html lang="en"><title>Cards (12 0 R)</title><style>
div { display: inline-block; width: 180px; height: 60px; margin: 14px; box-shadow: 0 4px 6px -1px #0003, 0 2px 4px -2px #0003 }
</style><h1>See 12 0 R</h1>${Array.from({ length: 90 }, (_, n) => `<div>Card ${n} 0 R</div>`).join('')}`;

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
    expect(hasDuplicates(inChunks(printed))).toBe(false);
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

test('a merged PDF stores what its documents have in common once', async () => {
  const html = (name: string) => `<h1>${name}</h1><img src="${picture('same')}"><p style="font-family: serif">abcdefgh`;
  const items = ['abc', 'bca', 'cab'].map((name) => ({ html: html(name) }));
  const client = new Client(files.service.url, (await files.service.createKey()).key);
  const { batch_id } = await client.batch({ items });
  const merged = await bytesOf(await client.get(`/v1/batches/${batch_id}.pdf`));
  const file = await files.save(merged);
  expect(await imageObjects(file)).toEqual({ drawn: 6, stored: 1 }); // a picture and its mask on each page
  const fonts = (await outputOf('qpdf', '--qdf', '--object-streams=disable', file, '-')).match(/\/FontFile2 \d+ 0 R/g) ?? [];
  expect(fonts.length).toBeGreaterThan(3);
  expect(new Set(fonts).size).toBeLessThan(fonts.length);
  expect(await outputOf('pdftotext', file, '-')).toMatch(/abc[\s\S]*bca[\s\S]*cab/);
  const alone = await Promise.all(items.map(async (item) => pixels(await files.render(item.html))));
  expect((await pixels(file)).equals(Buffer.concat(alone))).toBe(true);
});
