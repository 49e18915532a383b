/**
 * Finds texts among the glyphs of a page: glyphs with their places in, those of each match out. Nobody knows where a producer meant
 * a space or the end of a word, so that the page is read in several ways, and what is found in any of them counts.
 */
import { hasRightToLeft, toReadingOrder } from '../content/visual-order.ts';
import { isAtWrapWithoutSpace } from '../content/word-breaks.ts';
import type { Point } from '../objects/matrix.ts';
import type { Glyph } from './read-content.ts';
import type { Search } from './search.ts';

/** Glyphs that are read as one text. */
export interface Piece {
  text: string;
  glyphs: Glyph[];
}

/** What is between a piece and the next one, in proportion to the font size; infinite at the end of a line. */
interface Line {
  gaps: readonly number[];
  /** Between their starts. */
  pitches: readonly number[];
}

interface Way {
  /** The gap that is read as a space, in proportion to the font size. */
  gap: number;
  /** At the end of a line after a hyphen, and in scripts without spaces: a space, nothing, or nothing and no hyphen. */
  wrap: 'space' | 'join' | 'drop';
}

const WAYS: readonly Way[] = [
  { gap: 0.1, wrap: 'space' },
  { gap: 0.25, wrap: 'join' },
  { gap: 0.25, wrap: 'drop' },
];
/** As people most likely read it. */
const READING: Way = { gap: 0.15, wrap: 'join' };
/** Up to which gap letters that all stand alone can be a word. */
const MAX_SPACED = 1.2;
const SAME_PITCH = 0.02;
const LINE_DISTANCE = 0.4;
/** How far the next glyph may be before the end of one, as with kerning. */
const BACKWARD = -0.6;
/** The distance of glyphs that are drawn twice to look bold. */
const DOUBLED = 0.15;
/** The distance of a glyph from a space that it covers. */
const COVERED = 0.1;
const SAME_DIRECTION = 0.99;
const HYPHEN_AT_END = /[-\u00ad\u2010\u2011]$/;

/** The lines of a page from top to bottom. */
export function readLines(glyphs: readonly Glyph[]): Piece[] {
  return toLines(withActualText(glyphs).filter(isSeen)).flatMap((pieces) => {
    const text = readLine(pieces, false).trim();
    return text ? [{ text, glyphs: pieces.flatMap((piece) => piece.glyphs) }] : [];
  });
}

/** The text of glyphs in the order of the content, with a line feed where a line ends. `isInRightToLeft` is about what is around it. */
export function readInOrder(glyphs: readonly Glyph[], isInRightToLeft: boolean): string {
  const pieces = withActualText(glyphs).filter(isSeen);
  const lines: Piece[][] = [];
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1];
    if (before && stepBetween(before.glyphs.at(-1) as Glyph, piece.glyphs[0] as Glyph).isInLine) lines.at(-1)?.push(piece);
    else lines.push([piece]);
  }
  return lines
    .flatMap(toLines)
    .map((line) => readLine(line, isInRightToLeft))
    .join('\n');
}

/** Whether there is a space between texts that are neither marked nor shown together, which end and begin with these glyphs. */
export function isSpaced(end: { text: string; last: Glyph }, start: { text: string; first: Glyph }): boolean {
  const [before, after] = [end.text.slice(-2), start.text.slice(0, 2)];
  if (/\s$/.test(before) || /^\s/.test(after)) return false;
  const { isInLine, isRaised, gap } = stepBetween(end.last, start.first);
  if (isInLine ? gap > BACKWARD || hasRightToLeft(before + after) : isRaised) return gap > READING.gap;
  return !isAtWrapWithoutSpace(before, after);
}

export function isOnNewLine(last: Glyph, first: Glyph): boolean {
  return !stepBetween(last, first).isInLine;
}

function readLine(pieces: readonly Piece[], isInRightToLeft: boolean): string {
  const joined = join(pieces, lineOf(pieces), READING);
  const hasSpaceAfter = joined.owners.at(-1) === -1; // as before another line
  const [text, owners] = hasSpaceAfter ? [joined.text.slice(0, -1), joined.owners.slice(0, -1)] : [joined.text, joined.owners];
  if (!isInRightToLeft && !hasRightToLeft(text)) return text;
  const parts: string[] = [];
  for (const [unit, owner] of owners.entries())
    if (unit && owner === owners[unit - 1]) parts[parts.length - 1] += text[unit] as string;
    else parts.push(text[unit] as string);
  return toReadingOrder(parts, isInRightToLeft);
}

/** The glyphs of each match. */
export function findGlyphs(glyphs: readonly Glyph[], search: Search): Glyph[][] {
  if (search.isEmpty || !glyphs.length) return [];
  const orders = [glyphs.map(toPiece)];
  if (glyphs.some(({ span }) => span)) orders.push(withActualText(glyphs));
  const texts = new Set<string>();
  const arranged = orders.flatMap((pieces) => arrangements(pieces.filter(isSeen)));
  return arranged.flatMap((pieces) => findInPieces(pieces, search, texts));
}

