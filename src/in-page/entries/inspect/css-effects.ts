/** Finds out which declarations matter in a loaded document. Runs in an isolated world. */
import type { Effect, EffectCheck, EffectQuestion } from '../../contract/inspection.ts';
import { elementName } from '../../dom/names.ts';
import { findRoots, type Root, selectIn } from '../../dom/roots.ts';
import { findTexts } from '../../dom/text.ts';
import { becomesPicture } from './pictures-of-text.ts';

/** Limits the elements that all questions select together. */
const MAX_ELEMENTS = 10_000;

interface Search {
  /** The first and the last visible text of the document. */
  ends: Text[];
  /** The document, its shadow roots, and those of its frames. */
  roots: Root[];
  /** How many more elements may be looked at. */
  left: number;
}

/** A declaration that matters, and its elements. It has none if it applies to pages. */
interface Found {
  index: number;
  elements: Element[];
}

/** Reports the first of each kind, and all texts that became pictures as one. */
export function findEffects(questions: EffectQuestion[]): Effect[] {
  const found = new Map<string, Found>();
  const search = beginSearch(questions);
  for (const [index, question] of questions.entries()) {
    const isPicture = question.check === 'rasterized';
    const kind = isPicture ? question.check : `${question.check} ${question.property}`;
    const before = found.get(kind);
    const elements = isPicture || !before ? findConcerned(question, search) : undefined;
    if (elements) found.set(kind, { index: before?.index ?? index, elements: [...(before?.elements ?? []), ...elements] });
  }
  return Array.from(found.values(), describe);
}

function describe({ index, elements }: Found): Effect {
  const all = [...new Set(elements)];
  const outermost = all.filter((element) => !all.some((other) => other !== element && other.contains(element)));
  return { index, element: outermost[0] ? elementName(outermost[0]) : '', count: outermost.length };
}

function beginSearch(questions: EffectQuestion[]): Search {
  const asks = (check: EffectCheck) => questions.some((each) => each.check === check);
  return { ends: asks('break') ? endTexts() : [], roots: asks('rasterized') ? findRoots(document) : [], left: MAX_ELEMENTS };
}

/** Returns the elements that a declaration concerns, none if it applies to pages, or undefined if it does not matter. */
function findConcerned(question: EffectQuestion, search: Search): Element[] | undefined {
  if (!question.media.every((query) => matchMedia(query).matches)) return undefined;
  if (question.check === 'applies') return [];
  const roots = question.check === 'rasterized' ? search.roots : [document];
  const elements = roots.flatMap((root) => selectAll(root, question.selector)).slice(0, search.left);
  search.left -= elements.length;
  const concerned = elements.filter((element) => isConcerned(element, question, search.ends));
  return concerned.length ? concerned : undefined;
}

function selectAll(root: Root, selector: string): Element[] {
  try {
    return [...selectIn<Element>(root, selector)];
  } catch {
    return []; // it does not select elements
  }
}

function isConcerned(element: Element, { check, property, name }: EffectQuestion, ends: Text[]): boolean {
  if (!element.checkVisibility()) return false;
  const has = (pattern: RegExp) => computedValues(element, property.replace(/^page-/, '')).some((value) => pattern.test(value));
  const side = property.endsWith('before') ? 'before' : 'after';
  if (check === 'break') return has(/^(?:left|right|recto|verso)$/) && !isAtEnd(element, side, ends);
  if (check === 'counter') return has(/(?:^|\s)page\s/);
  if (check === 'content') return has(/counters?\(/);
  if (check === 'strings') return has(/platen-string-/) && !isOnEachPage(element);
  if (check === 'first-page') return getComputedStyle(element).getPropertyValue('page') === name && firstPageName() !== name;
  return check !== 'rasterized' || becomesPicture(element);
}

/** Whether an element is within one that may be painted on each page by itself. */
function isOnEachPage(element: Element): boolean {
  for (let around: Element | null = element; around; around = around.parentElement) {
    const style = getComputedStyle(around);
    if (style.position === 'fixed' || style.getPropertyValue('--platen-position').includes('running(')) return true;
  }
  return false;
}

/** Returns the values of a property for the element and its generated content. */
function computedValues(element: Element, property: string): string[] {
  return [undefined, '::before', '::after'].map((pseudo) => getComputedStyle(element, pseudo).getPropertyValue(property));
}

function endTexts(): Text[] {
  const shown = [...findTexts(document.body)].filter(
    ({ data, parentElement }) => data.trim() && parentElement?.checkVisibility(),
  );
  return [...shown.slice(0, 1), ...shown.slice(-1)];
}

/** Whether nothing is before the element, or after it, so that a break there does nothing. */
function isAtEnd(element: Element, side: 'before' | 'after', [first, last]: Text[]): boolean {
  const text = side === 'before' ? first : last;
  if (!text || element.contains(text)) return true;
  const isAfter = element.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
  return Boolean(isAfter) === (side === 'before');
}

function firstPageName(): string {
  let name = 'auto';
  let element: Element | undefined = document.documentElement;
  while (element) {
    const own = getComputedStyle(element).getPropertyValue('page');
    if (own !== 'auto') name = own;
    element = [...element.children].find((each) => each.checkVisibility());
  }
  return name;
}
