/** Finds content that a print leaves out: the content of closed `details` elements, and links that lead nowhere. */

import type { LostContent } from '../../contract/inspection.ts';
import { MAX_LOST_LINKS, MAX_LOST_URL } from '../../contract/limits.ts';
import { apply } from '../../dom/built-ins.ts';
import { decodeFragment } from '../../dom/decode-fragment.ts';
import { elementName } from '../../dom/names.ts';
import { selectIn } from '../../dom/roots.ts';

const { querySelector } = Document.prototype;
const TO_ELEMENT = 'a[href^="#"]:not([href="#"])';
/** Closed elements, and links whose URLs may be relative or name an element. */
const CANDIDATES = `details:not([open]), ${TO_ELEMENT}, a[href]${['#', 'http:', 'https:', 'mailto:', 'tel:'].map((start) => `:not([href^="${start}"])`).join('')}`;

/** Whether there is anything to look at. It is asked of every document, so that most need no isolated world. */
export function mayLoseContent(): boolean {
  return apply(querySelector, document, [CANDIDATES]) !== null;
}

export function findLostContent(): LostContent {
  const closed = [...selectIn<HTMLDetailsElement>(document, 'details:not([open])')].filter(hidesContent);
  const [first] = closed;
  return { ...(first && { closed: { element: elementName(first), count: closed.length } }), links: findLostLinks() };
}

function hidesContent(details: HTMLDetailsElement): boolean {
  const isHidden = getComputedStyle(details, '::details-content').getPropertyValue('content-visibility') === 'hidden';
  const summary = details.querySelector(':scope > summary')?.textContent.trim() ?? '';
  return isHidden && details.checkVisibility() && details.textContent.trim() !== summary;
}

function findLostLinks(): LostContent['links'] {
  const lost = new Map<string, string>();
  for (const link of selectIn(document, 'a[href]')) {
    if (lost.size >= MAX_LOST_LINKS) break;
    const url = (link.getAttribute('href') ?? '').trim().slice(0, MAX_LOST_URL).toWellFormed();
    if (!url || lost.has(url) || (url.startsWith('#') ? hasTarget(url.slice(1)) : URL.canParse(url, document.baseURI))) continue;
    if (isShown(link)) lost.set(url, elementName(link));
  }
  return Array.from(lost, ([url, element]) => ({ url, element }));
}

/** Chromium prints links to elements only if they are there. The top of a document needs none. */
function hasTarget(fragment: string): boolean {
  const names = [fragment, decodeFragment(fragment)];
  return ['', 'top'].includes(fragment.toLowerCase()) || names.some((name) => findTarget(name) !== null);
}

function findTarget(name: string): Element | null {
  return document.getElementById(name) ?? document.querySelector(`a[name="${CSS.escape(name)}"]`);
}

function isShown(link: Element): boolean {
  return link.checkVisibility() && [...link.getClientRects()].some(({ width, height }) => width > 0 && height > 0);
}
