/** Fills the rest of lines with leaders, such as the dots of a table of contents. */
import type { Changes } from '../../dom/changes.ts';
import { createHtml } from '../../dom/create-html.ts';
import { call, measureBox, read } from '../../dom/nodes.ts';
import type { Pseudo } from './styled-elements.ts';
import { zoomOf } from './zoom.ts';

/** Generated content with a leader. */
export interface LeaderBox {
  element: HTMLElement;
  pseudo: Pseudo;
  pattern: string;
  /** The content as CSS writes it, with a text in place of the leader. */
  compositionWith(text: string): string;
  write(css: string): void;
}

const PATTERNS: Record<string, string> = { dotted: '.\u00A0', solid: '_', space: '\u00A0' };
/** The window is up to half a pixel wider than the paper. */
const SPARE_PX = 1;
const MAX_REPEATS = 1_000;
const STRINGS = /"((?:[^"\\]|\\.)*)"/g;

/** What `leader()` repeats. */
export function leaderText(argument: string): string {
  const text = PATTERNS[argument.toLowerCase()] ?? argument.replace(/^["']|["']$/g, '').replaceAll(' ', '\u00A0');
  return text || (PATTERNS.dotted as string);
}

/** Measures all before it changes any. */
export function showLeaders(boxes: readonly LeaderBox[], changes: Changes): void {
  const canvas = boxes.length ? (createHtml('canvas') as HTMLCanvasElement).getContext('2d') : null;
  if (!canvas) return;
  const measured = boxes.map((box) => ({ box, ...measureRoom(box, canvas) }));
  for (const { box, repeats, spacing } of measured) {
    box.write(box.compositionWith(`\u00A0${box.pattern.repeat(repeats)}`));
    changes.setStyle(box.element, `--platen-spacing-${box.pseudo.slice(2)}`, `${spacing}px`);
  }
}

/** How often the pattern fits into the line, and how much wider each space becomes so that the line is full. */
function measureRoom({ element, pseudo, pattern, compositionWith }: LeaderBox, canvas: CanvasRenderingContext2D) {
  const style = getComputedStyle(element, pseudo);
  canvas.font = style.font;
  if (style.letterSpacing !== 'normal') canvas.letterSpacing = style.letterSpacing;
  const text = Array.from(compositionWith('\u00A0').matchAll(STRINGS), ([, part = '']) => part).join('');
  const least = canvas.measureText(text).width;
  const room = roomInLine(element, least, style.direction === 'rtl') - least;
  const width = canvas.measureText(pattern).width;
  const repeats = width > 0 ? Math.min(MAX_REPEATS, Math.max(0, Math.floor(room / width))) : 0;
  const spaces = text.split(/[ \u00A0]/).length - 1 + repeats * (pattern.split('\u00A0').length - 1);
  return { repeats, spacing: spaces ? Math.max(0, room - repeats * width) / spaces : 0 };
}

/** A box in the direction of lines: where it begins and ends, and where its line ends in that of blocks. */
interface LineBox {
  from: number;
  until: number;
  line: number;
  lineHeight: number;
}

/** The room after the text of an element, or that of a whole line if the rest of its line is not enough. */
function roomInLine(element: HTMLElement, least: number, isReversed: boolean): number {
  const block = blockAround(element);
  const style = getComputedStyle(block);
  const isVertical = style.writingMode.startsWith('vertical');
  const [start, end] = (isVertical ? ['top', 'bottom'] : ['left', 'right']).map(
    (side) =>
      Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) +
      Number.parseFloat(style.getPropertyValue(`padding-${side}`)),
  );
  const zoom = zoomOf(block);
  const toLine = (box: DOMRect) => lineBoxOf(box, style.writingMode, zoom);
  const outer = toLine(measureBox(block));
  const [from, until] = [outer.from + (start ?? 0), outer.until - (end ?? 0)];
  const range = call(document, 'createRange');
  range.selectNodeContents(element);
  const textEnd = endOfText(Array.from(range.getClientRects(), toLine), isReversed) ?? (isReversed ? until : from);
  const rest = isReversed ? textEnd - from : until - textEnd;
  return (rest >= least + SPARE_PX ? rest : until - from) - SPARE_PX;
}

/** Lengths are those of the element, which is enlarged by `zoom`. */
function lineBoxOf({ left, right, top, bottom, width, height }: DOMRect, writingMode: string, zoom: number): LineBox {
  const isVertical = writingMode.startsWith('vertical');
  const [from, until, lineHeight] = isVertical ? [top, bottom, width] : [left, right, height];
  const line = !isVertical ? bottom : writingMode === 'vertical-rl' ? -left : right;
  return { from: from / zoom, until: until / zoom, line: line / zoom, lineHeight: lineHeight / zoom };
}

/** Where the last line ends. It has several boxes if parts of it are written in the other direction. */
function endOfText(boxes: readonly LineBox[], isReversed: boolean): number | undefined {
  const shown = boxes.filter(({ from, until }) => until > from);
  const last = Math.max(...shown.map(({ line }) => line));
  const lastBoxes = shown.filter(({ line, lineHeight }) => line > last - lineHeight / 2);
  if (!lastBoxes.length) return undefined;
  return isReversed ? Math.min(...lastBoxes.map(({ from }) => from)) : Math.max(...lastBoxes.map(({ until }) => until));
}

function blockAround(element: HTMLElement): HTMLElement {
  let block = element;
  for (let around: HTMLElement | null = element; around; around = read(around, 'parentElement')) {
    block = around;
    if (!getComputedStyle(around).display.startsWith('inline')) break;
  }
  return block;
}
