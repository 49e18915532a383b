/** PDFs that are meant to do harm: to stop a reader, to fill its memory, or to mislead it. Each kind is made when it is needed. */
import { deflateSync } from 'node:zlib';
import { noise } from './noise.ts';

type Body = string | Buffer;

const bytesOf = (body: Body) => (typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
const times = (count: number, text: string | ((index: number) => string), between = '') =>
  Array.from({ length: count }, (_, index) => (typeof text === 'string' ? text : text(index))).join(between);

/** A stream with these entries. `length` is what it says of its length. */
function streamOf(content: Body, entries = '', length?: number | string): Buffer {
  const bytes = bytesOf(content);
  const head = `<<${entries}/Length ${length ?? bytes.length}>>\nstream\n`;
  return Buffer.concat([bytesOf(head), bytes, bytesOf('\nendstream')]);
}

const packed = (content: Body, entries = '') => streamOf(deflateSync(bytesOf(content)), `/Filter/FlateDecode${entries}`);

interface Ends {
  /** More entries of the trailer. */
  trailer?: string;
  /** Replaces all after the objects. */
  end?: (offset: number, offsets: number[]) => string;
  head?: string;
}

/** A PDF with these objects, numbered from 1, and a cross-reference table. */
function fileOf(objects: readonly Body[], { trailer = '', end, head = '%PDF-1.7\n' }: Ends = {}): Buffer {
  const chunks = [bytesOf(head)];
  let length = head.length;
  const add = (body: Body) => {
    const bytes = bytesOf(body);
    chunks.push(bytes);
    length += bytes.length;
  };
  const offsets = objects.map((object, index) => {
    const offset = length;
    add(`${index + 1} 0 obj\n`);
    add(object);
    add('\nendobj\n');
    return offset;
  });
  const table = tableOf(offsets);
  const size = objects.length + 1;
  add(end ? end(length, offsets) : `${table}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${length}\n%%EOF\n`);
  return Buffer.concat(chunks);
}

function tableOf(offsets: readonly number[]): string {
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows}`;
}

interface Document extends Ends {
  catalog?: string;
  /** The root of the page tree. */
  pages?: string;
  page?: string;
  content?: Body;
  resources?: string;
  /** Objects from number 5 on. */
  more?: readonly Body[];
}

/** A PDF of one page with additions. */
function pdf({ catalog = '', pages, page = '', content = '', resources = '', more = [], ...ends }: Document = {}): Buffer {
  const objects = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    pages ?? '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R${page.includes('/MediaBox') ? '' : '/MediaBox[0 0 300 400]'}${page.includes('/Contents') ? '' : '/Contents 4 0 R'}${page}/Resources<<${resources}>>>>`,
    content instanceof Buffer && content.toString('latin1', 0, 2) === '<<' ? content : streamOf(content),
    ...more,
  ];
  return fileOf(objects, ends);
}

/** A file whose objects are in an object stream with these entries, and whose cross-reference stream has these. */
function compressed({ entries = '', padding = 0, first, rows, size = 6, widths = '1 4 2', more = '' }: Compressed = {}): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 3 0 R>>',
    '<</Type/Pages/Kids[4 0 R]/Count 1>>',
    '<</Type/Page/Parent 3 0 R/MediaBox[0 0 300 400]>>',
  ];
  let at = 0;
  const index = objects.map((object, number) => {
    const pair = `${number + 2} ${at}`;
    at += object.length + 1;
    return pair;
  });
  const text = `${index.join(' ')} `;
  const stream = packed(
    text + objects.join(' ') + ' '.repeat(padding),
    `/Type/ObjStm/N ${entries.includes('/N ') ? '' : 3}${entries}/First ${first ?? text.length}`.replace('/N /N', '/N'),
  );
  const head = bytesOf('%PDF-1.7\n');
  const body = Buffer.concat([head, bytesOf('1 0 obj\n'), stream, bytesOf('\nendobj\n')]);
  const table = rows ?? [
    [0, 0, 65_535],
    [1, head.length, 0],
    [2, 1, 0],
    [2, 1, 1],
    [2, 1, 2],
    [1, body.length, 0],
  ];
  const data = Buffer.concat(
    table.map(([type = 0, offset = 0, other = 0]) => {
      const row = Buffer.alloc(7);
      row.writeUInt8(type);
      row.writeUInt32BE(offset, 1);
      row.writeUInt16BE(other, 5);
      return row;
    }),
  );
  const last = streamOf(data, `/Type/XRef/Size ${size}/W[${widths}]/Root 2 0 R${more}`);
  return Buffer.concat([body, bytesOf('5 0 obj\n'), last, bytesOf(`\nendobj\nstartxref\n${body.length}\n%%EOF\n`)]);
}

interface Compressed {
  entries?: string;
  padding?: number;
  first?: number;
  rows?: number[][];
  size?: number;
  widths?: string;
  more?: string;
}

/** Objects from this number on, each of which contains the next one twice. */
const doubling = (from: number, entries: string, key: string, count = 40) =>
  Array.from({ length: count }, (_, index) => `<<${entries}/${key}[${from + index + 1} 0 R ${from + index + 1} 0 R]>>`);
const form = (content: string, resources: string) =>
  streamOf(content, `/Type/XObject/Subtype/Form/BBox[0 0 300 400]/Resources<<${resources}>>`);
const image = (entries: string, content: Body = 'x') => streamOf(content, `/Type/XObject/Subtype/Image${entries}`);
const drawing = (...more: Body[]) => pdf({ content: '100 0 0 100 0 0 cm /X Do', resources: '/XObject<</X 5 0 R>>', more });
const writing = (font: string, ...more: Body[]) =>
  pdf({ content: 'BT /F 12 Tf 50 50 Td (x hidden) Tj ET', resources: `/Font<</F ${font}>>`, more });
const tagged = (root: string, ...more: Body[]) =>
  pdf({
    catalog: '/StructTreeRoot 5 0 R/MarkInfo<</Marked true>>',
    page: '/StructParents 0',
    content: '/P<</MCID 0>>BDC EMC',
    more: [root, ...more],
  });
const widget = (entries: string) => `<</Type/Annot/Subtype/Widget/Rect[10 10 90 30]${entries}>>`;
const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
const CMAP = (body: string) => `/CIDInit /ProcSet findresource begin 12 dict begin begincmap ${body} endcmap end end`;
const LAUGHS = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">${times(30, (n) => `<!ENTITY a${n + 1} "&a${n};&a${n};&a${n};">`)}]><x>&a30;</x>`;
const BOMB = () => deflateSync(Buffer.alloc(64_000_000));

