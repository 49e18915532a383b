/** The parser for single PDF objects: the syntax it reads, and the syntax it rejects. */
import { expect, test } from 'vitest';
import { parseObject } from '../../src/pdf/objects/parse-object.ts';
import { toText } from '../../src/pdf/objects/syntax.ts';

test.each([
  [
    '<</Type /StructElem\n/S /TD\n/K [8 101 0 R]\n/A [<</O /Table\n/RowSpan 1>> 12 0 R]>>',
    '<</Type /StructElem/S /TD/K [8 101 0 R]/A [<</O /Table/RowSpan 1>> 12 0 R]>>',
  ],
  ['[-1.5 .25 +3 0.5 7]', '[-1.5 0.25 3 0.5 7]'],
  ['[true false null /Name]', '[true false null /Name]'],
  ['(text) ', '<74657874>'],
  ['<FEFF00e4>', '<feff00e4>'],
  ['<<>>', '<<>>'],
  ['[]', '[]'],
  ['3 0 R', '3 0 R'],
])('parses %s', (text, written) => {
  const object = parseObject(text);
  expect(object && toText(object)).toBe(written);
});

test.each([
  '(a\\)b)',
  '(a(b)c)',
  '/A#20B',
  '<</A>>',
  '<</A 1',
  '[1 2',
  ']',
  '1 2',
  '<</A 1>> /B',
  '[1] /K 2>>',
  '% comment\n1',
  '',
])('leaves %s to the full parser', (text) => expect(parseObject(text)).toBeUndefined());
