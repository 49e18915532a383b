/** Finished PDFs, checked with qpdf and poppler: valid files with exactly the requested changes. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { FinishSettings, PdfPermission } from '../../src/pdf/finish-settings.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { DrawnPixels } from '../support/drawn-pixels.ts';
import { DOCUMENT, finish, openFinisher, TABLE, TAGGED, watermark } from '../support/finishing.ts';
import { RawPrinter } from '../support/raw-printer.ts';

const run = promisify(execFile);
let files = 0;

const folder = await makeFolder('finishing');
const printer = await RawPrinter.start().then(closeAfterAll);
const finisher = closeAfterAll(openFinisher());
const plain = await printer.print(DOCUMENT);
const tagged = await printer.print(DOCUMENT, TAGGED);
const red = await printer.stamp('<div style="width: 400px; height: 400px; background: red">');

async function save(pdf: Buffer): Promise<string> {
  const file = join(folder, `${files++}.pdf`);
  await writeFile(file, pdf);
  return file;
}

/** Finishes a PDF, checks it with qpdf, and returns its path. */
async function finished(pdf: Buffer, changes: Partial<FinishSettings>): Promise<string> {
  const file = await save(await finish(finisher, pdf, changes));
  const password = changes.password?.user ?? '';
  const { stdout } = await run('qpdf', [`--password=${password}`, '--check', file]);
  expect(stdout).toContain('No syntax or stream encoding errors');
  return file;
}

async function textOf(file: string, password = ''): Promise<string> {
  return (await run('pdftotext', ['-upw', password, file, '-'])).stdout;
}

const LINES = [
  'extract for accessibility',
  'extract for any purpose',
  'print low resolution',
  'print high resolution',
  'modify document assembly',
  'modify forms',
  'modify annotations',
  'modify other',
];

async function allowedBy(permissions: PdfPermission[] | undefined): Promise<string[]> {
  const file = await finished(plain, { password: { user: 'open', owner: undefined, permissions } });
  const { stdout } = await run('qpdf', ['--password=open', '--show-encryption', file]);
  expect(stdout).toMatch(/R = 6[\s\S]*Supplied password is user password[\s\S]*stream encryption method: AESv3/);
  return LINES.filter((line) => stdout.includes(`${line}: allowed`));
}

test('permissions allow everything, nothing, or two actions; the API suite has each of them', async () => {
  expect(await allowedBy(undefined)).toEqual(LINES);
  expect(await allowedBy([])).toEqual([]);
  expect((await allowedBy(['copy', 'print_low'])).sort()).toEqual(['extract for any purpose', 'print low resolution']);
});

test.each(['reader', 'Lesen & Schreiben ä草', 'x'.repeat(127)])(
  'opens with the user password %s and an owner password',
  async (user) => {
    const file = await finished(tagged, { password: { user, owner: 'writer', permissions: ['print'] } });
    const { stdout } = await run('qpdf', ['--password=writer', '--show-encryption', file]);
    expect(stdout).toContain('Supplied password is owner password');
    // The tools of poppler use only 32 bytes of a password.
    await run('qpdf', [`--password=${user}`, '--decrypt', file, `${file}.open`]);
    expect(await textOf(`${file}.open`)).toContain('Żółw, Ελληνικά');
    if (user.length <= 32) expect(await textOf(file, user)).toContain('Żółw, Ελληνικά');
    await expect(textOf(file, 'wrong')).rejects.toThrow(/password/i);
    await expect(run('qpdf', ['--check', file])).rejects.toThrow(/invalid password/);
  },
);

describe('compression', () => {
  test.each([
    ['plain', {}],
    ['tagged', TAGGED],
  ])('keeps the text, and is about as effective as that of qpdf (%s)', async (_name, options) => {
    const pdf = await printer.print(TABLE, options);
    const file = await finished(pdf, { compress: true });
    const before = await save(pdf);
    expect(await textOf(file)).toBe(await textOf(before));
    const repacked = `${file}.qpdf`;
    await run('qpdf', ['--object-streams=generate', before, repacked]);
    expect((await readFile(file)).length).toBeLessThan(1.05 * (await readFile(repacked)).length);
  });

  test('keeps structure and outline', async () => {
    const file = await finished(tagged, { compress: true });
    expect((await run('pdfinfo', ['-struct-text', file])).stdout).toMatch(
      /H1[\s\S]*"First"[\s\S]*Figure[\s\S]*H2[\s\S]*"Second"/,
    );
    expect((await run('pdfinfo', [file])).stdout).toMatch(/Tagged:\s+yes/);
  });
});

test.each<[string, Partial<FinishSettings>]>([
  ['plain', {}],
  ['compressed', { compress: true }],
  ['encrypted', { password: { user: 'open', owner: undefined, permissions: undefined } }],
])('preserves attachments byte for byte (%s)', async (_name, changes) => {
  const contents = new Map([
    ['Rechnung ä草.xml', Buffer.from('<invoice/>'.repeat(1_000))],
    ['random.bin', randomBytes(200_000)],
    ['empty.txt', Buffer.alloc(0)],
  ]);
  const attachments = [...contents].map(([name, content]) => ({
    name,
    type: 'text/x; charset="ü"',
    description: 'what ä草 is',
    content: Buffer.from(content),
  }));
  const file = await finished(plain, { ...changes, attachments });
  const into = await mkdtemp(join(folder, 'detached-'));
  await run('pdfdetach', ['-upw', 'open', '-saveall', '-o', into, file]);
  for (const [name, content] of contents) {
    expect((await readFile(join(into, name))).equals(content), name).toBe(true);
    const shown = await run('qpdf', ['--password=open', `--show-attachment=${name}`, file], {
      encoding: 'buffer',
      maxBuffer: 1e6,
    });
    expect(shown.stdout.equals(content), name).toBe(true);
  }
  const { stdout } = await run('qpdf', ['--password=open', '--list-attachments', '--verbose', file]);
  expect(stdout).toContain('description: what ä草 is');
});

