/**
 * Footnotes (css-gcpm-3, 2): each leaves the text, where its call stays, and the overlay paints it at the bottom of the page of the call,
 * in room that all pages reserve.
 */
import { MAX_FOOTNOTES, type PagedFootnote } from '../../contract/paged.ts';
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { removeCover } from '../../dom/cover.ts';
import { createHtml, setLook } from '../../dom/create-html.ts';
import { Destinations } from '../../dom/destinations.ts';
import { call, measureBox, read, readAttribute } from '../../dom/nodes.ts';
import { computeCounters } from './counters.ts';
import { fillBox, registerPainter, withStyle, wrapLike } from './overlay.ts';
import { findStyled, readProperty } from './styled-elements.ts';

/** Rules of documents precede those in a layer. */
const RULES = `@property --platen-float { syntax: "*"; inherits: false }
@property --platen-footnote-display { syntax: "*"; inherits: false }
@layer platen-notes {
  :root { counter-reset: footnote }
  platen-call { counter-increment: footnote }
  platen-call::before { content: counter(footnote); vertical-align: super; font-size: 65%; line-height: 0 }
  platen-marker::before { content: counter(footnote) ". " }
  platen-notes { display: block; margin-top: 6pt; border-top: 0.5pt solid; padding-top: 3pt; font-size: 0.85em }
}`;
const DISPLAYS: Record<string, string> = { inline: 'inline', compact: 'inline' };

const INLINE = /(?:^|;)\s*float\s*:\s*footnote\b/i;

interface Footnote {
  element: HTMLElement;
  number: number;
  display: string;
}

const changes = new Changes();
const reserve = new Changes();
let footnotes: Footnote[] = [];

/** Puts a call in the place of each footnote. Returns null if there are too many. */
export function takeFootnotes(key: string): PagedFootnote[] | null {
  removeCover();
  adoptStyles(RULES, changes);
  const elements = findStyled(/--platen-float/, 'footnote').filter(isFootnote);
  if (elements.length > MAX_FOOTNOTES) return null;
  const calls = elements.map((element) => {
    const sign = createHtml('platen-call');
    call(element, 'before', sign);
    return sign;
  });
  const counters = computeCounters(new Set(calls));
  const destinations = new Destinations(key, changes);
  const signs = new Map(elements.map((element, n): [Element, HTMLElement] => [element, calls[n] as HTMLElement]));
  footnotes = elements.map((element, n) => {
    const { display } = getComputedStyle(element);
    const asked = DISPLAYS[readProperty(element, '--platen-footnote-display')] ?? (display === 'inline' ? 'block' : display);
    return {
      element,
      number:
        counters
          .get(calls[n] as HTMLElement)
          ?.get('footnote')
          ?.at(-1) ?? n + 1,
      display: asked,
    };
  });
  for (const { element } of footnotes) {
    call(element, 'prepend', createHtml('platen-marker'));
    changes.setStyle(element, 'display', 'none');
  }
  registerPainter('notes', (box) => {
    const place = createHtml('platen-margin');
    place.append(createArea((box.texts.notes ?? '').split(',').map(Number)));
    setLook(place, { display: 'grid', 'align-content': 'end' });
    return fillBox(place, box);
  });
  return calls.map((sign, n) => ({ at: destinations.mark(outermost(sign, signs)), number: footnotes[n]?.number ?? 0 }));
}

/** The call that is in the text: a footnote of a footnote is on the page of that. */
function outermost(sign: HTMLElement, calls: ReadonlyMap<Element, HTMLElement>): Element {
  let shown: Element = sign;
  for (let around = read(sign, 'parentElement'); around; around = read(around, 'parentElement'))
    shown = calls.get(around) ?? shown;
  return shown;
}

/** By a style sheet, or by a style attribute, of which Chromium drops it. */
function isFootnote(element: HTMLElement): boolean {
  return readProperty(element, '--platen-float') === 'footnote' || INLINE.test(readAttribute(element, 'style') ?? '');
}

/** The height in CSS pixels of each group of footnotes on a page of this width. */
export function measureFootnotes(widthPx: number, groups: number[][]): number[] {
  const root = read(document, 'documentElement') as HTMLElement;
  return groups.map((numbers) => {
    const place = createHtml('platen-margin');
    setLook(place, { display: 'flow-root', position: 'absolute', visibility: 'hidden', width: `${widthPx}px` });
    place.append(createArea(numbers));
    root.append(place);
    const { height } = measureBox(place);
    place.remove();
    return height;
  });
}

/** Reserves room at the bottom of all pages. */
export function reserveFootnotes(heightPx: number): null {
  reserve.undo();
  adoptStyles(`@page { padding-bottom: ${heightPx}px }`, reserve);
  return null;
}

function createArea(numbers: readonly number[]): HTMLElement {
  const area = createHtml('platen-notes');
  for (const n of numbers) {
    const { element, number, display } = footnotes[n] as Footnote;
    const copy = withStyle(call(element, 'cloneNode', true) as HTMLElement, element);
    setLook(copy, { display, float: 'none', 'counter-set': `footnote ${number}` });
    area.append(wrapLike(copy, read(element, 'parentElement')), ' ');
  }
  return area;
}
