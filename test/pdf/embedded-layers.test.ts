/** Layers of pages that are drawn on others. */
import { PDF, PdfDict, type PdfRef } from '@libpdf/core';
import { expect, test } from 'vitest';
import type { Step } from '../../src/pdf/assemble/steps.ts';
import { listReachable } from '../../src/pdf/objects/foreign-pdf.ts';
import { PdfReader } from '../../src/pdf/objects/pdf-reader.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { pageWith } from '../support/hidden-texts.ts';
import { smallPdf } from '../support/small-pdf.ts';

const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 10_000_000 }));

const LAYERED = pageWith({
  catalog: '/OCProperties <</OCGs [10 0 R 11 0 R] /D <</Order [10 0 R 11 0 R] /OFF [11 0 R]>>>>',
  resources: '/Properties <</Shown 10 0 R /Hidden 11 0 R>>',
  content: '/OC /Hidden BDC 0 0 50 50 re f EMC',
  objects: { 10: '<</Type /OCG /Name (Shown)>>', 11: '<</Type /OCG /Name (Hidden)>>' },
});
const part = (content: Uint8Array) => ({
  ...{ content, title: 'a', pages: undefined, password: undefined, isOwn: false, dropsSignatures: false },
});

/** The names of all layers that the pages use, and whether the catalog hides them. */
async function layersAfter(step: Step, ...contents: Uint8Array[]) {
  const { files } = await assembly.assemble('ada', { parts: contents.map(part), steps: [{ number: 0, step }] });
  const pdf = await PDF.load(files[0]?.content as Uint8Array);
  const reader = new PdfReader(pdf);
  const layers = reader.dict(pdf.context.catalog.getDict(), 'OCProperties');
  const numbersIn = (dict: PdfDict | undefined, name: string) =>
    reader.list(dict, name).map((each) => (each as PdfRef).objectNumber);
  const listed = numbersIn(layers, 'OCGs');
  const hidden = numbersIn(reader.dict(layers, 'D'), 'OFF');
  const pages = pdf.getPages().map(({ ref }) => ref);
  return [...listReachable(reader, pages)].flatMap(({ id, value }) =>
    value instanceof PdfDict && reader.name(value, 'Type') === 'OCG'
      ? [`${reader.text(value, 'Name')} ${listed.includes(id) ? (hidden.includes(id) ? 'hidden' : 'shown') : 'unknown'}`]
      : [],
  );
}

test.each<[string, Step, Uint8Array[]]>([
  ['composed', { compose: { perSheet: 2, isBooklet: false } }, [LAYERED]],
  ['drawn', { letterhead: { source: LAYERED, pages: undefined } }, [smallPdf([{ content: '' }, { content: '' }])]],
])('hidden layers of pages that are %s stay hidden', async (_, step, contents) => {
  expect((await layersAfter(step, ...contents)).toSorted()).toEqual(['Hidden hidden', 'Shown shown']);
});

test('a letterhead of prints with hidden layers is refused', async () => {
  const order = { parts: [part(LAYERED)], steps: [], isLetterhead: true };
  await expect(assembly.assemble('ada', order)).rejects.toThrow('parts[0]: has hidden layers, which would be shown');
});
