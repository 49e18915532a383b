/** Fills the rest of lines with leaders, such as the dots of a table of contents. */
import type { Changes } from '../../dom/changes.ts';
import { createHtml } from '../../dom/create-html.ts';
import { call, isElement, measureBox, read, readName } from '../../dom/nodes.ts';
import type { Pseudo } from './styled-elements.ts';
import { zoomOf } from './zoom.ts';

/** Generated content with a leader. */
export interface LeaderBox {
  element: HTMLElement;
  pseudo: Pseudo;
  pattern: string;
  /** The content as CSS writes it, with a text in place of the leader. */
  compositionWith(text: string): string;
  /** The same as a reader sees it. */
  textWith(text: string): string;
  write(css: string): void;
}

const PATTERNS: Record<string, string> = { dotted: '.\u00A0', solid: '_', space: '\u00A0' };
/** The window is up to half a pixel wider than the paper. */
const SPARE_PX = 1;
const MAX_REPEATS = 1_000;

/** What `leader()` repeats. */
export function leaderText(argument: string): string {
  const text = PATTERNS[argument.toLowerCase()] ?? argument.replace(/^["']|["']$/g, '').replaceAll(' ', '\u00A0');
  return text || (PATTERNS.dotted as string);
}

/** Measures all before it fills any. */
export function showLeaders(boxes: readonly LeaderBox[], changes: Changes): void {
  const canvas = boxes.length ? (createHtml('canvas') as HTMLCanvasElement).getContext('2d') : null;
  if (!canvas) return;
  const setSpacing = ({ element, pseudo }: LeaderBox, px: number) =>
    changes.setStyle(element, `--platen-spacing-${pseudo.slice(2)}`, `${px}px`);
  for (const box of boxes) setSpacing(box, 0);
  const measured = boxes.map((box) => ({ box, ...measureRoom(box, canvas) }));
  for (const { box, repeats, spacing } of measured) {
    box.write(box.compositionWith(`\u00A0${box.pattern.repeat(repeats)}`));
    setSpacing(box, spacing);
  }
}

/** How often the pattern fits into the line, and how much wider each space becomes so that the line is full. */
function measureRoom({ element, pseudo, pattern, textWith }: LeaderBox, canvas: CanvasRenderingContext2D) {
  const style = getComputedStyle(element, pseudo);
  canvas.font = style.font;
  if (style.letterSpacing !== 'normal') canvas.letterSpacing = style.letterSpacing;
  const text = textWith('\u00A0');
  const room = roomInLine(element, pseudo, canvas.measureText(text).width, style.direction === 'rtl');
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

/**
 * The room in the line of generated content, of which all but the leader is as wide as `least`. What follows in the line stays
 * there. If the rest of the line is not enough, the content has one of its own.
 */
function roomInLine(element: HTMLElement, pseudo: Pseudo, least: number, isReversed: boolean): number {
  const block = blockAround(element);
  const style = getComputedStyle(block);
  const isVertical = style.writingMode.startsWith('vertical');
  const [start, end] = (isVertical ? ['top', 'bottom'] : ['left', 'right']).map(
    (side) =>
      Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) +
      Number.parseFloat(style.getPropertyValue(`padding-${side}`)),
  );
  const zoom = zoomOf(block);
  const readLine = (range: Range) => {
    const boxes = Array.from(range.getClientRects(), (box) => lineBoxOf(box, style.writingMode, zoom));
    return boxes.filter(({ from, until }) => until > from).map((box) => (isReversed ? reverse(box) : box));
  };
  const outer = lineBoxOf(measureBox(block), style.writingMode, zoom);
  const inner = { ...outer, from: outer.from + (start ?? 0), until: outer.until - (end ?? 0) };
  const { from, until } = isReversed ? reverse(inner) : inner;
  const isMoved = /center|end/.test(style.textAlign) || style.textAlign === (isReversed ? 'left' : 'right');
  const last = lastLine(readLine(textBefore(element, pseudo, block, isMoved)));
  const following = readLine(textAfter(element, pseudo, block)).filter((box) => !last || isBeside(box, last));
  const before = isMoved && last ? last.from - from : 0;
  if (following.length) return before + until - Math.max(...following.map((box) => box.until)) - SPARE_PX;
  const rest = before + until - (last?.until ?? from);
  return (rest >= least + SPARE_PX ? rest : until - from) - SPARE_PX - least;
}

/** The text up to generated content: that of its element, or of its whole block. */
function textBefore(element: HTMLElement, pseudo: Pseudo, block: HTMLElement, isWhole: boolean): Range {
  const range = call(document, 'createRange');
  range.selectNodeContents(element);
  if (pseudo !== '::after') range.collapse(true);
  if (isWhole || pseudo !== '::after') range.setStart(block, 0);
  return range;
}

/** What follows in the same block, up to a line break or another block. */
function textAfter(element: HTMLElement, pseudo: Pseudo, block: HTMLElement): Range {
  const range = call(document, 'createRange');
  range.selectNodeContents(element);
  if (pseudo === '::after') range.collapse(false);
  for (let around: Node | null = element; around && around !== block; around = read(around, 'parentNode'))
    for (let next = read(around, 'nextSibling'); next; next = read(next, 'nextSibling')) {
      if (isElement(next) && endsLine(next)) return range;
      range.setEndAfter(next);
    }
  return range;
}

function endsLine(element: Element): boolean {
  return readName(element) === 'br' || !isInline(element);
}

function isBeside(box: LineBox, last: LineBox): boolean {
  return box.from >= last.until - 1 && Math.abs(box.line - last.line) < last.lineHeight / 2;
}

/** Lengths are those of the element, which is enlarged by `zoom`. */
function lineBoxOf({ left, right, top, bottom, width, height }: DOMRect, writingMode: string, zoom: number): LineBox {
  const isVertical = writingMode.startsWith('vertical');
  const [from, until, lineHeight] = isVertical ? [top, bottom, width] : [left, right, height];
  const line = !isVertical ? bottom : writingMode === 'vertical-rl' ? -left : right;
  return { from: from / zoom, until: until / zoom, line: line / zoom, lineHeight: lineHeight / zoom };
}

/** As if lines were written from left to right. */
function reverse({ from, until, ...rest }: LineBox): LineBox {
  return { ...rest, from: -until, until: -from };
}

/** The last line. It has several boxes if parts of it are written in the other direction. */
function lastLine(boxes: readonly LineBox[]): LineBox | undefined {
  const last = boxes.reduce<LineBox | undefined>((one, other) => (one && one.line >= other.line ? one : other), undefined);
  const inLine = boxes.filter(({ line, lineHeight }) => last && line > last.line - lineHeight / 2);
  const [from, until] = [Math.min(...inLine.map((box) => box.from)), Math.max(...inLine.map((box) => box.until))];
  return last && { ...last, from, until };
}

function blockAround(element: HTMLElement): HTMLElement {
  let block = element;
  for (let around: HTMLElement | null = element; around; around = read(around, 'parentElement')) {
    block = around;
    if (!isInline(around)) break;
  }
  return block;
}

function isInline(element: Element): boolean {
  return getComputedStyle(element).display.startsWith('inline');
}