/** Texts that have been searched are not searched again. */
function findInPieces(pieces: readonly Piece[], search: Search, texts: Set<string>): Glyph[][] {
  const line = lineOf(pieces);
  const hasHyphens = pieces.some(({ text }, index) => line.gaps[index] === Number.POSITIVE_INFINITY && HYPHEN_AT_END.test(text));
  return WAYS.flatMap((way) => {
    if (way.wrap === 'drop' && !hasHyphens) return []; // it is the same as without them
    const { text, owners } = join(pieces, line, way);
    if (texts.has(text) && way.wrap !== 'space') return [];
    texts.add(text);
    return search.find(text).map(([from, to]) => {
      const found = new Set(owners.slice(from, to));
      return [...found].flatMap((owner) => (owner < 0 ? [] : (pieces[owner] as Piece).glyphs));
    });
  });
}

function lineOf(pieces: readonly Piece[]): Line {
  const gaps = pieces.map((piece, index) => gapAfter(piece, pieces[index + 1]));
  return { gaps, pitches: pieces.map((piece, index) => pitchOf(piece, pieces[index + 1], gaps[index] as number)) };
}

/** A space is none if the next glyph is drawn over it. */
function isSeen(piece: Piece, index: number, pieces: readonly Piece[]): boolean {
  if (piece.text.trim()) return true;
  const [first, next] = [piece.glyphs[0] as Glyph, pieces[index + 1]?.glyphs[0]];
  if (!next) return true;
  const [x, y] = [next.start[0] - first.start[0], next.start[1] - first.start[1]];
  return Math.hypot(x, y) >= COVERED * Math.hypot(...first.up);
}

function toPiece(glyph: Glyph): Piece {
  return { text: glyph.text ?? '', glyphs: [glyph] };
}

function withActualText(glyphs: readonly Glyph[]): Piece[] {
  const pieces: Piece[] = [];
  for (const glyph of glyphs) {
    const last = pieces.at(-1);
    if (glyph.span && last && last.glyphs[0]?.span === glyph.span) last.glyphs.push(glyph);
    else pieces.push(glyph.span ? { text: glyph.span.text, glyphs: [glyph] } : toPiece(glyph));
  }
  return pieces;
}

/** The pieces in their order, and by their places; lines from right to left also the other way round. */
function arrangements(pieces: Piece[]): Piece[][] {
  const lines = toLines(pieces);
  const hasOther = pieces.some(({ text }) => hasRightToLeft(text));
  const reversed = hasOther ? [lines.flatMap((line) => line.toReversed())] : [];
  const sorted = lines.flat();
  const isSorted =
    sorted.length === pieces.length && sorted.every(({ glyphs: [first] }, index) => first === pieces[index]?.glyphs[0]);
  return [pieces, ...(isSorted ? [] : [sorted]), ...reversed];
}

function toLines(pieces: readonly Piece[]): Piece[][] {
  const byAngle = Map.groupBy(pieces, (piece) => {
    const [x, y] = directionOf(piece.glyphs[0] as Glyph);
    return Math.round((Math.atan2(y, x) * 180) / Math.PI);
  });
  return [...byAngle.values()].flatMap(linesOfAngle);
}

function linesOfAngle(pieces: readonly Piece[]): Piece[][] {
  const [dx, dy] = directionOf(pieces[0]?.glyphs[0] as Glyph);
  const placed = pieces.map((piece) => {
    const { start, up } = piece.glyphs[0] as Glyph;
    const size = Math.hypot(...up);
    return { piece, size, along: start[0] * dx + start[1] * dy, across: start[1] * dx - start[0] * dy };
  });
  placed.sort((one, other) => other.across - one.across);
  const lines: Array<typeof placed> = [];
  for (const each of placed) {
    const [first] = lines.at(-1) ?? [];
    if (first && first.across - each.across < LINE_DISTANCE * Math.max(first.size, each.size)) lines.at(-1)?.push(each);
    else lines.push([each]);
  }
  return lines.map((line) => withoutDoubled(line.toSorted((one, other) => one.along - other.along)));
}

/** Glyphs of the same text at the same place become one piece. */
function withoutDoubled(line: ReadonlyArray<{ piece: Piece; along: number; size: number }>): Piece[] {
  const kept: Array<{ piece: Piece; along: number; size: number }> = [];
  for (const { piece, along, size } of line) {
    const same = kept.slice(-3).find((each) => each.piece.text === piece.text && along - each.along < DOUBLED * size);
    if (same) same.piece = { text: piece.text, glyphs: [...same.piece.glyphs, ...piece.glyphs] };
    else kept.push({ piece, along, size });
  }
  return kept.map(({ piece }) => piece);
}