const PAGE_TREES: Record<string, () => Buffer> = {
  'a page tree that contains itself': () => pdf({ pages: '<</Type/Pages/Kids[2 0 R]/Count 1>>' }),
  'a page tree that doubles on each level': () =>
    fileOf(['<</Type/Catalog/Pages 2 0 R>>', ...doubling(2, '/Type/Pages/Count 1', 'Kids'), '<</Type/Page/MediaBox[0 0 9 9]>>']),
  'a page tree of 20,000 levels': () =>
    fileOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      ...Array.from({ length: 20_000 }, (_, at) => `<</Type/Pages/Kids[${at + 3} 0 R]/Count 1>>`),
      '<</Type/Page/MediaBox[0 0 9 9]>>',
    ]),
  'a page that occurs 40,000 times': () => pdf({ pages: `<</Type/Pages/Kids[${times(40_000, '3 0 R ')}]/Count 40000>>` }),
  'kids that are numbers': () => pdf({ pages: '<</Type/Pages/Kids[1 2 3]/Count 3>>' }),
  'kids that do not exist': () => pdf({ pages: '<</Type/Pages/Kids[90 0 R 91 0 R]/Count 2>>' }),
  'a negative number of pages': () => pdf({ pages: '<</Type/Pages/Kids[3 0 R]/Count -5>>' }),
  'a number of pages of 10 to the 15': () => pdf({ pages: '<</Type/Pages/Kids[3 0 R]/Count 1000000000000000>>' }),
  'a page that is its own parent': () => pdf({ page: '/Parent 3 0 R/Rotate null' }),
  'parents in a circle without a size': () =>
    fileOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1/Parent 4 0 R>>',
      '<</Type/Page/Parent 4 0 R>>',
      '<</Type/Pages/Parent 2 0 R>>',
    ]),
  'the catalog as a page': () => pdf({ pages: '<</Type/Pages/Kids[1 0 R 3 0 R]/Count 2>>' }),
  'a page tree that is a stream': () =>
    fileOf(['<</Type/Catalog/Pages 2 0 R>>', streamOf('x', '/Type/Pages/Kids[2 0 R]/Count 1')]),
  'no pages': () => pdf({ pages: '<</Type/Pages/Kids[]/Count 0>>' }),
};

const NUMBERS: Record<string, () => Buffer> = {
  'a page of 10 to the 30 points': () => pdf({ page: '/MediaBox[0 0 1000000000000000000000000000000 10]' }),
  'a size that is not a number': () => pdf({ page: '/MediaBox[0 0 NaN 1e999]' }),
  'a page without area': () => pdf({ page: '/MediaBox[0 0 0 0]' }),
  'a page from the upper right to the lower left, far below zero': () => pdf({ page: '/MediaBox[9 9 -99999999 -99999999]' }),
  'a box of 100,000 numbers': () => pdf({ page: `/MediaBox[${times(100_000, '1 ')}]` }),
  'a box that contains itself': () => pdf({ page: '/MediaBox 5 0 R', more: ['[5 0 R 5 0 R 5 0 R 5 0 R]'] }),
  'boxes outside each other': () => pdf({ page: '/MediaBox[0 0 9 9]/CropBox[100 100 200 200]/TrimBox[-9 -9 -1 -1]' }),
  'an odd rotation': () => pdf({ page: '/Rotate 12345678901234567890.5' }),
  'a unit of 10 to the 9': () => pdf({ page: '/UserUnit 1000000000' }),
  'a number of 100,000 digits': () => pdf({ page: `/Rotate ${times(100_000, '9')}/MediaBox[0 0 ${times(100_000, '9')} 9]` }),
};

const SYNTAX: Record<string, () => Buffer> = {
  'arrays in each other, 50,000 deep': () => pdf({ page: `/X ${times(50_000, '[')}${times(50_000, ']')}` }),
  'dictionaries in each other, 50,000 deep': () => pdf({ catalog: `/X ${times(50_000, '<</A')} 1${times(50_000, '>>')}` }),
  'a name of a megabyte': () => pdf({ catalog: `/${times(1_000_000, 'n')} 1` }),
  'a string of a megabyte of parentheses': () => pdf({ catalog: `/X (${times(500_000, '(')}${times(500_000, ')')})` }),
  'a string without an end': () => pdf({ more: [`(${times(100_000, 'a')}`] }),
  'a megabyte of hexadecimal garbage': () => pdf({ catalog: `/X <${times(1_000_000, 'g')}>` }),
  'a dictionary without an end': () => pdf({ page: '/X <</A <</B' }),
  'an array without an end': () => pdf({ page: '/X [1 2 (a' }),
  'delimiters without a meaning': () => pdf({ more: [`[${times(50_000, ')')}`, `<<${times(50_000, '>')}`] }),
  'a dictionary of 50,000 entries': () => pdf({ page: times(50_000, (n) => `/K${n} ${n}`) }),
  'an entry that occurs 100,000 times': () => pdf({ catalog: times(100_000, '/Pages 2 0 R') }),
  'a million comments': () => pdf({ catalog: times(1_000_000, '%\n') }),
  'an object with a number of 2 to the 32': () =>
    Buffer.concat([pdf(), bytesOf('4294967297 0 obj\n<</A 4294967297 0 R>>\nendobj\n')]),
  'an object that is defined 20,000 times': () => Buffer.concat([pdf(), bytesOf(times(20_000, '3 0 obj<</X 1>>endobj\n'))]),
  'references in a circle': () => pdf({ catalog: '/Names 5 0 R/Outlines 6 0 R/AcroForm 5 0 R', more: ['6 0 R', '5 0 R'] }),
  'an object that refers to itself': () => pdf({ catalog: '/Names 5 0 R/StructTreeRoot 5 0 R', more: ['5 0 R'] }),
  'a chain of 10,000 references': () =>
    pdf({ page: '/Annots 5 0 R', more: [...Array.from({ length: 10_000 }, (_, at) => `${at + 6} 0 R`), '[]'] }),
  'garbage between objects': () => fileOf(['<</Type/Catalog/Pages 2 0 R>>', noise(200_000), '<<>>']),
  'a header after a megabyte': () => Buffer.concat([Buffer.alloc(1_000_000), pdf()]),
  'zeros only': () => Buffer.concat([bytesOf('%PDF-1.7\n'), Buffer.alloc(1_000_000)]),
  'a megabyte of random bytes': () => Buffer.concat([bytesOf('%PDF-1.7\n'), noise(1_000_000)]),
  'half of a file': () => {
    const whole = writing(HELVETICA);
    return whole.subarray(0, whole.length / 2);
  },
};

