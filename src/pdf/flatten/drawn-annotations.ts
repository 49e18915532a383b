/**
 * Draws annotations that leave their appearance to viewers (ISO 32000-1, 12.5.6): lines, shapes, marks of text and boxes of forms. A
 * dictionary in, a form XObject with the coordinates of the page out. Others have texts or icons, which differ from viewer to viewer.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfStream } from '@libpdf/core';
import { MARKS } from '../forms/drawn-appearances.ts';
import { findInherited } from '../objects/page-view.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { decimal, deflatedStream, numbers } from '../objects/syntax.ts';
import { type Rectangle, rectangleOf } from './rectangles.ts';

/** The operators for fills and strokes, by the number of components of a colour. */
const OPERATORS: Readonly<Record<number, readonly [fill: string, stroke: string]>> = {
  1: ['g', 'G'],
  3: ['rg', 'RG'],
  4: ['k', 'K'],
};
/** From the middle of a side to a corner of the box of a quarter circle, as far as the control points of its curve are. */
const CURVE = 0.5523;
const MAX_POINTS = 100_000;

/** Undefined for other annotations, and for those that would show nothing. */
export function drawAppearance(pdf: PdfReader, annotation: PdfDict, subtype: string): PdfStream | undefined {
  const rect = rectangleOf(pdf.numbers(annotation, 'Rect'));
  const content = rect && (subtype === 'Widget' ? drawBox(pdf, annotation, rect) : drawShape(pdf, annotation, subtype, rect));
  if (!content) return undefined;
  const alpha = PdfNumber.of(pdf.number(annotation, 'CA') ?? 1);
  const State = PdfDict.of({ ca: alpha, CA: alpha, ...(subtype === 'Highlight' && { BM: PdfName.of('Multiply') }) });
  const entries = {
    ...{ Type: PdfName.of('XObject'), Subtype: PdfName.of('Form') },
    BBox: numbers(rect.x, rect.y, rect.x + rect.width, rect.y + rect.height),
    Resources: PdfDict.of({ ExtGState: PdfDict.of({ State }) }),
  };
  return deflatedStream(entries, Buffer.from(`/State gs ${content}`));
}

function drawShape(pdf: PdfReader, annotation: PdfDict, subtype: string, rect: Rectangle): string {
  const path = PATHS[subtype]?.(pdf, annotation, rect);
  const paint = path && painting(pdf, annotation, subtype);
  return paint ? `${paint.before} ${path} ${paint.operator}` : '';
}

/** Flags of buttons (table 226). */
const [RADIO, PUSH_BUTTON] = [1 << 15, 1 << 16];

/** A box of a form: its background and border, and its mark if it is ticked. */
function drawBox(pdf: PdfReader, widget: PdfDict, rect: Rectangle): string {
  const [type, flagged] = ['FT', 'Ff'].map((entry) => pdf.resolve(findInherited(pdf, widget, entry)));
  const flags = flagged instanceof PdfNumber ? flagged.value : 0;
  if (pdf.dict(widget, 'AP')?.has('N')) return ''; // viewers show nothing for a state that it does not have
  if (!(type instanceof PdfName && type.value === 'Btn') || flags & PUSH_BUTTON) return '';
  const look = pdf.dict(widget, 'MK');
  const shape = widget.clone();
  for (const [entry, from] of [
    ['C', 'BC'],
    ['IC', 'BG'],
  ] as const)
    shape.set(entry, look?.get(from) ?? new PdfArray());
  const state = pdf.name(widget, 'AS') || pdf.name(widget, 'V') || 'Off';
  const [kind, usual] = flags & RADIO ? (['Circle', 'l'] as const) : (['Square', '4'] as const);
  const mark = MARKS[pdf.text(look, 'CA') as keyof typeof MARKS] ?? MARKS[usual];
  const box = drawShape(pdf, shape, kind, rect);
  return state === 'Off' ? box : `${box} q ${squareIn(rect, pdf.number(look, 'R') ?? 0)} cm ${mark} Q`;
}

/** Maps the unit square to the largest square in the middle of a rectangle, turned counterclockwise. */
function squareIn({ x, y, width, height }: Rectangle, degrees: number): string {
  const side = Math.min(width, height);
  const angle = (degrees * Math.PI) / 180;
  const [right, up] = [Math.round(Math.cos(angle)) * side, Math.round(Math.sin(angle)) * side];
  return points(right, up, -up, right, x + (width - right + up) / 2, y + (height - up - right) / 2);
}

/** The operators before a path, and the one after it. */
function painting(pdf: PdfReader, annotation: PdfDict, subtype: string): { before: string; operator: string } | undefined {
  const color = pdf.numbers(annotation, 'C');
  const inside = subtype === 'Highlight' ? color : FILLED.has(subtype) ? pdf.numbers(annotation, 'IC') : [];
  const width = subtype === 'Highlight' ? 0 : lineWidth(pdf, annotation);
  const [fill, stroke] = [toOperators(inside, 0), width > 0 ? toOperators(color, 1) : ''];
  if (!fill && !stroke) return undefined;
  const before = [fill, stroke, `${decimal(width)} w`, dashes(pdf, annotation)].filter(Boolean).join(' ');
  return { before, operator: fill && stroke ? 'B' : fill ? 'f' : 'S' };
}

type Draw = (pdf: PdfReader, annotation: PdfDict, rect: Rectangle) => string;

