/** What the program in pages tells an inspection: missing parts, lost content, and declarations that matter. */
import { describe, expect, test } from 'vitest';
import type { EffectQuestion } from '../../src/in-page/contract/inspection.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { launchBrowser, openPage } from './open-page.ts';

const BROKEN_IMAGE = 'data:image/png;base64,AAAA';

const browser = await launchBrowser().then(closeAfterAll);

describe('missing parts', () => {
  const missing = async (html: string, decodesImages = true) =>
    (await openPage(browser, html)).ask('findMissingParts', decodesImages);

  test('say why they are missing', async () => {
    const found = await missing(`<img src=photo.png><img src="${BROKEN_IMAGE}"><iframe src=file:///etc/passwd></iframe>
      <link rel=stylesheet href=style.css><svg><use href="https://example.com/icons.svg#a" /></svg>`);
    expect(found).toEqual([
      ['photo.png', 'base', []],
      [BROKEN_IMAGE, 'image', []],
      ['file:///etc/passwd', 'file', []],
      ['style.css', 'base', []],
      ['https://example.com/icons.svg#a', 'sprite', []],
    ]);
  });

  test('are found in shadow roots and frames', async () => {
    const shadow = '<template shadowrootmode=open><img src=shadow.png></template>';
    const found = await missing(`<p>${shadow}</p><iframe srcdoc="<img src=file:///frame.png><p>${shadow}</p>"></iframe>`);
    expect(found.map(([url]) => url)).toEqual(['shadow.png', 'file:///frame.png']);
  });

  test('count in styles only if an element shows them', async () => {
    const found = await missing(`<style>
      .card { .photo::before { content: url(nested.png) } }
      .absent { background: url(absent.png) }
      .hidden { display: none; background: url(hidden.png) }
      @media (min-width: 9999px) { .photo { background: url(wide.png) } }
    </style><div class=card><p class=photo></p></div><p class=hidden></p>`);
    expect(found).toEqual([['nested.png', 'base', []]]);
  });

  test('in styles are decoded only if something can be waited for', async () => {
    const html = `<p style="background: url(${BROKEN_IMAGE})">text</p>`;
    expect(await missing(html)).toEqual([[BROKEN_IMAGE, 'image', []]]);
    expect(await missing(html, false)).toEqual([]);
  });

  test('of a font have the other URLs', async () => {
    const html = `<style>@font-face { font-family: A; src: url("${BROKEN_IMAGE}"), url(a.woff2) }</style><p style="font-family: A">text`;
    const { page, ask } = await openPage(browser, html);
    await page.evaluate('document.fonts.ready');
    expect(await ask('findMissingParts', true)).toEqual([[BROKEN_IMAGE, 'font', ['a.woff2']]]);
  });

  test('are found if elements are named like methods of the document', async () => {
    expect(await missing('<img name=querySelectorAll src=photo.png><img name=defaultView src=other.png>')).toHaveLength(2);
  });
});