const STREAMS: Record<string, () => Buffer> = {
  'a negative length': () => pdf({ content: streamOf('q Q', '', -100) }),
  'a length beyond the file': () => pdf({ content: streamOf('q Q', '', 999_999_999_999) }),
  'a length that is the stream itself': () => pdf({ content: streamOf('q Q', '', '4 0 R') }),
  'lengths in a circle': () => pdf({ content: streamOf('q Q', '', '5 0 R'), more: [streamOf('q', '', '4 0 R')] }),
  'a stream without an end': () => Buffer.concat([pdf(), bytesOf('9 0 obj<</Length 9 0 R>>stream\nx\n'.repeat(20_000))]),
  'a chain of 1,000 filters': () => pdf({ content: streamOf('x', `/Filter[${times(1_000, '/FlateDecode')}]`) }),
  'a bomb': () => pdf({ content: streamOf(BOMB(), '/Filter/FlateDecode') }),
  'a bomb in a bomb': () => pdf({ content: streamOf(deflateSync(BOMB()), '/Filter[/FlateDecode/FlateDecode]') }),
  'a hundred bombs': () => {
    const bomb = streamOf(BOMB(), '/Filter/FlateDecode');
    return pdf({ page: `/Contents[${times(100, (n) => `${n + 5} 0 R `)}]`, more: Array.from({ length: 100 }, () => bomb) });
  },
  'a bomb of runs': () =>
    pdf({
      content: streamOf(deflateSync(Buffer.alloc(2_000_000, Buffer.from([129, 32]))), '/Filter[/FlateDecode/RunLengthDecode]'),
    }),
  'a bomb of LZW': () => pdf({ content: streamOf(noise(500_000), '/Filter/LZWDecode') }),
  'filters that contain themselves': () => pdf({ content: streamOf('x', '/Filter 5 0 R'), more: ['[5 0 R/FlateDecode 5 0 R]'] }),
  'parameters that contain themselves': () =>
    pdf({ content: streamOf(deflateSync(Buffer.from('q Q')), '/Filter/FlateDecode/DecodeParms 5 0 R'), more: ['[5 0 R]'] }),
  'garbage in ASCII': () =>
    pdf({
      page: '/Contents[5 0 R 6 0 R]',
      more: [streamOf('zzz~<', '/Filter/ASCIIHexDecode'), streamOf(times(99_999, 'z'), '/Filter/ASCII85Decode')],
    }),
  'rows of 2 to the 31 columns': () =>
    pdf({ content: packed('q Q', '/DecodeParms<</Predictor 12/Columns 2147483647/Colors 32/BitsPerComponent 32>>') }),
  'rows of a negative number of columns': () =>
    pdf({ content: packed('q Q', '/DecodeParms<</Predictor 15/Columns -5/Colors -1/BitsPerComponent 0>>') }),
  'a filter that nobody knows': () => pdf({ content: streamOf('q Q', '/Filter/Unheard') }),
  'an encryption filter without encryption': () => pdf({ content: streamOf('q Q', '/Filter/Crypt/DecodeParms<</Name/None>>') }),
  'a stream that is a file of the machine': () => pdf({ content: streamOf('', '/F(/etc/passwd)/FFilter/ASCIIHexDecode') }),
};

const TABLES: Record<string, () => Buffer> = {
  'a table beyond the file': () => pdf({ end: () => 'trailer<</Root 1 0 R/Size 5>>\nstartxref\n99999999\n%%EOF' }),
  'a table before the file': () => pdf({ end: () => 'trailer<</Root 1 0 R/Size 5>>\nstartxref\n-5\n%%EOF' }),
  'an earlier table that is the table itself': () =>
    pdf({ end: (at, all) => `${tableOf(all)}trailer<</Root 1 0 R/Size 5/Prev ${at}>>\nstartxref\n${at}\n%%EOF` }),
  'earlier tables in a circle': () =>
    pdf({
      end: (at, all) => {
        const first = `${tableOf(all)}trailer<</Root 1 0 R/Size 5/Prev ${String(at + 1_000).padStart(10)}>>\n`.padEnd(1_000);
        return `${first}xref\n0 0\ntrailer<</Root 1 0 R/Size 5/Prev ${at}>>\nstartxref\n${at + 1_000}\n%%EOF`;
      },
    }),
  'a chain of 5,000 tables': () =>
    pdf({
      end: (at, all) => {
        let [text, previous] = [`${tableOf(all)}trailer<</Root 1 0 R/Size 5>>\n`, at];
        for (let number = 0; number < 5_000; number++) {
          const here = at + text.length;
          text += `xref\n0 0\ntrailer<</Root 1 0 R/Size 5/Prev ${previous}>>\n`;
          previous = here;
        }
        return `${text}startxref\n${previous}\n%%EOF`;
      },
    }),
  'a hybrid table whose stream is the table': () =>
    pdf({ end: (at, all) => `${tableOf(all)}trailer<</Root 1 0 R/Size 5/XRefStm ${at}>>\nstartxref\n${at}\n%%EOF` }),
  'a table of a billion entries': () =>
    pdf({
      end: (at) => `xref\n0 999999999\n0000000000 65535 f \ntrailer<</Root 1 0 R/Size 999999999>>\nstartxref\n${at}\n%%EOF`,
    }),
  'a table whose entries are no numbers': () =>
    pdf({ end: (at) => `xref\n0 5\n${times(5, 'xxxxxxxxxx yyyyy n \n')}trailer<</Root 1 0 R/Size 5>>\nstartxref\n${at}\n%%EOF` }),
  'a table that calls one object by all numbers': () =>
    pdf({
      end: (at, [first = 0]) =>
        `xref\n0 5000\n${times(5_000, `${String(first).padStart(10, '0')} 00000 n \n`)}trailer<</Root 1 0 R/Size 5000>>\nstartxref\n${at}\n%%EOF`,
    }),
  'no table': () => pdf({ end: () => '' }),
  'a trailer without a root': () => pdf({ end: (at, all) => `${tableOf(all)}trailer<</Size 5>>\nstartxref\n${at}\n%%EOF` }),
  'a trailer that refers to itself': () => pdf({ trailer: '/Info 5 0 R/ID 5 0 R', more: ['<</Title 5 0 R/X 5 0 R>>'] }),
  'a root that is a number': () => fileOf(['42', '<<>>']),
  'a root that is a stream': () => fileOf([streamOf('x', '/Type/Catalog/Pages 2 0 R'), '<</Type/Pages/Kids[]/Count 0>>']),
  'a catalog without pages': () => fileOf(['<</Type/Catalog>>']),
  'rows without a width': () => compressed({ widths: '0 0 0' }),
  'rows of gigantic fields': () => compressed({ widths: '99999999 99999999 99999999' }),
  'rows of negative fields': () => compressed({ widths: '-1 4 -2' }),
  'a size of 2 to the 31': () => compressed({ size: 2_147_483_647 }),
  'sections with negative numbers': () => compressed({ more: '/Index[-5 10 0 -1 2147483647 2147483647]' }),
  'an object stream that contains itself': () =>
    compressed({
      rows: [
        [0, 0, 0],
        [2, 1, 0],
        [2, 1, 0],
        [2, 1, 1],
        [2, 1, 2],
        [1, 0, 0],
      ],
    }),
  'an object stream of 2 to the 31 objects': () => compressed({ entries: '/N 2147483647' }),
  'an object stream of a negative number of objects': () => compressed({ entries: '/N -3' }),
  'an object stream that begins beyond its end': () => compressed({ first: 999_999 }),
  'an object stream that begins before itself': () => compressed({ first: -50 }),
  'object streams that extend themselves': () => compressed({ entries: '/Extends 1 0 R' }),
  'an object stream that is a bomb': () => compressed({ padding: 300_000_000 }),
  'hints of a linearised file that are nonsense': () =>
    fileOf(['<</Linearized 1/L -1/H[-1 99999999]/O 99/E -5/N 1000000000/T 12>>', '<</Type/Catalog/Pages 3 0 R>>', '<<>>'], {
      trailer: '/Root 2 0 R',
    }),
};

