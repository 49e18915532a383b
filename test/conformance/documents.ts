/** The documents of the suite: the visual set, the gallery, and constructed ones, each with the rules it must be refused for under PDF/UA-1. */
import { readdirSync, readFileSync } from 'node:fs';
import { DOCUMENTS as VISUAL } from '../visual/documents.ts';
import { everydayDocuments } from './everyday-documents.ts';
import { formDocuments } from './form-documents.ts';
import { hostileDocuments } from './hostile-documents.ts';

export interface ConformanceDocument {
  name: string;
  html: string;
  options?: object;
  /** Rules and elements for which it is refused under PDF/UA-1. Empty or absent if it conforms. */
  refused?: string[];
  /** Rules for which it is refused under every profile. */
  refusedAlways?: string[];
}

const VISUAL_FOLDER = new URL('../visual/documents/', import.meta.url);

/** The rules that documents of the visual set break, once for each element. */
const VISUAL_REFUSALS: Record<string, string[]> = {
  'canvas-chart': times(3, 'alternate_text_missing'),
  certificate: times(4, 'alternate_text_missing'),
  columns: times(1, 'alternate_text_missing'),
  dark: times(1, 'alternate_text_missing'),
  'flex-grid': [...times(6, 'alternate_text_missing'), 'heading_skipped *'],
  footnotes: times(2, 'alternate_text_missing'),
  form: times(9, 'field_name_missing'),
  invoice: times(1, 'alternate_text_missing'),
  label: times(6, 'alternate_text_missing'),
  landscape: times(1, 'alternate_text_missing'),
  letter: times(1, 'alternate_text_missing'),
  report: times(2, 'alternate_text_missing'),
  'svg-chart': times(4, 'alternate_text_missing'),
  'web-font': times(2, 'alternate_text_missing'),
};

function times(count: number, rule: string): string[] {
  return Array<string>(count).fill(`${rule} *`);
}

function visualDocuments(): ConformanceDocument[] {
  const names = readdirSync(VISUAL_FOLDER).map((file) => file.replace('.html', ''));
  return names.map((name) => ({
    name: `visual ${name}`,
    html: readFileSync(new URL(`${name}.html`, VISUAL_FOLDER), 'utf8'),
    options: VISUAL[name] ?? {},
    ...(VISUAL_REFUSALS[name] && { refused: VISUAL_REFUSALS[name] }),
  }));
}

/** The documents of the visual set with all drawings marked as decorative, all fields named and no heading level skipped. */
function describedDocuments(): ConformanceDocument[] {
  return visualDocuments().map(({ name, html, options = {} }) => ({
    name: `described ${name}`,
    html: html
      .replace(/<(svg|canvas)\b/g, '<$1 aria-hidden="true"')
      .replace(/ role="img"/g, '')
      .replace(/<(input|textarea|select)\b/g, '<$1 aria-label="Field"')
      .replace(/<(\/?)h3\b/g, name === 'visual flex-grid' ? '<$1h2' : '<$1h3'),
    options,
  }));
}

const ICON = '<svg aria-hidden="true" focusable="false" width="12" height="12"><rect width="12" height="12" /></svg>';
const RED = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="red"/></svg>')}`;
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const page = (body: string, head = '') => `<!doctype html><html lang="en"><title>A document</title>${head}<h1>Start</h1>${body}`;
const rows = (count: number, row: (n: number) => string) => Array.from({ length: count }, (_, n) => row(n)).join('');

