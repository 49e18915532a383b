/** Payloads of HTML elements, style sheets and SVG. */
import { frame, type Payload, payloads, type Row, script, served, siteFrame } from './payload.ts';

const NO_SHELL = 'the headless browser shows neither icons nor apps, and so asks for none';
const NO_PRECONNECT = 'behind a proxy Chromium connects ahead of time to the proxy only';
const NO_PRERENDER = 'nothing is prerendered here, nor prefetched by rules: no secure context, no background networking';
const NO_POPUPS = 'no new windows: a switch of the browser';
const SAME_ORIGIN = 'has to be of the same origin, and an opaque one is the same as no other';
const STAYS = 'the document stays where it is: its navigations are stopped before they are sent';

const ELEMENTS: Row[] = [
  ['img', '<img src="{url}.png">'],
  ['img srcset', '<img srcset="{url}.png 1x, {url}.png?2 2x">'],
  ['img lazy', '<div style="height: 30000px"></div><img loading="lazy" src="{url}.png">'],
  ['img in a closed template of shadow', '<div><template shadowrootmode="closed"><img src="{url}.png"></template></div>'],
  ['picture', '<picture><source srcset="{url}.png"><img src="data:,"></picture>'],
  ['input image', '<input type="image" src="{url}.png">'],
  ['video poster', '<video poster="{url}.png"></video>'],
  ['iframe', '<iframe src="{url}.html"></iframe>'],
  ['iframe sandboxed', '<iframe sandbox src="{url}.html"></iframe>'],
  ['iframe srcdoc', frame('<img src="{url}.png">')],
  ['iframe srcdoc sandboxed', frame('<script>document.write(`<img src="{url}.png">`)</script>', 'sandbox="allow-scripts"')],
  ['iframe data:', '<iframe src="data:text/html,<img src={url}.png>"></iframe>'],
  ['iframe javascript:', `<iframe src="javascript:'<img src={url}.png>'"></iframe>`],
  ['iframe in an iframe', frame(frame('<iframe src="{url}.html"></iframe>'))],
  ['object', '<object data="{url}.html" type="text/html"></object>'],
  ['object image', '<object data="{url}.png"></object>'],
  ['embed', '<embed src="{url}.html" type="text/html">'],
  ['embed image', '<embed src="{url}.svg" type="image/svg+xml">'],
  ['stylesheet', '<link rel="stylesheet" href="{url}.css">'],
  ['stylesheet for print', '<link rel="stylesheet" media="print" href="{url}.css">'],
  ['stylesheet for the screen', '<link rel="stylesheet" media="screen" href="{url}.css">'],
  ['script', '<script src="{url}.js"></script>'],
  ['script async', '<script async src="{url}.js"></script>'],
  ['script defer', '<script defer src="{url}.js"></script>'],
  ['script module', '<script type="module" src="{url}.js"></script>'],
  ['import map', '<script type="importmap">{"imports": {"x": "{url}.js"}}</script><script type="module">import "x"</script>'],
  ['svg script', '<svg><script href="{url}.js"></script></svg>'],
  ['body background', '<body background="{url}.png">x'],
  ['table background', '<table background="{url}.png"><td>x</table>'],
  ['base in a frame', frame('<base href="{url}/"><img src="x.png">')],
  ['document.write', script('document.write(`<img src="{url}.png">`)')],
];

const ELEMENTS_ALONE: Row[] = [
  ['frameset', '<frameset cols="*"><frame src="{url}.html"></frameset>'],
  ['base', '<base href="{url}/"><img src="x.png">'],
];