describe('declarations that matter', () => {
  const effects = async (html: string, ...questions: Array<Partial<EffectQuestion>>) => {
    const { ask } = await openPage(browser, html);
    return ask('findEffects', questions.map(question));
  };
  const question = (given: Partial<EffectQuestion>): EffectQuestion => ({
    check: 'shown',
    property: 'float',
    media: [],
    selector: 'p',
    ...given,
  });

  test('are the first of each kind with an element, and those for pages', async () => {
    const found = await effects(
      '<p id=one>text</p><p>text</p>',
      { selector: '.absent' },
      { media: ['screen and (max-width: 1px)'] },
      { selector: '::bad(' },
      {},
      { selector: '#one' },
      { check: 'applies', property: 'size', selector: '' },
    );
    expect(found).toEqual([
      { index: 3, element: 'p#one', count: 2 },
      { index: 5, element: '', count: 0 },
    ]);
  });

  test('are breaks unless nothing is before or after them', async () => {
    const rule = '<style>h2 { break-before: right }</style>';
    const ask = { check: 'break', property: 'break-before', selector: 'h2' } as const;
    expect(await effects(`${rule}<h2>First</h2><p>text</p>`, ask)).toEqual([]);
    expect(await effects(`${rule}<h2></h2><p>text</p>`, ask)).toEqual([]);
    expect(await effects(`${rule}<p>text</p><h2>Second</h2>`, ask)).toHaveLength(1);
  });

  test('are effects that turn text into a picture, counted without the elements inside', async () => {
    const frame = '<iframe id=frame style="filter: blur(1px)" srcdoc=text></iframe>';
    const found = await effects(
      `<style>.blurred, .blurred * { filter: blur(1px) } .turned { transform: perspective(9px) rotateY(9deg) }</style>
      <p class=blurred></p><p class=blurred style="display: none">text</p>
      <section class=blurred><b>text</b></section><div class=turned><input value=text></div>${frame}`,
      { check: 'rasterized', property: 'filter', selector: '.blurred, .blurred *' },
      { check: 'rasterized', property: 'transform', selector: '.turned' },
      { check: 'rasterized', property: 'filter', selector: '#frame' },
    );
    expect(found).toEqual([{ index: 0, element: 'section.blurred', count: 3 }]);
  });
});

test('lost content is in closed elements, and links that cannot be resolved', async () => {
  const { ask } = await openPage(
    browser,
    `<details> <summary>Empty</summary> </details><details id=more><summary>More</summary>text</details>
    <a href=/relative class=link>a</a><a href=#part>b</a><a href=https://example.com>c</a><a href=hidden hidden>d</a>`,
  );
  expect(await ask('findLostContent')).toEqual({
    closed: { element: 'details#more', count: 1 },
    links: [{ url: '/relative', element: 'a.link' }],
  });
});

test('text without a dictionary is found by its language', async () => {
  const { ask, page } = await openPage(
    browser,
    `<div style="hyphens: auto"><p lang=tlh>unbreakable</p><p>withoutlanguage</p><p lang=zxx hidden>invisible</p><p lang=art>short</p></div>
    <p lang=vo>notrequested</p>`,
  );
  expect(await ask('findUnhyphenated')).toEqual(['tlh', '']);
  expect(await page.evaluate('document.body.children.length')).toBe(2); // nothing is left behind
});

describe('style sheets', () => {
  test('are read in their order, then those of shadow roots and frames', async () => {
    const { ask } = await openPage(
      browser,
      `<style>p { color: red }</style><style>@page { marks: crop }</style><style media=speech>@page { bleed: 1in }</style>
      <p style="filter: blur(1px)"><template shadowrootmode=open><style>p { float: footnote }</style></template></p>`,
    );
    expect(await ask('readStyleSheets')).toEqual([
      { text: '' },
      { text: '@page { marks: crop }' },
      { text: '' },
      { text: '[style] { filter: blur(1px) } ' },
      { text: 'p { float: footnote }', isScoped: true },
    ]);
  });

  test('are not read if a script implements CSS for pages', async () => {
    const { ask } = await openPage(browser, '<style>@page { marks: crop }</style><div class=pagedjs_pages></div>');
    expect(await ask('readStyleSheets')).toEqual([]);
  });

  test('are extended, each by its own rules', async () => {
    const { ask, page } = await openPage(browser, '<style>p { color: red }</style><style></style><p>text</p>');
    await ask('extendStyleSheets', [['p { color: green }'], [], ['p { width: 7px }']]);
    const lengths = page.evaluate(
      '[...document.styleSheets, ...document.adoptedStyleSheets].map(({ cssRules }) => cssRules.length)',
    );
    expect(await lengths).toEqual([2, 0, 1]);
    expect(await page.evaluate('getComputedStyle(document.querySelector("p")).color')).toBe('rgb(0, 128, 0)');
  });
});
