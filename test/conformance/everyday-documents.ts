/** Realistic documents and rare constructs. All of them conform, except those that list the rules they are refused for. */

const RED = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="red"/></svg>')}`;
const page = (body: string, head = '') => `<!doctype html><html lang="en"><title>A document</title>${head}<h1>Start</h1>${body}`;
const repeated = (count: number, part: (n: number) => string) => Array.from({ length: count }, (_, n) => part(n)).join('');
const band = (text: string) => `<div style="font-size: 9px; width: 100%; text-align: center">${text}</div>`;

const INVOICE = `<style>
@page { margin: 25mm 20mm; @bottom-right { content: "Page " counter(page) " of " counter(pages) } }
body { font: 10pt/1.4 sans-serif; counter-reset: line } header { display: grid; grid-template-columns: 1fr auto; border-bottom: 2px solid teal }
table { width: 100%; border-collapse: collapse } thead { background: #eef } td, th { padding: 4px; border-bottom: 1px solid #ccc } .n { text-align: right; font-variant-numeric: tabular-nums }
tbody tr { break-inside: avoid } tbody tr:nth-child(even) { background: #fafafa } tfoot td { font-weight: bold } .total { border-top: 3px double }
address { font-style: normal } dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1em } dd { margin: 0 }</style>
<header><div><h1>Invoice 2026-0815</h1><address>Muster GmbH<br>Hauptstraße 1<br>10115 Berlin<br><a href="tel:+49301234567">+49 30 1234567</a> · <a href="mailto:bill@example.com?subject=Invoice%202026-0815">bill@example.com</a></address></div>
<img src="${RED}" alt="Logo of Muster GmbH" width="80" height="80"></header>
<dl><dt>Date<dd><time datetime="2026-11-25">25 November 2026</time><dt>Customer no.<dd>4711<dt>VAT id<dd>DE123456789</dl>
<table><caption>Items</caption><colgroup><col style="width: 6%"><col><col span="3" style="width: 14%"></colgroup>
<thead><tr><th scope="col">#<th scope="col">Item<th scope="col" class="n">Quantity<th scope="col" class="n">Price<th scope="col" class="n">Sum
<tbody>${repeated(70, (n) => `<tr><td>${n + 1}<td>Part ${n} <small>with a remark that takes a second line in a narrow column</small><td class="n">${n + 1}<td class="n">€ 1.50<td class="n">€ ${((n + 1) * 1.5).toFixed(2)}`)}
<tfoot><tr><td colspan="4">Net<td class="n">€ 3,727.50<tr><td colspan="4">VAT 19 %<td class="n">€ 708.23<tr class="total"><td colspan="4">Total<td class="n">€ 4,435.73</table>
<p>Payable within 14 days. <a href="https://pay.example.com/2026-0815?amount=4435.73&amp;c=EUR">Pay online</a>.`;

/** The markup of each document by name, with its options and the rules it is refused for under PDF/UA-1. */
type DocumentSource = string | [html: string, options?: object, refused?: string[]];

