/** Assembling uploaded PDFs: pages, bookmarks and tags of several, and isolation from hostile files. */
import { deflateSync } from 'node:zlib';
import { PDF, PdfDict, PdfRef } from '@libpdf/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Deadline } from '../../src/deadline.ts';
import { ServiceError } from '../../src/errors.ts';
import { assemble } from '../../src/pdf/assemble/assemble.ts';
import type { SplitStep } from '../../src/pdf/assemble/split.ts';
import type { Step } from '../../src/pdf/assemble/steps.ts';
import { toText } from '../../src/pdf/objects/syntax.ts';
import { putBack } from '../../src/pdf/objects/write.ts';
import { namingLate } from '../../src/render/assembly/naming.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { noise } from '../support/noise.ts';
import { openPdf } from '../support/open-pdf.ts';
import { readPdf } from '../support/read-pdf.ts';
import { unpackedText } from '../support/unpacked-text.ts';

const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 1_000_000, maxUnpackedBytes: 1_000_000, timeoutMs: 20_000 }));

const [CATALOG, PAGES] = ['<</Type/Catalog/Pages 3 0 R>>', '<</Type/Pages/Kids[4 0 R]/Count 1>>'];
const PAGE = '<</Type/Page/Parent 3 0 R/MediaBox[0 0 100 200]>>';

/** Returns a PDF of one page in an object stream, with this many blanks after the objects. */
function withObjectStream(padding: number): Buffer {
  const objects = [CATALOG, PAGES, PAGE];
  const index = objects.map((_, at) => `${at + 2} ${objects.slice(0, at).join(' ').length + (at ? 1 : 0)}`).join(' ');
  const content = deflateSync(Buffer.from(`${index} ${objects.join(' ')}${' '.repeat(padding)}`));
  const head = Buffer.from('%PDF-1.7\n');
  const first = stream(1, `/Type/ObjStm/N 3/First ${index.length + 1}/Filter/FlateDecode`, content);
  const start = head.length + first.length;
  const entries = [
    [0, 0, 65_535],
    [1, head.length, 0],
    [2, 1, 0],
    [2, 1, 1],
    [2, 1, 2],
    [1, start, 0],
  ];
  const table = Buffer.concat(
    entries.map(([type = 0, offset = 0, more = 0]) => {
      const entry = Buffer.alloc(7);
      entry.writeUInt8(type, 0);
      entry.writeUInt32BE(offset, 1);
      entry.writeUInt16BE(more, 5);
      return entry;
    }),
  );
  const last = stream(5, '/Type/XRef/Size 6/W[1 4 2]/Root 2 0 R', table);
  return Buffer.concat([head, first, last, Buffer.from(`startxref\n${start}\n%%EOF\n`)]);
}

