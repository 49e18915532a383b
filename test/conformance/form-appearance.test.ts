/** A form with fields has the text and appearance of the same document without fields, as poppler draws both. */
import { readFile, writeFile } from 'node:fs/promises';
import { PDF, PdfArray, PdfDict, PdfName, type PdfNumber, PdfRef } from '@libpdf/core';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { bytesOf } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { run } from '../support/printed-files.ts';
import { startService } from '../support/service.ts';
import { type ConformanceDocument, documents } from './documents.ts';
import { savePdf } from './printed.ts';

const DPI = 96;
const POINTS_PER_PX = 0.75;
/** The steps by which a channel of a pixel may differ. */
const MAX_DIFFERENCE = 1;

const PASSWORD = 'the dots of a password, whose length is not told';
const PLACES = 'the text of a field whose place depends on the width of the paper, by less than a pixel';
const BORDERS = 'the border and underline of texts that overflow';
const SHADES = 'the shade of the half transparent text of a disabled menu, by two steps of 255';
/**
 * What differs in the inner part of fields; nothing in documents that are not listed. The outermost pixel of a field may differ where
 * its box is not on whole pixels, because Chromium aligns links with these.
 */
const INHERENT: Record<string, string[]> = {
  'visual form': [PLACES],
  'described visual form': [PLACES],
  'controls of each kind': [PASSWORD],
  'controls with a watermark, a header and margins': [PASSWORD],
  'a form of Bootstrap': [PLACES],
  'a form from right to left': [PLACES],
  'fields that cannot be changed': [SHADES],
  'fields of text in styles': [BORDERS],
};

interface Word {
  text: string;
  left: number;
  top: number;
}

/** A document without and with fields. */
interface Pair {
  name: string;
  plain: string;
  form: string;
}

const pairs: Pair[] = [];

const folder = await makeFolder('form-appearance');
const service = await startService().then(closeAfterAll);
for (const document of documents())
  if (/<(?:input|select|textarea)\b|data-signature-field/.test(document.html)) pairs.push(await printBoth(document));

async function printBoth({ name, html, options }: ConformanceDocument): Promise<Pair> {
  const print = async (forms: boolean) => {
    const response = await service.pdf({ html, options: { ...options, forms } });
    expect(response.status, response.ok ? '' : `${name}: ${await response.clone().text()}`).toBe(200);
    return savePdf(folder, `${name} ${forms}`, await bytesOf(response));
  };
  return { name, plain: await print(false), form: await print(true) };
}

test('has the same words, less than a pixel from where they are without fields', async () => {
  expect(pairs.length).toBeGreaterThanOrEqual(25);
  const different: string[] = [];
  for (const { name, plain, form } of pairs) {
    const left = await wordsOf(form);
    for (const word of await wordsOf(plain)) {
      const at = left.findIndex((other) => isSameWord(word, other));
      if (at >= 0) left.splice(at, 1);
      else if (!(INHERENT[name]?.includes(PASSWORD) && /^•+$/.test(word.text)))
        different.push(`${name}: ${word.text} is missing`);
    }
    different.push(...left.map(({ text }) => `${name}: ${text} is added`));
  }
  expect(different).toEqual([]);
});

function isSameWord(one: Word, other: Word): boolean {
  const isNear = (name: 'left' | 'top') => Math.abs(one[name] - other[name]) < POINTS_PER_PX;
  return one.text === other.text && isNear('left') && isNear('top');
}

async function wordsOf(file: string): Promise<Word[]> {
  const { stdout } = await run('pdftotext', ['-bbox', file, '-'], { maxBuffer: 64 * 1_048_576 });
  const words = stdout.matchAll(/<word xMin="([\d.-]+)" yMin="([\d.-]+)"[^>]*>(.*?)<\/word>/g);
  return [...words].map(([, left, top, text = '']) => ({ text, left: Number(left), top: Number(top) }));
}

test('has the same appearance, but for a few listed differences within fields', async () => {
  const outside: string[] = [];
  const unlike = new Set<string>();
  for (const { name, plain, form } of pairs) {
    const fields = await fieldsOf(form);
    const [ours, theirs] = [await pagesOf(form), await pagesOf(plain)];
    expect(ours.length).toBe(theirs.length);
    for (const [page, x, y] of differencesOf(ours, theirs)) {
      const around = (fields[page] ?? []).filter((field) => contains(field, x, y, 1));
      if (!around.length) outside.push(`${name}: page ${page + 1} at ${x}, ${y}`);
      else if (around.some((field) => contains(field, x, y, -2))) unlike.add(name);
    }
  }
  expect(outside.slice(0, 20)).toEqual([]);
  expect([...unlike].sort()).toEqual(Object.keys(INHERENT).sort());
});

