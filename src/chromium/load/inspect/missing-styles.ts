/**
 * Finds images, fonts and imported sheets that styles name and that could not be loaded. The network monitor reports failed
 * requests, and this finds what was never requested. The functions below are sent as text and run in the page, so that they may
 * use only each other.
 */

/** The functions that `missing-resources` sends to the page. */
export const MISSING_STYLES = [
  selectorOf,
  mediaApplies,
  openRules,
  rulesOf,
  urlsIn,
  mayName,
  isShown,
  wantedBy,
  decodes,
  facesOf,
  namedByRules,
  namedByElements,
  allRules,
  lookAtNamed,
  lookAtStyles,
];

/** Limits of images that are decoded, names that are searched in the document, and elements that are checked for each. */
export const STYLE_LIMITS = { images: 50, names: 300, elements: 50, anywhere: 2_000 };

/** Returns why a URL cannot be loaded, or undefined if it may be. */
type Judge = (address: string, base: string) => string | undefined;
type Note = (address: string, reason: string, others?: string[]) => void;

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageElement {
  checkVisibility(): boolean;
  style?: { cssText: string };
  getAttribute(name: string): string | null;
}
interface Rule {
  type: number;
  href?: string;
  media?: { mediaText: string };
  selectorText?: string;
  /** The selectors of `@scope`. */
  start?: string | null;
  end?: string | null;
  style?: { cssText: string; getPropertyValue(name: string): string };
  styleSheet?: PageSheet | null;
  cssRules?: Iterable<Rule>;
}
/** A rule with its enclosing selectors and its base URL. */
interface Placed {
  rule: Rule;
  around: string;
  base: string;
}
interface Named {
  url: string;
  base: string;
  isWanted(): boolean;
}
type Limits = typeof STYLE_LIMITS;
interface PageSheet {
  href: string | null;
  media: { mediaText: string };
  disabled: boolean;
  ownerNode: { textContent: string } | null;
  cssRules: Iterable<Rule>;
}
interface Face {
  family: string;
  status: string;
  display: string;
  unicodeRange: string;
}
export interface StyledDocument {
  baseURI: string;
  querySelectorAll(selector: string): Iterable<PageElement>;
  defaultView: { matchMedia(query: string): { matches: boolean } } | null;
  /** Is set for a shadow root, which has neither a window nor fonts of its own. */
  ownerDocument?: StyledDocument | null;
  host?: PageElement;
  styleSheets: Iterable<PageSheet>;
  adoptedStyleSheets: Iterable<PageSheet>;
  fonts?: Iterable<Face>;
  createElement(name: 'canvas'): { getContext(kind: '2d'): { font: string; measureText(text: string): { width: number } } };
}
declare const getComputedStyle: (element: PageElement, pseudo?: string) => { getPropertyValue(name: string): string };
declare const Image: new () => { src: string; addEventListener(event: string, listener: () => void): void };

/** Returns the URLs as they are written in `url()`. */
function urlsIn(css: string): string[] {
  if (!css.includes('url(')) return [];
  const found = css.matchAll(/url\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^"')\s]*))/gi);
  return [...found]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? '')
    .filter((url) => url && !url.startsWith('#'));
}

/** Returns the selector of the elements, without pseudo-elements. */
export function selectorOf(selector: string, around: string): string {
  const nested = around && (selector.includes('&') ? selector.replaceAll('&', `:is(${around})`) : `:is(${around}) ${selector}`);
  const elements = (nested || selector).replace(/::?(?:before|after|marker|first-l(?:ine|etter)|backdrop|placeholder)\b/gi, '');
  return elements.replace(/(^|[\s,>+~(])(?=$|[,)])/g, '$1*');
}

function mediaApplies(page: StyledDocument, media: { mediaText: string } | undefined): boolean {
  const view = page.defaultView ?? page.ownerDocument?.defaultView;
  return !media?.mediaText || view?.matchMedia(media.mediaText).matches !== false;
}

/** A style element without text has rules that a script has added. */
function mayName({ ownerNode }: PageSheet): boolean {
  const text = ownerNode?.textContent ?? '';
  return !text.trim() || /url\(|@import|@font/i.test(text);
}

/** Returns no rules if the sheet has another origin. */
function openRules(sheet: PageSheet): Iterable<Rule> {
  try {
    return sheet.disabled ? [] : sheet.cssRules;
  } catch {
    return [];
  }
}

/** Returns the rules that apply, with their enclosing selectors and base URLs. */
function* rulesOf(page: StyledDocument, sheet: PageSheet, around = '', rules = openRules(sheet)): Generator<Placed> {
  const base = sheet.href ?? page.baseURI;
  for (const rule of rules) {
    if (!mediaApplies(page, rule.media)) continue;
    yield { rule, around, base };
    if (rule.styleSheet) yield* rulesOf(page, rule.styleSheet);
    else if (rule.cssRules)
      yield* rulesOf(page, sheet, rule.type === 1 ? selectorOf(rule.selectorText ?? '', around) : around, rule.cssRules);
  }
}

/** Whether an element or its generated content shows the image. */
function isShown(element: PageElement, url: string): boolean {
  if (!element.checkVisibility()) return false;
  const properties = [
    'background-image',
    'list-style-image',
    'content',
    'border-image-source',
    'mask-image',
    'filter',
    'clip-path',
  ];
  return ['', '::before', '::after', '::marker'].some((pseudo) => {
    const style = getComputedStyle(element, pseudo || undefined);
    return properties.some((property) => style.getPropertyValue(property).includes(url));
  });
}

/** Whether the document has an element for which a rule loads the URL. */
function wantedBy(page: StyledDocument, { rule, around }: Placed, url: string, limits: Limits): boolean {
  if (rule.type !== 1) return rule.type === 6; // rules for pages
  const declarations = (rule.style?.cssText ?? '').split(';');
  const isVariable = declarations.some((each) => each.trimStart().startsWith('--') && each.includes('url('));
  const selector = isVariable ? '*' : selectorOf(rule.selectorText ?? '', around);
  try {
    if (page.host && /:host/.test(selector)) return isShown(page.host, url);
    const elements = [...page.querySelectorAll(selector)].slice(0, isVariable ? limits.anywhere : limits.elements);
    return elements.some((element) => isShown(element, url));
  } catch {
    return false; // the selector does not select elements
  }
}

export function decodes(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const image = new Image();
    image.addEventListener('load', () => resolve(true));
    image.addEventListener('error', () => resolve(false));
    image.src = url;
  });
}