const EVERYDAY: Record<string, DocumentSource> = {
  'an invoice on several pages': `<!doctype html><html lang="en"><meta charset="utf-8"><title>Invoice 2026-0815</title>${INVOICE}`,
  'a report with footnotes': page(
    `${repeated(8, (n) => `<h2>Part ${n}</h2><p>A claim<sup><a href="#fn${n}" id="ref${n}" role="doc-noteref" aria-label="Note ${n}">${n}</a></sup> that needs proof.`)}<section role="doc-endnotes"><h2>Notes</h2><ol>${repeated(8, (n) => `<li id="fn${n}">Proof. <a href="#ref${n}" role="doc-backlink" aria-label="Back to ${n}">↩</a>`)}</ol></section>`,
  ),
  'footnotes by role and floats': page(
    '<p>Text<span role="doc-footnote" style="float: right; width: 10em; font-size: 8pt">A note at the side</span> goes on.<p role="doc-footnote">Below</p><aside role="doc-tip">Tip</aside>',
  ),
  'nested lists with images': page(
    `<ol>${repeated(3, (n) => `<li><img src="${RED}" alt="Step ${n}"> Step ${n}<ul><li><figure><img src="${RED}" alt="Detail"><figcaption>Detail</figcaption></figure><li><img src="${RED}" alt=""> decorated</ul>`)}</ol>`,
  ),
  'a list with only images': page(`<ul><li><img src="${RED}" alt="One"><li><img src="${RED}" alt=""><li></ul>`),
  'definitions in groups and a grid': page(
    '<dl style="display: grid; grid-template-columns: auto 1fr"><div style="display: contents"><dt>A<dd>a</div><dt>B<dt>C<dd><p>one<p>two<dd>three</dl><dl><dd>no term</dl><dl></dl>',
  ),
  'definitions with links and lists': page(
    '<dl><dt><a href="#x" id="x"><dfn>Term</dfn></a><dd><ul><li>a<li>b</ul><dd><table><tr><th>k<td>v</table></dl>',
  ),
  'tables with column groups and empty heads': page(
    '<table border="1"><caption><p>Of <b>two</b></p></caption><colgroup span="2"></colgroup><col><thead><tr><td><th scope="colgroup" colspan="2">X<tr><th><th>x1<th>x2<tbody><tr><th scope="rowgroup" rowspan="2">R<td>1<td>2<tr><td>3<td>4</table>',
  ),
  'cells that span more rows than the table has': page(
    '<table border="1"><tr><th>a<th>b<tr><td rowspan="0">1<td>2<tr><td>3<tr><td>4</table><table border="1"><tr><th rowspan="9">a<td>b</table>',
  ),
  'a table whose rows are grids': page(
    '<table style="display: grid"><tbody style="display: contents"><tr style="display: grid; grid-template-columns: 1fr 1fr"><th>a<th>b<tr style="display: flex"><td>1<td>2</table>',
  ),
  'a table displayed as blocks, as on phones': page(
    '<style>.p, .p tbody, .p tr, .p td, .p th { display: block } .p td::before { content: attr(data-l) ": " }</style><table class="p"><tr><th>a<th>b<tr><td data-l="a">1<td data-l="b">2</table>',
  ),
  'lists that are not displayed as lists': page(
    '<ul style="display: flex; list-style: none; gap: 1em"><li>a<li style="display: contents">b<li style="display: inline">c</ul><ol style="display: contents"><li>x<li>y</ol><ul style="display: grid"><li style="display: block">q</ul>',
  ),
  'boxes of all display types': page(
    '<p>a <span style="display: inline-flex">b</span> <span style="display: inline-grid">c</span> <span style="display: inline-table">d</span> <span style="display: inline-block">e <b>f</b></span> <span style="display: contents">g</span> <span style="display: flow-root">h</span><div style="display: run-in">i</div><span style="display: table">j</span><span style="display: table-cell">k</span><span style="display: table-caption">l</span>',
  ),
  'headings that are not displayed as blocks': page(
    '<h2 style="display: contents">Two</h2><h2 style="display: inline">In line</h2> text <h2 style="display: flex"><span>a</span><span>b</span></h2>',
  ),
  'details and a summary': page(
    '<details><summary>Closed</summary><p>hidden</details><details open><summary><h2>Open</h2></summary><p>seen<ul><li>a</ul></details><details open>no summary</details>',
  ),
  'fieldsets and legends': page(
    '<form><fieldset><legend>Person</legend><label>Name <input></label><fieldset><legend><h2>Address</h2></legend><label for="z">City</label> <input id="z" value="Graz"></fieldset></fieldset><fieldset>no legend</fieldset></form>',
  ),
  'a dialog shown modally': page(
    '<dialog id="d"><h1>Sure?</h1><form method="dialog"><button>Yes</button></form></dialog><script>d.showModal()</script>',
  ),
  'a dialog that hides the heading above its own': [
    page('<dialog id="d"><h2 id="h">Sure?</h2></dialog><script>d.showModal()</script>'),
    {},
    ['heading_skipped #h'],
  ],
  'a frame with content': [
    page('<iframe id="f" srcdoc="&lt;h2&gt;In&lt;/h2&gt;" title="In"></iframe>'),
    {},
    ['embedded_content #f'],
  ],
  'pictures with sources': page(
    `<picture><source media="print" srcset="${RED}"><source media="(min-width: 1px)" srcset="${RED} 1x, ${RED} 2x"><img src="${RED}" alt="Chosen" sizes="100vw" loading="lazy" decoding="async"></picture>`,
  ),
  'generated content': page(
    `<style>.a::before { content: "Note: " / "note" } .b::after { content: url("${RED}") / "dot" } .c::before { content: open-quote } .c::after { content: close-quote } .d::marker { content: "» " } .e::before { content: counters(x, ".") " "; counter-increment: x } .f::after { content: leader(".") } ol.g { counter-reset: x }</style><p class="a">x<p class="b">x<p class="c">x<ul><li class="d">x</ul><ol class="g" style="list-style: none"><li class="e">x<ol class="g" style="list-style: none"><li class="e">y</ol></ol><p class="f">z`,
  ),
  'elements with only generated content': page(
    '<style>.o::before { content: "only" } h2.o::before { content: "Generated" } td.o::before, th.o::before, li.o::before { content: "g" }</style><p class="o"></p><div class="o"></div><span class="o"></span><ul><li class="o"></ul><table><tr><th class="o"><td class="o"></table><a class="o" href="https://example.com/"></a>',
  ),
  'a heading with only generated content': [
    page('<style>h2::before { content: "Generated" }</style><h2 id="h"></h2><p>x'),
    {},
    ['heading_empty #h'],
  ],
  'captions with blocks, links and headings': page(
    '<table border="1"><caption>Table <a href="#c">1</a><p id="c">Second</caption><tr><th>a<td>b</table><table><caption><h2>Head</h2><ul><li>x</ul></caption><tr><th>a<td>b</table><table border="1" style="caption-side: bottom"><caption><div>Below</div></caption><tr><th>a<td>b</table><table><caption></caption><tr><th>a<td>b</table>',
  ),
  'columns with everything': page(
    `<div style="columns: 3; column-fill: auto; height: 300px">${repeated(12, (n) => `<h2>H${n}</h2><p>Words <a href="#a">link over a break of a column or a line or a page</a><ul><li>x<li>y</ul>`)}<h2 style="column-span: all" id="a">All</h2><table><tr><th>a<td>b</table></div>`,
  ),
  'floats and exclusions': page(
    `<img src="${RED}" alt="Left" style="float: left; shape-outside: circle()"><p>Around it.<div style="float: inline-end; width: 40%"><h2>Box</h2><p>Floats</div><p style="clear: both; position: relative; top: -4px">after`,
  ),
  'headers with links and images': [
    page(repeated(3, (n) => `<h2 style="break-before: page">P${n}</h2><p>x`)),
    {
      headerTemplate: band(
        `<a href="https://example.com/h">Head</a> <img src="${RED}" alt="x" width="9" height="9"> <span class="title"></span>`,
      ),
      footerTemplate: band(
        '<span class="pageNumber"></span>/<span class="totalPages"></span> <ul><li>list</ul><table><tr><td>t</table>',
      ),
      margin: '2cm',
    },
  ],
  'a header on some of the pages': [
    page(`${repeated(5, (n) => `<h2 style="break-before: page">P${n}</h2><p>x <a href="#q">q</a>`)}<p id="q">q`),
    {
      headerTemplate: band('<h3>Head</h3>'),
      footerTemplate: band('Foot'),
      margin: '2cm',
      pageRanges: '1,3-5',
      watermark: { text: 'DRAFT' },
    },
  ],
  'all directions and scripts': page(
    '<p dir="rtl" lang="he">שלום <bdi lang="en">World</bdi> <bdo dir="ltr" lang="ar">مرحبا</bdo> 漢字 (12) <span lang="ja">日本語</span>, <q lang="ar">«نص»</q><p>A <span dir="rtl" lang="ar">نص، مع <a href="#x">رابط</a> ١٢٣</span> b.<ol dir="rtl" lang="ar" style="list-style: arabic-indic"><li>واحد<li id="x">اثنان</ol><table dir="rtl" border="1" lang="he"><tr><th scope="row">א<td>1<td lang="zh">中文</table>',
  ),
  'vertical text among columns': page(
    '<div lang="ja" style="writing-mode: vertical-rl; height: 240px; columns: 2"><h2>見出し</h2><p>第<span style="text-combine-upright: all">12</span>条 <ruby>漢<rt>かん</rt></ruby><em style="text-emphasis: sesame">強調</em><ul><li>一<li>二</ul><table border="1"><tr><th>甲<td>乙</table></div>',
  ),
  'sideways text': page(
    '<div style="writing-mode: sideways-lr"><h2>Side</h2><p>ways</div><p style="writing-mode: vertical-lr; text-orientation: upright">UP',
  ),
  'formulas in all places': page(
    '<h2>Of <math><mi>x</mi></math></h2><ul><li><math display="block"><mrow><mo>{</mo><mtable columnalign="left"><mtr><mtd><mn>1</mn></mtd></mtr></mtable></mrow></math></ul><table border="1"><tr><th><math><mi>α</mi></math><td><math><mover><mi>v</mi><mo>→</mo></mover><mphantom><mi>q</mi></mphantom><merror><mtext>err</mtext></merror><semantics><mi>s</mi><annotation>tex</annotation></semantics></math></table><a href="#m"><math id="m"><mi>m</mi></math></a>',
  ),
  'ruby in links, lists and heads': page(
    '<h2 lang="ja"><ruby>見<rt>み</rt></ruby>る</h2><ul lang="ja"><li><a href="https://example.com/"><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby></a></ul><p lang="zh"><ruby style="ruby-position: under"><span lang="zh">中<b>文</b></span><rt><i>zhōng</i></rt></ruby><ruby><rt></rt></ruby>',
  ),
  'soft hyphens and line break opportunities': page(
    '<p style="width: 6em; hyphens: manual">Donau&shy;dampf&shy;schiff&shy;fahrts&shy;gesell&shy;schaft <a href="https://example.com/">Rind&shy;fleisch&shy;etikett&shy;ierung</a> <b>super&shy;cali</b><wbr>fragi&#8203;listic<h2 style="width: 3em">Un&shy;der&shy;standing</h2>',
  ),
  'hyphenated words': page(
    '<div lang="de" style="width: 6em; hyphens: auto"><h2>Donaudampfschifffahrtsgesellschaft</h2><p>Eine <a href="https://example.com/">Rindfleischetikettierung</a> <b style="opacity: 0.5">Straßenverkehrsordnung</b><p style="hyphenate-character: \'=\'">Straßenverkehrsordnung</div>',
  ),
  'ligatures and features': page(
    '<p style="font-family: serif; font-variant-ligatures: discretionary-ligatures historical-ligatures">ffi ffl fi fl <a href="https://example.com/">office</a> <b>fj</b> <span style="font-variant: all-small-caps">Abc</span> <span style="font-variant-numeric: diagonal-fractions oldstyle-nums">1/2</span> <span style="font-variant-position: super">3</span> <span style="letter-spacing: 1em">ffi</span> <span style="text-transform: uppercase">ß ŉ ﬁ</span>',
  ),
  'variable weights and widths': page(
    repeated(
      9,
      (n) =>
        `<p style="font-weight: ${n * 100 + 50}; font-stretch: ${60 + n * 15}%; font-style: oblique ${n}deg; font-synthesis: weight style; font-variation-settings: 'wght' ${n * 100}">Weight ${n}`,
    ),
  ),
  'joined emoji and flags': page(
    '<h2>👩‍👩‍👧‍👦 family</h2><p>🏴‍☠️ 👩🏿‍🤝‍👨🏻 🐻‍❄️ 🇺🇳 #️⃣ ©️ ❤️‍🔥<ul style="list-style: \'👉 \'"><li>🧑‍💻</ul><a href="https://example.com/">🔗</a><table border="1"><tr><th>✅<td>❌</table>',
  ),
  'links around everything': page(
    `<a href="https://example.com/1"><article><h2>Card</h2><img src="${RED}" alt=""><p>Text<ul><li>item</ul><table border="1"><tr><th>h<td>c</table></article></a><ul><a href="https://example.com/2"><li>linked item</a></ul><table border="1"><tr><th><a href="https://example.com/3"><div>block</div></a><td>x</table><h2><a href="https://example.com/4">Linked heading</a></h2>`,
  ),
  'links across pages': page(
    `<p style="height: 900px">space<p><a href="https://example.com/">${'a link that goes on and on over the end of a page '.repeat(20)}</a><a href="#l" style="display: block; break-before: page"><h2>one</h2><p style="break-before: page" id="l">two</p></a>`,
  ),
  'links of all protocols': page(
    '<p><a href="mailto:a@b.example">m</a> <a href="tel:+1">t</a> <a href="sms:+1?body=x">s</a> <a href="data:text/plain,hello">d</a> <a href="javascript:void(0)">j</a> <a href="ftp://example.com/">f</a> <a href="geo:1,2">g</a> <a href="">e</a> <a href="#">top</a> <a href="#nowhere">n</a> <a href="https://example.com/ä?ö=ü#ß">ä</a> <a href="https://user:pw@example.com/">u</a> <a href="http://[::1]:80/">6</a> <a href="https://bücher.example/">idn</a> <a>none</a> <a href="urn:x:y">urn</a> <a href="  https://example.com/\n ">sp</a> <a href="https://">bad</a>',
  ),
  'anchors of the same page': page(
    '<nav><ul><li><a href="#a b">a</a><li><a href="#%C3%A4">ä</a><li><a href="#named">named</a><li><a href="#in">in</a><li><a href="#t">row</a></ul></nav><h2 id="a b">A</h2><h2 id="ä">Ä</h2><a name="named">Named</a><ul><li><span id="in">x</span></ul><table><tr id="t"><th>a<td>b</table><p id="dup">1<p id="dup">2 <a href="#dup">dup</a> <a href="#hid">hidden</a><p id="hid" hidden>h',
  ),
  'image maps of many areas': page(
    `<map name="m"><area shape="circle" coords="20,20,9" href="https://example.com/c" alt="Circle"><area shape="poly" coords="0,0,9,0,9,9" href="#x" alt="Corner"><area shape="default" href="https://example.com/d" alt="Rest"><area shape="rect" coords="0,0,1,1" alt="none"></map><img usemap="#m" src="${RED}" width="90" height="90" alt="Map"><img usemap="#m" src="${RED}" width="90" height="90" alt="Again"><p id="x">x`,
  ),
  'drawings with links': page(
    '<svg width="200" height="60" role="img" aria-label="Links"><a href="https://example.com/svg"><text y="20">linked</text></a><a href="#p"><rect y="30" width="40" height="20"/></a></svg><p id="p">p',
  ),
  'drawings with text on paths': page(
    '<svg width="200" height="90" role="img" aria-label="Curve"><path id="c" d="M10 80 Q95 10 180 80" fill="none" stroke="red"/><text font-size="14"><textPath href="#c">On the curve</textPath></text><text x="10" y="20" rotate="10 20 30" textLength="90">abc<tspan dy="9">d</tspan></text><switch><text systemLanguage="de" y="50">de</text><text y="50">other</text></switch></svg>',
  ),
  'drawings within all kinds of text': page(
    '<p>In <svg width="9" height="9" aria-label="dot"><circle r="4" cx="4" cy="4"/></svg> line<ul><li><svg width="9" height="9" role="img"><title>tick</title><path d="M0 0L9 9" stroke="red"/></svg> done</ul><h2><svg width="9" height="9" aria-hidden="true"><circle r="4"/></svg> Head</h2><table border="1"><tr><th><svg width="9" height="9" role="img" aria-label="x"><circle r="4"/></svg><td>y</table><a href="https://example.com/"><svg width="9" height="9" role="img" aria-label="Home"><circle r="4"/></svg></a><button><svg width="9" height="9" aria-hidden="true"><circle r="4"/></svg> Go</button>',
  ),
  'a canvas with fallback text': page(
    '<canvas id="c" width="60" height="20" role="img" aria-label="Chart of 3">Chart of <b>3</b></canvas><script>c.getContext("2d").fillRect(0, 0, 30, 20)</script>',
  ),
  'a video with a poster': [
    page(`<video id="v" poster="${RED}" width="90" height="60" aria-label="Film"></video>`),
    {},
    ['embedded_content #v'],
  ],
  // The buttons are hidden, because Chromium draws them a little later, sometimes after the print.
  'an audio player': [
    page(
      '<audio id="a" controls style="background: teal"></audio><p>x',
      '<style>::-webkit-media-controls { display: none !important }</style>',
    ),
    {},
    ['embedded_content #a'],
  ],
  'an object with a fallback': [
    page(`<object id="o" type="image/svg+xml" data="${RED}" width="20" height="20">fallback</object>`),
    {},
    ['embedded_content #o'],
  ],
  'components with headings and tables': page(
    '<x-a><h2>Light</h2></x-a><script>customElements.define("x-a", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = `<style>:host { display: block } ::slotted(h2) { color: teal }</style><h2>Shadow</h2><slot></slot><ul><li><a href="https://example.com/">in</a></ul><table><tr><th>a<td>b</table><img alt="Dot" src="RED">` } })</script>'.replace(
      'RED',
      RED,
    ),
  ),
  'drawings in components': page(
    '<x-b></x-b><script>customElements.define("x-b", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = `<style>:host { display: block } svg { color: red } :host([role="x"]) p { display: none }</style><p><svg width="9" height="9" aria-label="Dot"><rect width="9" height="9"/></svg>` } })</script>',
  ),
  'declared shadow roots': page(
    '<x-c><template shadowrootmode="open"><h2>Declared</h2><p><slot></slot></p></template>slotted <b>text</b></x-c>',
  ),
  'parts that are hidden or inert': page(
    '<p hidden>no<p hidden="until-found">found<div inert><h2>Inert</h2><p>still seen <a href="https://example.com/">link</a><ul><li>x</ul></div><p aria-hidden="true">decor <b>x</b></p><p style="visibility: hidden">v <b style="visibility: visible">seen</b><p style="opacity: 0">o<p style="content-visibility: hidden">cv<p style="clip-path: inset(50%); position: absolute">sr',
  ),
  'elements that own other elements': page(
    '<div role="list" aria-owns="i1 i2"><div role="listitem">0</div></div><div role="listitem" id="i1">1</div><p>between<div role="listitem" id="i2">2</div><ul aria-owns="o"><li>a</ul><li id="o">b</li><table aria-owns="tr"><tr><th>x<td>y</table>',
  ),
  'elements named by other elements': page(
    `<p id="l1">Red</p><p id="l2" hidden>hidden label</p><img src="${RED}" aria-labelledby="l1 l2"><svg role="img" aria-labelledby="t1" width="9" height="9"><title id="t1">Title</title><rect width="9" height="9"/></svg><input aria-labelledby="me l1" id="me" aria-label="Field"><a href="https://example.com/" aria-labelledby="l1">x</a><section aria-labelledby="nope"><h2>s</h2></section><img src="${RED}" aria-labelledby="nope" alt="Other">`,
  ),
  'tables for layout': page(
    '<table role="presentation"><tr><td><table role="none"><tr><td rowspan="2"><h2>Left</h2><td>a<tr><td><table border="1"><tr><th>real<td>table</table></table><td><ul><li>right</ul><tr><td>ragged</table>',
  ),
  'deep tables': page(`${'<table border="1"><tr><th>h<td>'.repeat(12)}core${'</table>'.repeat(12)}`),
  'a huge table of tables': page(
    `<table border="1"><tr><th>a<th>b${repeated(150, (n) => `<tr><td>${n}<td><table border="1"><tr><th>x<td>${n}</table>`)}</table>`,
  ),
  'roles of all kinds': page(
    '<div role="article">a</div><div role="note">n</div><div role="figure" aria-label="f">f</div><div role="separator"></div><div role="math">m</div><div role="grid"><div role="row"><div role="gridcell">g</div></div></div><div role="tree"><div role="treeitem">t</div></div><div role="tablist"><div role="tab">T</div></div><div role="menu"><div role="menuitem">M</div></div><div role="region" aria-label="R">r</div><div role="toolbar">tb</div><div role="progressbar" aria-label="p" aria-valuenow="3">p</div><div role="feed"><article>f</article></div><div role="term">t</div><div role="definition">d</div><div role="blockquote">b</div><div role="code">c</div><div role="deletion">d</div><div role="emphasis">e</div><div role="caption">c</div><div role="suggestion">s</div><div role="doc-toc"><ul><li>x</ul></div><div role="doc-index">i</div><div role="doc-abstract">abs</div><div role="doc-pullquote">pq</div><div role="doc-example">ex</div><div role="doc-pagebreak" aria-label="2"></div><div role="doc-cover">c</div><h2 role="doc-subtitle">st</h2><div role="link">l</div><div role="graphics-document">g</div><div role="rowgroup">rg</div><div role="listbox"><div role="option">o</div></div><div role="slider" aria-label="s">s</div><div role="tooltip">t</div><div role="timer">t</div>',
  ),
  'preformatted text and obsolete elements': page(
    '<pre>a\n  <b>b</b>\t<a href="https://example.com/">l</a>\n\n<code>c</code></pre><marquee scrollamount="0">m</marquee><center>c</center><font color="red">f</font><nobr>n</nobr><tt>t</tt><big>b</big><listing>l</listing><xmp><b></xmp>',
  ),
  'inline elements with blocks and breaks': page(
    '<p><b>bold<br>broken</b><i><div>div in i</div></i><span><h2>h in span</h2></span><code><pre>x</pre></code><a href="#z"><div id="z">d</div></a><sub>s</sub><sup>p</sup><mark>m</mark><abbr title="Ab">a</abbr><kbd>k</kbd><samp>s</samp><output>o</output><ins><p>ins</p></ins><del><ul><li>del</ul></del>',
  ),
  'a table of contents with pages': page(
    `<nav role="doc-toc"><h2>Contents</h2><ol>${repeated(4, (n) => `<li><a href="#s${n}">Section ${n}</a><ol><li><a href="#s${n}a">Sub</a></ol>`)}</ol></nav>${repeated(4, (n) => `<section style="break-before: page"><h2 id="s${n}">Section ${n}</h2><h3 id="s${n}a">Sub</h3><p>x</section>`)}`,
  ),
  'positioned, transformed and clipped': page(
    '<div style="position: absolute; top: 50px; right: 0"><h2>Abs</h2></div><div style="transform: rotate(90deg); transform-origin: left"><p>turned <a href="https://example.com/">link</a></div><div style="overflow: hidden; height: 1em">a<p>clipped<ul><li>c</ul></div><div style="overflow: scroll; height: 40px"><p>1<p>2<p>3</div><div style="zoom: 2"><p>z</div><p style="position: fixed; top: 0">fixed</p><div style="break-before: page"></div><p>2',
  ),
  'colours outside of sRGB': page(
    '<p style="color: color(display-p3 1 0 0); background: lab(50% 40 59.5)">p3<p style="color: oklch(70% .3 150)">ok<div style="background: linear-gradient(in oklch, red, blue); height: 20px"></div><div style="background: conic-gradient(red, blue), radial-gradient(red, transparent); height: 30px; mask: linear-gradient(#000, transparent)">m</div><div style="box-shadow: 0 0 9px 3px rgb(0 0 0 / .4); border-radius: 9px; outline: 2px dashed">s</div>',
  ),
  'a form without form fields in the PDF': page(
    '<form><label>A <input type="search" value="q"></label><label>B <input type="range"></label><label>C <select><optgroup label="G"><option>o</select></label><label>D <textarea>t</textarea></label><label>E <input type="color"></label><label>F <input type="file"></label><button type="submit">S</button><input type="reset"><label><input type="checkbox" role="switch">G</label><meter aria-label="m" value=".4"></meter><label>H <input type="date" value="2026-01-01"></label><datalist id="dl"><option>x</datalist><label>I <input list="dl"></label></form>',
  ),
};

export function everydayDocuments(): Array<{ name: string; html: string; options?: object; refused?: string[] }> {
  return Object.entries(EVERYDAY).map(([name, source]) => {
    const [html, options = {}, refused = []] = typeof source === 'string' ? [source] : source;
    return { name, html, options, ...(refused.length && { refused }) };
  });
}
