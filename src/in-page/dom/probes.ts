/**
 * Links that tell where elements are in a PDF: Chromium writes the rectangle of a link on every page on which it is, and the service takes
 * the links out again.
 */
import { adoptStyles } from './adopt-styles.ts';
import type { Changes } from './changes.ts';
import { createHtml, setLook } from './create-html.ts';
import { read } from './nodes.ts';

/** More specific than most rules for links. */
const LINK = 'a[data-platen-link][data-platen-link][data-platen-link]';

/** Where a link is placed: over the whole box, or at its upper or lower edge, which are exact also where the box is divided. */
const PLACES = {
  box: { top: 'anchor(top)', left: 'anchor(left)', width: 'anchor-size(width)', height: 'anchor-size(height)' },
  start: { top: 'anchor(top)', left: 'anchor(left)', width: 'anchor-size(width)', height: '1px' },
  end: { top: 'calc(anchor(bottom) - 1px)', left: 'anchor(left)', width: 'anchor-size(width)', height: '1px' },
} as const;

export type ProbePlace = keyof typeof PLACES;

/** Rules without which the styles of a document may show something of a link. */
const PROBE_RULES = `${LINK}::before, ${LINK}::after { content: none !important }`;

/** An element for links, which is appended after the body, where they affect neither the layout nor most selectors. */
export class Probes {
  readonly #changes: Changes;
  readonly #holder = createHtml('div');
  readonly #anchors = new Map<HTMLElement | SVGElement, string[]>();

  constructor(changes: Changes) {
    this.#changes = changes;
    this.#holder.setAttribute('aria-hidden', 'true');
    setLook(this.#holder, { all: 'initial', display: 'contents' }); // a box after pages with a name would begin a page
  }

  add(...links: Element[]): void {
    this.#holder.append(...links);
  }

  /** Names an element, so that links can be placed over it. */
  nameAnchor(element: HTMLElement | SVGElement, name: string): void {
    const names = this.#anchors.get(element);
    if (names) names.push(name);
    else this.#anchors.set(element, [name]);
  }

  /** Adds all to the document at once: with links in it, each look at a style would lay it out again. Returns the element. */
  place(): HTMLElement {
    const named = [...this.#anchors].map(([element, names]) => ({ element, value: anchorNames(element, ...names) }));
    for (const { element, value } of named) this.#changes.setStyle(element, 'anchor-name', value);
    adoptStyles(PROBE_RULES, this.#changes);
    this.#changes.append(read(document, 'documentElement'), this.#holder);
    return this.#holder;
  }
}

/** The names of an element as an anchor, with more. */
export function anchorNames(element: Element, ...names: string[]): string {
  const own = getComputedStyle(element).getPropertyValue('anchor-name');
  return [...(own && own !== 'none' ? [own] : []), ...names].join(', ');
}

/** Creates a link that lies over the element with the name as an anchor. */
export function createProbe(href: string, anchor: string, place: ProbePlace = 'box'): HTMLElement {
  // By default, a link whose anchor is clipped may be hidden.
  return createLink({ 'position-anchor': anchor, 'position-visibility': 'always', ...PLACES[place] }, href);
}

/**
 * Creates a link that fills the box of the element around it, which must have a position. In repeated rows it is on every page. `inset`
 * tells by how much it is smaller.
 */
export function createInnerProbe(href: string, inset = '0'): HTMLElement {
  return createLink({ inset }, href);
}

/** Creates a link of this many CSS pixels at the top left corner of the document. */
export function createRuler(href: string, pixels: number): HTMLElement {
  return createLink({ top: '0', left: '0', width: `${pixels}px`, height: `${pixels}px` }, href);
}

/** Creates a link of one pixel that stays where it is inserted, and takes no room there. */
export function createStaticProbe(href: string): HTMLElement {
  return createLink({ width: '1px', height: '1px' }, href);
}

/** Creates such a link that has a tag, which tells the element of the PDF around it. */
export function createTagProbe(href: string): HTMLElement {
  const link = createStaticProbe(href);
  link.removeAttribute('aria-hidden');
  return link;
}

/**
 * Creates a box in a line that takes no room there, with a link in it. In repeated rows it is on every page. Of a link that is in the line
 * itself, Chromium writes those of all pages on each page.
 */
export function createInlineProbe(href: string): HTMLElement {
  const holder = createLink({ position: 'relative', font: 'inherit' });
  holder.append(createStaticProbe(href));
  return holder;
}

function createLink(place: Record<string, string>, href?: string): HTMLElement {
  const link = createHtml('a');
  link.setAttribute('data-platen-link', '');
  link.setAttribute('aria-hidden', 'true');
  if (href !== undefined) link.setAttribute('href', href);
  setLook(link, { all: 'initial', position: 'absolute', ...place });
  return link;
}