describe('watermark', () => {
  /** Returns the colour at a position, as fractions of the width and height. */
  async function spot(file: string, x: number, y: number): Promise<number[]> {
    const image = await DrawnPixels.of(file, { dpi: 36 });
    return image.pixel(Math.floor(image.width * x), Math.floor(image.height * y));
  }

  const WHITE = [255, 255, 255];
  const RED = [255, 0, 0];
  const BLACK = [0, 0, 0];
  /** A4 with a black bar across its middle. */
  const BAR =
    '<!doctype html><style>@page { margin: 0 }</style><div style="position: absolute; top: 45%; width: 100%; height: 10%; background: black">';

  test('covers the page with `over`, is beneath it with `under`, and is centred and as wide as the shorter side', async () => {
    const pdf = await printer.print(BAR);
    const over = await finished(pdf, { watermark: watermark(red, { opacity: 1 }) });
    const under = await finished(pdf, { watermark: watermark(red, { opacity: 1, layer: 'under' }) });
    expect(await spot(over, 0.5, 0.5)).toEqual(RED);
    expect(await spot(under, 0.5, 0.5)).toEqual(BLACK);
    for (const file of [over, under]) {
      expect(await spot(file, 0.02, 0.2)).toEqual(RED); // (1 - 595 / 842) / 2 is 0.147
      expect(await spot(file, 0.98, 0.8)).toEqual(RED);
      expect(await spot(file, 0.5, 0.12)).toEqual(WHITE);
      expect(await spot(file, 0.5, 0.88)).toEqual(WHITE);
    }
  });

  test('applies its opacity as a whole, even if its parts overlap', async () => {
    const twice = await printer.stamp('<div style="height: 400px; background: red"><div style="height: 400px; background: red">');
    for (const stamp of [red, twice]) {
      const [r = 0, g = 0, b = 0] = await spot(
        await finished(plain, { watermark: watermark(stamp, { opacity: 0.25 }) }),
        0.5,
        0.7,
      );
      expect(r).toBe(255);
      for (const part of [g, b]) expect(Math.abs(part - 191)).toBeLessThan(3);
    }
  });

  test('is hidden by the background of the document with `under`', async () => {
    const pdf = await printer.print('<body style="background: #00f">x');
    const file = await finished(pdf, { watermark: watermark(red, { opacity: 1, layer: 'under' }) });
    expect(await spot(file, 0.5, 0.5)).toEqual([0, 0, 255]);
  });

  test.each([0, 90, 180, 270])('is drawn upright on a cropped page rotated by %i', async (turn) => {
    const left = await printer.stamp('<div style="width: 200px; height: 400px; background: red">');
    const lines = join(folder, 'lines.pdf');
    await run('qpdf', ['--qdf', '--object-streams=disable', await save(await printer.print('<p>')), lines]);
    const edited = (await readFile(lines, 'latin1')).replace(
      '/MediaBox',
      `/Rotate ${turn} /CropBox [ 100 200 300 600 ] /MediaBox`,
    );
    await writeFile(lines, edited, 'latin1');
    const { stdout } = await run('fix-qdf', [lines], { encoding: 'buffer', maxBuffer: 1e7 });
    const file = await finished(stdout, { watermark: watermark(left, { opacity: 1 }) });
    const image = await DrawnPixels.of(file, { dpi: 36 });
    const { width, height } = image;
    const wide = turn % 180 !== 0;
    expect([width, height]).toEqual(wide ? [200, 100] : [100, 200]);
    const [x, y] = wide ? [100, 50] : [50, 100];
    for (const dy of [-45, 45]) {
      expect(image.pixel(x - 45, y + dy)).toEqual(RED);
      expect(image.pixel(x - 5, y + dy)).toEqual(RED);
      expect(image.pixel(x + 5, y + dy)).toEqual(WHITE);
    }
    expect(image.pixel(wide ? x - 60 : x - 5, wide ? y : y - 60)).toEqual(WHITE);
  });
});

test('combines all finishing options', async () => {
  const file = await finished(tagged, {
    metadata: { title: 'Title ä草', author: 'Ada', keywords: ['a', 'b'], creationDate: '2024-01-02T03:04:05Z' },
    compress: true,
    attachments: [{ name: 'a.txt', type: 'text/plain', description: undefined, content: Buffer.from('attached') }],
    watermark: watermark(red, { layer: 'under', pages: [{ from: 1, to: 1 }] }),
    password: { user: 'open', owner: 'own', permissions: ['print'] },
  });
  const { stdout } = await run('pdfinfo', ['-upw', 'open', file]);
  expect(stdout).toMatch(/Title:\s+Title ä草\n/);
  expect(stdout).toMatch(
    /Author:\s+Ada\nCreator:\s+Platen\nProducer:\s+Platen\nCreationDate:.*2024[\s\S]*Metadata Stream: yes\nTagged:\s+yes/,
  );
  expect(stdout).toMatch(/Encrypted:\s+yes \(print:yes copy:no change:no addNotes:no algorithm:AES-256\)/);
  expect((await run('pdfinfo', ['-upw', 'open', '-meta', file])).stdout).toContain('Title ä草</rdf:li>');
  expect((await run('pdfinfo', ['-upw', 'open', '-struct-text', file])).stdout).toMatch(/"First"[\s\S]*"Second"/);
  expect(await textOf(file, 'open')).toContain('Żółw, Ελληνικά');
});
