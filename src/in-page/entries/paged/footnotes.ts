/**
 * Footnotes (css-gcpm-3, 2): each leaves the text, where its call stays, and the overlay paints it at the bottom of the page of the call,
 * in room that pages reserve.
 */
import type { OverlayBox } from '../../contract/overlay.ts';
import {
  type Crowding,
  type FootnoteParts,
  MAX_FOOTNOTES,
  type MeasuredFootnotes,
  type PagedFootnote,
} from '../../contract/paged.ts';
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { createHtml, setLook } from '../../dom/create-html.ts';
import { Destinations } from '../../dom/destinations.ts';
import { call, measureBox, read, readAttribute, writeAttribute } from '../../dom/nodes.ts';
import { createTagProbe } from '../../dom/probes.ts';
import { computeCounters } from './counters.ts';
import { fillBox, registerPainter, toPixels, withStyle, wrapLike } from './overlay.ts';
import { findStyled, readProperty } from './styled-elements.ts';
import { moveZoom } from './zoom.ts';

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

/** Between the columns for the pages, so that nothing of one is seen in another. */
const PARTS_GAP = '200px';
/** Style sheets that were written when calls did not count by themselves. */
const OWN_COUNT = /(?<![\w-])footnote(?![\w-])/;
const INLINE = /(?:^|;)\s*float\s*:\s*footnote\b/i;

interface Footnote {
  element: HTMLElement;
  /** What stands in its place. */
  sign: HTMLElement;
  number: number;
  display: string;
}

const changes = new Changes();
const reserve = new Changes();
const spread = new Changes();
let footnotes: Footnote[] = [];
/** With what the names of tags begin. Empty if there are none. */
let tagKey = '';

/**
 * Puts a call in the place of each footnote. Returns null if there are too many. If the PDF is tagged, a link in each call has the name
 * that the tag of its footnote gets.
 */
export function takeFootnotes(key: string, isTagged: boolean): PagedFootnote[] | null {
  tagKey = isTagged ? key : '';
  moveZoom();
  adoptStyles(RULES, changes);
  const elements = findStyled(/--platen-float/, 'footnote').filter(isFootnote);
  if (elements.length > MAX_FOOTNOTES) return null;
  for (const element of elements)
    if (OWN_COUNT.test(getComputedStyle(element).counterIncrement)) changes.setStyle(element, 'counter-increment', 'none');
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
      sign: calls[n] as HTMLElement,
      number:
        counters
          .get(calls[n] as HTMLElement)
          ?.get('footnote')
          ?.at(-1) ?? n + 1,
      display: asked,
    };
  });
  numberFootnotes([]); // those in other footnotes are not shown in the text, where they do not count
  for (const [n, { element, sign }] of footnotes.entries()) {
    call(element, 'prepend', createHtml('platen-marker'));
    changes.setStyle(element, 'display', 'none');
    if (tagKey) call(sign, 'append', createTagProbe(`${tagKey}:${n}`));
  }
  registerPainter('notes', paintNotes);
  return calls.map((sign, n) => ({ at: destinations.mark(outermost(sign, signs)), number: footnotes[n]?.number ?? 0 }));
}

/** Gives footnotes other numbers, if there are any. */
export function numberFootnotes(numbers: number[]): null {
  for (const [n, footnote] of footnotes.entries()) {
    footnote.number = numbers[n] ?? footnote.number;
    changes.setStyle(footnote.sign, 'counter-set', `footnote ${footnote.number}`);
  }
  return null;
}

/** At the lower end of the box. Of footnotes that go on to other pages, only the part of this page is shown. */
function paintNotes(box: OverlayBox): HTMLElement {
  const place = createHtml('platen-margin');
  const { notes = '', part, height } = box.texts;
  const area = createArea(notes.split(',').map(Number));
  if (part === undefined) {
    place.append(area);
    setLook(place, { display: 'grid', 'align-content': 'end' });
    return fillBox(place, box);
  }
  const parts = divide(area, toPixels(box.width, box.scale), toPixels(box.height, box.scale));
  const left = `calc(-${part} * (100% + ${PARTS_GAP}))`;
  setLook(parts, { position: 'relative', left, top: `calc(100% - ${height}px)` });
  place.append(parts);
  setLook(place, { display: 'block', overflow: 'clip' });
  return fillBox(place, box);
}

