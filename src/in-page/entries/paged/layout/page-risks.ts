/** Finds what may look wrong at the ends of pages, and places links that tell whether it does. */
import type { PageRisk } from '../../../contract/layout.ts';
import { MAX_PAGE_RISKS } from '../../../contract/limits.ts';
import { isMatch } from '../../../dom/built-ins.ts';
import { Changes } from '../../../dom/changes.ts';
import { elementName } from '../../../dom/names.ts';
import { isElement, matches, measureBox, read } from '../../../dom/nodes.ts';
import { createPageProbe, createProbe, createStaticProbe, Probes } from '../../../dom/probes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { isShown } from '../../../dom/visibility.ts';
import { isPolyfilled } from '../../polyfilled.ts';
import { findBeginning, findInFlow, findStart, isBeside, isBox, readCauses } from './break-causes.ts';
import { findIgnoredBreaks, selectByRules } from './ignored-breaks.ts';
import { isFixed, measureFrom } from './inner-links.ts';

type Styled = HTMLElement | SVGElement;

/** `next` is what a heading belongs to. */
interface Found extends Pick<PageRisk, 'kind'> {
  element: Styled;
  reason?: string;
  next?: Styled;
}

/** A heading farther above what follows is that of a page of its own. */
const NEAR_PX = 100;
/** The part of a page that a box must have to be cut, or not to be a header. The heights of pages may differ. */
const [TALL, LOW] = [0.6, 0.4];
const OPAQUE = /^rgb\(|, (?:1|0?\.[5-9]\d*)\)$/;

const changes = new Changes();

/** Whether there is anything for `findPageRisks`. It is asked of many documents, so that most need no isolated world. */
export function mayHavePageRisks(heightPx: number): boolean {
  return findRisks(heightPx).length > 0;
}

/** Links to `KEY:risk-N` are over the elements, and links to `KEY:risk-N-next` at what follows headings. */
export function findPageRisks(key: string, heightPx: number): PageRisk[] {
  const found = findRisks(heightPx).slice(0, MAX_PAGE_RISKS);
  if (!found.length) return [];
  const probes = new Probes(changes);
  probes.add(createPageProbe(`${key}:pages`));
  const inner = found.map((each, number) => addLinks(each, `${key}:risk-${number}`, probes));
  probes.place();
  return found.map(({ kind, element, reason = '' }, number) => {
    const link = inner[number];
    return { kind, element: elementName(element), reason, fromLink: link ? measureFrom(link, element) : null };
  });
}

/** Returns a link that is in the element, and not at its edge. */
function addLinks({ kind, element, next }: Found, href: string, probes: Probes): Element | undefined {
  if (next) addLink(next, `${href}-next`, 'start', probes);
  if (kind === 'content_covered') {
    const link = createStaticProbe(href);
    changes.append(element, link);
    return link;
  }
  if (matches(element, 'br')) insertBefore(element, createStaticProbe(href));
  else addLink(element, href, kind === 'box_cut' ? 'box' : 'start', probes);
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

function addLink(element: Styled, href: string, place: 'box' | 'start', probes: Probes): void {
  const name = `--${href.replace(':', '-')}`;
  probes.nameAnchor(element, name);
  probes.add(createProbe(href, name, place));
}

function findRisks(heightPx: number): Found[] {
  if (isPolyfilled()) return []; // its pages are those of the script
  const { scrollHeight } = read(document, 'documentElement');
  const ofPages = () => [...findHeadings(heightPx), ...findTallPictures(heightPx), ...findCovers(heightPx)];
  return [...findIgnored(), ...(scrollHeight > heightPx ? ofPages() : [])];
}

function findIgnored(): Found[] {
  return findIgnoredBreaks().map(({ element, reason }) => ({ kind: 'break_ignored', element, reason }));
}

/** A heading in the upper half of the first page is not at the end of a page. */
function findHeadings(heightPx: number): Found[] {
  return [...selectIn<HTMLElement>(document, 'h1, h2, h3, h4, h5, h6')].flatMap((element) => {
    const next =
      measureBox(element).top > heightPx / 2 && isBox(element) && read(element, 'textContent')?.trim()
        ? findNext(element)
        : undefined;
    return next ? [{ kind: 'heading_alone' as const, element, next }] : [];
  });
}

/** Returns the box with the text below a heading, unless it is far below or a break is forced between them. */
function findNext(heading: Element): Styled | undefined {
  for (let at: Element | null = heading; at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    if (isBeside(at) || isMatch(/absolute|fixed/, getComputedStyle(at).position)) return undefined;
    const next = findInFlow(read(at, 'nextSibling'), 'nextSibling');
    if (next) return isElement(next) ? findFollower(next, heading) : undefined;
  }
  return undefined;
}

function findFollower(next: Element, heading: Element): Styled | undefined {
  const first = findBeginning(next).boxes.at(-1) ?? next;
  const distance = measureBox(first).top - measureBox(heading).bottom;
  return distance < NEAR_PX && !readCauses(next, findStart(next)).isForced ? (first as Styled) : undefined;
}

function findTallPictures(heightPx: number): Found[] {
  const pictures = [...selectIn<Styled>(document, 'img, svg, canvas, video')];
  return pictures
    .filter((each) => measureBox(each).height > heightPx * TALL && isShown(each) && !isFixed(each))
    .map((element) => ({ kind: 'box_cut', element }));
}

/** Finds fixed boxes, which are on every page, whose text or background is above what is there. */
function findCovers(heightPx: number): Found[] {
  const fixed = selectByRules((style) => style.position === 'fixed', '[style*="fixed"]') as HTMLElement[];
  return fixed
    .filter((each) => matches(each, ':not(img, svg, canvas, input)') && covers(each) && !hasRoomFor(each, heightPx))
    .map((element) => ({ kind: 'content_covered', element }));
}

function covers(element: Element): boolean {
  const { position, zIndex, opacity, transform, rotate, pointerEvents, backgroundColor } = getComputedStyle(element);
  const isAbove = position === 'fixed' && !(Number(zIndex) < 0) && isShown(element);
  const isStamp = Number(opacity) < 0.5 || transform !== 'none' || rotate !== 'none' || pointerEvents === 'none';
  return isAbove && !isStamp && (Boolean(read(element, 'textContent')?.trim()) || isMatch(OPAQUE, backgroundColor));
}

/** Whether the box is as large as a page, or repeated rows or repeated paddings keep free what it covers. */
function hasRoomFor(element: Element, heightPx: number): boolean {
  const { height } = measureBox(element);
  const rows = [...selectIn<HTMLElement>(document, 'thead, tfoot')].some((group) => measureBox(group).height >= height * 0.8);
  const clones = selectByRules((style) => style.getPropertyValue('-webkit-box-decoration-break') === 'clone', '[style*="clone"]');
  return !height || height > heightPx * LOW || rows || clones.length > 0;
}