function stream(id: number, entries: string, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${id} 0 obj\n<<${entries}/Length ${content.length}>>\nstream\n`),
    content,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
}

/** Returns a PDF with these objects, uncompressed, and a cross-reference table. */
function pdfOf(...objects: string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

const ONE = pdfOf(
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]>>',
);
/** A page tree of forty nodes, each of which contains the next one twice. */
const DOUBLING = pdfOf(
  '<</Type/Catalog/Pages 2 0 R>>',
  ...Array.from({ length: 40 }, (_, at) => `<</Type/Pages/Kids[${at + 3} 0 R ${at + 3} 0 R]/Count 1>>`),
  '<</Type/Page/MediaBox[0 0 300 400]>>',
);
const NESTED = pdfOf(
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  `<</Type/Page/Parent 2 0 R/X ${'['.repeat(50_000)}${']'.repeat(50_000)}>>`,
);
const LZW = Buffer.from(withObjectStream(0).toString('latin1').replace('/FlateDecode', '/LZWDecode'), 'latin1');

const OTHERS = { pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };

async function merge(...contents: Uint8Array[]): Promise<{ pdf: Uint8Array; pages: number }> {
  const parts = contents.map((content, at) => ({ title: `part ${at}`, content, ...OTHERS }));
  const { files } = await assembly.assemble('ada', { parts, steps: [] });
  const [{ content, pages } = { content: Buffer.alloc(0), pages: 0 }] = files;
  return { pdf: content, pages };
}

test('merges pages in order, with a bookmark for each file', async () => {
  const { pdf, pages } = await merge(ONE, withObjectStream(1_000), ONE);
  expect(pages).toBe(3);
  const read = await readPdf(pdf);
  expect(read.sizes.map(({ width }) => width)).toEqual([300, 100, 300]);
  expect(read.outline).toEqual(['part 0', 'part 1', 'part 2']);
});

/** Two buttons whose states are numbers, and lists that export other texts than they show, in objects of their own. */
const WITH_OPTIONS = pdfOf(
  '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R 7 0 R 8 0 R]/DA(/Helv 10 Tf 0 g)/DR<</Font<</Helv 11 0 R>>>>>>>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[5 0 R 6 0 R 7 0 R 8 0 R]>>',
  '<</FT/Btn/Ff 49152/T(card)/V/Off/Opt[(Visa)(Maestro)]/Kids[5 0 R 6 0 R]>>',
  ...[0, 1].map(
    (state) =>
      `<</Type/Annot/Subtype/Widget/Parent 4 0 R/P 3 0 R/AS/Off/Rect[10 ${100 * state} 30 ${100 * state + 20}]/AP<</N<</${state} 12 0 R/Off 12 0 R>>>>>>`,
  ),
  '<</Type/Annot/Subtype/Widget/FT/Ch/Ff 131072/T(land)/V(fr)/Opt[9 0 R 10 0 R]/P 3 0 R/Rect[10 200 200 220]/DA(/Helv 10 Tf 0 g)>>',
  '<</Type/Annot/Subtype/Widget/FT/Ch/Ff 2097152/T(lands)/Opt[9 0 R 10 0 R]/P 3 0 R/Rect[10 300 200 390]/DA(/Helv 10 Tf 0 g)>>',
  '[(de)(Germany)]',
  '[(fr)(France)]',
  '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  '<</Type/XObject/Subtype/Form/BBox[0 0 20 20]/Length 8>>\nstream\n0 0 m  n\nendstream',
);

describe('fields of other producers', () => {
  const run = (fields: Record<string, string | boolean | string[]>) =>
    assembly.assemble('ada', {
      parts: [{ title: 'form', content: WITH_OPTIONS, ...OTHERS }],
      steps: [{ number: 0, step: { fill: { fields } } }],
      extract: { number: 1, step: { what: ['fields'] } },
    });
  const valuesOf = async (fields: Record<string, string | boolean | string[]>) => {
    const { extracted } = await run(fields);
    const { fields: found } = JSON.parse(Buffer.from(extracted as Uint8Array).toString()) as {
      fields: Array<{ value: unknown }>;
    };
    return found.map(({ value }) => value);
  };

  test.each([
    ['what they export', { card: 'Maestro', land: 'de', lands: ['de', 'fr'] }],
    ['what they show', { card: 'Maestro', land: 'Germany', lands: ['Germany', 'France'] }],
    ['the states of buttons', { card: '1', land: 'de', lands: ['de', 'fr'] }],
  ])('are filled with %s', async (_, fields) => {
    expect(await valuesOf(fields)).toEqual(['Maestro', 'de', ['de', 'fr']]);
  });

  test('take a text for a list, and keep what is not filled', async () => {
    expect(await valuesOf({ lands: 'France' })).toEqual([null, 'fr', ['fr']]);
  });

  test('name their options', async () => {
    await expect(run({ land: 'Spain' })).rejects.toThrow(
      'fields.land: cannot be filled: Spain is none of its options, which are Germany, France',
    );
    await expect(run({ card: 'Amex' })).rejects.toThrow(
      'fields.card: cannot be filled: Amex is none of its options, which are Visa, Maestro',
    );
  });

  test('show what was chosen when they are flattened', async () => {
    const parts = [{ title: 'form', content: WITH_OPTIONS, ...OTHERS }];
    const steps = [{ fill: { fields: { land: 'de', lands: ['fr'] } } }, { flatten: { annotations: false } }];
    const { files } = await assembly.assemble('ada', {
      parts,
      steps: steps.map((step, number) => ({ number, step: step as Step })),
    });
    expect((await readPdf(files[0]?.content as Uint8Array)).pages[0]).toMatch(/Germany.*France/);
  });
});

test('a list that is filled keeps its background and its border', async () => {
  const list = '/FT/Ch/Ff 131072/T(land)/V(fr)/Opt[(de)(fr)]/DA(/Helv 10 Tf 0 g)/MK<</BG[0.8 0.9 1]/BC[0.1 0.2 0.3]>>/BS<</W 2>>';
  const content = pdfOf(
    '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA(/Helv 10 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R]>>',
    `<</Type/Annot/Subtype/Widget/P 3 0 R/Rect[10 200 110 220]${list}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  );
  const steps = [{ number: 0, step: { fill: { fields: { land: 'de' } } } }];
  const { files } = await assembly.assemble('ada', { parts: [{ title: 'form', content, ...OTHERS }], steps });
  const shown = unpackedText(Buffer.from(files[0]?.content as Uint8Array));
  expect(shown).toContain('0.8 0.9 1 rg 0 0 100 20 re f');
  expect(shown).toContain('0.1 0.2 0.3 RG 2 w 1 1 98 18 re S');
});

