/** PDFs that hide a text, each in another place, written by hand. */

type Body = string | { dictionary: string; data: string | Buffer };

/** Writes objects by number. Object 1 is the catalog, and 2 the information dictionary if there is one. */
export function writePdf(objects: Record<number, Body>): Buffer {
  const chunks: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: string[] = [];
  const size = Math.max(...Object.keys(objects).map(Number)) + 1;
  let length = 9;
  const add = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
  };
  for (const [id, body] of Object.entries(objects)) {
    offsets[Number(id)] = String(length).padStart(10, '0');
    const data = typeof body === 'string' ? undefined : Buffer.from(body.data as string, 'latin1');
    const text = typeof body === 'string' ? body : `<<${body.dictionary} /Length ${data?.length}>>\nstream\n`;
    add(Buffer.from(`${id} 0 obj\n${text}`, 'latin1'));
    if (data) add(Buffer.concat([data, Buffer.from('\nendstream')]));
    add(Buffer.from('\nendobj\n'));
  }
  const entry = (offset: string | undefined) => (offset ? `${offset} 00000 n \n` : '0000000000 65535 f \n');
  const table = Array.from({ length: size }, (_, id) => entry(offsets[id])).join('');
  const info = objects[2] ? '/Info 2 0 R' : '';
  chunks.push(
    Buffer.from(`xref\n0 ${size}\n${table}trailer\n<</Size ${size} /Root 1 0 R ${info}>>\nstartxref\n${length}\n%%EOF\n`),
  );
  return Buffer.concat(chunks);
}

interface Parts {
  content?: string;
  /** Entries of the catalog, of the page and of its resources. */
  catalog?: string;
  page?: string;
  resources?: string;
  objects?: Record<number, Body>;
}

const FONT = '/Type /Font /Subtype /Type1 /Encoding /WinAnsiEncoding';

/** A page of 400 x 400 points with a sentence that stays. Numbers of objects from 10 on are free. */
export function pageWith({ content = '', catalog = '', page = '', resources = '', objects = {} }: Parts): Buffer {
  return writePdf({
    1: `<</Type /Catalog /Pages 3 0 R ${catalog}>>`,
    3: '<</Type /Pages /Kids [4 0 R] /Count 1>>',
    4: `<</Type /Page /Parent 3 0 R /MediaBox [0 0 400 400] /Contents 5 0 R /Resources <</Font <</F 6 0 R /B 7 0 R>> ${resources}>> ${page}>>`,
    5: { dictionary: '', data: `BT /F 12 Tf 50 350 Td (What stays is here.) Tj ET\n${content}` },
    6: `<<${FONT} /BaseFont /Helvetica>>`,
    7: `<<${FONT} /BaseFont /Times-Bold>>`,
    ...objects,
  });
}

/** A literal string. */
const str = (text: string) => `(${text.replace(/[\\()]/g, '\\$&')})`;
const hex = (text: string) => `<${Buffer.from(text, 'latin1').toString('hex')}>`;
const utf16 = (text: string) => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
const half = (text: string): [string, string] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];
const shown = (operators: string) => `BT /F 12 Tf 50 200 Td ${operators} ET`;
const widthOf = 6;

