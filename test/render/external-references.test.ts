/** Hostile markup is scanned in linear time. */
import { expect, test } from 'vitest';
import { externalReference } from '../../src/render/external-references.ts';

/** As long as a template may be; reading any of these twice over from each position would take minutes. */
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
])('scans repetitions in linear time: %j', (piece) => {
  expect(externalReference(piece.repeat(LENGTH / piece.length))).toBeUndefined();
});

test('finds the last reference', () => {
  const filler = '<p title="x">text</p><!-- - --><style>/* */ p { color: red }</style>'.repeat(5_000);
  expect(externalReference(`${filler}<img src="//example.com/x.png">`)).toBe('<img src>: https://example.com');
});
