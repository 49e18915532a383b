/**
 * Finds out which candidates of `paged-css.ts` matter in a loaded document. The functions below are sent as text and run in an
 * isolated world of the page, so that they may use only each other.
 */
import { Type } from 'typebox';
import { shape } from '../../devtools/evaluate.ts';
import { FRAMES, type rootsIn as RootsIn, type selectIn as SelectIn } from '../../in-page/page-frames.ts';
import { NAME_FUNCTIONS } from '../../print/content-clipping.ts';
import type { Candidate, Check } from './paged-css.ts';
import { RASTERIZING_FUNCTIONS } from './rasterizing-effects.ts';

/** A candidate that matters: its place in the list, the first element to which it applies, and their number. */
export interface Effect {
  index: number;
  element: string;
  count: number;
}

const FUNCTIONS = [
  ...FRAMES,
  'const builtIn = (node) => node;', // a form whose field hides a method is not checked
  ...NAME_FUNCTIONS,
  ...RASTERIZING_FUNCTIONS,
  becomesPicture,
  lacksFilter,
  isFilteredText,
  hasText,
  showsValue,
  endsOf,
  isAtEnd,
  valuesIn,
  nameOfFirstPage,
  isConcerned,
  searchFor,
  concernedBy,
  elementsOf,
  effectsOf,
];
/** Limits the elements that all candidates select together. */
const MAX_ELEMENTS = 10_000;

/** Evaluates to a list of `Effect`. */
export function effectsExpression(candidates: readonly Candidate[]): string {
  const asked: Asked[] = candidates.map(({ check, property, media, selector, name }) => ({
    check,
    property,
    media,
    selector,
    name,
  }));
  return `(() => { ${FUNCTIONS.join('\n')}; return effectsOf(${JSON.stringify(asked)}, ${MAX_ELEMENTS}) })()`;
}

/** What `effectsExpression` evaluates to. */
export const EFFECTS = shape(Type.Array(Type.Object({ index: Type.Integer(), element: Type.String(), count: Type.Integer() })));

type Asked = Pick<Candidate, 'check' | 'property' | 'media' | 'selector' | 'name'>;

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageNode = any;
declare const document: PageNode;
declare const rootsIn: typeof RootsIn;
declare const selectIn: typeof SelectIn;
declare const nameOf: (element: PageNode) => string;
declare const isRasterized: (element: PageNode) => boolean;
declare function getComputedStyle(element: PageNode, pseudo?: string): PageNode;
declare function matchMedia(query: string): { matches: boolean };

interface Search {
  /** The first and the last text of the document. */
  ends: PageNode[];
  /** The document, its shadow roots, and those of its frames. */
  roots: PageNode[];
  /** How many more elements may be looked at. */
  left: number;
}

/** Whether text of the element, or text before or after it, is drawn as a picture. */
function becomesPicture(element: PageNode): boolean {
  if (isRasterized(element) && !lacksFilter(element) && hasText(element)) return true;
  return ['::before', '::after'].some((pseudo) => isFilteredText(element, pseudo));
}

/** Whether its only filter is one that the document does not have. */
function lacksFilter(element: PageNode): boolean {
  const [, id] = /^url\("#(.*)"\)$/.exec(getComputedStyle(element).filter) ?? [];
  return id !== undefined && element.getRootNode().getElementById(id) === null;
}

/** Icons of fonts are not text. */
function isFilteredText(element: PageNode, pseudo: string): boolean {
  const { filter, content } = getComputedStyle(element, pseudo);
  return filter !== 'none' && /counter|attr\(|"(?=[^"]*[^\s"\p{Co}])/u.test(content);
}

/** Whether a part of the document shows text, also in its fields, shadow roots and frames. */
function hasText(part: PageNode): boolean {
  const { ownerDocument: page } = part;
  const walker = page.createTreeWalker(part, 4);
  const range = page.createRange();
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    if (!text.data.trim()) continue;
    range.selectNodeContents(text);
    if (range.getClientRects().length) return true;
  }
  const showsText = (element: PageNode) =>
    showsValue(element) || [element.shadowRoot, element.contentDocument?.body].some((inner) => inner && hasText(inner));
  return [part, ...part.querySelectorAll('*')].some(showsText);
}