/** Where a text can be hidden. Texts have letters, digits and single spaces. */
export const HIDING_PLACES: Readonly<Record<string, (text: string) => Buffer>> = {
  'shown text': (text) => pageWith({ content: shown(`(before ${text} after) Tj`) }),
  'a hexadecimal string': (text) => pageWith({ content: shown(`${hex(text)} Tj`) }),
  'an octal string': (text) =>
    pageWith({ content: shown(`(${[...text].map((c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')}) Tj`) }),
  kerning: (text) => pageWith({ content: shown(`[${[...text].map((c) => `${str(c)} ${c === ' ' ? 0 : -40}`).join(' ')}] TJ`) }),
  'spaces that are gaps': (text) => pageWith({ content: shown(`[${text.split(' ').map(str).join(' -300 ')}] TJ`) }),
  'glyphs with places of their own': (text) =>
    pageWith({ content: shown([...text].map((c, n) => `1 0 0 1 ${50 + n * 2 * widthOf} 200 Tm ${str(c)} Tj`).join('\n')) }),
  'glyphs in another order': (text) =>
    pageWith({
      content: shown(
        [...text]
          .map((c, n) => `1 0 0 1 ${50 + n * widthOf} 200 Tm ${str(c)} Tj`)
          .reverse()
          .join('\n'),
      ),
    }),
  'several operators': (text) =>
    pageWith({
      content: shown(
        half(text)
          .map((part) => `${str(part)} Tj`)
          .join(' '),
      ),
    }),
  'a new line': (text) => pageWith({ content: shown(`14 TL (first) Tj ${str(text)} '`) }),
  'a new line with spacing': (text) => pageWith({ content: shown(`14 TL (first) Tj 1 2 ${str(text)} "`) }),
  'spaced letters': (text) => pageWith({ content: shown(`5 Tc ${str(text.replaceAll(' ', ''))} Tj`) }),
  'two fonts': (text) => pageWith({ content: shown(`${str(half(text)[0])} Tj /B 12 Tf ${str(half(text)[1])} Tj`) }),
  'two lines with a hyphen': (text) =>
    pageWith({
      content: shown(`14 TL ${str(`${half(text.replaceAll(' ', ''))[0]}-`)} Tj T* ${str(half(text.replaceAll(' ', ''))[1])} Tj`),
    }),
  'two lines': (text) =>
    pageWith({
      content: shown(
        `14 TL ${text
          .split(' ')
          .map((word) => `${str(word)} Tj T*`)
          .join(' ')}`,
      ),
    }),
  'text drawn twice': (text) => pageWith({ content: shown(`${str(text)} Tj 1 0 0 1 50.4 200 Tm ${str(text)} Tj`) }),
  'glyphs drawn twice': (text) => {
    const twice = (c: string, n: number) => [0, 0.5].map((x) => `1 0 0 1 ${50 + x + n * 7.2} 200 Tm ${str(c)} Tj`).join(' ');
    return pageWith({
      content: `BT /B 12 Tf ${[...text].map(twice).join('\n')} ET`,
      objects: { 7: `<<${FONT} /BaseFont /Courier>>` },
    });
  },
  'turned text': (text) => pageWith({ content: `BT /F 12 Tf 0.7 0.7 -0.7 0.7 50 100 Tm ${str(text)} Tj ET` }),
  'text that cannot be seen': (text) => pageWith({ content: shown(`3 Tr ${str(text)} Tj`) }),
  'text outside of the page': (text) => pageWith({ content: `BT /F 12 Tf -500 -500 Td ${str(text)} Tj ET` }),
  'a comment in the content': (text) => pageWith({ content: `% ${text}\n${shown('(shown) Tj')} % ${text}` }),
  'after an inline image': (text) =>
    pageWith({ content: `q 9 0 0 9 9 9 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q ${shown(`${str(text)} Tj`)}` }),
  'a composite font': (text) => {
    const codes = [...new Set(text)];
    const map = codes.map(
      (c, n) => `<${(n + 1).toString(16).padStart(4, '0')}> <${c.charCodeAt(0).toString(16).padStart(4, '0')}>`,
    );
    const digits = [...text].map((c) => (codes.indexOf(c) + 1).toString(16).padStart(4, '0')).join('');
    return pageWith({
      content: `BT /C 12 Tf 50 200 Td <${digits}> Tj ET`,
      resources: '',
      page: '',
      objects: {
        4: '<</Type /Page /Parent 3 0 R /MediaBox [0 0 400 400] /Contents 5 0 R /Resources <</Font <</F 6 0 R /C 10 0 R>>>>>>',
        10: '<</Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [11 0 R] /ToUnicode 12 0 R>>',
        11: '<</Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 500 /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> /FontDescriptor 13 0 R>>',
        12: {
          dictionary: '',
          data: `/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${map.length} beginbfchar\n${map.join('\n')}\nendbfchar endcmap end end`,
        },
        13: '<</Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80>>',
      },
    });
  },
  ligatures: (text) =>
    pageWith({
      content: `BT /L 12 Tf 50 200 Td (${text} o\\001ce) Tj ET`,
      objects: {
        4: '<</Type /Page /Parent 3 0 R /MediaBox [0 0 400 400] /Contents 5 0 R /Resources <</Font <</F 6 0 R /L 10 0 R>>>>>>',
        10: `<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding <</Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /ffi]>>>>`,
      },
    }),
  'nested form XObjects': (text) =>
    pageWith({
      content: 'q 1 0 0 1 20 30 cm /X Do Q',
      resources: '/XObject <</X 10 0 R>>',
      objects: {
        10: {
          dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 400 400] /Resources <</XObject <</Y 11 0 R>>>>',
          data: '/Y Do',
        },
        11: {
          dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 400 400] /Matrix [1 0 0 1 5 5] /Resources <</Font <</F 6 0 R>>>>',
          data: shown(`${str(text)} Tj`),
        },
      },
    }),
  'a form XObject that is not drawn': (text) =>
    pageWith({
      resources: '/XObject <</X 10 0 R>>',
      objects: {
        10: { dictionary: '/Subtype /Form /BBox [0 0 9 9] /Resources <</Font <</F 6 0 R>>>>', data: shown(`${str(text)} Tj`) },
      },
    }),
  'a pattern': (text) =>
    pageWith({
      content: '/Pattern cs /P scn 0 0 100 100 re f',
      resources: '/Pattern <</P 10 0 R>>',
      objects: {
        10: {
          dictionary:
            '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 300 300] /XStep 300 /YStep 300 /Resources <</Font <</F 6 0 R>>>>',
          data: shown(`${str(text)} Tj`),
        },
      },
    }),
  'a soft mask': (text) =>
    pageWith({
      content: '/G gs 0 0 100 100 re f',
      resources: '/ExtGState <</G <</SMask <</S /Luminosity /G 10 0 R>>>>>>',
      objects: {
        10: {
          dictionary:
            '/Subtype /Form /BBox [0 0 300 300] /Group <</S /Transparency /CS /DeviceGray>> /Resources <</Font <</F 6 0 R>>>>',
          data: shown(`${str(text)} Tj`),
        },
      },
    }),
  'marked content': (text) => pageWith({ content: `/Span <</Lang (en) /ActualText ${utf16(text)}>> BDC ${shown('(*) Tj')} EMC` }),
  'marked content in two parts': (text) =>
    pageWith({
      content: half(text)
        .map((part, n) => `/Span <</ActualText ${utf16(part)}>> BDC BT /F 12 Tf ${50 + 7 * n} 200 Td (*) Tj ET EMC`)
        .join('\n'),
    }),
  'properties of marked content': (text) =>
    pageWith({
      content: `/Span /M BDC ${shown(`${str(text)} Tj`)} EMC`,
      resources: `/Properties <</M <</MCID 0 /ActualText ${str(text)} /E ${str(text)}>>>>`,
    }),
  'an annotation': (text) =>
    pageWith({
      page: '/Annots [10 0 R]',
      objects: {
        10: `<</Type /Annot /Subtype /Text /Rect [9 9 30 30] /Contents ${str(text)} /T ${utf16(text)} /RC ${str(`<p>${text}`)}>>`,
      },
    }),
  'the appearance of an annotation': (text) =>
    pageWith({
      page: '/Annots [10 0 R]',
      objects: {
        10: '<</Type /Annot /Subtype /FreeText /Rect [9 9 390 390] /F 4 /AP <</N 11 0 R>>>>',
        11: {
          dictionary: '/Subtype /Form /BBox [0 0 381 381] /Resources <</Font <</F 6 0 R>>>>',
          data: shown(`${str(text)} Tj`),
        },
      },
    }),
  'a form field': (text) =>
    pageWith({
      catalog: '/AcroForm <</Fields [10 0 R] /DA (/F 12 Tf 0 g) /DR <</Font <</F 6 0 R>>>>>>',
      page: '/Annots [10 0 R]',
      objects: {
        10: `<</Type /Annot /Subtype /Widget /FT /Tx /T (name) /TU ${str(text)} /V ${str(text)} /DV ${str(text)} /Rect [9 9 390 40] /F 4 /AP <</N 11 0 R>>>>`,
        11: { dictionary: '/Subtype /Form /BBox [0 0 381 31]', data: `/Tx BMC ${shown(`${str(text)} Tj`)} EMC` },
      },
    }),
  'a choice of a form field': (text) =>
    pageWith({
      catalog: '/AcroForm <</Fields [10 0 R] /DA (/F 12 Tf 0 g)>>',
      page: '/Annots [10 0 R]',
      objects: {
        10: `<</Type /Annot /Subtype /Widget /FT /Ch /T (name) /Opt [(a) ${str(text)} [(b) ${str(text)}]] /V ${str(text)} /Rect [9 9 390 40]>>`,
      },
    }),
  'the state of a button': (text) =>
    pageWith({
      catalog: '/AcroForm <</Fields [10 0 R]>>',
      page: '/Annots [10 0 R]',
      objects: {
        10: `<</Type /Annot /Subtype /Widget /FT /Btn /T (name) /V /${text.replaceAll(' ', '#20')} /AS /${text.replaceAll(' ', '#20')} /Rect [9 9 39 40] /AP <</N <</${text.replaceAll(' ', '#20')} 11 0 R>>>>>>`,
        11: { dictionary: '/Subtype /Form /BBox [0 0 30 30]', data: '0 0 9 9 re f' },
      },
    }),
  'the name of a form field': (text) =>
    pageWith({
      catalog: '/AcroForm <</Fields [10 0 R]>>',
      page: '/Annots [10 0 R]',
      objects: { 10: `<</Type /Annot /Subtype /Widget /FT /Tx /T ${str(text)} /Rect [9 9 390 40]>>` },
    }),
  'an XFA form': (text) =>
    pageWith({
      catalog: '/AcroForm <</Fields [] /XFA [(datasets) 10 0 R]>>',
      objects: { 10: { dictionary: '', data: `<xfa><name>${text}</name></xfa>` } },
    }),
  'the information dictionary': (text) =>
    pageWith({ objects: { 2: `<</Title ${utf16(text)} /Author ${str(text)} /${text.replaceAll(' ', '#20')} (x)>>` } }),
  'the XMP packet': (text) =>
    pageWith({
      catalog: '/Metadata 10 0 R',
      objects: {
        10: {
          dictionary: '/Type /Metadata /Subtype /XML',
          data: `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><dc:title><rdf:Alt><rdf:li>&#${text.charCodeAt(0)};${text.slice(1)}</rdf:li></rdf:Alt></dc:title></rdf:RDF></x:xmpmeta>`,
        },
      },
    }),
  'the XMP packet of a page': (text) =>
    pageWith({
      page: '/Metadata 10 0 R',
      objects: { 10: { dictionary: '/Type /Metadata /Subtype /XML', data: `<x>${text}</x>` } },
    }),
  'a bookmark': (text) =>
    pageWith({
      catalog: '/Outlines 10 0 R',
      objects: {
        10: '<</Type /Outlines /First 11 0 R /Last 11 0 R /Count 1>>',
        11: `<</Title ${utf16(text)} /Parent 10 0 R /Dest [4 0 R /Fit]>>`,
      },
    }),
  'a named destination': (text) =>
    pageWith({
      catalog: `/Names <</Dests <</Names [(a) [4 0 R /Fit] ${str(text)} [4 0 R /Fit]]>>>> /Dests <</${text.replaceAll(' ', '#20')} [4 0 R /Fit]>>`,
      page: '/Annots [10 0 R 11 0 R]',
      objects: {
        10: `<</Type /Annot /Subtype /Link /Rect [9 9 30 30] /A <</S /GoTo /D ${str(text)}>>>>`,
        11: `<</Type /Annot /Subtype /Link /Rect [9 9 30 30] /Dest /${text.replaceAll(' ', '#20')}>>`,
      },
    }),
  'a link': (text) =>
    pageWith({
      page: '/Annots [10 0 R]',
      objects: { 10: `<</Type /Annot /Subtype /Link /Rect [9 9 30 30] /A <</S /URI /URI ${str(`https://x.test/${text}`)}>>>>` },
    }),
  'an attachment': (text) =>
    pageWith({
      catalog: '/Names <</EmbeddedFiles <</Names [(a.txt) 10 0 R]>>>> /AF [10 0 R]',
      objects: {
        10: '<</Type /Filespec /F (a.txt) /UF (a.txt) /EF <</F 11 0 R>>>>',
        11: { dictionary: '/Type /EmbeddedFile', data: `name,value\n${text},1\n` },
      },
    }),
  'the name of an attachment': (text) =>
    pageWith({
      catalog: `/Names <</EmbeddedFiles <</Names [${str(`${text}.txt`)} 10 0 R]>>>>`,
      objects: {
        10: `<</Type /Filespec /F ${str(`${text}.txt`)} /UF ${str(`${text}.txt`)} /Desc ${str(text)} /EF <</F 11 0 R>>>>`,
        11: { dictionary: '/Type /EmbeddedFile', data: 'nothing' },
      },
    }),
  tags: (text) =>
    pageWith({
      catalog: '/MarkInfo <</Marked true>> /StructTreeRoot 10 0 R',
      content: `/P <</MCID 0>> BDC ${shown(`${str(text)} Tj`)} EMC`,
      page: '/StructParents 0',
      objects: {
        10: '<</Type /StructTreeRoot /K 11 0 R /ParentTree <</Nums [0 [12 0 R]]>>>>',
        11: `<</Type /StructElem /S /Document /P 10 0 R /K 12 0 R /T ${str(text)} /ID ${str(text)}>>`,
        12: `<</Type /StructElem /S /P /P 11 0 R /Pg 4 0 R /K 0 /ActualText ${str(half(text)[0])} /Alt ${utf16(text)} /E ${str(text)}>>`,
      },
    }),
  'the labels of pages': (text) => pageWith({ catalog: `/PageLabels <</Nums [0 <</S /D /P ${str(text)}>>]>>` }),
  'a script': (text) =>
    pageWith({
      catalog: `/OpenAction <</S /JavaScript /JS ${str(`app.alert("${text}")`)}>> /Names <</JavaScript <</Names [(a) <</S /JavaScript /JS 10 0 R>>]>>>>`,
      objects: { 10: { dictionary: '', data: `var x = "${text}"` } },
    }),
  'the name of a layer': (text) =>
    pageWith({
      catalog: '/OCProperties <</OCGs [10 0 R] /D <</Order [10 0 R]>>>>',
      objects: { 10: `<</Type /OCG /Name ${str(text)}>>` },
    }),
  'private data of applications': (text) =>
    pageWith({
      page: `/PieceInfo <</App <</Private ${str(text)}>>>>`,
      catalog: '/PieceInfo <</App <</Private 10 0 R>>>>',
      objects: { 10: { dictionary: '', data: text } },
    }),
  'an object that nothing refers to': (text) => pageWith({ objects: { 10: `<</Old ${str(text)}>>` } }),
  'an earlier state of the file': (text) => {
    const old = pageWith({ content: shown(`${str(text)} Tj`) });
    const at = Number(/startxref\s+(\d+)/.exec(old.toString('latin1'))?.[1]);
    const body = `5 0 obj\n<</Length 51>>\nstream\nBT /F 12 Tf 50 350 Td (What stays is here.) Tj ET   \nendstream\nendobj\n`;
    const table = `xref\n5 1\n${String(old.length).padStart(10, '0')} 00000 n \ntrailer\n<</Size 8 /Root 1 0 R /Prev ${at}>>\n`;
    return Buffer.concat([old, Buffer.from(`${body}${table}startxref\n${old.length + body.length}\n%%EOF\n`)]);
  },
};