const FILLED = new Set(['Square', 'Circle', 'Polygon']);
/** The paths of annotations by their subtypes. */
const PATHS: Readonly<Record<string, Draw>> = {
  Square: (pdf, annotation, rect) => {
    const { x, y, width, height } = inner(pdf, annotation, rect);
    return `${points(x, y, width, height)} re`;
  },
  Circle: (pdf, annotation, rect) => ellipse(inner(pdf, annotation, rect)),
  Line: (pdf, annotation) => polyline(pdf.numbers(annotation, 'L')),
  PolyLine: (pdf, annotation) => polyline(pdf.numbers(annotation, 'Vertices')),
  Polygon: (pdf, annotation) => `${polyline(pdf.numbers(annotation, 'Vertices'))} h`,
  Ink: (pdf, annotation) => {
    const lines = pdf.list(annotation, 'InkList').map((each) => PdfDict.of({ Line: each }));
    return lines.map((line) => polyline(pdf.numbers(line, 'Line'))).join(' ');
  },
  Highlight: ofQuads(
    ([x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0, x4 = 0, y4 = 0]) => `${polyline([x1, y1, x2, y2, x4, y4, x3, y3])} h`,
  ),
  Underline: ofQuads((quad) => lineAcross(quad, 0.1)),
  StrikeOut: ofQuads((quad) => lineAcross(quad, 0.45)),
  Squiggly: ofQuads((quad) => wave(quad)),
};

function lineWidth(pdf: PdfReader, annotation: PdfDict): number {
  return pdf.number(pdf.dict(annotation, 'BS'), 'W') ?? pdf.numbers(annotation, 'Border')[2] ?? 1;
}

function dashes(pdf: PdfReader, annotation: PdfDict): string {
  const style = pdf.dict(annotation, 'BS');
  if (pdf.name(style, 'S') !== 'D') return '';
  const lengths = pdf.numbers(style, 'D').filter((each) => each > 0);
  return `[${points(...(lengths.length ? lengths : [3]))}] 0 d`;
}

/** Empty for a colour that is none. */
function toOperators(color: readonly number[], kind: 0 | 1): string {
  const operators = OPERATORS[color.length];
  return operators ? `${points(...color)} ${operators[kind]}` : '';
}

function points(...values: number[]): string {
  return values.map(decimal).join(' ');
}

/** The line is within the rectangle, or within the differences from it that are given. */
function inner(pdf: PdfReader, annotation: PdfDict, { x, y, width, height }: Rectangle): Rectangle {
  const half = lineWidth(pdf, annotation) / 2;
  const [left = 0, bottom = 0, right = 0, top = 0] = pdf.numbers(annotation, 'RD');
  return {
    x: x + left + half,
    y: y + bottom + half,
    width: Math.max(0, width - left - right - 2 * half),
    height: Math.max(0, height - bottom - top - 2 * half),
  };
}

function ellipse({ x, y, width, height }: Rectangle): string {
  const [h, v] = [width / 2, height / 2];
  const [centerX, centerY] = [x + h, y + v];
  const at = (right: number, up: number) => points(centerX + right * h, centerY + up * v);
  const curve = (...ends: Array<[number, number]>) => `${ends.map(([right, up]) => at(right, up)).join(' ')} c`;
  return [
    `${at(1, 0)} m`,
    curve([1, CURVE], [CURVE, 1], [0, 1]),
    curve([-CURVE, 1], [-1, CURVE], [-1, 0]),
    curve([-1, -CURVE], [-CURVE, -1], [0, -1]),
    curve([CURVE, -1], [1, -CURVE], [1, 0]),
    'h',
  ].join(' ');
}

/** Coordinates of points, x before y. */
function polyline(coordinates: readonly number[]): string {
  const operators: string[] = [];
  for (let at = 0; at + 1 < Math.min(coordinates.length, 2 * MAX_POINTS); at += 2)
    operators.push(`${points(coordinates[at] as number, coordinates[at + 1] as number)} ${at ? 'l' : 'm'}`);
  return operators.join(' ');
}

/** Quadrilaterals, whose points producers give as upper left, upper right, lower left and lower right. */
function ofQuads(draw: (quad: number[]) => string): Draw {
  return (pdf, annotation) => {
    const all = pdf.numbers(annotation, 'QuadPoints').slice(0, 2 * MAX_POINTS);
    const quads = Array.from({ length: Math.floor(all.length / 8) }, (_, index) => all.slice(index * 8, index * 8 + 8));
    return quads.map(draw).join(' ');
  };
}

type Quad = readonly number[];

/** The ends of a line across a quadrilateral, at a share of its height. */
function across(
  [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0, x4 = 0, y4 = 0]: Quad,
  share: number,
): [number, number, number, number] {
  const between = (low: number, high: number) => low + share * (high - low);
  return [between(x3, x1), between(y3, y1), between(x4, x2), between(y4, y2)];
}

function lineAcross(quad: Quad, share: number): string {
  return polyline(across(quad, share));
}

const WAVE = 2;
const MAX_WAVES = 1_000;

function wave(quad: Quad): string {
  const [low, high] = [across(quad, 0.02), across(quad, 0.12)];
  const length = Math.hypot(low[2] - low[0], low[3] - low[1]);
  const count = Math.max(1, Math.min(MAX_WAVES, Math.round(length / WAVE)));
  const coordinates = Array.from({ length: count + 1 }, (_, index) => {
    const [x1, y1, x2, y2] = index % 2 ? high : low;
    return [x1 + ((x2 - x1) * index) / count, y1 + ((y2 - y1) * index) / count];
  });
  return polyline(coordinates.flat());
}