const ENCRYPTION: Record<string, () => Buffer> = {
  'encryption of garbage': () => pdf({ trailer: '/Encrypt<</Filter/Standard/V 99/R 99/O 1/U[]/P(x)>>/ID[(a)(b)]' }),
  'encryption that refers to itself': () => pdf({ trailer: '/Encrypt 5 0 R', more: ['<</Filter 5 0 R/V 5 0 R/CF 5 0 R>>'] }),
  'encryption with keys that are too short': () =>
    pdf({ trailer: '/Encrypt<</Filter/Standard/V 5/R 6/Length 256/O(a)/U(b)/OE(c)/UE(d)/Perms(e)/P -1>>/ID[(a)(b)]' }),
  'encryption with a key of 2 to the 31 bits': () =>
    pdf({
      trailer: `/Encrypt<</Filter/Standard/V 2/R 3/Length 2147483647/O(${times(32, 'a')})/U(${times(32, 'b')})/P -1>>/ID[(a)(b)]`,
    }),
  'encryption without an identifier': () =>
    pdf({ trailer: `/Encrypt<</Filter/Standard/V 1/R 2/O(${times(32, 'a')})/U(${times(32, 'b')})/P -1>>` }),
  'encryption by a program that nobody knows': () => pdf({ trailer: '/Encrypt<</Filter/Unheard/V 1>>/ID[(a)(b)]' }),
  'encryption whose filter refers to itself': () =>
    pdf({
      trailer: `/Encrypt<</Filter/Standard/V 4/R 4/CF<</StdCF 5 0 R>>/StmF/StdCF/StrF/StdCF/O(${times(32, 'a')})/U(${times(32, 'b')})/P -1>>/ID[(a)(b)]`,
      more: ['<</CFM 5 0 R/Length 5 0 R>>'],
    }),
};

const FONTS: Record<string, () => Buffer> = {
  'a font that is its own descendant': () =>
    writing('5 0 R', '<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[5 0 R]>>'),
  'a font without anything': () => writing('5 0 R', '<<>>'),
  'a map of all characters to a text': () =>
    writing(
      '5 0 R',
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>',
      streamOf(CMAP('1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange')),
    ),
  'a map of 20,000 overlapping ranges': () =>
    writing(
      '5 0 R',
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>',
      packed(CMAP(`20000 beginbfrange ${times(20_000, '<0000> <FFFF> <0041>\n')} endbfrange`)),
    ),
  'a map that uses itself': () =>
    writing(
      '5 0 R',
      '<</Type/Font/Subtype/Type0/BaseFont/A/Encoding 6 0 R/ToUnicode 6 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2>>]>>',
      streamOf(CMAP('/Self usecmap'), '/Type/CMap/CMapName/Self/UseCMap 6 0 R'),
    ),
  'differences beyond all codes': () =>
    writing(
      `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[${times(10_000, (n) => `${n * 99_999} /A `)}-5 /B]>>>>`,
    ),
  'widths of a billion characters': () =>
    writing('<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar -5/LastChar 1000000000/Widths[1 2 NaN]>>'),
  'widths of a billion glyphs': () =>
    writing(
      '5 0 R',
      '<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/W[0 999999999 500 -5[1 2]]/DW -1>>]>>',
    ),
  'a font program of garbage': () =>
    writing(
      '5 0 R',
      '<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar 32/LastChar 33/Widths[1 2]/FontDescriptor<</Type/FontDescriptor/FontName/A/Flags 4/FontFile2 6 0 R>>>>',
      streamOf(Buffer.concat([Buffer.from([0, 1, 0, 0, 255, 255]), noise(50_000)]), '/Length1 999999999'),
    ),
  'a glyph that writes itself': () =>
    writing(
      '5 0 R',
      '<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/FirstChar 120/LastChar 120/Widths[9]/Encoding<</Differences[120/x]>>/CharProcs<</x 6 0 R>>/Resources<</Font<</F 5 0 R>>>>>>',
      streamOf('9 0 d0 BT /F 9 Tf (xx) Tj ET'),
    ),
};

