/** Where an assembly draws pages of one PDF on those of another, checked with poppler. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, PdfStream } from '@libpdf/core';
import { expect, onTestFinished, test } from 'vitest';
import type { DrawStep } from '../../src/pdf/assemble/draw-on-pages.ts';
import { withLetterhead } from '../../src/pdf/edit/letterhead.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { Letterheads } from '../../src/uploads/letterheads.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type Box, DrawnPixels } from '../support/drawn-pixels.ts';
import { run } from '../support/printed-files.ts';
import { RawPrinter } from '../support/raw-printer.ts';

const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 1_000_000 }));
const folder = await mkdtemp(join(tmpdir(), 'platen-assembly-'));
closeAfterAll({ close: () => rm(folder, { recursive: true }) });

/** A page of 200 x 100 points with this content, or of another box. Its node has these entries. */
async function pageOf(content: string, entries: Record<string, number> = {}, box = [0, 0, 200, 100]): Promise<Uint8Array> {
  const pdf = PDF.create();
  const { dict } = pdf.addPage({ width: 200, height: 100 });
  dict.set('Contents', pdf.register(PdfStream.fromDict({}, Buffer.from(content))));
  dict.set('MediaBox', PdfArray.of(...box.map((each) => PdfNumber.of(each))));
  dict.delete('Resources');
  const node = pdf.getObject(pdf.context.catalog.getDict().getRef('Pages') as never) as PdfDict;
  for (const [name, value] of Object.entries(entries)) node.set(name, PdfNumber.of(value));
  const faint = PdfDict.of({ Type: PdfName.of('ExtGState'), ca: PdfNumber.of(1) });
  node.set('Resources', PdfDict.of({ ExtGState: PdfDict.of({ Inherited: faint }) }));
  return pdf.save();
}

const MARK = await pageOf('0 0 20 10 re f', {}, [0, 0, 20, 10]);
const PLACED = { position: 'top-left', offset: { x: 0, y: 0 }, scale: 1, fit: 1, rotate: 0 } as const;

async function drawn(page: Uint8Array, step: Partial<DrawStep>): Promise<Box> {
  const draw = {
    source: MARK,
    isForeign: true,
    sourcePages: [],
    pages: undefined,
    layer: 'over' as const,
    opacity: 1,
    ...PLACED,
    ...step,
  };
  const part = { content: page, title: 'a', pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };
  const { files } = await assembly.assemble('ada', { parts: [part], steps: [{ number: 0, step: { draw } }] });
  const file = join(folder, 'drawn.pdf');
  await writeFile(file, (files[0] as { content: Uint8Array }).content);
  return (await DrawnPixels.of(file)).box();
}

const CORNER = { left: 0, top: 0, right: 20, bottom: 10 };

test.each([
  ['is balanced', 'q Q'],
  ['saves states that it does not restore', 'q q 5 0 0 5 30 30 cm'],
  ['restores states that it has not saved', 'Q Q 0 0 1 1 re W n'],
  ['does both after an inline image', 'BI /W 1 /H 1 /BPC 1 /CS /G /D [1 0] ID (\nEI Q q 0 0 1 1 re W n'],
])('a PDF is drawn over content that %s', async (_, content) => {
  expect(await drawn(await pageOf(content), {})).toEqual(CORNER);
});

test('a PDF is drawn under content that begins by saving the state', async () => {
  const white = await pageOf('q\n1 1 1 rg 0 0 200 100 re f Q');
  expect((await drawn(white, { layer: 'under' })).right).toBe(0);
});

test('a page that is drawn has what it inherits, its turn and its box', async () => {
  const empty = await pageOf('q Q');
  const content = '/Inherited gs 100 100 20 10 re f';
  expect(await drawn(empty, { source: await pageOf(content, {}, [100, 100, 120, 110]) })).toEqual(CORNER);
  const turned = await pageOf(content, { Rotate: 90 }, [100, 100, 120, 110]);
  expect(await drawn(empty, { source: turned })).toEqual({ left: 0, top: 0, right: 10, bottom: 20 });
});

test('the letterhead of a print has what its page inherits, its turn and its box', async () => {
  const letterheads = new Letterheads(assembly);
  const printer = await RawPrinter.start();
  onTestFinished(() => printer.close());
  const printed = await printer.print('<style>@page { size: 200pt 100pt; margin: 0 }</style><p style="visibility: hidden">x');
  const boxOn = async (source: Uint8Array) => {
    const letterhead = await letterheads.prepare('ada', randomUUID(), async () => source);
    const file = join(folder, 'letter.pdf');
    await writeFile(file, withLetterhead(printed, letterhead));
    await run('qpdf', ['--check', file]);
    return (await DrawnPixels.of(file)).box();
  };
  const content = '/Inherited gs 100 100 20 10 re f';
  expect(await boxOn(await pageOf('0 90 20 10 re f'))).toEqual(CORNER);
  expect(await boxOn(await pageOf(content, {}, [100, 20, 300, 120]))).toEqual({ left: 0, top: 10, right: 20, bottom: 20 });
  expect(await boxOn(await pageOf(content, { Rotate: 180 }, [100, 100, 300, 200]))).toEqual({
    ...{ left: 180, top: 0, right: 200, bottom: 10 },
  });
  expect(await boxOn(await pageOf('q q 0 0 5 5 re W n Q Q Q 0 90 20 10 re f'))).toEqual(CORNER);
});