/** A form with a text field, and with what is given in its dictionary. */
const withTextField = (entries: string, field = '') =>
  pdfOf(
    `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA(/Helv 10 Tf 0 g)${entries}>>>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R]>>',
    `<</Type/Annot/Subtype/Widget/P 3 0 R/Rect[10 200 210 220]/FT/Tx/T(who)/DA(/Helv 10 Tf 0 g)${field}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  );
const WITH_FONT = '/DR<</Font<</Helv 5 0 R>>>>';

test.each([
  ['in the encoding of its font', WITH_FONT],
  ['in a font that is added, if the form has none', ''],
])('a text shows its characters %s', async (_, entries) => {
  const text = '5 € – „é“ Œ…';
  const steps = [{ fill: { fields: { who: text } } }, { flatten: { annotations: false } }];
  const { files } = await assembly.assemble('ada', {
    parts: [{ title: 'form', content: withTextField(entries), ...OTHERS }],
    steps: steps.map((step, number) => ({ number, step: step as Step })),
  });
  expect((await readPdf(files[0]?.content as Uint8Array)).pages).toEqual([text]);
});

test('a text with characters that no font of the form has is refused, and not shown as others', async () => {
  const run = (content: Uint8Array, step: Step) =>
    assembly.assemble('ada', { parts: [{ title: 'form', content, ...OTHERS }], steps: [{ number: 0, step }] });
  await expect(run(withTextField(WITH_FONT), { fill: { fields: { who: 'Łódź' } } })).rejects.toThrow(
    'steps[0].fill.fields.who: cannot be filled: the form has no font that can show Ł with the rest of the value',
  );
  const waiting = withTextField(`${WITH_FONT}/NeedAppearances true`, '/V<feff0416>');
  await expect(run(waiting, { flatten: { annotations: false } })).rejects.toThrow(
    'steps[0].flatten: cannot be carried out: the form has no font that can show Ж of the field who',
  );
});

test('files of flattened annotations are lost, which is reported', async () => {
  const annotation = '<</Type/Annot/Subtype/FileAttachment/Rect[0 0 20 20]/FS<</F(a.txt)/EF<</F 6 0 R>>>>/AP<</N 7 0 R>>>>';
  const content = two(
    '',
    '/Annots[5 0 R]',
    annotation,
    inText('68656C6C6F>', '/ASCIIHexDecode'),
    '<</Type/XObject/Subtype/Form/BBox[0 0 20 20]/Length 8>>\nstream\n0 0 m  n\nendstream',
  );
  const steps = [{ number: 0, step: { flatten: { annotations: true } } }];
  const { dropped } = await assembly.assemble('ada', { parts: [{ title: 'a', content, ...OTHERS }], steps });
  expect(dropped).toEqual([{ what: 'attachments', why: 'files of flattened annotations cannot be opened any more' }]);
});

/** Two fields whose values only viewers show, as forms of LibreOffice have them. */
const leftToViewers = (entry: string) =>
  pdfOf(
    '<</Type/Catalog/Pages 2 0 R/AcroForm<</NeedAppearances true/Fields[4 0 R 5 0 R]/DA(/Helv 10 Tf)/DR<</Font<</Helv 7 0 R>>>>>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R 5 0 R]>>',
    ...[100, 200].map(
      (y, at) =>
        `<</Type/Annot/Subtype/Widget/FT/Tx/T(f${at})${at ? entry : ''}/V(value${at})/DA(/Helv 10 Tf)/Rect[10 ${y} 200 ${y + 20}]/P 3 0 R/AP<</N 6 0 R>>>>`,
    ),
    '<</Type/XObject/Subtype/Form/BBox[0 0 190 20]/Length 12>>\nstream\n/Tx BMC\nEMC\nendstream',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  );
const LEFT_TO_VIEWERS = leftToViewers('');
const NEW_SIGNATURE = {
  ...{ description: 's', name: 'S', reason: undefined, location: undefined, contact: undefined, signedAt: 0 },
  ...{ reservedBytes: 9_000, digest: 'sha256' as const, visible: undefined },
};