/** Notes fonts that failed, and fonts that arrived after the text was laid out without them. */
function facesOf(page: StyledDocument, rules: Placed[], judge: Judge, note: Note): void {
  const plain = (family: string) => family.replace(/^["']|["']$/g, '').toLowerCase();
  const widthIn = (fonts: string) => {
    const brush = page.createElement('canvas').getContext('2d');
    brush.font = `40px ${fonts}`;
    return brush.measureText('Ragtime 123').width;
  };
  const isUnused = ({ family, display, unicodeRange }: Face) =>
    /^(?:optional|fallback)$/.test(display) &&
    /^U\+0+-/i.test(unicodeRange) &&
    ['monospace', 'serif'].every(
      (other) => widthIn(`"${plain(family)}", ${other}`) === widthIn(`"no such family 7f3a", ${other}`),
    );
  const seen = new Map<string, number>();
  for (const face of page.fonts ?? []) {
    const family = plain(face.family);
    const n = seen.get(family) ?? 0;
    seen.set(family, n + 1); // font faces are in the order of their rules
    const own = rules.filter(({ rule }) => plain(rule.style?.getPropertyValue('font-family') ?? '') === family)[n];
    const written = urlsIn(own?.rule.style?.getPropertyValue('src') ?? '');
    const urls = written.map((url) => URL.parse(url, own?.base)?.href ?? url);
    const [first = `font-family: ${family}`, ...others] = urls;
    if (face.status === 'error') note(first, judge(first, own?.base ?? page.baseURI) ?? 'font', others);
    else if (face.status === 'loaded' && isUnused(face)) note(first, 'late');
  }
}

/** Returns the URLs in rules, and whether something uses them. */
function* namedByRules(page: StyledDocument, rules: Placed[], limits: Limits): Generator<Named> {
  for (const placed of rules)
    for (const url of placed.rule.type === 5 ? [] : urlsIn(placed.rule.style?.cssText ?? ''))
      yield { url, base: placed.base, isWanted: () => wantedBy(page, placed, url, limits) };
}

/** Returns the URLs in style attributes and legacy attributes of elements. */
function* namedByElements(page: StyledDocument): Generator<Named> {
  for (const element of page.querySelectorAll('[style*="url("], [background]')) {
    const base = page.baseURI;
    const url = element.getAttribute('background');
    if (url) yield { url, base, isWanted: () => element.checkVisibility() };
    for (const each of urlsIn(element.style?.cssText ?? '')) yield { url: each, base, isWanted: () => isShown(element, each) };
  }
}

/** Returns the rules of all style sheets that can be read. */
function allRules(page: StyledDocument): Placed[] {
  return [...page.styleSheets, ...page.adoptedStyleSheets]
    .filter((sheet) => mediaApplies(page, sheet.media) && mayName(sheet))
    .flatMap((sheet) => [...rulesOf(page, sheet)]);
}

/** Notes URLs that cannot be loaded, and returns the images in `data:` URLs. */
function lookAtNamed(all: Named[], judge: Judge, note: Note, limits: Limits): Set<string> {
  const embedded = new Set<string>();
  let left = limits.names;
  for (const { url, base, isWanted } of all) {
    const reason = judge(url, base);
    const isImage = /^data:/i.test(url) && embedded.size < limits.images;
    if ((!reason && !isImage) || left-- <= 0 || !isWanted()) continue;
    if (reason) note(url.replace(/\\(.)/g, '$1'), reason);
    else embedded.add(url);
  }
  return embedded;
}

export async function lookAtStyles(page: StyledDocument, judge: Judge, note: Note, limits: Limits): Promise<void> {
  const rules = allRules(page);
  for (const { rule, base } of rules)
    if (rule.href !== undefined && rule.styleSheet === null) note(rule.href, judge(rule.href, base) ?? 'failed');
  const all = [...namedByRules(page, rules, limits), ...namedByElements(page)];
  const embedded = lookAtNamed(all, judge, note, limits);
  const faces = rules.filter(({ rule }) => rule.type === 5);
  facesOf(page, faces, judge, note);
  await Promise.all([...embedded].map(async (url) => (await decodes(url)) || note(url, 'image')));
}