const LATE_ELEMENTS: Row[] = [
  ['meta refresh in a frame', frame('<meta http-equiv="refresh" content="0; url={url}.html">')],
  ['video', '<video src="{url}.html" preload="auto" autoplay muted></video>'],
  ['audio', '<audio src="{url}.html" preload="auto"></audio>'],
  ['source', '<video preload="auto"><source src="{url}.html"></video>'],
  ['track', '<video src="data:video/mp4," crossorigin><track default kind="subtitles" src="{url}.html"></video>'],
  ['preload', '<link rel="preload" as="image" href="{url}.png">'],
  ['preload font', '<link rel="preload" as="font" crossorigin href="{url}.html">'],
  ['modulepreload', '<link rel="modulepreload" href="{url}.js">'],
  ['prefetch', '<link rel="prefetch" href="{url}.html">'],
  ['prerender', '<link rel="prerender" href="{url}.html">', NO_PRERENDER],
  ['preconnect', '<link rel="preconnect" href="http://127.0.0.1:{own}">', NO_PRECONNECT],
  ['preconnect by TLS', '<link rel="preconnect" href="https://127.0.0.1:{own}">', NO_PRECONNECT],
  ['icon', '<link rel="icon" href="{url}.png">', NO_SHELL],
  ['manifest', '<link rel="manifest" href="{url}.html">', NO_SHELL],
  [
    'speculation rules, prefetch',
    '<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["{url}.html"]}]}</script>',
    NO_PRERENDER,
  ],
  [
    'speculation rules, prerender',
    '<script type="speculationrules">{"prerender": [{"source": "list", "urls": ["{url}.html"]}]}</script>',
    NO_PRERENDER,
  ],
  [
    'speculation rules in a site',
    siteFrame('<script type="speculationrules">{"prefetch": [{"urls": ["{url}.html"]}]}</script>'),
    NO_PRERENDER,
  ],
];

const LATE_ELEMENTS_ALONE: Row[] = [
  ['meta refresh', '<meta http-equiv="refresh" content="0; url={url}.html">', STAYS],
  ['form', '<form action="{url}.html" method="post"><input name="a"></form><script>document.forms[0].submit()</script>', STAYS],
  [
    'form in a frame',
    frame('<form action="{url}.html" method="post"><input name="a"></form><script>document.forms[0].submit()</script>'),
  ],
  [
    'form into a frame',
    '<iframe name="f"></iframe><form action="{url}.html" target="f"></form><script>document.forms[0].submit()</script>',
  ],
  [
    'form into a new window',
    '<form action="{url}.html" target="_blank"></form><script>document.forms[0].submit()</script>',
    NO_POPUPS,
  ],
  ['ping', '<a href="#x" ping="{url}.html">x</a><script>document.links[0].click()</script>'],
  ['download', '<a download href="{url}.html">x</a><script>document.links[0].click()</script>', STAYS],
  ['link into a new window', '<a target="_blank" href="{url}.html">x</a><script>document.links[0].click()</script>', NO_POPUPS],
  [
    'link into a frame',
    '<iframe name="f"></iframe><a target="f" href="{url}.html">x</a><script>document.links[0].click()</script>',
  ],
  ['noopener', '<a rel="noopener" target="_blank" href="{url}.html">x</a><script>document.links[0].click()</script>', NO_POPUPS],
];

const style = (css: string) => `<style>${css}</style><p class="{mark}">x</p>`;

