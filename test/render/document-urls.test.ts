/** Finds the URLs that a document would load, in markup and styles, as a browser does. */
import { describe, expect, test } from 'vitest';
import { documentUrls, inCss } from '../../src/render/document-urls.ts';

const urlsIn = (html: string, base?: string) => [...documentUrls(html, base)].filter((each) => each !== undefined);

describe('addresses', () => {
  test.each([
    ['<img src="https://a.example/x.png">', 'https://a.example/x.png'],
    ["<IMG SRC='HTTPS://A.example:8443/x'>", 'https://a.example:8443/x'],
    ['<img src=https&colon;&sol;&#47;a.example/?x=1&amp;y=2>', 'https://a.example/?x=1&y=2'],
    ['<img src=" ht\ntps://a.example/ ">', 'https://a.example/'],
    ['<div style="background: url(https://a.example/b)">', 'https://a.example/b'],
    ['<style>@import "https://a.example/c"; /* url(https://no.example/) */</style>', 'https://a.example/c'],
    ['<style>p { background: image-set("https://a.example/d" 1x) }</style>', 'https://a.example/d'],
    ['<svg><image xlink:href="https://a.example/e"/></svg>', 'https://a.example/e'],
    ['<link rel="preload stylesheet" href="https://a.example/f">', 'https://a.example/f'],
    ['<iframe srcdoc="&lt;img src=https://a.example/g&gt;"></iframe>', 'https://a.example/g'],
    ['<script src="https://a.example/h"></script>', 'https://a.example/h'],
    ['<base href="https://a.example/i/"><img src="j">', 'https://a.example/i/j'],
    ['<img srcset="https://a.example/k 1x, , ">', 'https://a.example/k'],
    ['<img srcset="data:image/png;base64,AAAA 1x, https://a.example/l">', 'https://a.example/l'],
  ])('are found in %j', (html, address) => expect(urlsIn(html)).toEqual([address]));

  test.each([
    '<a href="https://a.example/">',
    '<link rel="canonical" href="https://a.example/">',
    '<img src="x.png">',
    '<img src="data:image/png;base64,AAAA">',
    '<!-- <img src="https://a.example/"> -->',
    '<title><img src="https://a.example/"></title>',
    '<script>"<img src=https://a.example/>"</script>',
  ])('are not found in %j', (html) => expect(urlsIn(html)).toEqual([]));

  test('are resolved with a base URL, for all entries of a list', () => {
    expect(urlsIn('<img srcset="a.png 1x, b.png 2x">', 'https://a.example/c/')).toEqual([
      'https://a.example/c/a.png',
      'https://a.example/c/b.png',
    ]);
    expect([...inCss('url(a) url("b")', 'https://a.example/')]).toEqual(['https://a.example/a', 'https://a.example/b']);
  });
});

test.each([
  '<a ',
  '<img src="',
  'url(',
  '/*',
  '<style>',
  '<!--',
  '<img srcset="a, ',
  ' \t',
  '&',
  '<iframe srcdoc="<iframe srcdoc="',
  '@import   ',
])('takes time proportional to a million characters of %j', (unit) => {
  const time = (length: number) => {
    const html = `<style>${unit.repeat(length / unit.length)}</style>${unit.repeat(length / unit.length)}<img srcset="${unit.repeat(length / unit.length)}">`;
    const since = performance.now();
    urlsIn(html);
    return performance.now() - since;
  };
  time(10_000);
  expect(time(1_000_000)).toBeLessThan(30 * time(100_000) + 2_000);
});

test('scans commas within a word of srcset once', () => {
  const commas = ','.repeat(400_000); // an expression that backtracks to each of them takes minutes
  expect(urlsIn(`<img srcset="https://a.example/a${commas}b">`)).toEqual([`https://a.example/a${commas}b`]);
  expect(urlsIn(`<img srcset="https://a.example/a${commas} 1x">`)).toEqual(['https://a.example/a']);
});