const CONTENT: Record<string, () => Buffer> = {
  'a form that draws itself': () => drawing(form('/X Do /X Do', '/XObject<</X 5 0 R>>')),
  'forms that each draw the next one twice': () =>
    drawing(
      ...Array.from({ length: 40 }, (_, at) => form('/X Do /X Do', `/XObject<</X ${at + 6} 0 R>>`)),
      form('0 0 9 9 re f', ''),
    ),
  'a form in a form, 5,000 deep': () =>
    drawing(...Array.from({ length: 5_000 }, (_, at) => form('/X Do', `/XObject<</X ${at + 6} 0 R>>`)), form('0 0 9 9 re f', '')),
  '200,000 saved states': () => pdf({ content: times(200_000, 'q ') }),
  '200,000 restored states': () => pdf({ content: times(200_000, 'Q ') }),
  'a million operands': () => pdf({ content: `${times(1_000_000, '1 ')}re f` }),
  'operands in each other, 50,000 deep': () => pdf({ content: `${times(50_000, '[')}${times(50_000, ']')} TJ` }),
  'an inline image of 2 to the 31 pixels': () =>
    pdf({ content: 'q 9 0 0 9 0 0 cm BI /W 2147483647 /H 2147483647 /BPC 8 /CS /RGB ID x EI Q' }),
  'an inline image without an end': () => pdf({ content: `BI /W 9 /H 9 /BPC 8 /CS /G ID ${times(500_000, 'E')}` }),
  'a pattern that is painted with itself': () =>
    pdf({
      content: '/Pattern cs /P scn 0 0 300 400 re f',
      resources: '/Pattern<</P 5 0 R>>',
      more: [
        streamOf(
          '/Pattern cs /P scn 0 0 9 9 re f',
          '/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 0.0000001/YStep 0.0000001/Resources<</Pattern<</P 5 0 R>>>>',
        ),
      ],
    }),
  'a function that stitches itself': () =>
    pdf({
      content: '/S sh',
      resources: '/Shading<</S<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 300 400]/Function 5 0 R>>>>',
      more: ['<</FunctionType 3/Domain[0 1]/Functions[5 0 R 5 0 R]/Bounds[0.5]/Encode[0 1 0 1]>>'],
    }),
  'a function of PostScript in braces, 50,000 deep': () =>
    pdf({
      content: '/S sh',
      resources: '/Shading<</S<</ShadingType 1/ColorSpace/DeviceRGB/Domain[0 1e9 0 1e9]/Function 5 0 R>>>>',
      more: [streamOf(`${times(50_000, '{')}${times(50_000, '}')}`, '/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]')],
    }),
  'a table of samples of 2 to the 31': () =>
    pdf({
      content: '/S sh',
      resources: '/Shading<</S<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 9 9]/Function 5 0 R>>>>',
      more: [streamOf('x', '/FunctionType 0/Domain[0 1 0 1]/Range[0 1 0 1 0 1]/Size[2147483647 2147483647]/BitsPerSample 32')],
    }),
  'a mesh of garbage': () =>
    pdf({
      content: '/S sh',
      resources: '/Shading<</S 5 0 R>>',
      more: [
        packed(
          noise(200_000),
          '/ShadingType 7/ColorSpace/DeviceRGB/BitsPerCoordinate 32/BitsPerComponent 16/BitsPerFlag 8/Decode[0 1e30 0 1e30 0 1 0 1 0 1]',
        ),
      ],
    }),
  'a soft mask that is masked by itself': () =>
    pdf({
      content: '/G gs 0 0 9 9 re f',
      resources: '/ExtGState<</G 5 0 R>>',
      more: [
        '<</SMask<</S/Luminosity/G 6 0 R>>/Font[5 0 R 1]>>',
        streamOf(
          '/G gs 0 0 9 9 re f',
          '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceRGB>>/Resources<</ExtGState<</G 5 0 R>>>>',
        ),
      ],
    }),
  'content that contains itself': () => pdf({ page: '/Contents 5 0 R', more: ['[5 0 R 5 0 R]'] }),
  'the same content 10,000 times': () =>
    pdf({ page: `/Contents[${times(10_000, '5 0 R ')}]`, more: [streamOf(times(500, 'q Q '))] }),
  'resources that contain the page': () =>
    pdf({ content: '/X Do', resources: '/XObject<</X 3 0 R>>/Font 3 0 R/ExtGState 1 0 R/Properties<</P 3 0 R>>' }),
  'marked content with properties in a circle': () =>
    pdf({ content: times(5_000, '/P/M BDC '), resources: '/Properties<</M 5 0 R>>', more: ['<</ActualText 5 0 R/Next 5 0 R>>'] }),
  'colours that are mixed from themselves': () =>
    pdf({
      content: '/C cs 1 scn 0 0 9 9 re f',
      resources: '/ColorSpace<</C 5 0 R>>',
      more: ['[/Separation/A 5 0 R 6 0 R]', '<</FunctionType 3/Domain[0 1]/Functions[6 0 R]/Bounds[]/Encode[0 1]>>'],
    }),
  'an index of colours in a circle': () =>
    pdf({ content: '/C cs 1 scn 0 0 9 9 re f', resources: '/ColorSpace<</C 5 0 R>>', more: ['[/Indexed 5 0 R 99999999 5 0 R]'] }),
  'a colour profile of garbage': () =>
    pdf({
      content: '/C cs 1 scn 0 0 9 9 re f',
      resources: '/ColorSpace<</C[/ICCBased 5 0 R]>>',
      more: [packed(noise(100_000), '/N 1000000000/Alternate[/ICCBased 5 0 R]')],
    }),
  'a text of a megabyte in one line': () =>
    pdf({ content: `BT /F 1 Tf (${times(1_000_000, 'x')}) Tj ET`, resources: `/Font<</F ${HELVETICA}>>` }),
  'coordinates that overflow': () =>
    pdf({ content: `${times(200, '99999 0 0 99999 99999 99999 cm ')}/F 1e30 Tf BT (x) Tj ET 0 0 1e38 1e38 re f` }),
};

