/**
 * Puts several documents into an empty one with the same head, to be printed at once. Each is in a shadow tree of its own, with real
 * `html` and `body` elements, so that its selectors and ids cannot find the others. A transform without effect makes the positions
 * in the PDF relative to its own first page.
 */
import { BETWEEN_PRINTS } from '../../../contract/limits.ts';
import { removeCover } from '../../../dom/cover.ts';
import { TRANSPARENT } from '../../../dom/create-html.ts';
import { arePlainRules, hasMarginBoxes, isPlainStyle, numberSinglePages } from './flow-styles.ts';

/** Elements whose boxes are a plain flow, without state, forms, resources or references. */
const ELEMENTS = [
  'html, head, title, meta, style, body, header, footer, main, section, article, aside, nav, address, div, p, hr, br, wbr, pre',
  'blockquote, h1, h2, h3, h4, h5, h6, ul, ol, li, dl, dt, dd, figure, figcaption, center, hgroup',
  'table, caption, colgroup, col, thead, tbody, tfoot, tr, th, td',
  'a, span, b, strong, i, em, u, s, small, big, sub, sup, mark, code, kbd, samp, var, abbr, cite, dfn, q, time, data, del, ins, font, tt',
  'svg, g, rect, circle, ellipse, line, polyline, polygon, path, text, tspan',
].join();
const LINKS = ['http:', 'https:', 'mailto:', 'tel:'].map((scheme) => `:not([href^="${scheme}" i])`).join('');
const UNKNOWN = `:not(${ELEMENTS}), [href]${LINKS}, [dir], [popover], [slot], [is], [hidden="until-found"], [contenteditable], abbr[title], [stroke-dasharray]`;
/** Computed values that Chromium takes from the root and the body to the whole page, or that move them. */
const PLAIN_ROOT = {
  writingMode: 'horizontal-tb',
  direction: 'ltr',
  float: 'none',
  display: 'block',
} as const;
/** Properties that margin boxes inherit from the root. */
const INHERITED =
  /^(?:color$|font|letter|word|line|text|white|tab|visibility|list|caption|fill|stroke|border-(?:collapse|spacing))/;
/** The margins of a root element do not collapse with those of its body. */
const SHEET = 'html { display: flow-root !important }';
const PLACE = { all: 'initial', display: 'block', transform: 'translate(0)', contain: 'style', 'break-before': 'page' };
/** `all` would overrule a rule, but not a variable. */
const SHOWN = 'var(--platen-shown)';
const COVER = `:root { --platen-shown: block } @media ${BETWEEN_PRINTS} { :root { --platen-shown: none } }`;
/** Shorter markup is not measured, because it rarely has more than one page, and the layout for the screen takes time. */
const LONG_CHARACTERS = 3_000;
const PROBE = { all: 'initial', position: 'absolute', top: '0', left: '0', width: '1px', height: '1px' };

/**
 * Returns the title of each document, or null for one that is left out because it may not print as it would alone. Returns null if this
 * is so for all documents with this head. Documents that are higher on the screen than `heightPx` have several pages, too. On the first page of document 0 there is a link to `KEY:0`, and so on.
 */
export function combineDocuments(documents: string[], key: string, heightPx: number): Array<string | null> | null {
  removeCover();
  if (document.compatMode !== 'CSS1Compat' || ![...document.styleSheets].every(arePlainRules)) return null;
  const { documentElement: root, body } = document;
  if (![root, body].every(isPlainRoot)) return null;
  const { fontSize, backgroundColor } = getComputedStyle(root);
  const painted = backgroundColor === TRANSPARENT ? body : root; // its background is that of the page
  const background = getComputedStyle(painted).backgroundColor;
  const inherited = readInherited(root);
  for (const sheet of document.styleSheets) keepPageRules(sheet);
  setStyle(root, { all: 'initial', display: 'block', 'font-size': fontSize }); // the size is that of `rem`
  if ([...document.styleSheets].some(hasMarginBoxes) && readInherited(root) !== inherited) return null;
  setStyle(root, { 'background-color': background });
  setStyle(body, { display: 'none' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${SHEET} ${painted.localName} { background-color: transparent !important }`);
  const parser = new DOMParser();
  const placed = documents.map((html, number) => {
    const parsed = parser.parseFromString(html, 'text/html');
    if (!isPlain(parsed)) return null;
    const { title } = parsed;
    const place = placeDocument(parsed, `${key}:${number}`, sheet);
    root.append(place);
    return { title, place, mayBeLong: html.length > LONG_CHARACTERS };
  });
  const titles = placed.map((each) => {
    if (!each?.mayBeLong || each.place.offsetHeight <= heightPx) return each?.title ?? null;
    each.place.remove();
    return null;
  });
  coverAgain(root);
  return titles;
}

function coverAgain(root: HTMLElement): void {
  const cover = new CSSStyleSheet();
  cover.replaceSync(COVER);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, cover];
  setStyle(root, { display: SHOWN });
}

function isPlainRoot(element: HTMLElement): boolean {
  const style = getComputedStyle(element);
  return Object.entries(PLAIN_ROOT).every(([property, value]) => style[property as keyof typeof PLAIN_ROOT] === value);
}

function readInherited(element: HTMLElement): string {
  const style = getComputedStyle(element);
  const names = Array.from(style).filter((property) => INHERITED.test(property));
  return names.map((property) => style.getPropertyValue(property)).join();
}

function keepPageRules(sheet: CSSStyleSheet): void {
  for (let n = sheet.cssRules.length - 1; n >= 0; n--) if (!(sheet.cssRules[n] instanceof CSSPageRule)) sheet.deleteRule(n);
  numberSinglePages(sheet);
}

function isPlain(parsed: Document): boolean {
  if (parsed.compatMode !== 'CSS1Compat' || parsed.querySelector(UNKNOWN)) return false;
  return [...parsed.querySelectorAll<HTMLElement>('[style]')].every(({ style, localName }) =>
    isPlainStyle(style, localName === 'svg'),
  );
}

function placeDocument(parsed: Document, link: string, sheet: CSSStyleSheet): HTMLElement {
  const place = document.createElement('div');
  setStyle(place, PLACE);
  const probe = document.createElement('a');
  probe.href = link;
  setStyle(probe, PROBE);
  const host = document.createElement('div');
  setStyle(host, { all: 'initial', display: 'flow-root' });
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(document.adoptNode(parsed.documentElement));
  place.append(probe, host);
  return place;
}

function setStyle(element: HTMLElement, style: Record<string, string>): void {
  for (const [property, value] of Object.entries(style)) element.style.setProperty(property, value, 'important');
}