/** Documents that conform. */
const CONFORMANT: Record<string, string | [html: string, options: object]> = {
  'nothing but text': page('<p>Hello.'),
  'an empty page': '<!doctype html><html lang="en"><title>Empty</title>',
  'a link of each kind': page(
    '<p><a href="https://example.com/">text <b>in parts</b></a> <a href="#end">inner</a> <a href="https://example.com/x" aria-label="named">x</a> <a href="mailto:a@example.com">mail</a> <a href="https://example.com/hidden" aria-hidden="true">hidden</a><p id="end">End',
  ),
  'a link around an image': page(`<a href="https://example.com/i"><img src="${RED}" alt="Logo"></a>`),
  'the same link twice': page('<a href="https://example.com/">one</a> <a href="https://example.com/">two</a>'),
  'a link over two lines': page(`<p style="width: 120px"><a href="https://example.com/">${'many words '.repeat(10)}</a>`),
  'images with texts': page(
    `<img src="${RED}" alt="Red"> <img src="${PNG}" aria-label="Dot"> <img src="${PNG}" title="Titled" width="9" height="9"> <img src="${RED}" alt=""> <img src="${RED}" role="presentation">`,
  ),
  'a drawing with a title': page(
    '<svg width="40" height="20"><title>A circle</title><circle r="9" cx="10" cy="10" /><text y="10">T</text></svg>',
  ),
  'a drawing beside styles for roles': page(
    '<style>[role="button"] { color: red } svg[role="img"][aria-label] { fill: red }</style><svg role="img" aria-label="Dot" width="20" height="20"><circle r="9" cx="10" cy="10" /></svg><svg width="20" height="20"><title>Dot</title><circle r="9" cx="10" cy="10" /></svg>',
  ),
  'drawings in elements with the role of an image': page(
    `<h2><span role="img" aria-label="Home" class="icon">${ICON}</span> Home</h2><p><i role="img" title="Star">${ICON}</i> <a href="https://example.com/"><span role="img" aria-labelledby="l">${ICON}</span></a><table><tr><th>Done<td><x-icon role="img" aria-label="Yes"><template shadowrootmode="open"><style>svg { fill: green }</style>${ICON}</template></x-icon></table><ul><li><span role="img" aria-label="Dot">${ICON}</span> item</ul><b id="l" hidden>More</b>`,
  ),
  'a drawing that is decoration': page('<svg width="40" height="20" aria-hidden="true"><circle r="9" cx="10" cy="10" /></svg>'),
  'a drawing named by a label': page(
    '<svg role="img" aria-labelledby="t" width="20" height="20"><rect width="9" height="9" /></svg><p id="t">Square',
  ),
  'a canvas with a name': page(
    '<canvas id="c" aria-label="Chart" width="20" height="20"></canvas><script>c.getContext("2d").fillRect(0,0,9,9)</script>',
  ),
  'a figure with a caption': page(
    `<figure style="border: 1px solid"><img src="${RED}" alt="Red"><figcaption>What is red</figcaption></figure>`,
  ),
  'figures of other things': page(
    '<figure><pre>code</pre><figcaption>Code</figcaption></figure><figure><table><tr><th>a<th>b<tr><td>1<td>2</table></figure>',
  ),
  'a background image': page(`<div style="background: url('${RED}'); width: 90px; height: 90px">over</div>`),
  'lists in lists': page('<ul><li>a<ul><li>b<ol><li>c</ol></ul><li><p>d</p></ul><ol><li>x<li>y</ol>'),
  'lists as they should not be': page(
    '<li>stray<li>two</li><ul><p>para</p><div><li>in a div</div></ul><ul style="list-style: none"><li>plain<li></ul>',
  ),
  'a list of roles': page('<div role="list"><div role="listitem">a</div><div role="listitem">b</div></div>'),
  'a list of definitions': page('<dl><dt>Term<dd>What it means</dl>'),
  'a table with all parts': page(
    '<table border="1"><caption>Sums</caption><thead><tr><th>A<th>B<tbody><tr><td>1<td>2<tr><td colspan="2">3<tfoot><tr><td>4<td>5</table>',
  ),
  'a table with spans': page(
    '<table border="1"><tr><th colspan="2">a<th rowspan="2">b<tr><td rowspan="2">x<td>y<tr><td>z<td>q</table>',
  ),
  'a table of two heads': page(
    '<table border="1"><tr><th scope="col">a<th scope="col">b<tr><th scope="row">r<td id="d" headers="h1 h2">x</table>',
  ),
  'a table over pages': page(
    `<table border="1"><thead><tr><th>n<th>square<tbody>${rows(200, (n) => `<tr><td>${n}<td>${n * n}`)}</table>`,
  ),
  'a table with empty cells': page(
    '<table><thead><tr><th><th>b<th>c<tbody><tr><td>1<td><td>3<tr><td><td><td><tr><td>4<td>5<td></table><table border="1"><tr><th>a<th>b<tr><td><td>x<tr><td><td></table>',
  ),
  'a cell wider than the other rows': page('<table border="1"><tr><th>a<th>b<tr><td colspan="3">1</table>'),
  'a table for layout': page('<table role="presentation"><tr><td>left<td>right<tr><td>only</table>'),
  'a table in a table': page(
    '<table border="1"><tr><th>a<th>b<tr><td><table border="1"><tr><th>c<th>d<tr><td>1<td>2</table><td>x</table>',
  ),
  'a row without a table': page('<div role="row"><div role="cell">stray</div></div>'),
  'a table of roles': page(
    '<div role="table"><div role="row"><span role="columnheader">h</span> <span role="columnheader">i</span></div><div role="row"><span role="cell">c</span> <span role="cell">d</span></div></div>',
  ),
  'an empty table': page('<table border="1"></table><p>After'),
  'a fixed head of columns': page(`<div style="columns: 3"><h2>Two</h2>${'<p>Words in columns. '.repeat(60)}</div>`),
  'languages of parts':
    '<!doctype html><html lang="en_GB"><title>T</title><h1>A</h1><p lang="de">Deutsch <span lang="fr">français</span>',
  'Chinese, Japanese and Korean': page(
    '<p lang="zh-Hans">简体中文<p lang="ja">日本語<ruby>漢字<rt>かんじ</rt></ruby><p lang="ko">한국어',
  ),
  'from right to left': '<!doctype html><html lang="ar" dir="rtl"><title>عنوان</title><h1>مرحبا</h1><p>نص عربي مع <b>كلمات</b> ﷺ',
  'scripts of India and Thailand': page('<p lang="hi">नमस्ते दुनिया<p lang="th">สวัสดีชาวโลก'),
  'Hebrew with points': page('<p lang="he" dir="rtl">שָׁלוֹם עוֹלָם'),
  emoji: page('<p>😀 👨‍👩‍👧 🇦🇹 ❤️'),
  ligatures: page(
    '<p>office, affluent, ﬁnal; <span style="font-variant: small-caps">Small Caps</span> <span style="font-feature-settings: \'dlig\'">ct st</span>',
  ),
  'combining marks': page('<p>é ñ ǘ ẹ̃ Z̵a̷l̸g̶o̴'),
  mathematics: page(
    '<math><mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac><mo>=</mo><munderover><mo>∑</mo><mn>0</mn><mi>n</mi></munderover></math>',
  ),
  'text as it is marked': page(
    '<p><strong>strong</strong> <em>em</em> <code>code</code> <del>del</del> <ins>ins</ins> <mark>mark</mark> <sub>1</sub><sup>2</sup> <q>quote</q> <kbd>K</kbd> <abbr title="x">ab</abbr><blockquote>Block</blockquote><pre>pre\n text</pre>',
  ),
  'sections of pages': page(
    '<header>Head</header><nav><a href="#m">Main</a></nav><main id="m"><article><h2>Art</h2><section><h3>Sec</h3><p>x</section></article><aside>Aside</aside></main><footer>Foot</footer>',
  ),
  'opacity and blending': page(
    '<div style="opacity: .5; background: red"><p>half <a href="https://example.com/">link</a></div><div style="mix-blend-mode: multiply"><h2>Two</h2><p>blended</div>',
  ),
  'filters and shadows': page(
    '<div aria-hidden="true" style="filter: blur(1px)"><p>blurred</div><p style="text-shadow: 2px 2px 3px gray; box-shadow: 0 0 4px black">text',
  ),
  'transforms and clipping': page(
    '<div style="transform: rotate(3deg) scale(.9)"><p>turned</div><div style="clip-path: circle(40px); background: gold"><p>clipped</div><div style="mask: linear-gradient(black, transparent)"><p>masked</div>',
  ),
  gradients: page(
    '<div style="height: 60px; background: linear-gradient(red, blue), radial-gradient(rgba(0,0,0,.5), transparent)">over</div>',
  ),
  'text from styles': page(
    '<p class="b">x<p class="i">y',
    `<style>.b::before { content: "before " } .i::before { content: url("${RED}") } li::marker { content: "→ " }</style>`,
  ),
  'margin boxes': page('<p>x', '<style>@page { @top-left { content: "Head" } @bottom-right { content: counter(page) } }</style>'),
  'margin boxes in Arabic': page('<p>x', '<style>@page { @top-left { content: "مرحبا" } }</style>'),
  'hidden parts': page(
    '<p aria-hidden="true">not read<p hidden>not shown<p style="visibility: hidden">not seen<p style="opacity: 0">clear',
  ),
  'decoration by role': page('<div role="presentation">read</div><ul role="none"><li>plain</ul>'),
  'details and summary': page('<details open><summary>More</summary><p>inside</details>'),
  'counters and notes': page('<div role="note">Note</div><p>See <a href="#f1">1</a><p id="f1" role="doc-footnote">Foot'),
  'named fields': page(
    '<form><label>Name <input value="Ada"></label><label><input type="checkbox" checked> Yes</label><fieldset><legend>Pick</legend><label><input type="radio" name="r"> One</label></fieldset><label>Of <select><option>a<option>b</select></label><textarea aria-label="Notes">text</textarea><button>Send</button><input type="submit" value="Go"><input placeholder="Search"></form>',
  ),
  'headings in order': page('<h2>a</h2><h3>b</h3><h3>c</h3><h2>d</h2><h3>e</h3><h4>f</h4><h5>g</h5><h6>h</h6><h1>again</h1>'),
  'headings of roles': page('<div role="heading" aria-level="2">Two</div><div role="heading" aria-level="3">Three</div>'),
  'a heading with an image': page(`<h2><img src="${RED}" alt="Logo"></h2>`),
  'a heading over two pages': page('<h2 style="break-before: page">Next</h2><p>x'),
  'the shadow of a component': page(
    '<my-box></my-box><script>customElements.define("my-box", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<h2>In shadow</h2><p>text</p>" } })</script>',
  ),
  'names of the document that hide its methods': page(
    '<form name="querySelectorAll"><label>a <input name="querySelector"></label></form><p id="documentElement">x',
  ),
  'many pages': page(
    rows(
      40,
      (n) =>
        `<h2>Part ${n}</h2>${'<p>Some words that fill a page of a report, with <a href="https://example.com/">a link</a>. '.repeat(12)}`,
    ),
  ),
  'a landscape of pages': [page('<p>x<p style="page: wide">y', '<style>@page wide { size: A5 landscape }</style>'), {}],
  'header and footer': [
    page('<p>x'),
    {
      headerTemplate: '<b style="font-size: 9px">Head <a href="https://example.com/">x</a></b>',
      footerTemplate: '<i style="font-size: 9px"><span class="pageNumber"></span></i>',
    },
  ],
  'a watermark over it': [page('<p>x'), { watermark: { text: 'DRAFT' } }],
  'a watermark under it': [
    page(`<p>x<img src="${RED}" alt="Red">`),
    { watermark: { text: 'DRAFT', layer: 'under', opacity: 1 } },
  ],
  'bookmarks, and everything in one file': [page('<h2>Two</h2><p>x'), { outline: true, compress: false }],
  'metadata of the caller': [
    '<!doctype html><html lang="en"><h1>x</h1>',
    {
      metadata: {
        title: 'Given',
        author: 'Ada & <Co>',
        keywords: ['a', 'b'],
        subject: 'S',
        creationDate: '2026-01-31T12:00:00Z',
        modDate: '2026-01-31T12:00:00+01:00',
      },
    },
  ],
  'one page of all': [page('<p>x'.repeat(100)), { singlePage: true }],
  'some of its pages': [
    page(
      rows(
        5,
        (n) =>
          `<h2 style="break-before: page">Part ${n}</h2><img src="${RED}" alt="Image ${n}"><a href="https://example.com/">Link ${n}</a>`,
      ),
    ),
    { pageRanges: '1-3' },
  ],
  'links to what is left out': [
    page(
      '<p><a href="#next">Next</a> <a href="https://example.com/">out</a> <a href="#none">nowhere</a></p><p aria-hidden="true"><a href="#next">hidden</a></p><x-a><template shadowrootmode="open"><a href="#next">from a shadow</a></template></x-a><h2 style="break-before: page" id="next">Next</h2>',
    ),
    { pageRanges: '1' },
  ],
  'a link out of a shadow tree': page(
    '<x-a><template shadowrootmode="open"><p><a href="#end">Down</a> <a href="https://example.com/">out</a></p></template></x-a><p id="end">End',
  ),
};