function showsValue(field: PageNode): boolean {
  const shownTypes =
    /^(?:text|textarea|search|tel|url|email|number|button|submit|reset|date|time|datetime-local|month|week|select-)/;
  if (!shownTypes.test(field.type) || !/^(?:input|textarea|select)$/.test(field.localName)) return false;
  const shown = field.selectedOptions?.[0]?.text ?? (field.value || field.placeholder);
  return Boolean(shown?.trim()) && field.getClientRects().length > 0;
}

/** The first and the last visible text of the document. */
function endsOf(): PageNode[] {
  const walker = document.createTreeWalker(document.body, 4);
  const texts: PageNode[] = [];
  for (let text = walker.nextNode(); text; text = walker.nextNode())
    if (text.data.trim() && text.parentElement.checkVisibility()) texts[texts.length ? 1 : 0] = text;
  return texts;
}

/** Whether nothing is before the element, or after it, so that a break there does nothing. */
function isAtEnd(element: PageNode, side: 'before' | 'after', [first, last = first]: PageNode[]): boolean {
  const text = side === 'before' ? first : last;
  if (!text || element.contains(text)) return true;
  return Boolean(element.compareDocumentPosition(text) & 4) === (side === 'before');
}

/** The values of a property for the element and its generated content. */
function valuesIn(element: PageNode, property: string): string[] {
  return ['', '::before', '::after'].map((pseudo) => getComputedStyle(element, pseudo || undefined).getPropertyValue(property));
}

function nameOfFirstPage(): string {
  let name = 'auto';
  for (let element = document.documentElement; element; element = [...element.children].find((each) => each.checkVisibility())) {
    const own = getComputedStyle(element).getPropertyValue('page');
    if (own !== 'auto') name = own;
  }
  return name;
}

function isConcerned(element: PageNode, { check, property, name }: Asked, ends: PageNode[]): boolean {
  if (!element.checkVisibility()) return false;
  const has = (pattern: RegExp) => valuesIn(element, property.replace(/^page-/, '')).some((value) => pattern.test(value));
  const side = property.endsWith('before') ? 'before' : 'after';
  if (check === 'break') return has(/^(?:left|right|recto|verso)$/) && !isAtEnd(element, side, ends);
  if (check.endsWith('counter')) return has(/(?:^|\s)page\s/) && (check === 'counter' || element !== document.documentElement);
  if (check === 'content') return has(/counters?\(/);
  if (check === 'first-page') return getComputedStyle(element).getPropertyValue('page') === name && nameOfFirstPage() !== name;
  return check !== 'rasterized' || becomesPicture(element);
}

/** Reports the first of each kind, and all texts that became pictures as one. */
function effectsOf(asked: Asked[], atMost: number): Effect[] {
  const found = new Map<string, { index: number; elements: PageNode[] }>();
  const search = searchFor(asked, atMost);
  for (const [index, each] of asked.entries()) {
    const isPicture = each.check === 'rasterized';
    const kind = isPicture ? each.check : `${each.check} ${each.property}`;
    const before = found.get(kind);
    const elements = isPicture || !before ? concernedBy(each, search) : [];
    if (elements.length) found.set(kind, { index: before?.index ?? index, elements: [...(before?.elements ?? []), ...elements] });
  }
  return Array.from(found.values(), ({ index, elements }) => {
    const all = [...new Set(elements)].filter(Boolean);
    const outermost = all.filter((element) => !all.some((other) => other !== element && other.contains(element)));
    return { index, element: outermost.length ? nameOf(outermost[0]) : '', count: outermost.length };
  });
}

function searchFor(asked: Asked[], atMost: number): Search {
  const asks = (check: Check) => asked.some((each) => each.check === check);
  return { ends: asks('break') ? endsOf() : [], roots: asks('rasterized') ? rootsIn(document) : [], left: atMost };
}

/** Returns null for what applies to pages. */
function concernedBy(asked: Asked, search: Search): PageNode[] {
  if (!asked.media.every((query) => matchMedia(query).matches)) return [];
  if (asked.check === 'applies') return [null];
  const roots = asked.check === 'rasterized' ? search.roots : [document];
  const elements = roots.flatMap((root) => elementsOf(root, asked.selector)).slice(0, search.left);
  search.left -= elements.length;
  return elements.filter((element) => isConcerned(element, asked, search.ends));
}

function elementsOf(root: PageNode, selector: string): PageNode[] {
  try {
    return [...selectIn<PageNode>(root, selector)];
  } catch {
    return []; // it does not select elements
  }
}
