/** Finds out why a document cannot be shown in parts: its blocks in, what forbids it out. */

import { read } from '../../../dom/nodes.ts';
import { type AnyRule, allRules, RULE_TYPES } from '../../../dom/rules.ts';
import type { LongBlocks } from './long-blocks.ts';

const COUNTED = 'CSS counters';
const COUNTERS = /counter-(?:increment|reset|set)/;
const LOOKS_INSIDE = /:(?:has|empty)\b/;
const OUT_OF_FLOW = /position:\s*(?:fixed|absolute)/;
const NUMBER_OF_PAGES = /counters?\(\s*pages\b/;
const OF_SIDE = /:(?:left|right)\b/;
const BREAK_TO_SIDE = /(?:break-(?:before|after)):\s*(?:left|right|recto|verso)\b/;
const BROKEN_TO_SIDES = ['left', 'right', 'recto', 'verso'].map((side) => `[style*=break-][style*=${side}]`).join(', ');
const WITH_STYLE = ['fixed', 'absolute'].map((position) => `[style*=${position}]`);
/** Chromium writes URLs with quotes. */
const PICTURE = /url\("([^"]+)"\)/g;
const MAX_PICTURES = 1_000;
/** Elements with a position of their own that are looked at. */
const MAX_POSITIONED = 5_000;
const OPEN_DISPLAYS = ['block', 'flow-root', 'list-item', 'table', 'table-row-group'];

interface DocumentStyles {
  /** What forbids to show the document in parts. Empty if nothing does. */
  reason: string;
  /** They match elements that may have a position of their own. */
  selectors: Set<string>;
  /** The absolute URLs of pictures in backgrounds, borders and the like. */
  pictures: Set<string>;
  /** Whether page margins show the number of pages. */
  countsPages: boolean;
  /** Whether pages depend on their side. */
  hasSides: boolean;
  /** Whether selectors depend on what is in the elements that they match. */
  looksInside: boolean;
}

/** Reads what the style sheets of the document say about its layout. */
export function readDocumentStyles(): DocumentStyles {
  const styles: DocumentStyles = {
    reason: '',
    selectors: new Set(WITH_STYLE),
    pictures: new Set(),
    countsPages: false,
    hasSides: document.querySelector(BROKEN_TO_SIDES) !== null,
    looksInside: false,
  };
  try {
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets])
      for (const rule of allRules(sheet)) readRule(rule, styles);
    for (const { style } of document.querySelectorAll<HTMLElement>('[style*="url("]')) addPictures(style, null, styles);
  } catch {
    styles.reason = 'style sheets of other origins';
  }
  if (document.querySelector('[style*=counter-]')) styles.reason = COUNTED;
  return styles;
}

function readRule({ type, selectorText, style, cssText, parentStyleSheet }: AnyRule, styles: DocumentStyles): void {
  if (type === RULE_TYPES.page) {
    styles.countsPages ||= NUMBER_OF_PAGES.test(cssText);
    styles.hasSides ||= OF_SIDE.test(cssText);
  }
  if (type !== RULE_TYPES.style || !style) return;
  if (selectorText && LOOKS_INSIDE.test(selectorText)) styles.looksInside = true;
  styles.hasSides ||= BREAK_TO_SIDE.test(style.cssText);
  if (COUNTERS.test(style.cssText)) styles.reason = COUNTED;
  addPictures(style, parentStyleSheet, styles);
  if (OUT_OF_FLOW.test(style.cssText) && selectorText) styles.selectors.add(selectorText.replace(/::[-\w]+/g, ''));
}

function addPictures({ cssText }: CSSStyleDeclaration, sheet: CSSStyleSheet | null, { pictures }: DocumentStyles): void {
  for (const [, address = ''] of cssText.matchAll(PICTURE)) {
    const url = URL.parse(address, sheet?.href ?? document.baseURI);
    if (url && pictures.size < MAX_PICTURES) pictures.add(url.href);
  }
}

/** Returns the blocks that are on every page, or undefined if another element has a position outside its block. */
export function findPinned({ blocks }: LongBlocks, selectors: ReadonlySet<string>): Set<HTMLElement> | undefined {
  const positioned = [...document.querySelectorAll<HTMLElement>([...selectors].join(', '))];
  if (positioned.length > MAX_POSITIONED) return undefined;
  const known = new Set(positioned.length ? blocks : []);
  const pinned = new Set<HTMLElement>();
  for (const element of positioned) {
    const { position } = getComputedStyle(element);
    if (position === 'fixed' && known.has(element) && read(element, 'parentElement') === document.body) pinned.add(element);
    else if (position === 'fixed' || (position === 'absolute' && !isWithinBlock(element, known))) return undefined;
  }
  return pinned;
}

/** Whether the box that an element is placed in belongs to the same block. */
function isWithinBlock(element: HTMLElement, known: ReadonlySet<HTMLElement>): boolean {
  for (let around: HTMLElement | null = element; around && !known.has(around); ) {
    around = read(around, 'parentElement');
    if (around && getComputedStyle(around).position !== 'static') return true;
  }
  return false;
}

/** Whether an element around blocks lays them out below each other, and may break between them. */
export function isOpenInFlow(element: HTMLElement): boolean {
  const { display, columnCount, columnWidth, float, position, writingMode } = getComputedStyle(element);
  const isInFlow = float === 'none' && (position === 'static' || position === 'relative');
  const hasColumns = columnCount !== 'auto' || columnWidth !== 'auto';
  return OPEN_DISPLAYS.includes(display) && isInFlow && !hasColumns && writingMode === 'horizontal-tb';
}