test('shows the same box when a reader turns it off or on as the document without and with that choice', async () => {
  for (const name of ['boxes in a table', 'boxes drawn by pseudo-elements']) {
    const { html = '' } = documents().find((document) => document.name === name) ?? {};
    const off = html.replace(/ checked>/g, '>');
    for (const [from, to, state] of [
      [html, off, 'Off'],
      [off, off.replace(/type="checkbox"/g, '$& checked'), 'on'],
    ] as const) {
      const [turned, wanted] = [
        await printBoth({ name: `${name} turned ${state}`, html: from }),
        await printBoth({ name: `${name} as ${state}`, html: to }),
      ];
      await writeFile(turned.form, await turn(await readFile(turned.form), state));
      const [fields = []] = await fieldsOf(turned.form);
      const different = [...differencesOf(await pagesOf(turned.form), await pagesOf(wanted.plain))];
      expect(
        different.filter(([, x, y]) => !fields.some((field) => contains(field, x, y, 1) && !contains(field, x, y, -2))),
      ).toEqual([]);
    }
  }
});

/** Sets the state of all checkboxes, or turns radio buttons off as well. */
async function turn(bytes: Buffer, state: 'on' | 'Off'): Promise<Uint8Array> {
  const pdf = await PDF.load(bytes);
  for (const { dict } of pdf.getPages())
    for (const ref of (dict.get('Annots') as PdfArray).toArray()) {
      const widget = pdf.getObject(ref as PdfRef) as PdfDict;
      if (state === 'Off' || !widget.has('Parent')) widget.set('AS', PdfName.of(state));
    }
  return pdf.save();
}

/** Left, top, right and bottom of the fields of each page, in pixels. */
async function fieldsOf(file: string): Promise<number[][][]> {
  const pdf = await PDF.load(await readFile(file));
  const resolve = (value: unknown) => (value instanceof PdfRef ? pdf.getObject(value) : value);
  return pdf.getPages().map((page) => {
    const annotations = resolve(page.dict.get('Annots'));
    const all = annotations instanceof PdfArray ? annotations.toArray().map(resolve) : [];
    return all.flatMap((annotation) => {
      if (!(annotation instanceof PdfDict) || annotation.get('Subtype') !== PdfName.of('Widget')) return [];
      const corners = (annotation.get('Rect') as PdfArray).toArray().map((corner) => (corner as PdfNumber).value);
      const [left = 0, bottom = 0, right = 0, top = 0] = corners;
      return [[left, page.height - top, right, page.height - bottom].map((side) => (side * DPI) / 72)];
    });
  });
}

/** Whether a pixel is in a field that is larger by `more` pixels on each side. */
function contains([left = 0, top = 0, right = 0, bottom = 0]: number[], x: number, y: number, more: number): boolean {
  const isWithin = (at: number, from: number, to: number) => at >= Math.floor(from) - more && at < Math.ceil(to) + more;
  return isWithin(x, left, right) && isWithin(y, top, bottom);
}

async function pagesOf(file: string): Promise<PNG[]> {
  await run('pdftoppm', ['-r', String(DPI), '-png', file, file]);
  const count = (await PDF.load(await readFile(file))).getPages().length;
  const digits = String(count).length;
  const names = Array.from({ length: count }, (_, index) => `${file}-${String(index + 1).padStart(digits, '0')}.png`);
  return Promise.all(names.map(async (name) => PNG.sync.read(await readFile(name))));
}

function* differencesOf(ours: PNG[], theirs: PNG[]): Generator<[page: number, x: number, y: number]> {
  for (const [page, { width, data }] of ours.entries())
    for (let at = 0; at < data.length; at++) {
      const difference = Math.abs((data[at] ?? 0) - (theirs[page]?.data[at] ?? 0));
      if (difference > MAX_DIFFERENCE) yield [page, (at >> 2) % width, Math.floor((at >> 2) / width)];
    }
}
