/** The search for external references scans hostile markup in linear time. */
import { expect, test } from 'vitest';
import { externalReference, withoutExternalReferences } from '../../src/render/request/values/external-references.ts';

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
  const markup = piece.repeat(LENGTH / piece.length);
  expect(externalReference(markup)).toBeUndefined();
  expect(withoutExternalReferences(markup)).toBe(markup);
});

test.each(['<img src=//a>', '<b style="x: url(//a)">', '<style>b { x: url(//a) } ', '@import "//a"; url(//a)'])(
  'removes repetitions of %j in linear time',
  (piece) => {
    const markup = `<style>${piece.repeat(LENGTH / piece.length)}`;
    expect(externalReference(withoutExternalReferences(markup))).toBeUndefined();
    const body = piece.repeat(LENGTH / piece.length);
    expect(externalReference(withoutExternalReferences(body))).toBeUndefined();
  },
);

test.each([
  [`<p>a<IMG width=5 SRC='https://x/a,b' alt='"'>b`, '<p>a<img width="5" alt="&quot;">b'],
  [
    '<a href="//x"><b style="color: red; background: url(//x/y)">',
    '<a href="//x"><b style="color: red; background: url(data:,)">',
  ],
  [
    '<style>@import "//x/y"; a { b: url( "http://x" ) }</style><i>',
    '<style>@import "data:,"; a { b: url( "data:," ) }</style><i>',
  ],
  ['<style title="x" data="//y">p{}</style>', '<style title="x">p{}</style>'],
  ['<img src=a.png><img src="data:image/png;base64,//8=">', '<img src=a.png><img src="data:image/png;base64,//8=">'],
])('removes only what is external from %s', (given, left) => {
  expect(withoutExternalReferences(given)).toBe(left);
});

test('finds a reference at the end of a long document', () => {
  const filler = '<p title="x">text</p><!-- - --><style>/* */ p { color: red }</style>'.repeat(5_000);
  expect(externalReference(`${filler}<img src="//example.com/x.png">`)).toBe('<img src>: https://example.com');
});
