/**
 * Finds CSS for pages that Chromium ignores or applies only in part, and CSS that turns text into pictures: style sheets in,
 * candidates out. Whether a candidate matters depends on the document, which must be asked.
 */

import { elementSelector } from '../../../in-page/contract/element-selector.ts';
import type { EffectQuestion } from '../../../in-page/contract/inspection.ts';
import { breaksAlways } from '../../page-css/always-breaks.ts';
import { type Declaration, isOfPage, readDeclarations } from '../../page-css/css-statements.ts';
import { unpaintedGradient } from '../../page-css/page-gradients.ts';
import type { PageSelector } from '../../page-css/page-selectors.ts';
import { REFERENCE } from '../../page-css/paged-properties.ts';
import { findLateSelectors, isKnownRule } from '../../page-css/selector-rules.ts';
import { contentHighWidth, isInvalidSize } from '../../print/page-sizes.ts';
import type { StyleText, UnsupportedCss } from '../html/unsupported-css.ts';

/** CSS that may be unsupported, and what the document must be asked. */
export interface Candidate extends UnsupportedCss {
  question: EffectQuestion;
  /** Whether it is for pages that are known only when they have been laid out. */
  isLate?: boolean;
}

/** What is wrong with a declaration. */
type Fault = Pick<Candidate, 'value' | 'effect' | 'why' | 'isLate'> & Pick<EffectQuestion, 'check' | 'name'>;

/** What all style sheets say together. */
interface Facts {
  /** The selectors of the elements with a named page. */
  pages: Map<string, string[]>;
  /** Counters that are used and set in pages and in elements. */
  used: Record<Place, Set<string>>;
  set: Record<Place, Set<string>>;
}
type Place = 'page' | 'root' | 'element';

