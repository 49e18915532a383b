/** What a comparison of two PDFs finds, and what it does not take for a difference. */
import { afterAll, describe, expect, test } from 'vitest';
import { type ComparisonOrder, PdfComparison } from '../../src/uploads/compare/compare-pdfs.ts';
import type { PageDifference } from '../../src/uploads/compare/compare-worker.ts';
import { type SmallPage, smallPdf } from '../support/small-pdf.ts';

const comparison = new PdfComparison({ processes: 3, lanes: 2 });
afterAll(() => comparison.close());

const compare = (before: Uint8Array, after: Uint8Array, more: Partial<ComparisonOrder> = {}) =>
  comparison.compare('owner', { before, after, ...more });
const comparePages = (before: SmallPage, after: SmallPage, more?: Partial<ComparisonOrder>): Promise<PageDifference[]> =>
  compare(smallPdf([before]), smallPdf([after]), more);
const only = (pages: PageDifference[]) => pages[0] as PageDifference;
const textPage = (text: string) => ({ content: `BT /F 12 Tf 20 100 Td (${text}) Tj ET` });
const brief = (pages: PageDifference[]) => pages.map(({ status, before, after }) => [status, before, after]);

/** A pixel, where 216 are drawn per inch. */
const PIXEL = 1 / 3;
const SEED = 20_260_139;

/** Numbers from 0 to 1, the same in each run. */
function* seededNumbers(): Generator<number, never> {
  for (let state = SEED; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state / 2_147_483_647;
  }
}

describe('finds', () => {
  test('40 of 40 seeded shifts of one pixel, where they are', async () => {
    const numbers = seededNumbers();
    const below = (most: number) => numbers.next().value * most;
    const shifts = Array.from({ length: 40 }, (_, index) => {
      const [x, y] = [20 + below(240), 20 + below(140)];
      const [dx = 0, dy = 0] = [
        [PIXEL, 0],
        [-PIXEL, 0],
        [0, PIXEL],
        [0, -PIXEL],
      ][index % 4] as number[];
      const draw = [
        (a: number, b: number) => `BT /F 9 Tf ${a} ${b} Td (Total ${index}) Tj ET`,
        (a: number, b: number) => `0.8 g ${a} ${b} ${10 + index} 8 re f`,
        (a: number, b: number) => `${a} ${b} m ${a + 30} ${b + 10} l S`,
      ][index % 3] as (a: number, b: number) => string;
      return { x, y, before: { content: draw(x, y) }, after: { content: draw(x + dx, y + dy) } };
    });
    const pages = await compare(smallPdf(shifts.map(({ before }) => before)), smallPdf(shifts.map(({ after }) => after)));
    const missed = pages.filter(({ status, pixels }) => status !== 'changed' || !pixels);
    expect(missed).toEqual([]);
    for (const [index, { x, y }] of shifts.entries())
      for (const area of pages[index]?.areas ?? []) {
        expect(area.x).toBeGreaterThan(x - 2);
        expect(area.x + area.width).toBeLessThan(x + 60);
        expect(200 - area.y - area.height).toBeGreaterThan(y - 4);
        expect(200 - area.y).toBeLessThan(y + 14);
      }
  });

  test('a hairline that becomes thicker', async () => {
    const line = (width: number) => ({ content: `${width} w 20 100 m 280 100 l S` });
    const page = only(await comparePages(line(0.25), line(0.5)));
    expect(page).toMatchObject({ status: 'changed', text: { removed: [], added: [] } });
    expect(page.areas).toHaveLength(1);
  });

  test('one character, with the lines before and after', async () => {
    const page = only(await comparePages(textPage('Total 1,000.00'), textPage('Total 1,000.01')));
    expect(page).toMatchObject({ status: 'changed', text: { removed: ['Total 1,000.00'], added: ['Total 1,000.01'] } });
    expect(page.areas).toHaveLength(1);
  });

  test('a color that differs by one step, unless that is tolerated', async () => {
    const square = (blue: number) => ({ content: `1 1 ${blue / 255} rg 30 30 60 60 re f` });
    const page = only(await comparePages(square(200), square(201)));
    expect(page).toMatchObject({ status: 'changed', pixels: 180 * 180, areas: [{ x: 30, y: 110, width: 60, height: 60 }] });
    expect(brief(await comparePages(square(200), square(201), { tolerance: 1 }))).toEqual([['same', 1, 1]]);
    expect(brief(await comparePages(square(200), square(202), { tolerance: 1 }))).toEqual([['changed', 1, 1]]);
  });

  test('a link that moves or leads elsewhere, although links are not drawn', async () => {
    const link = (x: number, uri: string) => ({
      ...textPage('A link'),
      annotations: [
        `<< /Type /Annot /Subtype /Link /Rect [${x} 90 80 120] /Border [0 0 0] /A << /S /URI /URI (https://${uri}.test/) >> >>`,
      ],
    });
    const moved = only(await comparePages(link(20, 'a'), link(25, 'a')));
    expect(moved).toMatchObject({ status: 'changed', pixels: 0, areas: [{ x: 20, y: 80, width: 60, height: 30 }] });
    expect(brief(await comparePages(link(20, 'a'), link(20, 'b')))).toEqual([['changed', 1, 1]]);
    expect(brief(await comparePages(link(20, 'a'), link(20, 'a')))).toEqual([['same', 1, 1]]);
  });

  test('another paper size, and what is beyond the smaller page', async () => {
    const page = only(await comparePages({ ...textPage('A'), size: [300, 200] }, { ...textPage('A'), size: [310, 200] }));
    expect(page).toMatchObject({ status: 'changed', width: 310, height: 200, areas: [{ x: 300, y: 0, width: 10, height: 200 }] });
  });

  test('areas that are apart, and no more than a few of many', async () => {
    const dots = (color: number, spots: number[][]) => ({
      content: spots.map(([x, y]) => `${color} g ${x} ${y} 2 2 re f`).join('\n'),
    });
    const corners = [
      [10, 10],
      [280, 10],
      [10, 180],
    ];
    expect(only(await comparePages(dots(0, corners), dots(1, corners))).areas).toHaveLength(3);
    const many = Array.from({ length: 300 }, (_, index) => [(index % 20) * 15, Math.floor(index / 20) * 13]);
    const { areas } = only(await comparePages(dots(0, many), dots(1, many)));
    expect(areas.length).toBeGreaterThan(0);
    expect(areas.length).toBeLessThanOrEqual(40);
  });
});

