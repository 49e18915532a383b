/** Documents with content that is hard to tag, to archive or to read aloud. All of them conform. */
import { readFileSync } from 'node:fs';

const RED = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="red"/></svg>')}`;
const page = (body: string, head = '') => `<!doctype html><html lang="en"><title>A document</title>${head}<h1>Start</h1>${body}`;
const repeated = (count: number, part: (n: number) => string) => Array.from({ length: count }, (_, n) => part(n)).join('');
const nested = (count: number, open: string, inner: string, close: string) => open.repeat(count) + inner + close.repeat(count);

const HOSTILE: Record<string, string | [html: string, options: object]> = {
  'two hundred pages': page(
    repeated(
      200,
      (n) => `<h2 style="break-before: page">Part ${n}</h2><p>Text with <a href="#p${n}">a link</a><p id="p${n}">End`,
    ),
  ),
  'a cell of two rows across pages': page(
    `<table border="1"><tr><th>a<th>b${repeated(60, (n) => `<tr><td rowspan="2">${n}<td>${'words '.repeat(30)}<tr><td>x`)}</table>`,
  ),
  'a table with columns and a caption below': page(
    '<table border="1" style="caption-side: bottom"><caption>Below</caption><colgroup><col><col span="2" style="background: #eee"></colgroup><tr><th>a<th>b<th>c<tr><td>1<td>2<td>3</table>',
  ),
  'a table with groups of rows': page(
    '<table border="1"><thead><tr><th>a<th>b<tbody><tr><th scope="row">1<td>2<tbody><tr><th scope="row">3<td>4</table>',
  ),
  'a table from right to left': page('<table border="1" dir="rtl" lang="ar"><tr><th>أ<th>ب<tr><td>١<td>٢</table>'),
  'a table with blocks in its cells': page(
    `<table border="1"><tr><th>List<th>Image<tr><td><ul><li>a<li>b</ul><td><img src="${RED}" alt="Red"><p>under it</table>`,
  ),
  'a table of one cell': page('<table border="1"><tr><td>alone</table>'),
  'boxes laid out as a table': page(
    '<div style="display: table; border-spacing: 4px"><div style="display: table-row"><div style="display: table-cell">a</div><div style="display: table-cell">b</div></div></div>',
  ),
  'lists ten deep': page(nested(10, '<ul><li>item', '<ol><li>innermost</ol>', '</ul>')),
  'lists with other numbering': page(
    '<ol start="7" reversed><li>a<li value="3">b</ol><ol type="i"><li>i<li>ii</ol><ul style="list-style: none"><li>none</ul><ul style="list-style-position: inside"><li>inside</ul>',
  ),
  'lists with custom markers': page(
    '<ul class="m"><li>a<li>b</ul><menu><li>m</menu>',
    `<style>.m { list-style-image: url("${RED}") } menu li::marker { content: "✓ " }</style>`,
  ),
  'a list of blocks': page(
    '<ul><li><p>First</p><p>Second</p><li><h2>Heading</h2><pre>code</pre><li><table><tr><td>cell</table></ul>',
  ),
  'definitions of definitions': page('<dl><div><dt>A<dt>B<dd>both<dl><dt>C<dd>inner</dl></div></dl>'),
  'boxes thirty deep': page(nested(30, '<div>', '<p>innermost', '</div>')),
  'effects ten deep': page(nested(10, '<div style="opacity: .95">', '<p>layered', '</div>')),
  'three dimensions': page(
    '<div style="perspective: 200px"><p aria-hidden="true" style="transform: rotateY(20deg)">tilted</div>',
  ),
  'blend modes': page(
    repeated(
      4,
      (n) => `<p style="background: gold; mix-blend-mode: ${['screen', 'overlay', 'difference', 'luminosity'][n]}">mode`,
    ),
  ),
  'a filter of the document': page(
    '<svg width="0" height="0" aria-hidden="true"><filter id="f"><feGaussianBlur stdDeviation="1"/></filter></svg><p aria-hidden="true" style="filter: url(#f)">blurred',
  ),
  'text filled with a gradient': page(
    '<p style="background: linear-gradient(red, blue); background-clip: text; color: transparent; font-size: 40px">Gradient',
  ),
  'text with an outline': page('<p style="-webkit-text-stroke: 1px red; font-size: 40px; text-shadow: 0 0 4px blue">Outline'),
  'a blurred backdrop': page('<div style="background: gold"><p style="backdrop-filter: blur(2px)">over it</div>'),
  'images for several screens': page(
    `<picture><source srcset="${RED} 2x"><img src="${RED}" alt="Red"></picture><img srcset="${RED} 1x" src="" alt="Again">`,
  ),
  'an image map': page(
    `<img src="${RED}" alt="Map" usemap="#m" width="90" height="90"><map name="m"><area href="https://example.com/" alt="There" coords="0,0,40,40"></map>`,
  ),
  'an image as wide as the text is high': page(
    `<p>Words <img src="${RED}" alt="red" style="height: 1em; vertical-align: middle"> words`,
  ),
  'images from style sheets': page(
    `<p style="border: 10px solid; border-image: url('${RED}') 5">framed<p style="list-style-image: url('${RED}'); display: list-item">item`,
  ),
  'drawings that use each other': page(
    '<svg width="0" height="0" aria-hidden="true"><symbol id="s" viewBox="0 0 10 10"><circle r="5" cx="5" cy="5"/></symbol></svg><svg role="img" aria-label="Dot" width="20" height="20"><use href="#s"/></svg>',
  ),
  'a drawing with HTML in it': page(
    '<svg role="img" aria-label="Box" width="200" height="40"><foreignObject width="200" height="40"><p xmlns="http://www.w3.org/1999/xhtml">HTML</p></foreignObject></svg>',
  ),
  'a drawing with patterns and masks': page(
    '<svg aria-label="Pattern" role="img" width="90" height="40"><defs><pattern id="p" width="9" height="9" patternUnits="userSpaceOnUse"><text y="8" font-size="9">x</text></pattern><mask id="m"><rect width="60" height="40" fill="#fff"/></mask></defs><rect width="90" height="40" fill="url(#p)" mask="url(#m)"/></svg>',
  ),
  'a canvas that is hidden': page(
    '<canvas aria-hidden="true" id="c" width="40" height="40"></canvas><script>const g = c.getContext("2d"); g.fillText("drawn", 2, 20)</script>',
  ),
  'formulas of many parts': page(
    '<p>Let <math><msup><mi>x</mi><mn>2</mn></msup></math> be: <math display="block"><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable><msubsup><mo>∫</mo><mn>0</mn><mi>∞</mi></msubsup></math>',
  ),
  'ruby of several kinds': page(
    '<p lang="ja"><ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby> <ruby style="ruby-position: under">字<rt>じ</rt></ruby>',
  ),
  'vertical text': page('<p lang="ja" style="writing-mode: vertical-rl; height: 200px">縦書きの文章です。2026年<p>across'),
  'both directions in one line': page(
    '<p>English <bdo dir="rtl">reversed</bdo> <bdi>مرحبا</bdi> 123 <span dir="rtl">שלום (1)</span> end &#x202e;override&#x202c;',
  ),
  'Persian, Urdu and Kurdish': page(
    '<p lang="fa" dir="rtl">سلام دنیا ۱۲۳<p lang="ur" dir="rtl">ہیلو<p lang="ckb" dir="rtl">سڵاو',
  ),
  'Greek, Cyrillic and Vietnamese': page('<p lang="el">Γειά σου Κόσμε<p lang="ru">Привет, мир<p lang="vi">Xin chào thế giới'),
  'emoji of many parts': page('<p>👩🏽‍🚀 🏳️‍🌈 1️⃣ 🧑‍🤝‍🧑 ☎︎ ☎️'),
  'invisible characters': page('<p>a&nbsp;b&ensp;c&thinsp;d&zwj;e&shy;f<wbr>g&#x2060;h&#x3000;i'),
  'a word longer than a page': page(`<p style="overflow-wrap: anywhere">${'abcdefghij'.repeat(300)}`),
  'long words that may be hyphenated': page('<p style="hyphens: auto; width: 90px">Incomprehensibilities characteristically'),
  'an initial letter over three lines': page(
    '<p class="d">Once upon a time there was text',
    '<style>.d::first-letter { font-size: 3em; float: left }</style>',
  ),
  'generated counters': page(
    '<h2>One</h2><h2>Two</h2>',
    '<style>body { counter-reset: s } h2::before { counter-increment: s; content: counter(s, upper-roman) ". " } h2::after { content: attr(class) " ¶" }</style>',
  ),
  'boxes that float, stick and stay': page(
    '<div style="float: right">floats</div><div style="position: sticky; top: 0">sticks</div><div style="position: fixed; bottom: 0">stays</div><p style="break-after: page">one<p>two',
  ),
  'a visual order that differs from the source': page(
    '<div style="display: flex; flex-direction: row-reverse"><p>first</p><p style="order: -1">second</p></div><div style="display: grid; grid-template-areas: \'b a\'"><p style="grid-area: a">a</p><p style="grid-area: b">b</p></div>',
  ),
  'columns with a rule between them': page(
    `<div style="columns: 2; column-rule: 2px solid red">${'<p>Words in columns. '.repeat(40)}</div>`,
  ),
  'a dialog and a popover': page(
    '<dialog open><h2>Dialog</h2><p>Text</dialog><div popover id="p"><p>Popover</div><script>p.showPopover()</script>',
  ),
  'bars and gauges': page(
    '<p><progress value="3" max="9" aria-label="Progress"></progress> <meter value=".4" aria-label="Meter"></meter>',
  ),
  'rules between parts': page('<p>one<hr><p>two<hr style="border: 0; height: 4px; background: red"><p>three'),
  'quotations and changes': page(
    '<blockquote cite="https://example.com/"><p>Quote<footer>By <cite>Somebody</cite></footer></blockquote><p><del>old</del><ins>new</ins> <s>wrong</s> <u>under</u> <small>small</small> <time datetime="2026">then</time> <data value="1">one</data> <var>x</var> <samp>out</samp> <dfn>term</dfn>',
  ),
  'heading groups': page(
    '<hgroup><h2>Title</h2><p>Subtitle</hgroup><section aria-labelledby="h"><h3 id="h">Named</h3><p>x</section>',
  ),
  'an editable element': page('<p contenteditable>Edit me<p tabindex="0">Focus me<p draggable="true">Drag me'),
  'slots of a component': page(
    '<x-card><span slot="a">slotted</span> rest</x-card><script>customElements.define("x-card", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "<p><slot name=a></slot></p><div><slot></slot></div>" } })</script>',
  ),
  'links around blocks': page(
    '<a href="https://example.com/"><h2>Heading</h2><p>Paragraph</p></a><a href="https://example.com/#x" title="titled"></a>',
  ),
  'links on several pages': page(
    repeated(3, (n) => `<p style="break-before: page" id="p${n}"><a href="#p${(n + 1) % 3}">to ${(n + 1) % 3}</a>`),
  ),
  'a frame that is hidden': page('<iframe aria-hidden="true" srcdoc="<p>inner"></iframe><p>After'),
  'pages of several sizes': page(
    '<p>a<p style="page: small">b<p style="page: turned">c',
    '<style>@page small { size: A6; margin: 5mm } @page turned { size: A4; page-orientation: rotate-left } @page :first { margin-top: 6cm }</style>',
  ),
  'all margin boxes of a page': page(
    '<p>x',
    '<style>@page { @top-left-corner { content: "1" } @top-center { content: "2" } @right-middle { content: "3" } @bottom-center { content: counter(page) " / " counter(pages) } }</style>',
  ),
  'a header with an image and a watermark': [
    page('<p>x'),
    { headerTemplate: `<img src="${RED}" width="9" height="9"> <b style="font-size: 9px">Head</b>`, watermark: { text: 'COPY' } },
  ],
  'text outside of paragraphs': page(
    'plain <b>bold</b> <em>em</em> <a href="#q">link</a> <q id="q">quoted</q><div>in a box <em>x</em></div>tail',
  ),
  'blocks in lines': page(
    '<em><p>one</p><p>two</p></em><strong><ul><li>x</ul></strong><em><h2>head</h2>tail</em><code><p>z</p></code>',
  ),
  'boxes in headings': page('<h2><div>block</div><span>s</span></h2><h2><p>para</p></h2>'),
  'paragraphs by role': page('<div role="paragraph"><div>inner</div>text</div><div role="paragraph"><p>a</p><p>b</p></div>'),
  'links of other roles': page(
    '<p>text<a href="#n" role="doc-noteref">1</a> <a href="#n" role="heading" aria-level="2">2</a></p><p id="n">note',
  ),
  'ruby of several bases': page(
    '<p><ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby><ruby>x</ruby><ruby><rt>only</rt></ruby><ruby><rb>b</rb><rt>t</rt><rt>u</rt></ruby></p><ruby>外<rt>soto</rt></ruby>',
  ),
  'captions of all places': page(
    `<figure><figcaption>first</figcaption><img src="${RED}" alt="Red"></figure><figure><p>a</p><figcaption>mid</figcaption><p>b</p></figure>
<figure><table><caption>inner</caption><tr><th>a<td>b</table><figcaption>outer</figcaption></figure><figcaption>alone</figcaption>
<table><tr><th>h<td><figure><p>x</p><figcaption>in a cell</figcaption></figure></table>`,
  ),
  'articles in articles': page(
    '<article>text<article>inner <em>e</em><h2>h</h2></article></article><aside>as <em>e</em><aside>inner</aside></aside><blockquote>bq <em>e</em><aside>x</aside></blockquote>',
  ),
  'items outside of lists': page(
    '<div style="display: list-item; margin-left: 2em">item</div><ul><li><div style="display: list-item">x</div></ul>',
  ),
  'custom counters': page(
    '<style>@counter-style c { system: cyclic; symbols: "★" "☆"; suffix: " " }</style><ul style="list-style: c"><li>a<li>b</ul><ol style="list-style: persian"><li>a<li>b</ol>',
  ),
  'tables and lists with backgrounds': page(
    `<table style="background: #eee" border="1"><caption style="background: gold">c</caption><tr style="background: tan"><th>a<td style="background: url('${RED}')">b</table>
<ul style="background: #eee"><li style="background: gold">a<li>b</ul>`,
  ),
  'links to all kinds of places': page(
    `<p>${['t', 'c', 'i', 'l', 'e', 'no'].map((id) => `<a href="#${id}">${id}</a> `).join('')}<p>a <b id="t">b</b><table><tr><th>x<td id="c">y</table>
<img id="i" src="${RED}" alt="Red"><ul><li id="l">l</ul><div id="e" style="break-before: page"></div>`,
  ),
  'a link to a page outside of the page ranges': [
    page('<p><a href="#far">far</a><p id="far" style="break-before: page">2'),
    { pageRanges: '1' },
  ],
  'content that is half transparent': page(
    '<div style="opacity: .5">text <em>e</em><a href="#o">o</a></div><table style="opacity: .8" border="1"><tr><th>x<td>y</table><ul style="opacity: .6; background: #eee"><li id="o">x</ul>',
  ),
  'slots in another order than their elements': page(
    '<x-s><template shadowrootmode="open"><slot name="b"></slot><slot name="a"></slot></template><div slot="a"><h3>Three</h3><a href="https://example.com/" aria-label="Aye">a</a><label><input type="checkbox"> A</label><button>Save</button><table border="1"><thead><tr><th>a<tbody><tr><td>1</table></div><div slot="b"><h2>Two</h2><a href="https://example.com/" aria-label="Bee">b</a><label><input type="checkbox"> B</label><button>Open</button><table border="1"><tr><td>x<tr><td>y</table></div></x-s>',
  ),
  'elements with owners before and after them': page(
    '<div aria-owns="o1 o2">owner</div><a href="https://example.com/" aria-label="Three">3</a><a id="o2" href="https://example.com/" aria-label="Two">2</a><a id="o1" href="https://example.com/" aria-label="One">1</a><p aria-owns="o3" aria-hidden="true">x</p><p aria-owns="o3">y</p><button>Four</button><button id="o3">Five</button>',
  ),
  'links with the roles of controls': page(
    '<p><a href="https://example.com/" role="button">Press</a> <a href="https://example.com/" role="checkbox" aria-checked="true">Check</a> <a href="https://example.com/" role="presentation">none</a> <a href="#s" role="tab">Tab</a><p id="s">s',
  ),
  'an image of several images': page(
    `<span role="img" aria-label="Three of five stars"><img src="${RED}"><img src="${RED}" alt="star"><canvas width="9" height="9"></canvas></span><figure role="img" aria-label="Red"><img src="${RED}"></figure><img src="${RED}" alt="After">`,
  ),
  'parts of tables that are not shown': page(
    '<table border="1"><caption>One</caption><caption>Two <b>b</b></caption><tr><th>a<th>b<tr></tr><tr><td rowspan="2">1<td style="visibility: hidden">2<tr hidden><td>x<tr><td style="opacity: 0">3<tr style="visibility: hidden"><td>4<td>5</table>',
  ),
  'icons in components': page(
    '<x-i aria-hidden="true"><template shadowrootmode="open"><svg width="9" height="9"><path d="M0 0h9v9z"/></svg></template></x-i><x-h><template shadowrootmode="open"><h2><a href="https://example.com/" aria-label="Home"><slot></slot></a></h2></template><svg aria-hidden="true" width="9" height="9"><path d="M0 0h9v9z"/></svg></x-h>',
  ),
  'a body in another language':
    '<!doctype html><html lang="en"><title>A document</title><body lang="fr"><h1>Bonjour</h1><p>Texte <span lang="en">text</span>',
  'a small scale': [page('<h2>Two</h2><p>x'), { scale: 0.3 }],
  'a page the size of a label': [page('<p>x'), { width: '60mm', height: '90mm', margin: '2mm' }],
  'only the last page': [
    page(repeated(4, (n) => `<h2 style="break-before: page">Part ${n}</h2><ul><li>a</ul><table><tr><td>1</table>`)),
    { pageRanges: '1,4-5' },
  ],
  'bookmarks of many levels': [page(repeated(3, (n) => `<h2>${n}</h2><h3>${n}.1</h3><h4>${n}.1.1</h4><p>x`)), { outline: true }],
};

const WEB = new URL('../../web/', import.meta.url);
/** Templates are printed as they are, with braces for text. */
const DESIGNS = {
  invoice: 'playground/welcome/invoice.html',
  label: 'gallery/shipping-label/template.html',
  certificate: 'gallery/certificate/template.html',
};

/** Documents of the pages, with all drawings marked as decorative. */
function designs(): Array<[name: string, html: string, options: object]> {
  return Object.entries(DESIGNS).map(([name, path]) => {
    const html = readFileSync(new URL(path, WEB), 'utf8');
    return [`design ${name}`, html.replace(/<(svg|canvas)\b/g, '<$1 aria-hidden="true"').replace(/ role="img"/g, ''), {}];
  });
}

export function hostileDocuments(): Array<{ name: string; html: string; options: object }> {
  const hostile = Object.entries(HOSTILE).map(([name, source]) =>
    typeof source === 'string' ? ([name, source, {}] as const) : ([name, ...source] as const),
  );
  return [...hostile, ...designs()].map(([name, html, options]) => ({ name, html, options }));
}