const MAX_CANDIDATES = 200;
const MAX_SELECTORS = 20;
const MAX_TEXT = 1_000;
const MAX_NAME = 100;
/** The block in which style attributes are read. */
const STYLE_ATTRIBUTES = '[style]';
const PAGE_SELECTOR = /^@page\b(.*)$/is;
const SOME_EFFECT = /^(?!none|inherit|initial|unset|revert)/i;
const ELEMENT_CALL = /(?<![\w-])element\([^()]*\)/i;
const STRING_CALL = /(?<![\w-])string\(/i;
const MARGIN_BOXES = 'a margin box of @page, such as @bottom-right, or headerTemplate and footerTemplate';

type FaultOf = (declaration: Declaration, facts: Facts) => Fault | undefined;

/** These turn text into pictures in shadow roots and frames as well. */
const RASTERIZING: Record<string, FaultOf> = {
  filter: ({ value }) => pictureFault(value, SOME_EFFECT),
  '-webkit-filter': ({ value }) => pictureFault(value, SOME_EFFECT),
  '-webkit-box-reflect': ({ value }) => pictureFault(value, SOME_EFFECT),
  transform: ({ value }) => pictureFault(value, /3d\(|perspective\(|rotate[xy]\(/i),
};

const FAULTS: Record<string, FaultOf> = {
  '': pageSelectorFault,
  size: sizeFault,
  float: ({ value }) => floatFault(value),
  'break-before': breakFault,
  'break-after': breakFault,
  'page-break-before': breakFault,
  'page-break-after': breakFault,
  'counter-reset': counterChangeFault,
  'counter-set': counterChangeFault,
  'counter-increment': counterChangeFault,
  content: contentFault,
  background: gradientFault,
  'background-image': gradientFault,
  ...RASTERIZING,
};

export function findPagedCandidates(texts: readonly StyleText[]): Candidate[] {
  const declared = texts.flatMap(({ text, where, isScoped }) =>
    findRelevant(text)
      .filter(({ property }) => !isScoped || Object.hasOwn(RASTERIZING, property))
      .map((declaration) => ({ declaration, where })),
  );
  const facts = collectFacts(declared.map(({ declaration }) => declaration));
  const found: Candidate[] = [];
  for (const { declaration, where } of declared) {
    const late = findLateSelectors(declaration);
    const fault = late.length ? lateFault(declaration, late, facts) : FAULTS[declaration.property]?.(declaration, facts);
    const candidate = fault && toCandidate(declaration, where, fault, facts);
    if (candidate && found.push(candidate) >= MAX_CANDIDATES) break;
  }
  return found;
}

function findRelevant(text: string): Declaration[] {
  const found: Declaration[] = [];
  const sized = new Set<string | undefined>();
  for (const declaration of readDeclarations(text)) {
    const { property, value, within } = declaration;
    if (findLateSelectors(declaration).length) found.push(declaration);
    else if (property === 'size' && !isInvalidSize(value)) sized.add(within.at(-1));
    else if (property === 'page' || Object.hasOwn(FAULTS, property)) found.push(declaration);
  }
  return found.filter(({ property, within }) => property !== 'size' || !sized.has(within.at(-1))); // others may be for other browsers
}

/** Returns undefined for selectors and media queries that are too long to be evaluated. */
function toCandidate({ property, within }: Declaration, where: string, fault: Fault, { pages }: Facts): Candidate | undefined {
  const media = within.flatMap((block) => /^@media\b(.*)$/is.exec(block)?.[1] ?? []);
  const selectors = within.map((block) => toSelector(block, property)).filter((block) => !block.startsWith('@'));
  const selector = fault.name === undefined ? nestSelectors(selectors) : pages.get(fault.name)?.join();
  if (selector === undefined || media.join().length > MAX_TEXT) return undefined;
  const { check, name, ...said } = fault;
  const question = { check, name, property: property || '@page', media, selector };
  return { ...said, property: question.property, where, question };
}

/** Selects fewer elements in place of all that have a style attribute. */
function toSelector(block: string, property: string): string {
  return block === STYLE_ATTRIBUTES ? `[style*="${property}"]` : block;
}

/** Each level of nesting may repeat the level around it. */
function nestSelectors(selectors: string[]): string | undefined {
  let around = '';
  for (const selector of selectors) {
    if (selector.length > MAX_TEXT || around.length > MAX_TEXT) return undefined;
    around = elementSelector(selector, around);
  }
  return around.length > MAX_TEXT ? undefined : around;
}

function collectFacts(declarations: Declaration[]): Facts {
  const sets = () => ({ page: new Set<string>(), root: new Set<string>(), element: new Set<string>() });
  const facts: Facts = { pages: new Map(), used: sets(), set: sets() };
  for (const declaration of declarations) NOTES[declaration.property]?.(declaration, facts);
  return facts;
}

/** How each property adds to the facts. */
const NOTES: Record<string, (declaration: Declaration, facts: Facts) => void> = {
  page: ({ value, within }, { pages }) => {
    const selectors = pages.get(value) ?? [];
    const selector = toSelector(within.at(-1) ?? '', 'page');
    if (selectors.length < MAX_SELECTORS && selector.length <= MAX_TEXT) selectors.push(selector);
    pages.set(value, selectors);
  },
  content: (declaration, { used }) => addAll(used[findPlace(declaration)], findCounters(declaration.value)),
  'counter-reset': noteCounters,
  'counter-set': noteCounters,
  'counter-increment': noteCounters,
};

function noteCounters(declaration: Declaration, { set }: Facts): void {
  addAll(set[findPlace(declaration)], declaration.value.match(/[a-z_][\w-]*/gi) ?? []);
}

function addAll(names: Set<string>, more: Iterable<string>): void {
  for (const name of more) names.add(name);
}

function findPlace({ within }: Declaration): Place {
  if (within.some((block) => /^@page\b/i.test(block))) return 'page';
  return /(?:^|,)\s*(?:html|:root)\s*(?:,|$)/i.test(within.at(-1) ?? '') ? 'root' : 'element';
}

function findCounters(value: string): string[] {
  return Array.from(value.matchAll(/(?<![\w-])counters?\(\s*([\w-]+)/gi), ([, name = '']) => name);
}

function pageSelectorFault({ within }: Declaration): Fault | undefined {
  const [, selector] = PAGE_SELECTOR.exec(within.at(-1) ?? '') ?? [];
  if (selector === undefined || isKnownRule(within.at(-1) ?? '')) return undefined;
  return {
    check: 'applies',
    value: selector.trim(),
    why: 'a selector of pages has a name, :first, :left, :right, :blank or :nth()',
  };
}

/** What is declared for pages that are known only when they have been laid out. */
function lateFault({ value, within }: Declaration, late: readonly PageSelector[], { pages }: Facts): Fault | undefined {
  const why =
    'the pages of this rule are known when they have been laid out, and the body cannot be laid out again for them: it has footnotes, another display than block, columns, vertical text or a shadow tree, or would change; only margin boxes and backgrounds change';
  const fault = { value: `${value} in ${within.at(-1)}`, why, isLate: true };
  const ofNames = late.map(({ name, classes }) => (classes.length === 1 && classes[0]?.kind === 'first' ? name : ''));
  if (ofNames.includes('')) return { ...fault, check: 'applies' };
  const name = ofNames.find((each) => pages.has(each)); // Chromium applies it to the first page of the document
  return name === undefined ? undefined : { ...fault, check: 'first-page', name };
}

function sizeFault(declaration: Declaration): Fault | undefined {
  const { value } = declaration;
  if (!isOfPage(declaration) || !isInvalidSize(value) || contentHighWidth(value)) return undefined;
  const why = /\bauto\b/i.test(value)
    ? 'a page as high as its content has a size such as 80mm auto'
    : 'a size is one or two lengths that are not 0, or a name such as A4, alone or with portrait or landscape';
  return { check: 'applies', value, why };
}

function gradientFault(declaration: Declaration): Fault | undefined {
  const value = isOfPage(declaration) ? unpaintedGradient(declaration) : undefined;
  return value === undefined
    ? undefined
    : { check: 'applies', value, why: 'a gradient behind pages has no var(); write the colours' };
}

function floatFault(value: string): Fault | undefined {
  if (!/^(?:top|bottom|top-bottom|page|column|inside|outside|snap|block-start|block-end)\b/i.test(value)) return undefined;
  return {
    check: 'shown',
    value,
    why: `Chromium floats to the left and right only; for what is on every page, use ${MARGIN_BOXES}`,
  };
}

function breakFault(declaration: Declaration): Fault | undefined {
  const { value, within } = declaration;
  if (breaksAlways(declaration) && within.at(-1) === STYLE_ATTRIBUTES)
    return { check: 'shown', value, why: 'in style attributes, write page' };
  const side = /^(?:left|right|recto|verso)\b/i.exec(value)?.[0].toLowerCase();
  if (!side) return undefined;
  const effect = `begins the next page in Chromium, even if that is not a ${side} one`;
  return { check: 'break', value, effect, why: 'if it is not, add an empty element with break-after: page before it' };
}

/**
 * Page numbers in margin boxes follow the counters of the root, unless a margin box shows the number of pages: Chromium then lays the
 * pages out twice (`needs_total_page_count`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/layout/paginated_root_layout_algorithm.cc).
 * Where elements show it, a counter named `page` is like any other.
 */
function counterChangeFault(declaration: Declaration, { used }: Facts): Fault | undefined {
  const { property, value } = declaration;
  const isPageNumber = /(?<![\w-])page(?![\w-])/i.test(value) && used.page.has('page') && !used.element.has('page');
  const place = findPlace(declaration);
  const isIgnored = place === 'root' ? used.page.has('pages') : property === 'counter-increment' && place !== 'page';
  if (!isPageNumber || !isIgnored) return undefined;
  const why =
    'page numbers begin with another number in @page :first { counter-set: page 11 }, or with counter-reset on an element';
  return { check: 'counter', value, why };
}

function contentFault(declaration: Declaration, facts: Facts): Fault | undefined {
  const { value } = declaration;
  if (findPlace(declaration) !== 'page') {
    const why = 'it is known in margin boxes, in elements that run in them, and in header and footer';
    return STRING_CALL.test(value) ? { check: 'strings', value, why } : counterUseFault(declaration, facts);
  }
  if (REFERENCE.test(value))
    return { check: 'applies', value, why: 'references and leaders are shown in elements, and those that run in margin boxes' };
  if (ELEMENT_CALL.test(value) && value.replace(ELEMENT_CALL, '').trim()) {
    const effect = 'shows the element only';
    return { check: 'applies', value, effect, why: 'write the rest into the element, such as with ::before' };
  }
  return counterUseFault(declaration, facts);
}

function counterUseFault(declaration: Declaration, { set, used }: Facts): Fault | undefined {
  const { value } = declaration;
  const isPage = findPlace(declaration) === 'page';
  const isSetByRoot = (name: string) => set.root.has(name) && !(isPage && used.page.has('pages'));
  const isSet = (name: string) => isSetByRoot(name) || set[isPage ? 'page' : 'element'].has(name);
  const isMiscounted = (name: string) => name === 'pages' && (set.element.has('page') || set.root.has('page'));
  const isUnknown = (name: string) =>
    isPage ? !/^(?:section-)?pages?$/.test(name) : /^section-pages?$/.test(name) || isMiscounted(name);
  const zero = findCounters(value).find((name) => isUnknown(name) && !isSet(name));
  if (zero === undefined) return undefined;
  const effect = `prints ${zero.slice(0, MAX_NAME)} as 0 in Chromium`;
  if (isPage) return { check: 'applies', value, effect, why: 'set it in @page, or on html if no margin box has counter(pages)' };
  return { check: 'content', value, effect, why: `it is known only in ${MARGIN_BOXES}` };
}

function pictureFault(value: string, pattern: RegExp): Fault | undefined {
  return pattern.test(value) ? { check: 'rasterized', value } : undefined;
}