const IMAGES: Record<string, () => Buffer> = {
  'an image of JBIG2 with 2 to the 32 rows': () =>
    drawing(
      image(
        '/Width 4294967295/Height 4294967295/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JBIG2Decode',
        Buffer.from('0000000030000100000013ffffffffffffffff0000000000000000000000', 'hex'),
      ),
    ),
  'an image of JBIG2 whose symbols are the image': () =>
    drawing(
      image(
        '/Width 9/Height 9/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JBIG2Decode/DecodeParms<</JBIG2Globals 5 0 R>>',
        noise(1_000),
      ),
    ),
  'an image of JPEG 2000 with a gigantic header': () =>
    drawing(
      image(
        '/Width 9/Height 9/Filter/JPXDecode',
        Buffer.concat([
          Buffer.from('ff4fff51002f0000ffffffffffffffff0000000000000000ffffffffffffffff00000000000000000003070101', 'hex'),
          noise(500),
        ]),
      ),
    ),
  'an image of fax with 2 to the 31 columns': () =>
    drawing(
      image(
        '/Width 2147483647/Height 2147483647/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 2147483647/Rows 2147483647>>',
        noise(1_000),
      ),
    ),
  'a JPEG of 65,500 by 65,500 pixels': () =>
    drawing(
      image(
        '/Width 65500/Height 65500/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode',
        Buffer.concat([Buffer.from('ffd8ffc00011'.concat('08ffdcffdc03012200021101031101'), 'hex'), noise(500)]),
      ),
    ),
  'an image of 100,000 by 100,000 pixels': () =>
    drawing(
      image(
        '/Width 100000/Height 100000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode',
        deflateSync(Buffer.alloc(10_000_000)),
      ),
    ),
  'an image of negative size and depth': () =>
    drawing(image('/Width -5/Height -5/BitsPerComponent -1/ColorSpace/DeviceRGB/Decode[NaN 1]')),
  'an image that is its own mask': () =>
    drawing(
      image('/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 5 0 R/Mask 5 0 R/Alternates[<</Image 5 0 R>>]'),
    ),
};

const OUTLINES_AND_NAMES: Record<string, () => Buffer> = {
  'a bookmark that follows itself': () =>
    pdf({
      catalog: '/Outlines 5 0 R',
      more: ['<</First 6 0 R/Last 6 0 R/Count 1>>', '<</Title(a)/Next 6 0 R/First 6 0 R/Parent 6 0 R>>'],
    }),
  'bookmarks that are below themselves': () =>
    pdf({ catalog: '/Outlines 5 0 R', more: ['<</First 5 0 R/Last 5 0 R/Title(a)/Count -999999999/Dest[3 0 R/Fit]>>'] }),
  'bookmarks that double on each level': () =>
    pdf({
      catalog: '/Outlines 5 0 R',
      more: [
        '<</First 6 0 R/Last 6 0 R>>',
        ...Array.from({ length: 40 }, (_, at) => `<</Title(a)/First ${at + 7} 0 R/Next ${at + 7} 0 R/Last ${at + 7} 0 R>>`),
      ],
    }),
  'bookmarks below each other, 20,000 deep': () =>
    pdf({
      catalog: '/Outlines 5 0 R',
      more: [
        '<</First 6 0 R/Last 6 0 R>>',
        ...Array.from({ length: 20_000 }, (_, at) => `<</Title(a)/Dest[3 0 R/Fit]/First ${at + 7} 0 R/Last ${at + 7} 0 R>>`),
      ],
    }),
  'a bookmark with a title of a megabyte': () =>
    pdf({
      catalog: '/Outlines 5 0 R',
      more: ['<</First 6 0 R/Last 6 0 R>>', `<</Title(${times(1_000_000, 'a')})/Dest[3 0 R/Fit]>>`],
    }),
  'a tree of names that contains itself': () =>
    pdf({
      catalog: '/Names<</Dests 5 0 R/EmbeddedFiles 5 0 R/JavaScript 5 0 R>>',
      more: ['<</Kids[5 0 R 5 0 R]/Limits[(a)(z)]>>'],
    }),
  'a tree of names that doubles on each level': () =>
    pdf({ catalog: '/Names<</Dests 5 0 R/EmbeddedFiles 5 0 R>>', more: doubling(5, '', 'Kids') }),
  'a tree of names with 50,000 names': () =>
    pdf({ catalog: '/Names<</Dests 5 0 R>>', more: [`<</Names[${times(50_000, (n) => `(n${n})[3 0 R/Fit]`)}]>>`] }),
  'a name that leads to itself': () =>
    pdf({
      catalog: '/Names<</Dests<</Names[(a)(b)(b)(a)]>>>>/OpenAction[(a)]',
      page: '/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest(a)>>]',
    }),
  'a destination that contains itself': () =>
    pdf({
      catalog: '/Dests<</a 5 0 R>>/OpenAction 5 0 R',
      page: '/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest/a>>]',
      more: ['<</D 5 0 R>>'],
    }),
  'an action that is followed by itself': () =>
    pdf({
      catalog: '/OpenAction 5 0 R/AA<</WC 5 0 R>>',
      page: '/AA<</O 5 0 R>>/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A 5 0 R>>]',
      more: ['<</S/JavaScript/JS(while\\(1\\);)/Next[5 0 R 5 0 R]>>'],
    }),
  'page labels in a circle': () => pdf({ catalog: '/PageLabels 5 0 R', more: ['<</Kids[5 0 R 5 0 R]>>'] }),
  'page labels with Roman numerals of a billion': () => pdf({ catalog: '/PageLabels<</Nums[0<</S/R/St 1000000000>>]>>' }),
  'page labels of letters, repeated a billion times': () =>
    pdf({ catalog: '/PageLabels<</Nums[0<</S/a/St 26000000000/P(x)>>-5<<>>]>>' }),
  'threads in a circle': () =>
    pdf({
      catalog: '/Threads[5 0 R]',
      page: '/B[6 0 R 6 0 R]',
      more: ['<</F 6 0 R/I<<>>>>', '<</T 5 0 R/N 6 0 R/V 6 0 R/P 3 0 R>>'],
    }),
};

