/** `marks` and `bleed` in `@page`, as poppler reads and draws them. */
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);

const MM = 72 / 25.4;
const ROOM = 24;

const page = (css: string, body = '<p>text') =>
  `<!doctype html><html lang="en"><title>x</title><style>${css} body { margin: 0 }</style>${body}`;

type Box = [left: number, bottom: number, right: number, top: number];

/** The boxes of each page in points, from the lower left corner of the trimmed page. */
async function boxesOf(file: string): Promise<Array<Record<'media' | 'bleed' | 'trim', Box>>> {
  const output = await outputOf('pdfinfo', '-box', '-l', '99', file);
  const read = (name: string) =>
    [...output.matchAll(new RegExp(`${name}Box:\\s+(\\S+)\\s+(\\S+)\\s+(\\S+)\\s+(\\S+)`, 'g'))].map(
      ([, ...edges]) => edges.map(Number) as Box,
    );
  const [media, bleed, trim] = ['Media', 'Bleed', 'Trim'].map(read) as [Box[], Box[], Box[]];
  return trim.map(([left, bottom, right, top], index) => {
    const move = (box: Box = [0, 0, 0, 0]) => box.map((edge, side) => edge - ((side % 2 ? bottom : left) ?? 0)) as Box;
    return { media: move(media[index]), bleed: move(bleed[index]), trim: move([left, bottom, right, top]) };
  });
}

function around(width: number, height: number, by: number): Box {
  return [-by, -by, width + by, height + by];
}

function expectBox(box: Box | undefined, expected: Box): void {
  for (const [side, edge] of expected.entries()) expect(box?.[side]).toBeCloseTo(edge, 1);
}

/** The colour of a point of the first page, which is given from the upper left corner of the sheet. */
async function colourAt(file: string, x: number, y: number): Promise<string> {
  const options = [
    '-r',
    '72',
    '-x',
    String(Math.floor(x)),
    '-y',
    String(Math.floor(y)),
    '-W',
    '1',
    '-H',
    '1',
    '-f',
    '1',
    '-l',
    '1',
  ];
  const { stdout } = await run('pdftoppm', [...options, file], { encoding: 'buffer' });
  return (stdout as unknown as Buffer).subarray(-3).toString('hex');
}

describe('marks and bleed', () => {
  test.each([
    ['a bleed', 'bleed: 3mm', 3 * MM, 0],
    ['crop marks, which have a bleed of 6pt', 'marks: crop', 6, ROOM],
    ['both', 'marks: crop cross; bleed: 5mm', 5 * MM, ROOM],
    ['crosses without a bleed', 'marks: cross', 0, ROOM],
  ])('%s', async (_, css, bleed, room) => {
    const sizes = '@page wide { size: A6 landscape; margin: 5% } .wide { page: wide }';
    const html = page(`@page { size: A6; margin: 10mm; ${css} } ${sizes}`, '<p>one<p class="wide">two');
    const boxes = await boxesOf(await files.render(html));
    const expected: Array<[number, number]> = [
      [105 * MM, 148 * MM],
      [148 * MM, 105 * MM],
    ];
    expect(boxes).toHaveLength(2);
    for (const [index, [width, height]] of expected.entries()) {
      expectBox(boxes[index]?.trim, around(width, height, 0));
      expectBox(boxes[index]?.bleed, around(width, height, bleed));
      expectBox(boxes[index]?.media, around(width, height, bleed + room));
    }
  });

  test('the paper of an option is that of the trimmed page', async () => {
    const [box] = await boxesOf(
      await files.render(page('@page { bleed: 3mm }'), { width: '100mm', height: '60mm', margin: '1cm' }),
    );
    expectBox(box?.trim, around(100 * MM, 60 * MM, 0));
    expectBox(box?.bleed, around(100 * MM, 60 * MM, 3 * MM));
  });

  test('text keeps its place', async () => {
    const place = async (css: string) => {
      const file = await files.render(page(`@page { size: A6; margin: 12mm 10%; ${css} @top-left { content: 'head' } }`));
      const output = await outputOf('pdftotext', '-bbox', file, '-');
      return [...output.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
    };
    const [plain, grown] = [await place(''), await place('bleed: 3mm; marks: crop;')];
    const moved = 3 * MM + ROOM;
    for (const [index, [x = 0, y = 0]] of plain.entries()) {
      expect(Math.abs((grown[index]?.[0] ?? 0) - x - moved)).toBeLessThan(0.6);
      expect(Math.abs((grown[index]?.[1] ?? 0) - y - moved)).toBeLessThan(0.6);
    }
    expect(plain).toHaveLength(2);
  });

  test('backgrounds of pages, and content of pages without margins, reach into the bleed', async () => {
    const bleed = 3 * MM;
    const box = '<div style="position: absolute; left: -5mm; top: 20mm; width: 30mm; height: 10mm; background: red"></div>';
    const file = await files.render(page('@page { size: A6; margin: 0; bleed: 3mm; marks: crop; background: lime }', box));
    const left = ROOM + 1;
    expect(await colourAt(file, left, ROOM + 1)).toBe('00ff00');
    expect(await colourAt(file, left, ROOM + bleed + 25 * MM)).toBe('ff0000');
    expect(await colourAt(file, ROOM - 2, ROOM + bleed + 25 * MM)).toBe('ffffff');
    const inside = await files.render(page('@page { size: A6; margin: 10mm; bleed: 3mm; background: lime }', box));
    expect(await colourAt(inside, 1, bleed + 35 * MM)).toBe('00ff00');
  });

  test('they are artifacts, and no longer reported', async () => {
    const html = page('@page { size: A5; margin: 1cm; bleed: 3mm; marks: crop cross }', '<h1>One</h1><p>text');
    const file = await files.render(html, { conformance: ['PDF/A-3a', 'PDF/UA-1'] });
    expect(await outputOf('pdfinfo', '-struct-text', file)).toMatch(/"One"\s+P[^"]+"text"\s*$/);
    await files.render(html, { failOnWarning: ['unsupported_css'] });
  });

  test('a later rule takes them back, and the bytes are those without them', async () => {
    const print = (css: string) => files.service.pdf({ html: page(`@page { size: A6; ${css} }`) }).then((reply) => reply.bytes());
    expect(await print('marks: crop; bleed: 3mm; marks: none; bleed: 0mm')).toEqual(await print(''));
  });
});
