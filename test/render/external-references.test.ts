/** The search for external references scans hostile markup in linear time. */
import { expect, test } from 'vitest';
import { externalReference } from '../../src/render/request/values/external-references.ts';

/** The maximum length of a template. Quadratic time for any of these inputs would be minutes. */
const LENGTH = 524_288;

test.each([
  '<',
  '<a',
  '<a ',
  '<!--',
  '<a b="',
  "<a b='",
  "<a'",
  '<a"\'',
  '<style>',
  '<style>/*',
  '</',
  '<a =',
  '= ',
  ' ',
  '<script>',
  'url(',
  '<b style="url(',
  '<title>',
  '<img srcset=", ',
])('scans repetitions of %j in linear time', (piece) => {
  expect(externalReference(piece.repeat(LENGTH / piece.length))).toBeUndefined();
});

test('finds a reference at the end of a long document', () => {
  const filler = '<p title="x">text</p><!-- - --><style>/* */ p { color: red }</style>'.repeat(5_000);
  expect(externalReference(`${filler}<img src="//example.com/x.png">`)).toBe('<img src>: https://example.com');
});
