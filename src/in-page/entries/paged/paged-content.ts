/** Reads what depends on the pages of a document, and changes it as its print tells. Runs in an isolated world. */
import {
  CONTENTS_OPTION,
  type ContentsOrder,
  MAX_PAGE_NUMBER,
  MAX_PAGED_TEXT,
  PAGED_LIMITS,
  type PagedElements,
  type PagedRefusal,
} from '../../contract/paged.ts';
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { Destinations } from '../../dom/destinations.ts';
import { call, read, readAttribute, readName } from '../../dom/nodes.ts';
import { parseContent, splitList } from './content-list.ts';
import { contentText } from './content-text.ts';
import { addContents, CONTENTS_RULES } from './contents.ts';
import { computeCounters, type Snapshot } from './counters.ts';
import { findAfter, isBreakForced } from './following-element.ts';
import { nameOf } from './page-name.ts';
import { findGenerated, findLed, findTargets, REFERENCE_RULES, References } from './references.ts';
import { takeRunning } from './running-elements.ts';
import { findSpaceAbove } from './space-above.ts';
import { findStyled, readProperty } from './styled-elements.ts';

const SPACING_RULES = ['before', 'after']
  .map((side) => `[data-platen-${side}]::${side} { word-spacing: var(--platen-spacing-${side}, inherit) }`)
  .join(' ');
/** Custom properties are inherited otherwise. */
const PROPERTY_RULES = ['string-set', 'bookmark-level', 'bookmark-label', 'bookmark-state', 'content', 'position']
  .map((name) => `@property --platen-${name} { syntax: "*"; inherits: false }`)
  .join(' ');