describe('values that a form leaves to viewers are shown', () => {
  const run = async (step: Step, content: Uint8Array = LEFT_TO_VIEWERS) => {
    const parts = [{ title: 'form', content, ...OTHERS }];
    const { files } = await assembly.assemble('ada', { parts, steps: [{ number: 0, step }] });
    return files[0]?.content as Uint8Array;
  };
  const shown = (pdf: Uint8Array) =>
    [...unpackedText(Buffer.from(pdf)).matchAll(/(?:\((\w+)\)|<([\da-f]+)>)\s*Tj/gi)].map(
      ([, text, hex = '']) => text ?? Buffer.from(hex, 'hex').toString(),
    );

  test('by flatten', async () => {
    expect((await readPdf(await run({ flatten: { annotations: false } }))).pages).toEqual(['value0value1']);
  });

  test('by fill, also those that are not filled', async () => {
    expect(shown(await run({ fill: { fields: { f0: 'new' } } })).sort()).toEqual(['new', 'value1']);
  });

  test('by fill and flatten, also those that are read-only', async () => {
    const readOnly = leftToViewers('/Ff 1');
    expect(shown(await run({ fill: { fields: { f0: 'new' } } }, readOnly)).sort()).toEqual(['new', 'value1']);
    expect((await readPdf(await run({ flatten: { annotations: false } }, readOnly))).pages).toEqual(['value0value1']);
    await expect(run({ fill: { fields: { f1: 'new' } } }, readOnly)).rejects.toThrow(
      'fields.f1: cannot be filled: Field "f1" is read-only',
    );
  });

  test('by sign, without other changes of its bytes', async () => {
    const { file } = await assembly.addSignatureField('ada', { content: LEFT_TO_VIEWERS, field: NEW_SIGNATURE });
    expect(Buffer.from(file).subarray(0, LEFT_TO_VIEWERS.length).equals(LEFT_TO_VIEWERS)).toBe(true);
    expect(shown(file).sort()).toEqual(['value0', 'value1']);
  });
});

/** A page with three attached streams of 3 MB each. */
const LARGE = [
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/PieceInfo[4 0 R 5 0 R 6 0 R]>>',
  ...['a', 'b', 'c'].map((letter) => `<</Length 3000000>>\nstream\n${letter.repeat(3_000_000)}\nendstream`),
];

test('a process gives away what it has written of a large PDF', async () => {
  const parts = [{ title: 'large', content: pdfOf(...LARGE), ...OTHERS }];
  const kept: Uint8Array[] = [];
  const store = { readPart: async () => Buffer.alloc(0), keep: async (bytes: Uint8Array) => void kept.push(bytes) };
  const checks = { before() {}, after() {}, renew() {}, store: { ...store, takeBack: async () => Buffer.alloc(0) } };
  const step = { rotate: { pages: undefined, angle: 90 } };
  const assembled = await assemble({ parts, steps: [{ number: 0, step }], maxBytes: 100_000_000 }, checks);
  if ('faults' in assembled) throw new Error(assembled.faults[0]?.message);
  const [{ content } = { content: Buffer.alloc(0) }] = assembled.files;
  expect(content.length).toBeLessThan(5_000_000);
  expect(kept.map(({ length }) => length > 5_000_000)).toEqual([true]);
  const { headerBytes = 0 } = assembled;
  const whole = await readPdf(putBack({ content, headerBytes }, kept));
  expect(whole.sizes).toEqual([{ width: 300, height: 400 }]);
});

/** Returns a tagged PDF of one page with these entries of the structure tree root and these elements. */
const tagged = (rest: string, ...elements: string[]) =>
  pdfOf(
    '<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R/MarkInfo<</Marked true>>/Lang(en)>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/StructParents 7>>',
    `<</Type/StructTreeRoot/K 5 0 R/ParentTree<</Nums[7[6 0 R]]>>${rest}>>`,
    ...elements,
  );
const DOCUMENT = '<</S/Document/P 4 0 R/K 6 0 R>>';

