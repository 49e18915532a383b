/** `POST /v1/pdf/validate` finds words that the tags join although the page shows them apart. */
import { expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { RawPrinter } from '../support/raw-printer.ts';
import { sharedService } from '../support/shared-service.ts';

const HTML = `<!doctype html><html lang="en"><title>Words</title><style>p { font: 16px monospace; width: 20ch }</style>
<h1>Words</h1><p>They met again and again, after which it rained.<p lang="zh">這是一個測試段落，用來檢查中文文字在換行時<p>a well-known-but-unlikely-word`;

const service = await sharedService();
const client = new Client(service.url, service.key);
const printer = await RawPrinter.start().then(closeAfterAll);

/** Returns how many words are glued, with the clause. */
async function gluedWords(pdf: Uint8Array, profile = 'PDF/UA-1'): Promise<[clause: string, count: number] | undefined> {
  const response = await succeeded(
    client.send('POST', `/v1/pdf/validate?profile=${profile}`, pdf, { 'content-type': 'application/pdf' }),
  );
  const { violations } = (await response.json()) as { violations: Array<{ rule: string; clause: string; count: number }> };
  const found = violations.find(({ rule }) => rule === 'words_glued');
  return found && [found.clause, found.count];
}

test.each([
  ['PDF/UA-1', 'ISO 14289-1, 7.1'],
  ['PDF/UA-2', 'ISO 14289-2, 8.2.1'],
  ['PDF/A-3a', 'ISO 19005-3, 6.7.2.1'],
])('reports what Chromium prints under %s, but not what the service makes of it', async (profile, clause) => {
  expect(await gluedWords(await printer.print(HTML, { tagged: true }), profile)).toEqual([clause, 2]);
  const response = await client.pdf({ html: HTML, options: { conformance: profile } });
  expect(await gluedWords(await bytesOf(response), profile)).toBeUndefined();
});

test('reports nothing for profiles without tags', async () => {
  expect(await gluedWords(await printer.print(HTML, { tagged: true }), 'PDF/A-3b')).toBeUndefined();
});

test.each<[what: string, content: string, count: number | undefined]>([
  ['a gap in a line', '[(these)-400(two)] TJ', 1],
  ['a line end', '(first line) Tj 0 -14 Td (second) Tj', 1],
  ['a line end in other operators', "14 TL (first line) Tj (second line) ' T* (third) Tj", 2],
  ['a line end by a matrix', '(first line) Tj 1 0 0 1 72 600 Tm (second) Tj', 1],
  ['spaces', '[(these )-400(two )] TJ 0 -14 Td (third line ) Tj 0 -14 Td (fourth) Tj', undefined],
  ['kerning', '[(T)80(o)-30(day)] TJ', undefined],
  ['letter spacing', '5 Tc (spaced) Tj', undefined],
  ['a hyphen', '(the well-) Tj 0 -14 Td (known) Tj', undefined],
  ['an address', '(at https://example.com/) Tj 0 -14 Td (path) Tj', undefined],
  ['a long word', '(unimagin) Tj 0 -14 Td (able) Tj', undefined],
  ['replacement text', '/Span <</ActualText (one )>> BDC (first line) Tj EMC 0 -14 Td (second) Tj', undefined],
  ['a superscript', '(see note) Tj 5 Ts (1) Tj 0 Ts', undefined],
  ['text on a curve', '(first line) Tj .7 .7 -.7 .7 90 600 Tm (second) Tj', undefined],
  ['few of many line ends', `${'(some words ) Tj 0 -14 Td '.repeat(9)}(of many) Tj 0 -14 Td (words) Tj`, undefined],
])('judges %s', async (_, content, count) => {
  const found = await gluedWords(tagged(`/P <</MCID 0>> BDC BT /F1 12 Tf 72 700 Td ${content} ET EMC`));
  expect(found?.[1]).toBe(count);
});

test('does not compare paragraphs with each other, but parts of one', async () => {
  const lines = ['(first line)', '(second line)'];
  const marked = (mcid: number, text: string) =>
    `/P <</MCID ${mcid}>> BDC BT /F1 12 Tf 72 ${700 - 14 * mcid} Td ${text} Tj ET EMC`;
  const content = `${lines.map((text, mcid) => marked(mcid, text)).join(' ')} ${marked(2, '(third line) Tj 0 -14 Td (fourth)')}`;
  const three = (type: string) => [0, 1, 2].map((mcid) => `<</S /${type} /P 5 0 R /Pg 3 0 R /K ${mcid}>>`);
  expect((await gluedWords(tagged(content, three('P'))))?.[1]).toBe(1);
  expect((await gluedWords(tagged(content, three('Span'))))?.[1]).toBe(3);
});

/** Returns a tagged PDF with one page. `kids` are the elements in its document; by default, a paragraph with MCID 0. */
function tagged(content: string, kids = ['<</S /P /P 5 0 R /Pg 3 0 R /K 0>>']): Buffer {
  const objects = [
    '<</Type /Catalog /Pages 2 0 R /StructTreeRoot 5 0 R /MarkInfo <</Marked true>> /Lang (en)>>',
    '<</Type /Pages /Kids [3 0 R] /Count 1>>',
    '<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F1 6 0 R>>>> /StructParents 0>>',
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    `<</Type /StructTreeRoot /K <</S /Document /P 5 0 R /K [${kids.join(' ')}]>>>>`,
    `<</Type /Font /Subtype /TrueType /BaseFont /Mono /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126 /Widths [${'600 '.repeat(95)}]>>`,
  ];
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${text}${table}trailer\n<</Root 1 0 R /Size ${objects.length + 1}>>\nstartxref\n${text.length}\n%%EOF\n`);
}