/** Documents that do not conform, with the rules and elements they are refused for. */
const NONCONFORMANT: Record<string, [html: string, refused: string[]]> = {
  'no language': ['<!doctype html><title>T</title><h1>x</h1>', ['language_missing -']],
  'a language of XML in HTML': ['<!doctype html><html xml:lang="en"><title>T</title><h1>x</h1>', ['language_missing -']],
  'an invalid language': ['<!doctype html><html lang="english (US)"><title>T</title><h1>x</h1>', ['language_invalid html']],
  'an element in an invalid language': [page('<p lang="*">x'), ['language_invalid html > body > p']],
  'no title': ['<!doctype html><html lang="en"><h1>x</h1>', ['title_missing -']],
  'an empty title': ['<!doctype html><html lang="en"><title> </title><h1>x</h1>', ['title_missing -']],
  'images without alternate text': [
    page(`<img id="a" src="${RED}"> <img src="${RED}" alt="Named"> <img id="b" src="${PNG}" width="9" height="9">`),
    ['alternate_text_missing #a', 'alternate_text_missing #b'],
  ],
  'a drawing without a title': [
    page('<svg id="s" width="40" height="20"><circle r="9" cx="10" cy="10" /></svg>'),
    ['alternate_text_missing #s'],
  ],
  'a canvas without a name': [
    page('<canvas id="c" width="20" height="20"></canvas><script>c.getContext("2d").fillRect(0,0,9,9)</script>'),
    ['alternate_text_missing #c'],
  ],
  'an element with the role of an image but no name': [page('<div role="img" id="r">XX</div>'), ['alternate_text_missing #r']],
  'an image in a figure without alternate text': [
    page(`<figure><img id="f" src="${RED}"><figcaption>Caption</figcaption></figure>`),
    ['alternate_text_missing #f'],
  ],
  'a description on a link': [
    page(`<a id="w" href="https://example.com/" role="img" aria-label="Star">${ICON}</a>`),
    ['image_untagged #w'],
  ],
  'images of which the browser tags nothing': [
    page(
      `<style>.i::before { content: "\\2605"; color: red }</style><p><i class="i" role="img" id="a" aria-label="Home"></i> Home <span role="img" id="b" aria-label="Two stars">${ICON.repeat(2)}</span><table><tr><th>Rated<td><span role="img" id="c" aria-label="Good" style="color: green"><b aria-hidden="true">+</b></span></table><ul><li><span role="img" id="d" aria-label="Red"><img alt="" src="${RED}"></span></ul><figure role="img" id="e" aria-label="Stars">${ICON.repeat(3)}</figure><div role="img" id="f" aria-label="Chart"><p style="height: 20px; border: 1px solid red"></div>`,
    ),
    [...'abcdef'].map((id) => `image_untagged #${id}`),
  ],
  'a drawing that styles select by its role': [
    page(
      '<style>svg[role] { display: none }</style><svg id="s" aria-label="Dot" width="20" height="20"><circle r="9" cx="10" cy="10" /></svg>',
    ),
    ['image_untagged #s'],
  ],
  'a skipped heading': [page('<h3 id="h">x</h3>'), ['heading_skipped #h']],
  'no first heading': ['<!doctype html><html lang="en"><title>T</title><h2 id="h">x</h2>', ['heading_skipped #h']],
  'an empty heading': [page('<h2 id="h"></h2><p>x'), ['heading_empty #h']],
  'a heading with only a decorative image': [page(`<h2 id="h"><img src="${RED}" alt=""></h2><p>x`), ['heading_empty #h']],
  'a heading below level 6': [page('<div role="heading" aria-level="8" id="h">x</div>'), ['heading_too_deep #h']],
  'a table with a missing cell': [page('<table id="t" border="1"><tr><th>a<th>b<tr><td>1</table>'), ['table_irregular #t']],
  'an input without a name': [page('<input id="i" value="x">'), ['field_name_missing #i']],
  'a checkbox without a name': [page('<input id="i" type="checkbox"> yes'), ['field_name_missing #i']],
  'a filter around text': [page('<div id="f" style="filter: blur(1px)"><p>blurred</div>'), ['content_rasterized #f']],
  'filters of images': [
    page(`<img id="f" alt="Red" src="${RED}" style="filter: grayscale(1)"><img alt="" src="${RED}" style="filter: sepia(1)">`),
    ['content_rasterized #f'],
  ],
  'text in perspective': [
    page(
      '<div style="perspective: 90px"><p id="p" style="transform: rotateY(20deg)">tilted</p><p style="transform: rotate(9deg)">turned</div>',
    ),
    ['content_rasterized #p'],
  ],
  'a frame': [page('<iframe id="f" srcdoc="<h2>in</h2>"></iframe>'), ['embedded_content #f']],
};

/** Documents that are refused under every profile, with the rule they break. */
const ALWAYS_REFUSED: Record<string, [html: string, rule: string, options?: object]> = {
  'a character without a glyph': [page('<p>x \u{e123} \u{10fffd}'), 'glyph_missing'],
  'an extremely long address': [page(`<a href="https://example.com/${'a'.repeat(33_000)}">x</a>`), 'value_too_large'],
};

export function documents(): ConformanceDocument[] {
  const conformant = Object.entries(CONFORMANT).map(([name, document]) =>
    typeof document === 'string' ? { name, html: document } : { name, html: document[0], options: document[1] },
  );
  const nonconformant = Object.entries(NONCONFORMANT).map(([name, [html, refused]]) => ({ name, html, refused }));
  const alwaysRefused = Object.entries(ALWAYS_REFUSED).map(([name, [html, rule]]) => ({ name, html, refusedAlways: [rule] }));
  return [
    ...visualDocuments(),
    ...describedDocuments(),
    ...conformant,
    ...formDocuments(),
    ...hostileDocuments(),
    ...everydayDocuments(),
    ...nonconformant,
    ...alwaysRefused,
  ];
}