/** Lays footnotes out in columns of this size, one for each page on which they are. */
function divide(area: HTMLElement, width: string, height: string): HTMLElement {
  const parts = createHtml('platen-margin');
  setLook(parts, { display: 'block', width, height, 'column-width': width, 'column-gap': PARTS_GAP, 'column-fill': 'auto' });
  setLook(area, { 'box-decoration-break': 'clone', '-webkit-box-decoration-break': 'clone', 'margin-top': '0' });
  parts.append(area);
  return parts;
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

/** The height in CSS pixels of each group of footnotes on a page of its width. Together, because each look lays the document out. */
export function measureFootnotes(widths: number[], groups: number[][]): number[] {
  const places = groups.map((numbers, page) => {
    const place = createHtml('platen-margin');
    setLook(place, { display: 'flow-root', position: 'absolute', visibility: 'hidden', width: `${widths[page]}px` });
    place.append(createArea(numbers));
    return place;
  });
  (read(document, 'documentElement') as HTMLElement).append(...places);
  const heights = places.map((place) => measureBox(place).height);
  for (const place of places) place.remove();
  return heights;
}

/**
 * Divides the footnotes of each page between it and the next pages, which all have so much room, in CSS pixels. What does not fit goes on
 * to the next page, before the footnotes of that.
 */
export function distributeFootnotes(measured: MeasuredFootnotes, heightPx: number): FootnoteParts[] | Crowding {
  const { groups, heights } = measured;
  const parts: FootnoteParts[] = [];
  for (let page = 0; page < groups.length; ) {
    const height = heights[page] ?? 0;
    const fitting = { page, numbers: groups[page] ?? [], heights: [height] };
    const next = height > heightPx ? divideFrom(page, measured, heightPx) : fitting;
    if (typeof next === 'string') return next;
    if (next.numbers.length) parts.push(next);
    page += next.heights.length;
  }
  return parts;
}

/** Divides the footnotes of a page, and those of the next pages until all fit, with the width of the narrowest page. */
function divideFrom(page: number, { widths, groups }: MeasuredFootnotes, heightPx: number): FootnoteParts | Crowding {
  const widthPx = Math.min(...widths);
  let numbers: number[] = [];
  for (let end = page; end < groups.length; end++) {
    numbers = [...numbers, ...(groups[end] ?? [])];
    const heights = measureParts(widthPx, heightPx, numbers);
    if (heights.some((height) => height > heightPx + 1)) return 'undivided';
    if (heights.length <= end - page + 1) return { page, numbers, heights };
  }
  return 'no room';
}

function measureParts(widthPx: number, heightPx: number, numbers: readonly number[]): number[] {
  const root = read(document, 'documentElement') as HTMLElement;
  const area = createArea(numbers);
  const parts = divide(area, `${widthPx}px`, `${heightPx}px`);
  setLook(parts, { position: 'absolute', visibility: 'hidden' });
  root.append(parts);
  const heights = Array.from(call(area, 'getClientRects'), ({ height }) => height);
  parts.remove();
  return heights;
}

/** Reserves room at the bottom of pages with these names. An empty name is that of all pages. */
export function reserveFootnotes(heightsPx: Record<string, number>): null {
  reserve.undo();
  const rules = Object.entries(heightsPx).map(([name, heightPx]) => `@page ${name} { padding-bottom: ${heightPx}px }`);
  adoptStyles(rules.join(' '), reserve);
  return null;
}

/** Makes the line of each call so much higher, at its lower end: `lh` is its own height. */
export function spreadCalls(heightsPx: number[]): null {
  spread.undo();
  for (const [n, heightPx] of heightsPx.entries()) {
    const room = createHtml('platen-room');
    setLook(room, { display: 'inline-block', width: '0', height: `calc(1lh + ${heightPx}px)`, 'vertical-align': 'top' });
    spread.append((footnotes[n] as Footnote).sign, room);
  }
  return null;
}

function createArea(numbers: readonly number[]): HTMLElement {
  const area = createHtml('platen-notes');
  for (const n of numbers) {
    const { element, number, display } = footnotes[n] as Footnote;
    const copy = withStyle(call(element, 'cloneNode', true) as HTMLElement, element);
    setLook(copy, { display, float: 'none', 'counter-set': `footnote ${number}` });
    if (tagKey) nameTag(copy, `${tagKey}:${n}`);
    area.append(wrapLike(copy, read(element, 'parentElement')), ' ');
  }
  return area;
}

/** The tag of a figure has its name. */
function nameTag(element: HTMLElement, name: string): void {
  writeAttribute(element, 'role', 'figure');
  writeAttribute(element, 'aria-label', name);
}
