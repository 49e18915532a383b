/** Finds content that a print leaves out: the content of closed `details` elements, and links that lead nowhere. */

import type { LostContent } from '../../contract/inspection.ts';
import { MAX_LOST_LINKS, MAX_LOST_URL } from '../../contract/limits.ts';
import { apply } from '../../dom/built-ins.ts';
import { elementName } from '../../dom/names.ts';
import { selectIn } from '../../dom/roots.ts';
import { decodeFragment } from '../decode-fragment.ts';

const { querySelector } = Document.prototype;
const CLOSED = 'details:not([open])';
const TO_ELEMENT = 'a[href^="#"]:not([href="#"])';
/** Closed elements, and links whose URLs may be relative or name an element. */
const CANDIDATES = `${CLOSED}, ${TO_ELEMENT}, a[href]${['#', 'http:', 'https:', 'mailto:', 'tel:'].map((start) => `:not([href^="${start}"])`).join('')}`;

/** Whether there is anything to look at. It is asked of every document, so that most need no isolated world. */
export function mayLoseContent(): boolean {
  return apply(querySelector, document, [CANDIDATES]) !== null;
}

/** Whether `findLostContent` may find any. Asked of a document without scripts, which may be hidden: no layout is needed. */
export function mayHaveLost(): boolean {
  return apply(querySelector, document, [CLOSED]) !== null || findLostLinks(() => true).length > 0;
}

export function findLostContent(): LostContent {
  const closed = [...selectIn<HTMLDetailsElement>(document, CLOSED)].filter(hidesContent);
  const [first] = closed;
  return { ...(first && { closed: { element: elementName(first), count: closed.length } }), links: findLostLinks(isShown) };
}

function hidesContent(details: HTMLDetailsElement): boolean {
  const isHidden = getComputedStyle(details, '::details-content').getPropertyValue('content-visibility') === 'hidden';
  const summary = details.querySelector(':scope > summary')?.textContent.trim() ?? '';
  return isHidden && details.checkVisibility() && details.textContent.trim() !== summary;
}

function findLostLinks(isListed: (link: Element) => boolean): LostContent['links'] {
  const lost = new Map<string, string>();
  const anchors = new Set(Array.from(selectIn(document, 'a[name]'), (anchor) => anchor.getAttribute('name')));
  for (const link of selectIn(document, 'a[href]')) {
    if (lost.size >= MAX_LOST_LINKS) break;
    const written = (link.getAttribute('href') ?? '').trim();
    const url = written.slice(0, MAX_LOST_URL).toWellFormed();
    if (!url || lost.has(url)) continue;
    const isKept = url.startsWith('#') ? hasTarget(written.slice(1), anchors) : URL.canParse(url, document.baseURI);
    if (!isKept && isListed(link)) lost.set(url, elementName(link));
  }
  return Array.from(lost, ([url, element]) => ({ url, element }));
}

/** Chromium prints links to elements only if they are there. The top of a document needs none. */
function hasTarget(fragment: string, anchors: ReadonlySet<string | null>): boolean {
  const names = [fragment, decodeFragment(fragment)];
  const isTop = ['', 'top'].includes(fragment.toLowerCase());
  return isTop || names.some((name) => document.getElementById(name) !== null || anchors.has(name));
}

function isShown(link: Element): boolean {
  return link.checkVisibility() && [...link.getClientRects()].some(({ width, height }) => width > 0 && height > 0);
}
