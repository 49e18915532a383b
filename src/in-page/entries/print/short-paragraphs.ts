/**
 * Keeps paragraphs whole that have fewer lines than `orphans` and `widows` together. Chromium leaves as many lines on the first page as
 * `orphans` says, and fewer than `widows` on the next one.
 */
import { measureBox } from '../../dom/nodes.ts';
import { findTexts } from '../../dom/text.ts';

const FLOWS = /^(?:block|flow-root|list-item)$/;
const MAX_TEXTS = 50_000;
/** Lines of a paragraph are at most so many times as high as its font is large. */
const MAX_LINE_HEIGHT = 4;

/** Returns whether there are any. */
export function keepShortParagraphs(): boolean {
  const short = findParagraphs().filter(isShort);
  for (const each of short) each.style.setProperty('break-inside', 'avoid', 'important');
  return short.length > 0;
}

/** Blocks with text and without other such blocks in them. */
function findParagraphs(): HTMLElement[] {
  const blocks = new Set<HTMLElement>();
  const outer = new Set<Element>();
  let n = 0;
  for (const text of findTexts(document.body)) {
    if (n++ >= MAX_TEXTS) break;
    const block = text.data.trim() ? blockAround(text) : undefined;
    if (!block || blocks.has(block)) continue;
    blocks.add(block);
    for (let around = block.parentElement; around && !outer.has(around); around = around.parentElement) outer.add(around);
  }
  return [...blocks].filter((block) => !outer.has(block));
}

function blockAround(text: Text): HTMLElement | undefined {
  let around = text.parentElement;
  while (around && /^(?:inline|contents|ruby)/.test(getComputedStyle(around).display)) around = around.parentElement;
  return around ?? undefined;
}

function isShort(block: HTMLElement): boolean {
  const { display, orphans, widows, fontSize } = getComputedStyle(block);
  const least = Number(orphans) + Number(widows);
  const isHigh = measureBox(block).height > least * MAX_LINE_HEIGHT * Number.parseFloat(fontSize);
  if (!FLOWS.test(display) || least < 3 || isHigh) return false;
  const lines = countLines(block);
  return lines > 1 && lines < least;
}

function countLines(block: HTMLElement): number {
  const range = document.createRange();
  range.selectNodeContents(block);
  let [lines, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { top, bottom, width } of range.getClientRects()) {
    if (!width) continue;
    if (top >= end - (bottom - top) / 2) lines++;
    end = Math.max(end, bottom);
  }
  return lines;
}