const NUMBER_CHANGE = /(?<![\w-])page(?:\s+(-?\d+))?(?![\w-])/i;
const INLINE =
  /(?<![\w-])(string-set|position(?=\s*:\s*running)|bookmark-(?:level|label|state))\s*:\s*((?:[^;"']|"[^"]*"|'[^']*')+)/g;
const MAX_NAME = 200;
const LEVEL = /^[1-9]\d?$/;

const changes = new Changes();
const margins = new Changes();
let references: References | undefined;

/** The ids of elements that have none begin with the key. */
export function readPagedContent(key: string, contents: ContentsOrder | null): PagedElements | PagedRefusal {
  adoptStyles(`${PROPERTY_RULES} ${REFERENCE_RULES} ${SPACING_RULES} ${contents ? CONTENTS_RULES : ''}`, changes);
  const notFound = contents && addContents(contents, key, changes);
  if (notFound && notFound !== 'empty') return { notFound };
  readStyleAttributes();
  const generated = findGenerated();
  const targets = findTargets(generated);
  const titled = findStyled(/--platen-string-set/, 'string-set').filter((each) => call(each, 'checkVisibility'));
  const marked = findBookmarked();
  const counting = [...titled, ...marked, ...targets.values(), ...findLed(generated)];
  const counters = computeCounters(new Set(counting.filter((each) => each !== null)));
  const destinations = new Destinations(key, changes);
  references = new References(generated, targets, counters, destinations, changes);
  references.show([]);
  const unlisted = notFound ? [{ to: contents.selector.slice(0, MAX_PAGED_TEXT), element: CONTENTS_OPTION }] : [];
  const running = takeRunning(destinations, changes);
  const found: PagedElements = {
    strings: titled.flatMap((element) => readStrings(element, counters.get(element), destinations)),
    numbers: readNumbers(destinations),
    references: references.references,
    bookmarks: marked.flatMap((element) => readBookmark(element, counters.get(element), destinations)),
    names: readPageNames(destinations),
    isReversed: getComputedStyle(read(document, 'documentElement')).direction === 'rtl',
    running,
    missing: [...unlisted, ...references.missing].slice(0, 100),
  };
  const exceeded = Object.keys(PAGED_LIMITS) as Array<keyof typeof PAGED_LIMITS>;
  const limit = exceeded.find((name) => found[name].length > PAGED_LIMITS[name]);
  return limit ? { exceeded: limit } : found;
}

/** Shows page numbers, in the order of the references. */
export function showReferences(numbers: string[]): null {
  references?.show(numbers);
  return null;
}

/** Replaces the rules by which margin boxes show what belongs to each page. */
export function setMarginRules(css: string): null {
  margins.undo();
  adoptStyles(css, margins);
  return null;
}

/** Declares as custom properties what Chromium ignores in style attributes. */
function readStyleAttributes(): void {
  for (const element of select('[style*="string-set"], [style*="bookmark-"], [style*="running("]'))
    for (const [, name = '', value = ''] of (readAttribute(element, 'style') ?? '').matchAll(INLINE))
      changes.setStyle(element, `--platen-${name}`, value);
}

function select(selector: string): HTMLElement[] {
  return [...call(document, 'querySelectorAll', selector)] as HTMLElement[];
}

function readStrings(element: HTMLElement, snapshot: Snapshot | undefined, destinations: Destinations): PagedElements['strings'] {
  const value = readProperty(element, '--platen-string-set');
  if (!value || value === 'none') return [];
  const spaceAbove = findSpaceAbove(element);
  return splitList(value).flatMap((item) => {
    const [first, ...parts] = parseContent(item);
    if (first?.kind !== 'word' || first.text.length > MAX_NAME) return [];
    return [{ name: first.text, value: contentText(parts, element, snapshot), at: destinations.mark(element), spaceAbove }];
  });
}

function readNumbers(destinations: Destinations): PagedElements['numbers'] {
  return findStyled(/counter-(?:re)?set/, 'counter-').flatMap((element) =>
    (['counter-reset', 'counter-set'] as const).flatMap((property) => {
      const change = NUMBER_CHANGE.exec(readProperty(element, property));
      if (!change || !call(element, 'checkVisibility')) return [];
      const isReset = property === 'counter-reset';
      return [{ at: destinations.mark(element), number: withinLimit(Number(change[1] ?? 0)), isReset }];
    }),
  );
}

function withinLimit(number: number): number {
  return Math.max(-MAX_PAGE_NUMBER, Math.min(number, MAX_PAGE_NUMBER));
}

/** Elements with another page name than the one around them, and what follows them. */
function readPageNames(destinations: Destinations): PagedElements['names'] {
  const names = new Map<Element, { name: string; isForced: boolean }>();
  for (const element of findStyled(/(?:^|[\s;])page\s*:/, 'page:')) {
    if (!call(element, 'checkVisibility') || readProperty(element, 'page') === 'auto') continue;
    names.set(element, { name: nameOf(element), isForced: isBreakForced(element) });
    const after = findAfter(element);
    if (after && !names.has(after)) names.set(after, { name: nameOf(after), isForced: false });
  }
  return Array.from(names, ([element, begins]) => ({ at: destinations.mark(element), ...begins }));
}

/** Elements with a level, and, if there are any, the headings without one. */
function findBookmarked(): HTMLElement[] {
  const styled = findStyled(/--platen-bookmark/);
  if (!styled.length) return [];
  const all = new Set([...styled, ...select('h1, h2, h3, h4, h5, h6')]);
  return select('*').filter((each) => all.has(each) && call(each, 'checkVisibility'));
}

function readBookmark(
  element: HTMLElement,
  snapshot: Snapshot | undefined,
  destinations: Destinations,
): PagedElements['bookmarks'] {
  const [, digit] = /^h([1-6])$/.exec(readName(element)) ?? [];
  const level = readProperty(element, '--platen-bookmark-level') || digit || '';
  const written = readProperty(element, '--platen-bookmark-label') || 'content()';
  const label = contentText(parseContent(written), element, snapshot);
  if (!LEVEL.test(level) || !label) return [];
  const isClosed = readProperty(element, '--platen-bookmark-state') === 'closed';
  return [{ at: destinations.mark(element), level: Number(level), label, isClosed }];
}