const STYLES: Row[] = [
  ['background', style('.{mark} { background: url({url}.png) }')],
  ['background in an attribute', '<p style="background: url({url}.png)">x</p>'],
  ['background with escapes', style('.{mark} { b\\61 ckground: u\\72l("{url}.png") }')],
  ['background of a pseudo-element', style('.{mark}::after { content: ""; background: url({url}.png) }')],
  ['content', style('.{mark}::before { content: url({url}.png) }')],
  ['@import', style('@import url({url}.css);')],
  ['@import as text, with conditions', style('@import "{url}.css" layer(x) supports(display: block) print;')],
  ['@import in a sheet of the site', `<link rel="stylesheet" href="${served('@import "{url}.css";', 'text/css')}">`],
  ['@font-face', style('@font-face { font-family: f; src: url({url}.html) } .{mark} { font-family: f }')],
  ['list-style', style('.{mark} { display: list-item; list-style: url({url}.png) }')],
  ['border-image', style('.{mark} { border: 9px solid; border-image: url({url}.png) 9 }')],
  ['mask', style('.{mark} { mask: url({url}.png) }')],
  ['-webkit-mask-box-image', style('.{mark} { -webkit-mask-box-image: url({url}.png) }')],
  ['shape-outside', style('.{mark} { float: left; shape-outside: url({url}.png) }')],
  ['image-set', style('.{mark} { background: image-set("{url}.png" 1x, "{url}.png?2" 2x) }')],
  ['cross-fade', style('.{mark} { background: -webkit-cross-fade(url({url}.png), url({url}.png?2), 50%) }')],
  ['@media print', style('@media print { .{mark} { background: url({url}.png) } }')],
  ['@supports and @container', style('@supports (color: red) { .{mark} { background: url({url}.png) } }')],
  ['a custom property', style('.{mark} { --x: url({url}.png); background: var(--x) }')],
  ['cursor', style('.{mark} { cursor: url({url}.png), auto }')],
  ['@page margin box', style('@page { margin: 3cm; @top-left { content: url({url}.png) } }')],
  ['clip-path', style('.{mark} { clip-path: url({url}.svg#x) }')],
  ['filter', style('.{mark} { filter: url({url}.svg#x) }'), SAME_ORIGIN],
  [
    'a made sheet',
    script(
      'const s = new CSSStyleSheet(); s.replaceSync("body { background: url({url}.png) }"); document.adoptedStyleSheets.push(s)',
    ),
  ],
  ['FontFace', script('const f = new FontFace("f", "url({url}.html)"); document.fonts.add(f); f.load()')],
];

const svg = (body: string) => `<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90">${body}</svg>`;

const VECTORS: Row[] = [
  ['image', svg('<image width="9" height="9" href="{url}.png"/>')],
  ['image by xlink', svg('<image width="9" height="9" xlink:href="{url}.png"/>')],
  ['use', svg('<use href="{url}.svg#x"/>'), SAME_ORIGIN],
  ['feImage', svg('<filter id="f"><feImage href="{url}.png"/></filter><rect width="9" height="9" filter="url(#f)"/>')],
  ['fill', svg('<rect width="9" height="9" fill="url({url}.svg#x)"/>')],
  ['style', svg('<style>@import "{url}.css";</style>')],
  ['foreignObject', svg('<foreignObject width="9" height="9"><img src="{url}.png"/></foreignObject>')],
  [
    'pattern',
    svg(
      '<pattern id="p" width="9" height="9"><image width="9" height="9" href="{url}.png"/></pattern><rect width="9" height="9" fill="url(#p)"/>',
    ),
  ],
  [
    'set',
    `<iframe src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image width='9' height='9'><set attributeName='href' to='{url}.png'/></image></svg>"></iframe>`,
  ],
  [
    'image in an image',
    `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='{url}.png'/></svg>">`,
    'an SVG that is an image loads nothing',
  ],
  [
    'svg in a frame',
    `<iframe src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image width='9' height='9' href='{url}.png'/></svg>"></iframe>`,
  ],
  ['xml-stylesheet, CSS', `<iframe src="data:text/xml,<?xml-stylesheet href='{url}.css'?><x>x</x>"></iframe>`],
  [
    'xml-stylesheet, XSLT',
    `<iframe src="data:text/xml,<?xml-stylesheet type='text/xsl' href='{url}.html'?><x>x</x>"></iframe>`,
    'from an opaque origin, XSLT loads from nowhere',
  ],
  [
    'an entity',
    `<iframe src="data:text/xml,<!DOCTYPE x [<!ENTITY e SYSTEM '{url}.html'>]><x>%26e;</x>"></iframe>`,
    'no external entities',
  ],
];

export const elementPayloads: Payload[] = [
  ...payloads('element', ELEMENTS),
  ...payloads('element', ELEMENTS_ALONE, { alone: true }),
  ...payloads('element', LATE_ELEMENTS, { late: true }),
  ...payloads('element', LATE_ELEMENTS_ALONE, { late: true, alone: true }),
  ...payloads('style', STYLES),
  ...payloads('svg', VECTORS, { late: true }),
];