const FILES: Record<string, () => Buffer> = {
  'an embedded file that is the PDF itself': () => {
    let file = pdf();
    for (let depth = 0; depth < 5; depth++)
      file = pdf({
        catalog: '/Names<</EmbeddedFiles<</Names[(a.pdf)<</F(a.pdf)/EF<</F 5 0 R>>>>]>>>>/AF[<</F(a.pdf)/EF<</F 5 0 R>>>>]',
        more: [packed(file, '/Type/EmbeddedFile')],
      });
    return file;
  },
  'an embedded file that is the object of the catalog': () =>
    pdf({ catalog: '/Names<</EmbeddedFiles<</Names[(a)<</F(a)/EF<</F 1 0 R>>>>]>>>>' }),
  'an embedded file that is a bomb': () =>
    pdf({
      catalog: '/Names<</EmbeddedFiles<</Names[(a)<</F(a)/EF<</F 5 0 R>>>>]>>>>',
      more: [streamOf(BOMB(), '/Filter/FlateDecode')],
    }),
  'an embedded file with a path, and a name of a megabyte': () =>
    pdf({
      catalog: `/Names<</EmbeddedFiles<</Names[(a)<</F(../../../etc/passwd)/EF<</F 5 0 R>>>>(b)<</UF(${times(1_000_000, 'n')})/EF<</F 5 0 R>>>>]>>>>`,
      more: [streamOf('x', '/Type/EmbeddedFile/Subtype/..#2Fx')],
    }),
  'a specification of a file that is its own file': () =>
    pdf({ catalog: '/Names<</EmbeddedFiles<</Names[(a)5 0 R]>>>>', more: ['<</F 5 0 R/UF 5 0 R/EF 5 0 R/RF<</F[(a)5 0 R]>>>>'] }),
  'an embedded file that occurs 50,000 times': () =>
    pdf({
      catalog: `/Names<</EmbeddedFiles<</Names[${times(50_000, (n) => `(${n})5 0 R `)}]>>>>`,
      more: ['<</F(a)/EF<</F 6 0 R>>>>', streamOf(times(10_000, 'x'))],
    }),
  'a portfolio in a circle': () =>
    pdf({ catalog: '/Collection 5 0 R', more: ['<</Type/Collection/Schema 5 0 R/Folders 5 0 R/Child 5 0 R/Next 5 0 R>>'] }),
};

const FORMS: Record<string, () => Buffer> = {
  'fields that contain themselves': () =>
    pdf({
      catalog: '/AcroForm<</Fields[5 0 R]>>',
      page: '/Annots[5 0 R]',
      more: [widget('/T(a)/FT/Tx/Kids[5 0 R 5 0 R]/Parent 5 0 R')],
    }),
  'fields that double on each level': () =>
    pdf({ catalog: '/AcroForm<</Fields[5 0 R]>>', more: doubling(5, '/T(a)/FT/Tx', 'Kids') }),
  'fields below each other, 20,000 deep': () =>
    pdf({
      catalog: '/AcroForm<</Fields[5 0 R]>>',
      more: Array.from({ length: 20_000 }, (_, at) => `<</T(a)/FT/Tx/Kids[${at + 6} 0 R]/Parent ${at + 4} 0 R>>`),
    }),
  'a form that is its own field': () =>
    pdf({ catalog: '/AcroForm 5 0 R', more: ['<</Fields[5 0 R]/DR 5 0 R/CO[5 0 R]/DA 5 0 R>>'] }),
  'a field with nonsense in every entry': () =>
    pdf({
      catalog: '/AcroForm<</Fields[5 0 R]/NeedAppearances 5 0 R/Q -9/DA(/F 1e30 Tf \\( q q q)>>',
      page: '/Annots[5 0 R 5 0 R 5 0 R]',
      more: [widget('/T[]/FT/Tx/V 5 0 R/MaxLen 1000000000/Ff -1/DA 7/MK 5 0 R/AP 5 0 R/AS 5 0 R/Rect[NaN]')],
    }),
  'a field with 20,000 options': () =>
    pdf({
      catalog: '/AcroForm<</Fields[5 0 R]>>',
      page: '/Annots[5 0 R]',
      more: [widget(`/T(a)/FT/Ch/V(b)/Opt[${times(20_000, '[(a)(b)]')}]/I[-5 1000000000]`)],
    }),
  'an appearance that draws itself': () =>
    pdf({
      catalog: '/AcroForm<</Fields[5 0 R]>>',
      page: '/Annots[5 0 R]',
      more: [widget('/T(a)/FT/Btn/AS/On/AP<</N<</On 6 0 R/Off 6 0 R>>>>'), form('/X Do', '/XObject<</X 6 0 R>>')],
    }),
  'XFA that is a bomb of entities': () => pdf({ catalog: '/AcroForm<</Fields[]/XFA 5 0 R>>', more: [streamOf(LAUGHS)] }),
  'XFA that contains itself': () => pdf({ catalog: '/AcroForm<</Fields[]/XFA 5 0 R>>', more: ['[(a)5 0 R(b)5 0 R]'] }),
  'a signature of nonsense': () =>
    pdf({
      catalog: '/AcroForm<</SigFlags 3/Fields[5 0 R]>>/Perms<</DocMDP 6 0 R/UR3 6 0 R>>',
      page: '/Annots[5 0 R]',
      more: [
        widget('/T(s)/FT/Sig/V 6 0 R/Lock<</Action/All/Fields[5 0 R]>>'),
        '<</Type/Sig/Filter/Adobe.PPKLite/ByteRange[-1 999999999999 0 -5 3]/Contents<00>/Reference[<</TransformParams 6 0 R/Data 6 0 R>>]>>',
      ],
    }),
  'a signature of 2 megabytes over everything': () =>
    pdf({
      catalog: '/AcroForm<</SigFlags 3/Fields[5 0 R]>>',
      page: '/Annots[5 0 R]',
      more: [
        widget('/T(s)/FT/Sig/V 6 0 R'),
        `<</Type/Sig/Filter/X/SubFilter/adbe.pkcs7.detached/ByteRange[0 9 0 9]/Contents<${times(4_000_000, '0')}>>>`,
      ],
    }),
  'validation data in a circle': () =>
    pdf({ catalog: '/DSS 5 0 R', more: ['<</Certs[5 0 R]/OCSPs 5 0 R/CRLs[5 0 R]/VRI<</A 5 0 R>>>>'] }),
  'annotations that contain themselves': () => pdf({ page: '/Annots 5 0 R', more: ['[5 0 R 5 0 R]'] }),
  'a note and its window in a circle': () =>
    pdf({
      page: '/Annots[5 0 R 6 0 R]',
      more: [
        '<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Popup 6 0 R/IRT 6 0 R/AP<</N 5 0 R>>>>',
        '<</Type/Annot/Subtype/Popup/Rect[0 0 9 9]/Parent 5 0 R/IRT 5 0 R>>',
      ],
    }),
  '50,000 annotations': () =>
    pdf({ page: `/Annots[${times(50_000, '<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[3 0 R/Fit]>>')}]` }),
  'an ink drawing of a million points': () =>
    pdf({ page: `/Annots[<</Type/Annot/Subtype/Ink/Rect[0 0 9 9]/InkList[[${times(1_000_000, '1 ')}]]>>]` }),
};