describe('tags', () => {
  const typesIn = async (...files: Buffer[]) => {
    const pdf = await PDF.load((await merge(...files)).pdf);
    const { trailer } = pdf.context.info;
    expect(trailer.get('ID')).toBeDefined();
    const objects = Array.from({ length: 60 }, (_, at) => pdf.getObject(PdfRef.of(at + 1))).filter(
      (each) => each instanceof PdfDict,
    );
    const root = objects.find((each) => each.getName('Type')?.value === 'StructTreeRoot');
    const types = objects.flatMap((each) => (each.has('P') ? (each.getName('S')?.value ?? []) : []));
    const roles = root?.get('RoleMap');
    return { types: types.sort(), roles: roles ? toText(roles) : '', isMarked: pdf.context.catalog.getDict().has('MarkInfo') };
  };
  const strong = (role: string) => tagged(`/RoleMap<</Strong/${role}>>`, DOCUMENT, '<</S/Strong/P 5 0 R/Pg 3 0 R/K 0>>');

  test('are joined, with a Part element for each file', async () => {
    const paragraph = tagged('', DOCUMENT, '<</S/P/P 5 0 R/Pg 3 0 R/K 0>>');
    expect(await typesIn(paragraph, paragraph)).toEqual({
      types: ['Document', 'P', 'P', 'Part', 'Part'],
      roles: '',
      isMarked: true,
    });
    expect((await typesIn(paragraph, ONE)).isMarked).toBe(false);
  });

  test('are renamed if files map one type to different roles', async () => {
    expect(await typesIn(strong('Span'), strong('Span'))).toMatchObject({ roles: '<</Strong /Span>>' });
    const { types, roles } = await typesIn(strong('Span'), strong('H1'));
    expect(types).toEqual(['Document', 'Part', 'Part', 'Strong', 'p2.Strong']);
    expect(roles).toBe('<</Strong /Span/p2.Strong /H1>>');
  });

  test('are renamed if a file maps a standard type to another role', async () => {
    const odd = tagged('/RoleMap<</P/H1>>', DOCUMENT, '<</S/P/P 5 0 R/Pg 3 0 R/K 0>>');
    expect(await typesIn(odd, ONE)).toMatchObject({ types: ['Document', 'Part', 'p1.P'], roles: '<</p1.P /H1>>' });
  });

  test.each([
    ['an element that contains itself', tagged('', DOCUMENT, '<</S/P/P 5 0 R/K 5 0 R>>')],
    [
      'an endless parent tree',
      pdfOf(
        ...[
          '<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R>>',
          '<</Type/Pages/Kids[3 0 R]/Count 1>>',
          '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]>>',
          '<</K 5 0 R/ParentTree 6 0 R>>',
          '<</S/Document/P 4 0 R>>',
          '<</Kids[6 0 R 6 0 R]>>',
        ],
      ),
    ],
    ['no elements', tagged('', 'null')],
    ['a key that is not a number', tagged('/ParentTree<</Nums[/x 6 0 R]>>', 'null', 'null')],
  ])('are dropped with %s, and the pages are merged', async (_, file) => {
    expect(await typesIn(file, ONE)).toEqual({ types: [], roles: '', isMarked: false });
  });
});

describe('hostile tags', () => {
  const SOME = `${'6 0 R '.repeat(40_000)}`;

  test.each([
    ['a parent tree whose root contains itself many times', `<</Kids[${SOME}]>>`, []],
    ['a parent tree whose nodes share a list of nodes', '<</Kids 6 0 R>>', [`[${'7 0 R '.repeat(40_000)}]`, '<</Kids 6 0 R>>']],
    [
      'a parent tree whose nodes share a list of keys',
      `<</Kids[${Array.from({ length: 20_000 }, () => '<</Nums 6 0 R>>').join('')}]>>`,
      [`[${'1 5 0 R '.repeat(20_000)}]`],
    ],
  ])('are dropped immediately (%s)', async (_, tree, more) => {
    const file = pdfOf(
      '<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R/MarkInfo<</Marked true>>>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/StructParents 7>>',
      `<</Type/StructTreeRoot/K 5 0 R/ParentTree ${more.length ? tree : '6 0 R'}>>`,
      '<</S/Document/P 4 0 R/K 0/Pg 3 0 R>>',
      ...(more.length ? more : [tree]),
    );
    const { pages, pdf } = await merge(file, ONE);
    expect(pages).toBe(2);
    expect(Buffer.from(pdf).includes('StructTreeRoot')).toBe(false);
  });

  test('are dropped immediately if elements share a list of kids', async () => {
    const elements = Array.from({ length: 2_000 }, () => '<</S/P/P 5 0 R/K 6 0 R>>');
    const file = pdfOf(
      '<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]>>',
      '<</Type/StructTreeRoot/K 5 0 R/ParentTree<</Nums[]>>>>',
      `<</S/Document/P 4 0 R/K[${elements.map((_, at) => `${at + 7} 0 R`).join(' ')}]>>`,
      `[${'1 '.repeat(100_000)}]`,
      ...elements,
    );
    expect((await merge(file, ONE)).pages).toBe(2);
  });
});

