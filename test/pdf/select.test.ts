/** Nothing in the file tells of pages that were removed, and what belongs to the others stays. */
import { expect, test } from 'vitest';
import type { AssemblyOrder } from '../../src/pdf/assemble/assemble.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { writePdf } from '../support/hidden-texts.ts';
import { openPdf } from '../support/open-pdf.ts';
import { unpackedText } from '../support/unpacked-text.ts';

const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 10_000_000 }));

type Objects = Parameters<typeof writePdf>[0];

interface Given {
  catalog?: string;
  /** Entries of pages 1, 2 and 3. Page 2 is the one that is removed. */
  pages?: [string, string, string];
  resources?: string;
  contents?: [string, string, string];
  objects?: Objects;
}

/** Pages 1, 2 and 3 are the objects 4, 5 and 6. Numbers from 20 on are free. */
function threePages({
  catalog = '',
  pages = ['', '', ''],
  resources = '',
  contents = ['', '', ''],
  objects = {},
}: Given): Buffer {
  const page = (index: 0 | 1 | 2) =>
    `<</Type /Page /Parent 3 0 R /MediaBox [0 0 200 200] /Resources 10 0 R /Contents ${7 + index} 0 R ${pages[index]}>>`;
  const content = (index: 0 | 1 | 2) => ({ dictionary: '', data: `BT /F 12 Tf 50 150 Td (Page) Tj ET ${contents[index]}` });
  return writePdf({
    1: `<</Type /Catalog /Pages 3 0 R ${catalog}>>`,
    3: '<</Type /Pages /Kids [4 0 R 5 0 R 6 0 R] /Count 3>>',
    ...{ 4: page(0), 5: page(1), 6: page(2), 7: content(0), 8: content(1), 9: content(2) },
    10: `<</Font <</F 11 0 R>> ${resources}>>`,
    11: '<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>',
    ...objects,
  });
}

async function assemble(content: Buffer, order: Partial<AssemblyOrder>, pages?: string) {
  const part = { content, title: 'a', pages, password: undefined, isOwn: false, dropsSignatures: false };
  return assembly.assemble('ada', { parts: [part], steps: [], ...order });
}

const SELECTED: Partial<AssemblyOrder> = { steps: [{ number: 0, step: { select: { pages: '1, 3' } } }] };
const SPLIT: Partial<AssemblyOrder> = { split: { number: 0, step: { ranges: ['1, 3'] } } };

/** The PDF without its second page: chosen from the part, by a step, and by a split. */
async function withoutSecond(content: Buffer) {
  const all = [await assemble(content, {}, '!2'), await assemble(content, SELECTED), await assemble(content, SPLIT)];
  return all.map(({ files, dropped }) => ({
    file: Buffer.from(files[0]?.content ?? []),
    dropped: dropped.map(({ what }) => what),
  }));
}