describe('pairs pages', () => {
  const texts = (...lines: string[]) => smallPdf(lines.map(textPage));

  test('with an added and a removed one in between', async () => {
    expect(brief(await compare(texts('a', 'b', 'c'), texts('a', 'new', 'b', 'c')))).toEqual([
      ['same', 1, 1],
      ['added', null, 2],
      ['same', 2, 3],
      ['same', 3, 4],
    ]);
    expect(brief(await compare(texts('a', 'b', 'c'), texts('b', 'c')))).toEqual([
      ['removed', 1, null],
      ['same', 2, 1],
      ['same', 3, 2],
    ]);
  });

  test('although their numbers differ', async () => {
    const numbered = (...lines: string[]) =>
      texts(...lines.map((line, index) => `${line}, page ${index + 1} of ${lines.length}`));
    expect(brief(await compare(numbered('a', 'b', 'c'), numbered('a', 'new', 'b', 'c')))).toEqual([
      ['changed', 1, 1],
      ['added', null, 2],
      ['changed', 2, 3],
      ['changed', 3, 4],
    ]);
  });
});

describe('takes for the same', () => {
  test('dates, ids and other metadata', async () => {
    const before = smallPdf([textPage('A')], '/CreationDate (D:20260101000000Z) /Title (One)');
    const after = smallPdf([textPage('A')], '/CreationDate (D:20261231000000Z) /Title (Another)');
    expect(brief(await compare(before, after))).toEqual([['same', 1, 1]]);
  });

  test('equal files, page by page', async () => {
    const pdf = smallPdf([textPage('A'), { ...textPage('B'), size: [100, 100] }]);
    const pages = await compare(pdf, Buffer.from(pdf));
    expect(brief(pages)).toEqual([
      ['same', 1, 1],
      ['same', 2, 2],
    ]);
    expect(pages[1]).toMatchObject({ width: 100, height: 100, areas: [] });
  });

  test('the same marks, written in another way', async () => {
    const square = { content: '0 0 1 rg 30 30 60 60 re f' };
    const path = { content: '0 0 1 rg 30 30 m 90 30 l 90 90 l 30 90 l h f' };
    expect(brief(await comparePages(square, path))).toEqual([['same', 1, 1]]);
  });
});

test('draws the first pages that differ, if that is wanted', async () => {
  const [before, after] = ['a', 'b'].map((letter) => smallPdf(['1', '2', '3'].map((page) => textPage(letter + page)))) as [
    Buffer,
    Buffer,
  ];
  const oneByOne = new PdfComparison();
  try {
    const pages = await oneByOne.compare('owner', { before, after, pictures: { longestEdge: 600, most: 2 } });
    expect(pages.map(({ pictures }) => Object.keys(pictures ?? {}))).toEqual([['before', 'after'], ['before', 'after'], []]);
    const png = Buffer.from(pages[0]?.pictures?.after as Uint8Array);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([600, 400]);
  } finally {
    oneByOne.close();
  }
});

describe('refuses', () => {
  const good = smallPdf([textPage('A')]);

  test('what is no PDF, and says which', async () => {
    await expect(compare(Buffer.from('no PDF'), good)).rejects.toMatchObject({
      code: 'pdf_unreadable',
      message: expect.stringContaining('before'),
    });
    await expect(compare(good, Buffer.alloc(0))).rejects.toMatchObject({ message: expect.stringContaining('after') });
  });

  test('what takes longer than a comparison may', async () => {
    const [before, after] = [smallPdf([textPage('A')]), smallPdf([textPage('B')])];
    for (const limits of [{ totalMs: 1 }, { timeoutMs: 1 }]) {
      const limited = new PdfComparison(limits);
      const compared = limited.compare('owner', { before, after }).finally(() => limited.close());
      await expect(compared).rejects.toMatchObject({
        code: 'resource_limit',
        message: expect.stringContaining('longer than 1 ms'),
      });
    }
  });

  test('more pages than its limit', async () => {
    const limited = new PdfComparison({ maxPages: 1 });
    await expect(
      limited.compare('owner', { before: good, after: smallPdf([textPage('A'), textPage('B')]) }).finally(() => limited.close()),
    ).rejects.toMatchObject({ code: 'resource_limit' });
  });
});