describe('parts of many megabytes', () => {
  const large = closeAfterAll(new UploadAssembly({ maxPdfBytes: 40_000_000 }));
  const comment = (seed: number) => Buffer.from(noise(1_500_000, seed).map((byte) => (byte === 10 || byte === 13 ? 0 : byte)));
  /** About 3 MB that cannot be compressed; a reader takes all of it for a comment. */
  const withPages = (width: number, catalog = '') =>
    pdfOf(
      `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
      '<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} 400]/Contents 4 0 R>>`,
      inText(`25${comment(width).toString('hex')}`, '/ASCIIHexDecode'),
    );
  const joined = async (...contents: Uint8Array[]) => {
    const parts = contents.map((content, at) => ({ title: `part ${at}`, content, ...OTHERS }));
    const { files, places } = await large.assemble('ada', { parts, steps: [] });
    const [{ content, pages } = { content: Buffer.alloc(0), pages: 0 }] = files;
    expect([pages, places.length]).toEqual([2 * contents.length, 2 * contents.length]);
    return Buffer.from(content);
  };

  test('are joined in order', async () => {
    const { sizes, outline } = await readPdf(await joined(withPages(100), withPages(200), withPages(300), withPages(400)));
    expect(sizes.map(({ width }) => width)).toEqual([100, 100, 200, 200, 300, 300, 400, 400]);
    expect(outline).toEqual(['part 0', 'part 1', 'part 2', 'part 3']);
  });

  test('keep the labels of their pages', async () => {
    const labelled = withPages(300, '/PageLabels<</Nums[0<</S/r>>]>>');
    const whole = await joined(withPages(100), withPages(200), labelled);
    expect((await readPdf(whole)).sizes.map(({ width }) => width)).toEqual([100, 100, 200, 200, 300, 300]);
    await using opened = await openPdf(whole);
    expect((await opened.document.getPageLabels())?.slice(-2)).toEqual(['i', 'ii']);
  });

  test('are refused if the whole is too large', async () => {
    const parts = Array.from({ length: 20 }, (_, at) => ({ title: `${at}`, content: withPages(100 + at), ...OTHERS }));
    await expect(large.assemble('ada', { parts, steps: [] })).rejects.toMatchObject({ code: 'resource_limit' });
  });
});

describe('hostile files', () => {
  test.each([
    ['not a PDF', Buffer.from('hello')],
    ['empty', Buffer.alloc(0)],
    ['a truncated PDF', ONE.subarray(0, 200)],
    ['objects that exceed the limit when decompressed', withObjectStream(2_000_000)],
    ['objects with another compression', LZW],
    ['an exponential page tree', DOUBLING],
    ['no catalog', pdfOf('<</Type/Pages>>')],
    ['a page tree that contains itself', pdfOf('<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>')],
  ])('are rejected with their index (%s)', async (_name, content) => {
    await expect(merge(ONE, content)).rejects.toMatchObject({
      code: 'invalid_request',
      members: { errors: [{ path: 'parts[1]', message: 'is damaged, or not a PDF' }] },
    });
  });

  test('can nest an object 50,000 levels deep without harm', async () => {
    await merge(NESTED).catch(() => {});
    expect((await merge(ONE)).pages).toBe(1);
  });

  test('are rejected if the merged PDF is too large', async () => {
    const large = pdfOf(
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      `<</Type/Page/Parent 2 0 R/X (${noise(600_000).toString('hex')})>>`, // can hardly be compressed
    );
    await expect(merge(large, large)).rejects.toMatchObject({ code: 'resource_limit', members: { limit: 1_000_000 } });
  });

  test('are rejected before writing if a page occurs 40,000 times', async () => {
    const repeated = pdfOf(
      '<</Type/Catalog/Pages 2 0 R>>',
      `<</Type/Pages/Kids[${'3 0 R '.repeat(40_000)}]/Count 40000>>`,
      `<</Type/Page/Parent 2 0 R/X (${'x'.repeat(400_000)})>>`, // all copies would be 32 GB in hexadecimal
    );
    await expect(merge(ONE, repeated)).rejects.toMatchObject({ code: 'resource_limit', members: { limit: 1_000_000 } });
  });

  test('alone are as harmless as beside others', async () => {
    const circle = pdfOf('<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>');
    for (const content of [DOUBLING, circle, ONE.subarray(0, 200), NESTED, withObjectStream(2_000_000)])
      await expect(merge(content)).rejects.toMatchObject({ code: expect.stringMatching(/invalid_request|resource_limit/) });
  });
});