const image = (name: string) => ({
  dictionary: `/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /Name /${name}`,
  data: 'x',
});
const form = (name: string, entries = '') => ({
  dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Name /${name} ${entries}`,
  data: '0 0 9 9 re f',
});
const group = (name: string) => `<</Type /OCG /Name (${name})>>`;
const bead = (next: number, page: number, name: string) =>
  `<</T 20 0 R /N ${next} 0 R /V ${next} 0 R /P ${page} 0 R /R [0 0 9 9] /X (${name})>>`;

/** What has a name with SECRET belongs to the second page. All that has STAYS belongs to the others. */
const GIVEN: Record<string, Given & { dropped?: string[] }> = {
  'names of destinations': {
    catalog: '/Names <</Dests 20 0 R>>',
    objects: {
      20: '<</Kids [21 0 R 22 0 R]>>',
      21: '<</Limits [(SECRET-1) (SECRET-2)] /Names [(SECRET-1) [5 0 R /Fit] (SECRET-2) <</D [5 0 R /Fit]>>]>>',
      22: '<</Limits [(STAYS-1) (STAYS-2)] /Names [(STAYS-1) [4 0 R /Fit] (STAYS-2) 23 0 R]>>',
      23: '<</D [6 0 R /Fit]>>',
    },
  },
  'names of destinations of PDF 1.1': { catalog: '/Dests <</SECRET [5 0 R /Fit] /STAYS [6 0 R /Fit]>>' },
  'names of pages': { catalog: '/Names <</Pages <</Names [(SECRET) 5 0 R (STAYS) 6 0 R]>>>>' },
  'bookmarks, also those above others that go': {
    catalog: '/Outlines 20 0 R',
    objects: {
      20: '<</First 21 0 R /Last 24 0 R /Count 4>>',
      21: '<</Parent 20 0 R /Next 23 0 R /Title (SECRET-above) /First 22 0 R /Last 22 0 R /Count 1>>',
      22: '<</Parent 21 0 R /Title (SECRET) /Dest [5 0 R /Fit]>>',
      23: '<</Parent 20 0 R /Prev 21 0 R /Next 24 0 R /Title (STAYS) /Dest [6 0 R /Fit]>>',
      24: '<</Parent 20 0 R /Prev 23 0 R /Title (STAYS-too)>>',
    },
  },
  articles: {
    catalog: '/Threads [20 0 R 30 0 R]',
    pages: ['/B [21 0 R]', '/B [22 0 R 31 0 R]', ''],
    objects: {
      20: '<</F 22 0 R /I <</Title (STAYS)>>>>',
      21: bead(22, 4, 'STAYS-bead'),
      22: bead(21, 5, 'SECRET-bead'),
      30: '<</F 31 0 R /I <</Title (SECRET)>>>>',
      31: '<</T 30 0 R /N 31 0 R /V 31 0 R /P 5 0 R /R [0 0 9 9]>>',
    },
  },
  'images and fonts of shared resources': {
    resources: '/XObject <</A 20 0 R /B 21 0 R /C 22 0 R /D 23 0 R>>',
    contents: ['/A Do', '/B Do', '/C Do'],
    objects: {
      20: image('STAYS-1'),
      21: image('SECRET-1'),
      22: { dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Name /STAYS-2', data: '/D Do' },
      23: form('STAYS-3', '/Resources 24 0 R'),
      24: '<</XObject <</B 25 0 R>> /Font <</F 11 0 R>>>>',
      25: image('STAYS-4-unshared'),
    },
  },
  'images of form XObjects with the resources of pages': {
    resources: '/XObject <</A 20 0 R /B 21 0 R /C 22 0 R>>',
    contents: ['/A Do', '/B Do', ''],
    objects: {
      20: { dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources 10 0 R', data: '/C Do' },
      21: image('SECRET'),
      22: image('STAYS'),
    },
  },
  layers: {
    catalog:
      '/OCProperties <</OCGs [20 0 R 21 0 R] /D <</Order [(STAYS-group) [20 0 R] [(SECRET-group) 21 0 R]] /OFF [21 0 R] /AS [<</Event /View /Category [/View] /OCGs [20 0 R 21 0 R]>>]>>>>',
    resources: '/Properties <</A 20 0 R /B 21 0 R>>',
    contents: ['/OC /A BDC EMC', '/OC /B BDC EMC', ''],
    objects: { 20: group('STAYS'), 21: group('SECRET') },
  },
  'tags, and empty ones beside them': {
    catalog: '/StructTreeRoot 20 0 R /MarkInfo <</Marked true>>',
    pages: ['/StructParents 0', '/StructParents 1', '/StructParents 2'],
    objects: {
      20: '<</Type /StructTreeRoot /K 21 0 R /IDTree <</Names [(SECRET-id) 24 0 R (STAYS-id) 22 0 R]>> /ParentTree <</Nums [0 [22 0 R] 1 [25 0 R 28 0 R] 2 [28 0 R]]>>>>',
      21: '<</S /Document /P 20 0 R /K [22 0 R 24 0 R 27 0 R 28 0 R]>>',
      22: '<</S /P /P 21 0 R /Pg 4 0 R /K 0 /ActualText (STAYS-text) /ID (STAYS-id)>>',
      24: '<</S /TR /P 21 0 R /T (SECRET-row) /ID (SECRET-id) /K [25 0 R 26 0 R]>>',
      25: '<</S /TD /P 24 0 R /Pg 5 0 R /Alt (SECRET-alt) /K 0>>',
      26: '<</S /TD /P 24 0 R /Alt (SECRET-cell)>>',
      27: '<</S /Figure /P 21 0 R /Pg 5 0 R /Alt (SECRET-figure)>>',
      28: '<</S /P /P 21 0 R /Pg 6 0 R /ActualText (SECRET-half) /T (STAYS-half) /K [<</Type /MCR /Pg 5 0 R /MCID 1>> 0]>>',
    },
  },
  'form fields, and the order in which they are computed': {
    catalog: '/AcroForm <</Fields [20 0 R 21 0 R 22 0 R] /CO [21 0 R 20 0 R]>>',
    pages: ['/Annots [20 0 R]', '/Annots [21 0 R]', ''],
    objects: {
      20: '<</Type /Annot /Subtype /Widget /Rect [0 0 9 9] /FT /Tx /T (STAYS) /P 4 0 R>>',
      21: '<</Type /Annot /Subtype /Widget /Rect [0 0 9 9] /FT /Tx /T (SECRET) /V (SECRET-value) /P 5 0 R>>',
      22: '<</Type /Annot /Subtype /Widget /Rect [0 0 9 9] /FT /Tx /T (SECRET-unlisted) /P 5 0 R>>',
    },
  },
  'annotations that are on one of the others as well': {
    pages: ['/Annots [20 0 R]', '/Annots [20 0 R 21 0 R]', ''],
    objects: {
      20: '<</Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (STAYS)>>',
      21: '<</Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (SECRET) /Popup 22 0 R>>',
      22: '<</Type /Annot /Subtype /Popup /Rect [0 0 9 9] /Parent 21 0 R>>',
    },
  },
  'page labels': {
    catalog: '/PageLabels <</Nums [0 <</P (STAYS)>> 1 <</P (SECRET)>> 2 <</S /D>>]>>',
  },
  'private data of applications, XFA, document parts and web capture data': {
    catalog: `/PieceInfo <</App <</Private (SECRET-app)>>>> /AcroForm <</Fields [] /XFA (SECRET-xfa)>> /DPartRoot 20 0 R
      /SpiderInfo <</V 1.0 /C (SECRET-spider)>> /Names <</URLS <</Names [(SECRET-url) null]>> /Dests <</Names [(STAYS) [4 0 R /Fit]]>>>>`,
    pages: ['/DPart 21 0 R', '/DPart 22 0 R', ''],
    objects: {
      20: '<</Type /DPartRoot /DPartRootNode 23 0 R>>',
      21: '<</Type /DPart /Parent 23 0 R /Start 4 0 R>>',
      22: '<</Type /DPart /Parent 23 0 R /Start 5 0 R /DPM <</To (SECRET-name)>>>>',
      23: '<</Type /DPart /Parent 20 0 R /DParts [[21 0 R 22 0 R]]>>',
    },
    dropped: ['XFA', 'private data of applications', 'document parts', 'web capture data'],
  },
  'pictures of pages in the metadata': {
    catalog: '/Metadata 20 0 R',
    objects: {
      20: {
        dictionary: '/Type /Metadata /Subtype /XML',
        data: '<x><xmp:Thumbnails><rdf:li>SECRET</rdf:li></xmp:Thumbnails><dc:title>STAYS</dc:title></x>',
      },
    },
  },
};

test.each(Object.entries(GIVEN))('%s', async (_, { dropped = [], ...given }) => {
  const whole = threePages(given);
  const stays = new Set(whole.toString('latin1').match(/STAYS[-\w]*/g));
  for (const { file, dropped: reported } of await withoutSecond(whole)) {
    const text = withTexts(file);
    expect(text.match(/SECRET[-\w]*/g)).toBeNull();
    expect(new Set(text.match(/STAYS[-\w]*/g))).toEqual(stays);
    expect(reported).toEqual(dropped);
    await using opened = await openPdf(file);
    expect(opened.document.numPages).toBe(2);
  }
});

/** The file with its streams and its strings. */
function withTexts(file: Buffer): string {
  return unpackedText(file).replace(/<([0-9a-f]+)>/gi, (_, digits) => Buffer.from(digits, 'hex').toString('latin1'));
}

test('articles lead from bead to bead over pages that are gone', async () => {
  const objects: Objects = { 20: '<</F 21 0 R /I <</Title (A)>>>>' };
  for (const [index, page] of [4, 5, 6].entries())
    objects[21 + index] =
      `<</T 20 0 R /N ${21 + ((index + 1) % 3)} 0 R /V ${21 + ((index + 2) % 3)} 0 R /P ${page} 0 R /R [0 0 ${page} 9]>>`;
  const whole = threePages({ catalog: '/Threads [20 0 R]', pages: ['/B [21 0 R]', '/B [22 0 R]', '/B [23 0 R]'], objects });
  for (const { file } of await withoutSecond(whole)) {
    const text = unpackedText(file);
    const [, first] = /\/F (\d+) 0 R/.exec(text) ?? [];
    const beads = [...text.matchAll(/<<[^<>]*\/R ?\[0 0 \d 9\][^<>]*>>/g)].map(([bead]) => ({
      next: /\/N (\d+)/.exec(bead)?.[1],
      previous: /\/V (\d+)/.exec(bead)?.[1],
    }));
    expect(beads).toHaveLength(2);
    expect(beads.map(({ next }) => next)).toEqual(beads.map(({ previous }) => previous));
    expect(beads.map(({ next }) => next)).toContain(first);
  }
});

test('each PDF of a split has the tags and annotations of its pages, whatever the others have', async () => {
  const objects: Objects = {
    20: '<</Type /StructTreeRoot /K 21 0 R /ParentTree <</Nums [0 [22 0 R] 1 [23 0 R] 2 [24 0 R] 3 22 0 R 4 23 0 R 5 24 0 R]>>>>',
    21: '<</S /Document /P 20 0 R /K [22 0 R 23 0 R 24 0 R]>>',
  };
  for (const n of [0, 1, 2]) {
    objects[22 + n] = `<</S /Link /P 21 0 R /Pg ${4 + n} 0 R /T (tag-${n}) /K [0 <</Type /OBJR /Obj ${30 + n} 0 R>>]>>`;
    objects[30 + n] = `<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /Contents (link-${n}) /StructParent ${3 + n}>>`;
  }
  const pages = [0, 1, 2].map((n) => `/StructParents ${n} /Annots [${30 + n} 0 R]`) as [string, string, string];
  const whole = threePages({ catalog: '/StructTreeRoot 20 0 R /MarkInfo <</Marked true>>', pages, objects });
  const { files } = await assemble(whole, { split: { number: 0, step: { ranges: ['2', '1-3', '3, 1', '2'] } } });
  const found = files.map(({ content }) =>
    withTexts(Buffer.from(content))
      .match(/(?:tag|link)-\d/g)
      ?.sort(),
  );
  const of = (...pages: number[]) => ['link', 'tag'].flatMap((what) => pages.map((page) => `${what}-${page}`));
  expect(found).toEqual([of(1), of(0, 1, 2), of(0, 2), of(1)]);
});

test('what cannot be read keeps its resources', async () => {
  const resources = '/XObject <</A 20 0 R /B 21 0 R>>';
  const objects = { 20: image('used'), 21: image('unused') };
  const whole = threePages({ resources, contents: ['/A Do', '/B Do', '(no end'], objects });
  for (const { file } of await withoutSecond(whole)) expect(unpackedText(file)).toContain('/unused');
});

test('pages that do not say that they are become such', async () => {
  const whole = Buffer.from(
    threePages({}).toString('latin1').replace('/Type /Pages', '/Type /Pagos').replace('/Type /Page ', '/Type /Pago '),
    'latin1',
  );
  expect(whole.toString('latin1').match(/\/Pago\w*/g)).toEqual(['/Pagos', '/Pago']);
  const { files } = await assemble(whole, {});
  const text = unpackedText(Buffer.from(files[0]?.content as Uint8Array));
  expect(text.match(/\/Type ?\/Page\b/g)).toHaveLength(3);
  expect(text).not.toContain('/Pago');
});
