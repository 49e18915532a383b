/** Finds what may look wrong on pages, and places links that tell whether it does. */
import type { PageRisk } from '../../../contract/layout.ts';
import { MAX_PAGE_RISKS } from '../../../contract/limits.ts';
import { Changes } from '../../../dom/changes.ts';
import { Destinations, mayBeNamed } from '../../../dom/destinations.ts';
import { elementName } from '../../../dom/names.ts';
import { matches, read } from '../../../dom/nodes.ts';
import { createProbe, createStaticProbe, type ProbePlace, Probes } from '../../../dom/probes.ts';
import { isPolyfilled } from '../../polyfilled.ts';
import { findStyled, type StyledElement } from '../styled-elements.ts';
import type { CoveredText } from './covered-text.ts';
import { type AbsoluteCover, findAbsoluteCovers, findFixedCovers } from './covers.ts';
import { findHeadings } from './headings.ts';
import { findDivisible, findIgnoredBreaks, findSeparable } from './ignored-breaks.ts';
import { measureFrom } from './inner-links.ts';
import { findUnkeptHeadings, mayBreakBadly } from './page-ends.ts';
import { findDiagrams, findTallInlines, findTallPictures } from './pictures.ts';

type Styled = HTMLElement | SVGElement;

/** `next` is what belongs to the element and follows it. */
interface Found extends Pick<PageRisk, 'kind'>, Partial<Pick<AbsoluteCover, 'paints' | 'texts'>> {
  element: Styled;
  reason?: string;
  next?: Styled;
}

/** Where the links are that tell whether it is so. All others are at the beginning, which takes half the time. */
const PLACES: Partial<Record<PageRisk['kind'], ProbePlace>> = {
  box_divided: 'box',
  picture_cut: 'box',
  text_cut: 'box',
};

/** A link takes more of the print than a destination. */
const MAX_LINKED = 100;

const changes = new Changes();

/**
 * Finds what styles tell of a document that may be hidden: headings that may be alone at the end of a page. Null if they do not tell all,
 * and `findPageRisks` must be asked.
 */
export function findPageEnds(key: string, heightPx: number): PageRisk[] | null {
  const headings = mayBreakBadly(findRiskyStyles(), heightPx) ? undefined : findUnkeptHeadings();
  return headings ? place(headings.slice(0, MAX_PAGE_RISKS).map(ofKind('heading_alone')), key) : null;
}

/** Whether there is anything for `findPageRisks`. It is asked of many documents, so that most need no isolated world. */
export function mayHavePageRisks(heightPx: number): boolean {
  return findRisks(heightPx).length > 0;
}

/**
 * Links to `KEY:risk-N` are over the elements, links to `KEY:risk-N-next` at what belongs to them, and links to `KEY:risk-N-text-M` over
 * what may be below them. Some have destinations instead, which cost nothing. Their names begin with `KEYrisk`, or are ids of the document.
 */
export function findPageRisks(key: string, heightPx: number): PageRisk[] {
  return place(findRisks(heightPx).slice(0, MAX_LINKED), key);
}

function place(found: readonly Found[], key: string): PageRisk[] {
  if (!found.length) return [];
  const probes = new Probes(changes);
  const named = found.map(({ element, next }) => (next && mayBeNamed(element) && mayBeNamed(next) ? [element, next] : null));
  const destinations = new Destinations(`${key}risk`, changes);
  const inner = found.map((each, number) => (named[number] ? undefined : addLinks(each, `${key}:risk-${number}`, probes)));
  probes.place();
  return found.map(({ kind, element, reason = '', paints = [], texts = [] }, number) => {
    const link = inner[number];
    const fromMark = link ? measureFrom(link, element) : null;
    const [own, following] = named[number] ?? [];
    return {
      kind,
      element: elementName(element),
      reason,
      destinations: own && following ? [destinations.mark(own), destinations.mark(following)] : null,
      fromMark,
      paints,
      texts: texts.map(nameText),
    };
  });
}

function nameText({ element, heightPx, lines }: CoveredText): PageRisk['texts'][number] {
  return { element: elementName(element), heightPx, lines };
}

/** Returns a link that is in the element, and not at its edge. */
function addLinks({ kind, element, next, texts = [] }: Found, href: string, probes: Probes): Element | undefined {
  if (next) addLink(next, `${href}-next`, 'start', probes);
  for (const [number, text] of texts.entries()) addLink(text.element, `${href}-text-${number}`, 'start', probes);
  if (kind === 'page_covered') {
    const link = createStaticProbe(href);
    changes.append(element, link);
    return link;
  }
  if (matches(element, 'br')) insertBefore(element, createStaticProbe(href));
  else addLink(element, href, PLACES[kind] ?? 'start', probes);
  return undefined;
}

export function removeRiskLinks(): null {
  changes.undo();
  return null;
}

/** A line break has no box that could be an anchor. */
function insertBefore(element: Styled, link: Element): void {
  element.before(link);
  changes.add(() => link.remove());
}

function addLink(element: Styled, href: string, place: ProbePlace, probes: Probes): void {
  const name = `--${href.replace(':', '-')}`;
  probes.nameAnchor(element, name);
  probes.add(createProbe(href, name, place));
}

function findRisks(heightPx: number): Found[] {
  if (isPolyfilled()) return []; // its pages are those of the script
  const styled = findRiskyStyles();
  const { scrollHeight } = read(document, 'documentElement');
  return [
    ...findIgnoredBreaks(styled).map(ofKind('break_ignored')),
    ...(scrollHeight > heightPx ? findRisksOfPages(styled, heightPx) : []),
    ...findAbsoluteCovers(styled, heightPx).map(ofKind('text_covered')),
  ];
}

function findRiskyStyles(): StyledElement[] {
  return findStyled(declaresRisk, 'break-', 'absolute', 'fixed').map(withStyle);
}

function declaresRisk({ breakBefore, breakAfter, breakInside, position }: CSSStyleDeclaration): boolean {
  return breakBefore !== '' || breakAfter !== '' || breakInside !== '' || position === 'absolute' || position === 'fixed';
}

function withStyle(element: HTMLElement): StyledElement {
  return { element, style: getComputedStyle(element) };
}

function ofKind(kind: PageRisk['kind']): (found: Omit<Found, 'kind'>) => Found {
  return (found) => ({ ...found, kind });
}

/** What only a document of several pages may have. */
function findRisksOfPages(styled: readonly StyledElement[], heightPx: number): Found[] {
  const separable = findSeparable(styled);
  const kept = new Set<Element>(separable.map(({ element }) => element)); // with a better reason
  return [
    ...findDivisible(styled, heightPx).map(ofKind('box_divided')),
    ...separable.map(ofKind('box_separated')),
    ...findHeadings(heightPx)
      .filter(({ element }) => !kept.has(element))
      .map(ofKind('heading_alone')),
    ...findTallPictures(heightPx).map((element): Found => ({ kind: 'picture_cut', element })),
    ...findTallInlines(heightPx).map((element): Found => ({ kind: 'text_cut', element })),
    ...findDiagrams(styled, heightPx).map(ofKind('diagram_cut')),
    ...findFixedCovers(styled, heightPx).map((element): Found => ({ kind: 'page_covered', element })),
  ];
}