/** Two pages, with these entries of the catalog and of the first page. */
const two = (catalog: string, page = '', ...more: string[]) =>
  pdfOf(
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]${page}>>`,
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]>>',
    ...more,
  );
const inText = (content: string, filter: string, entries = '') =>
  `<</Filter${filter}${entries}/Length ${content.length}>>\nstream\n${content}\nendstream`;
/** Objects from number 5 on, each of which contains the next one twice. */
const doubling = (entries: string) =>
  Array.from({ length: 40 }, (_, at) => `<<${entries}/K[${at + 6} 0 R ${at + 6} 0 R]/Kids[${at + 6} 0 R ${at + 6} 0 R]>>`);
const SIGNATURE = '<</FT/Sig/T(s)/V<</Type/Sig>>>>';

test.each([
  ['fields that contain themselves', two('/AcroForm<</Fields[5 0 R]>>', '', '<</T(a)/Kids[5 0 R 5 0 R]>>')],
  ['fields that share their kids', two('/AcroForm<</Fields[5 0 R]>>', '', ...doubling('/T(a)'), '<</T(b)/FT/Tx>>')],
  ['elements that share their kids', two('/StructTreeRoot<</K 5 0 R>>', '', ...doubling('/S/Div'), '<</S/P/Pg 3 0 R/K 0>>')],
  ['a signature beside such fields', two('/AcroForm<</Fields[5 0 R]>>', '', '<</T(a)/Kids[5 0 R 5 0 R 6 0 R]>>', SIGNATURE)],
])('pages of a PDF with %s are selected immediately', async (_, content) => {
  const parts = [{ ...OTHERS, content, title: 'a', pages: '1', dropsSignatures: true }];
  const { files } = await assembly.assemble('ada', { parts, steps: [] });
  expect(files.map(({ pages }) => pages)).toEqual([1]);
});

test('content and attachments are read if their filters make text of bytes', async () => {
  const helvetica = '/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>';
  const hex = deflateSync(Buffer.from('BT /F 20 Tf 50 50 Td (in hexadecimal) Tj ET')).toString('hex');
  const content = two(
    '/Names<</EmbeddedFiles<</Names[(a)<</F(a.txt)/EF<</F 6 0 R>>>>]>>>>',
    `/Contents 5 0 R${helvetica}`,
    inText(`${hex}>`, '[/ASCIIHexDecode/FlateDecode]'),
    inText('68656C6C6F>', '/ASCIIHexDecode'),
  );
  const step = { number: 0, step: { what: ['text', 'attachments'] as const } };
  const { extracted = Buffer.alloc(0) } = await assembly.assemble('ada', {
    parts: [{ ...OTHERS, content, title: 'a' }],
    steps: [],
    extract: step,
  });
  expect(JSON.parse(Buffer.from(extracted).toString())).toMatchObject({
    pages: [{ text: 'in hexadecimal' }, {}],
    attachments: [{ name: 'a.txt', content: Buffer.from('hello').toString('base64') }],
  });
});

test('an attachment that cannot be decompressed is reported', async () => {
  const names = '/Names<</EmbeddedFiles<</Names[(a)<</F(a.txt)/EF<</F 5 0 R>>>>]>>>>';
  const part = { ...OTHERS, content: two(names, '', inText('x', '/LZWDecode')), title: 'a' };
  const lost = { what: 'attachments', why: 'a.txt cannot be decompressed' };
  expect((await assembly.assemble('ada', { parts: [part, part], steps: [] })).dropped).toEqual([
    { ...lost, part: 0 },
    { ...lost, part: 1 },
  ]);
  const attach = { number: 0, step: { attach: { files: [] } } };
  expect((await assembly.assemble('ada', { parts: [part], steps: [attach] })).dropped).toEqual([lost]);
});

describe('a split by size', () => {
  const SIZES = [400, 30_000, 90_000, 200, 200, 120_000, ...Array.from({ length: 60 }, (_, n) => (n % 7) * 1_500), 40_000];
  const pages = SIZES.map((_, n) => `${2 * n + 3} 0 R`).join(' ');
  const content = pdfOf(
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${pages}]/Count ${SIZES.length}>>`,
    ...SIZES.flatMap((size, n) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${n + 1} 200]/Contents ${2 * n + 4} 0 R>>`,
      inText(noise(size / 2).toString('hex'), '/ASCIIHexDecode'),
    ]),
  );
  const parts = [{ ...OTHERS, content, title: 'a' }];
  const split = (step: SplitStep) => assembly.assemble('ada', { parts, steps: [], split: { number: 0, step } });

  test.each([1_000, 50_000, 100_000, 700_000])('has as many pages in each PDF as fit into %d bytes', async (maxBytes) => {
    const { files, dropped } = await split({ maxBytes });
    let next = 1;
    for (const [index, { content: file, pages: count }] of files.entries()) {
      const { sizes } = await readPdf(file);
      expect(sizes.map(({ width }) => width)).toEqual(Array.from({ length: count }, () => next++));
      expect(file.length > maxBytes ? count : 1).toBe(1);
      if (index === files.length - 1) continue;
      const [longer] = (await split({ ranges: [`${next - count}-${next}`] })).files;
      expect(longer?.content.length).toBeGreaterThan(maxBytes);
    }
    expect(next).toBe(SIZES.length + 1);
    const alone = files.filter(({ content: file }) => file.length > maxBytes).length;
    expect(dropped).toHaveLength(alone ? 1 : 0);
  });

  test('names the pages that are larger alone', async () => {
    const { dropped } = await split({ maxBytes: 100_000 });
    expect(dropped).toEqual([{ what: 'max_bytes', why: 'page 6 alone has more than 100000 bytes, and is a PDF of its own' }]);
    const { dropped: many } = await split({ maxBytes: 1 });
    expect(many[0]?.why).toMatch(/^pages 1, 2, .*, 20, and 47 more have more than 1 bytes each, and are PDFs of their own$/);
  });

  test('holds for protected PDFs as they are written', async () => {
    const password = { user: 'u', owner: 'o', permissions: [] };
    const order = { parts, steps: [], password, split: { number: 0, step: { maxBytes: 100_000 } } };
    const { files } = await assembly.assemble('ada', order);
    expect(files.filter(({ content: file }) => file.length > 100_000)).toMatchObject([{ pages: 1 }]);
  });
});

describe('what steps make of a PDF is limited', () => {
  const LARGE = two('', '/Contents 5 0 R', inText(noise(100_000).toString('hex'), '/ASCIIHexDecode'));
  const parts = [{ ...OTHERS, content: LARGE, title: 'a' }];
  const turn = (number: number) => ({ number, step: { rotate: { angle: 90, pages: undefined } } as const });

  test('to as many bytes for all PDFs of a split as for one', async () => {
    const split = (count: number) => ({ number: 3, step: { ranges: Array.from({ length: count }, () => '1') } });
    expect((await assembly.assemble('ada', { parts, steps: [], split: split(2) })).files).toHaveLength(2);
    await expect(assembly.assemble('ada', { parts, steps: [], split: split(20) })).rejects.toMatchObject({
      code: 'resource_limit',
      message: expect.stringMatching(/^steps\[3\]\.split: /),
      members: { limit: 1_000_000 },
    });
  });

  test('to a time, and the error names the step that was not completed', async () => {
    const slow = new UploadAssembly({ maxPdfBytes: 1_000_000, timeoutMs: 6_000 });
    await slow.assemble('ada', { parts, steps: [turn(0)] }); // starts the process, so that the steps take the time
    const steps = Array.from({ length: 100_000 }, (_, number) => turn(number));
    await expect(slow.assemble('ada', { parts, steps }).finally(() => slow.close())).rejects.toMatchObject({
      code: 'resource_limit',
      message: expect.stringMatching(/^steps\[\d+\]\.rotate: assembling the PDF takes longer than 6000 ms$/),
    });
  });

  test('to the time of the render, if it has one, which may be longer', async () => {
    const short = new UploadAssembly({ maxPdfBytes: 1_000_000, timeoutMs: 50 }); // less than a process takes to start
    onTestFinished(() => short.close());
    await expect(short.assemble('ada', { parts, steps: [] })).rejects.toMatchObject({ code: 'resource_limit' });
    using deadline = new Deadline(60_000);
    expect((await short.assemble('ada', { parts, steps: [] }, deadline)).files).toHaveLength(1);
  });

  test('to the time of the render, and the error names the step that it has come to', async () => {
    using deadline = new Deadline(60_000);
    const work = namingLate(({ note }) => {
      const end = (at: string) => {
        note(at);
        if (at === 'steps[1].rotate') deadline.end(new ServiceError('render_timeout', 'it is late'));
      };
      return deadline.race(assembly.assemble('ada', { parts, steps: [turn(0), turn(1)] }, deadline, { note: end }));
    });
    await expect(work).rejects.toMatchObject({ code: 'render_timeout', message: 'steps[1].rotate: it is late' });
  });

  test('to a PDF that is drawn without harm', async () => {
    const circle = pdfOf('<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>');
    const endless = Buffer.concat([ONE, Buffer.from('1 0 obj<</Length 9 0 R>>stream\nx\n'.repeat(20_000))]);
    for (const source of [circle, endless]) {
      const steps = [{ number: 2, step: { letterhead: { source, pages: undefined } } }];
      await expect(assembly.assemble('ada', { parts, steps })).rejects.toMatchObject({
        members: { errors: [{ path: 'steps[2].letterhead.file', message: expect.stringContaining('is damaged') }] },
      });
    }
  });
});