const STRUCTURE: Record<string, () => Buffer> = {
  'an element that contains itself': () =>
    tagged('<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[0[6 0 R]]>>>>', '<</S/P/P 6 0 R/K 6 0 R/Pg 3 0 R>>'),
  'elements that double on each level': () => tagged('<</Type/StructTreeRoot/K 6 0 R>>', ...doubling(6, '/S/Div/P 5 0 R', 'K')),
  'elements in each other, 20,000 deep': () =>
    tagged(
      '<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[]>>>>',
      ...Array.from({ length: 20_000 }, (_, at) => `<</S/Div/P ${at + 5} 0 R/K ${at + 7} 0 R>>`),
    ),
  'a parent tree that contains itself': () =>
    tagged('<</Type/StructTreeRoot/K 7 0 R/ParentTree 6 0 R>>', '<</Kids[6 0 R 6 0 R]>>', '<</S/P/P 5 0 R/K 0/Pg 3 0 R>>'),
  'a parent tree that doubles on each level': () =>
    tagged('<</Type/StructTreeRoot/K[]/ParentTree 6 0 R>>', ...doubling(6, '', 'Kids')),
  'a tree of identifiers that contains itself': () =>
    tagged('<</Type/StructTreeRoot/K[]/IDTree 6 0 R>>', '<</Kids[6 0 R]/Names[(a)6 0 R]>>'),
  'roles in a circle': () =>
    tagged(
      '<</Type/StructTreeRoot/K 6 0 R/RoleMap<</A/B/B/A/P/A/H1/H1>>/ParentTree<</Nums[0[6 0 R]]>>>>',
      '<</S/A/P 5 0 R/K 0/Pg 3 0 R>>',
    ),
  '50,000 roles in a chain': () =>
    tagged(
      `<</Type/StructTreeRoot/K 6 0 R/RoleMap<<${times(50_000, (n) => `/R${n}/R${n + 1}`)}>>/ParentTree<</Nums[0[6 0 R]]>>>>`,
      '<</S/R0/P 5 0 R/K 0/Pg 3 0 R>>',
    ),
  'classes and attributes in a circle': () =>
    tagged(
      '<</Type/StructTreeRoot/K 6 0 R/ClassMap 7 0 R>>',
      '<</S/P/P 5 0 R/C 7 0 R/A 7 0 R/K 0/Pg 3 0 R>>',
      '<</A 7 0 R/O 7 0 R>>',
    ),
  'a name space that is mapped to itself': () =>
    tagged(
      '<</Type/StructTreeRoot/K 6 0 R/Namespaces[7 0 R]>>',
      '<</S/A/NS 7 0 R/P 5 0 R/K 0/Pg 3 0 R>>',
      '<</NS(x)/RoleMapNS<</A[/A 7 0 R]>>>>',
    ),
  'references to content that does not exist': () =>
    tagged(
      '<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[0[6 0 R]-5[6 0 R]999999999[6 0 R]]>>>>',
      '<</S/P/P 5 0 R/Pg 99 0 R/K[-1 999999999<</Type/MCR/Pg 3 0 R/MCID 1e9/Stm 6 0 R>><</Type/OBJR/Obj 6 0 R>>]>>',
    ),
  'layers in a circle': () =>
    pdf({
      catalog: '/OCProperties 5 0 R',
      content: '/OC/M BDC EMC',
      resources: '/Properties<</M 6 0 R>>',
      more: [
        '<</OCGs[6 0 R 5 0 R]/D<</Order 7 0 R/BaseState/X/ON 7 0 R/RBGroups[7 0 R]/AS[5 0 R]>>/Configs[5 0 R]>>',
        '<</Type/OCMD/OCGs[6 0 R]/VE[/And 7 0 R 7 0 R]>>',
        '[7 0 R(a)7 0 R 6 0 R]',
      ],
    }),
  'an order of layers, 20,000 deep': () =>
    pdf({
      catalog: `/OCProperties<</OCGs[5 0 R]/D<</Order ${times(20_000, '[')}5 0 R${times(20_000, ']')}>>>>`,
      more: ['<</Type/OCG/Name(a)>>'],
    }),
  'metadata that are a bomb of entities': () =>
    pdf({ catalog: '/Metadata 5 0 R', more: [streamOf(LAUGHS, '/Type/Metadata/Subtype/XML')] }),
  'metadata of elements, 100,000 deep': () =>
    pdf({
      catalog: '/Metadata 5 0 R',
      more: [packed(`${times(100_000, '<a>')}${times(100_000, '</a>')}`, '/Type/Metadata/Subtype/XML')],
    }),
  'metadata of another entity of the machine': () =>
    pdf({
      catalog: '/Metadata 5 0 R',
      more: [
        streamOf(
          '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:pdf="http://ns.adobe.com/pdf/1.3/"><pdf:Keywords>&e;</pdf:Keywords></rdf:Description></rdf:RDF></x:xmpmeta>',
          '/Type/Metadata/Subtype/XML',
        ),
      ],
    }),
  'metadata that are the catalog': () =>
    pdf({ catalog: '/Metadata 1 0 R/PieceInfo 1 0 R/Extensions 1 0 R/ViewerPreferences 1 0 R' }),
  'information with nonsense in every entry': () =>
    pdf({
      trailer: '/Info 5 0 R',
      more: [
        `<</Title 5 0 R/Author[5 0 R]/CreationDate(D:99999999999999Z99'99)/ModDate 7/X ${streamOf('').toString('latin1')}>>`,
      ],
    }),
  'an output intent in a circle': () =>
    pdf({ catalog: '/OutputIntents[5 0 R 5 0 R]', more: ['<</S/GTS_PDFA1/DestOutputProfile 5 0 R/Info 5 0 R>>'] }),
  'a version that does not exist': () => pdf({ catalog: '/Version/99.99', head: '%PDF-99999.9\n' }),
};

/** Each kind by its name. */
export const HOSTILE_PDFS: ReadonlyArray<[kind: string, make: () => Buffer]> = [
  ...[PAGE_TREES, NUMBERS, SYNTAX, STREAMS, TABLES, ENCRYPTION, FONTS, CONTENT],
  ...[IMAGES, OUTLINES_AND_NAMES, FILES, FORMS, STRUCTURE],
].flatMap((kinds) => Object.entries(kinds));
