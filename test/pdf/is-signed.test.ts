/** A PDF counts as signed only if a signature field has a value, whatever other bytes it contains. */
import { expect, test } from 'vitest';
import { isSigned } from '../../src/pdf/security/signature-field.ts';

/** Returns a PDF with these catalog entries, additional objects from number 4 on, and a comment that resembles a signature. */
function pdf(catalog: string, ...more: string[]): Buffer {
  const objects = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
    ...more,
  ];
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const start = text.length;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<</Size ${size}/Root 1 0 R>>\n`;
  const end = `startxref\n${start}\n%%EOF\n`;
  const rest = (length: number) => `%/ByteRange [0 10 20 ${length}]\n${end}`;
  const length = text.length + rest(1_000).length; // has the same number of digits
  return Buffer.from(`${text.padEnd(1_100 + text.length)}\n${rest(length + 1_101 - 20)}`);
}

test.each([
  ['bytes that resemble a signature', pdf(''), false],
  ['an empty signature field', pdf('/AcroForm<</Fields[4 0 R]>>', '<</FT/Sig/T(a)>>'), false],
  ['a signature', pdf('/AcroForm<</Fields[4 0 R]>>', '<</FT/Sig/T(a)/V 5 0 R>>', '<</Type/Sig/ByteRange[0 1 2 3]>>'), true],
  [
    'a signature before another field',
    pdf('/AcroForm<</Fields[4 0 R 5 0 R]>>', '<</FT/Sig/T(a)/V<<>>>>', '<</FT/Tx/T(b)>>'),
    true,
  ],
  [
    'a signature below another field',
    pdf('/AcroForm<</Fields[4 0 R]>>', '<</T(a)/Kids[5 0 R 4 0 R]>>', '<</FT/Sig/T(b)/V<<>>>>'),
    true,
  ],
])('detects whether a PDF with %s is signed', async (_, file, signed) => {
  expect(await isSigned(file)).toBe(signed);
});