/** Markup of which Chromium prints a text, each in another way. */
export const PRINTED_PLACES: ReadonlyArray<(text: string) => string> = [
  (text) => `<h2>${text}</h2>`,
  (text) => `<p>${text.slice(0, 3)}<b>${text.slice(3, 6)}</b><i style="font-family: serif">${text.slice(6)}</i>`,
  (text) => `<p style="letter-spacing: 3px">${text}`,
  (text) => `<p style="text-align: justify; width: 9em">Justified ${text} between other words of this paragraph`,
  (text) => `<p lang="en" style="hyphens: manual; width: 4em">${text.replace(/\w{3}(?=\w)/g, '$&&shy;')}`,
  (text) => `<p style="transform: rotate(20deg); width: 20em">${text}`,
  (text) => `<p style="opacity: 0.5">${text}`,
  (text) => `<p style="text-transform: uppercase">${text}`,
  (text) => `<p style="font-variant: small-caps">${text}`,
  (text) => `<p style="text-shadow: 1px 1px 2px red">${text}`,
  (text) => `<p style="writing-mode: vertical-rl">${text}`,
  (text) => `<svg width="300" height="30"><text y="20">${text}</text></svg>`,
  (text) => `<img alt="${text}" width="9" height="9" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`,
  (text) => `<a href="https://x.test/?${encodeURIComponent(text)}#${text}">link</a>`,
  (text) => `<input aria-label="${text}" name="n${text.slice(-3)}" value="${text}">`,
  (text) => `<select name="s${text.slice(-3)}" aria-label="s"><option>a<option selected>${text}</select>`,
  (text) => `<table><tr><th>${text}<td>cell</table>`,
  (text) => `<p style="color: transparent">${text}`,
  (text) => `<div style="columns: 2; width: 12em">${text} ${text}</div>`,
  (text) => `<p id="${text.replaceAll(' ', '_')}">${text}<a href="#${text.replaceAll(' ', '_')}">back</a>`,
];