/** Of length 1. */
export function directionOf({ start, end, up }: Glyph): Point {
  const [x, y] = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(x, y);
  if (length) return [x / length, y / length];
  const height = Math.hypot(...up) || 1;
  return [up[1] / height, -up[0] / height];
}

/** In proportion to the font size. Infinite if the next piece is on another line. */
function gapAfter(piece: Piece, next: Piece | undefined): number {
  const [last, first] = [piece.glyphs.at(-1) as Glyph, next?.glyphs[0]];
  if (!first) return Number.POSITIVE_INFINITY;
  const { isInLine, gap } = stepBetween(last, first);
  return isInLine && gap > BACKWARD ? gap : Number.POSITIVE_INFINITY;
}

/** `isRaised` is for a superscript and what follows it, as for a subscript; `gap` is from the end of one glyph to the start of the other, in proportion to the font size. */
function stepBetween(last: Glyph, first: Glyph): { isInLine: boolean; isRaised: boolean; gap: number } {
  const [one, other] = [directionOf(last), directionOf(first)];
  const size = Math.max(Math.hypot(...last.up), Math.hypot(...first.up)) || 1;
  const [x, y] = [first.start[0] - last.end[0], first.start[1] - last.end[1]];
  const [along, across] = [x * one[0] + y * one[1], x * one[1] - y * one[0]];
  const isParallel = one[0] * other[0] + one[1] * other[1] > SAME_DIRECTION;
  const isInLine = isParallel && Math.abs(across) < LINE_DISTANCE * size;
  const isBeside = along > BACKWARD * size && along < MAX_SPACED * size;
  return { isInLine, isRaised: isParallel && isBeside && Math.abs(across) < size, gap: along / size };
}

function pitchOf(piece: Piece, next: Piece | undefined, gap: number): number {
  const [first, second] = [piece.glyphs[0] as Glyph, next?.glyphs[0]];
  if (!second || !Number.isFinite(gap)) return Number.POSITIVE_INFINITY;
  const size = Math.hypot(...first.up) || 1;
  return Math.hypot(second.start[0] - first.start[0], second.start[1] - first.start[1]) / size;
}

/** `owners` has the index of the piece for each unit of the text, and -1 for what is between pieces. */
function join(pieces: readonly Piece[], line: Line, way: Way): { text: string; owners: number[] } {
  let text = '';
  const owners: number[] = [];
  const add = (more: string, owner: number) => {
    text += more;
    for (let unit = 0; unit < more.length; unit++) owners.push(owner);
  };
  for (const [index, piece] of pieces.entries()) {
    add(piece.text, index);
    const next = pieces[index + 1]?.text ?? '';
    const kind = separation(line, index, way, text, next);
    if (kind === 'drop') {
      text = text.slice(0, -1);
      owners.pop();
    } else if (kind === 'space' && !/\s$/.test(text.slice(-1)) && !/^\s/.test(next)) add(' ', -1);
  }
  return { text, owners };
}

function separation(line: Line, index: number, { gap, wrap }: Way, text: string, next: string): 'none' | Way['wrap'] {
  const { gaps } = line;
  const own = gaps[index] as number;
  if (own !== Number.POSITIVE_INFINITY) {
    const isSpaced = wrap !== 'space' && own < MAX_SPACED && (isSteady(line, index) || areAlone(gaps, index, gap));
    return own > gap + usualGap(gaps, index) && !isSpaced ? 'space' : 'none';
  }
  const end = text.slice(-2);
  if (wrap === 'space' || !isAtWrapWithoutSpace(end, next)) return 'space';
  return wrap === 'drop' && HYPHEN_AT_END.test(end) ? 'drop' : 'none';
}

/** Whether letters begin at the same distances, as in the cells of a form. */
function isSteady({ pitches }: Line, index: number): boolean {
  const own = pitches[index] as number;
  const sides = [pitches[index - 1], pitches[index + 1]].filter(
    (pitch) => pitch !== undefined && Number.isFinite(pitch),
  ) as number[];
  return sides.length > 0 && sides.every((pitch) => Math.abs(pitch - own) < SAME_PITCH);
}

function areAlone(gaps: readonly number[], index: number, gap: number): boolean {
  return isAlone(gaps, index, gap) && isAlone(gaps, index + 1, gap);
}

/** Whether a piece has a gap on both sides, as a letter of a spaced word has. */
function isAlone(gaps: readonly number[], index: number, gap: number): boolean {
  return (gaps[index - 1] ?? Number.POSITIVE_INFINITY) > gap && (gaps[index] as number) > gap;
}

/** The smaller gap beside it in the line, as of letters that are spaced. */
function usualGap(gaps: readonly number[], index: number): number {
  const sides = [gaps[index - 1], gaps[index + 1]].filter((gap) => gap !== undefined && Number.isFinite(gap)) as number[];
  return sides.length ? Math.max(0, Math.min(...sides)) : 0;
}
