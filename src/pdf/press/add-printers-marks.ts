/**
 * Adds what a printing house needs to pages with a bleed: the boxes of the page, and marks around it. Pages that Chromium printed with
 * the bleed in, larger sheets out. See docs/decisions/0102-page-rules.md.
 */
import { PdfArray, type PdfDict, PdfRef, PdfStream } from '@libpdf/core';
import { StreamDecoder } from '../content/streams.ts';
import type { PrintersMarks } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { pageView } from '../objects/page-view.ts';
import { decimal, deflatedStream, entriesOf, numbers } from '../objects/syntax.ts';

/** In points: the room around the bleed, the distance of marks from the bleed, and their length. */
const [ROOM, OFFSET, LENGTH] = [24, 3, 18];
const LINE_WIDTH = 0.25;
/** Of the target of a cross. */
const RADIUS = 5;
/** The control points of a quarter of a circle. */
const CURVE = 0.5523;
/** Points by which Chromium rounds the edges of a page. */
const TOLERANCE = 0.5;
const PAGE_MATRIX = /^(\.\d+) 0 0 -\.\d+ 0 [\d.]+ cm\n/;
const CLIP = /(?<=\n)([-.\d]+) ([-.\d]+) ([-.\d]+) ([-.\d]+)(?= re\nW\*? n\n)/g;

/** Edges in points, from the lower left corner. */
interface Edges {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

export function addPrintersMarks(editable: EditablePdf, marks: PrintersMarks | undefined): void {
  if (!marks) return;
  const streams = new StreamDecoder();
  const start = editable.add(PdfStream.fromDict({}, Buffer.from('q\n')));
  for (const { ref, page } of editable.pages()) {
    const { left, bottom, width, height } = pageView(editable, page);
    const sheet = { left, bottom, right: left + width, top: bottom + height };
    const trim = grow(sheet, -marks.bleed);
    if (marks.bleed)
      for (const content of editable.listOrOne(page, 'Contents')) openClips(editable, streams, content, sheet, marks);
    const hasMarks = marks.crop || marks.cross;
    const boxes = { TrimBox: toBox(trim), BleedBox: toBox(sheet), MediaBox: toBox(grow(sheet, hasMarks ? ROOM : 0)) };
    editable.update(ref, { ...boxes, ...(hasMarks && { Contents: addDrawing(editable, page, start, drawMarks(trim, marks)) }) });
  }
}

function grow({ left, bottom, right, top }: Edges, by: number): Edges {
  return { left: left - by, bottom: bottom - by, right: right + by, top: top + by };
}

function toBox({ left, bottom, right, top }: Edges): PdfArray {
  return numbers(...[left, bottom, right, top].map((edge) => Number(decimal(edge))));
}

function addDrawing(editable: EditablePdf, page: PdfDict, start: PdfRef, drawing: string): PdfArray {
  const end = editable.add(deflatedStream({}, Buffer.from(`Q\n/Artifact BMC\nq 0 G ${LINE_WIDTH} w\n${drawing}Q\nEMC\n`)));
  return PdfArray.of(start, ...editable.listOrOne(page, 'Contents'), end); // Chromium does not restore the graphics state
}

function drawMarks(trim: Edges, { bleed, crop, cross }: PrintersMarks): string {
  return (crop ? drawCorners(trim, bleed) : '') + (cross ? drawTargets(trim, bleed + OFFSET + LENGTH / 2) : '');
}

function drawCorners({ left, bottom, right, top }: Edges, bleed: number): string {
  const [near, far] = [bleed + OFFSET, bleed + OFFSET + LENGTH];
  const across = [bottom, top].map((y) => line(left - far, y, left - near, y) + line(right + near, y, right + far, y));
  const up = [left, right].map((x) => line(x, bottom - far, x, bottom - near) + line(x, top + near, x, top + far));
  return [...across, ...up].join('');
}

function drawTargets({ left, bottom, right, top }: Edges, distance: number): string {
  const [middle, centre] = [(left + right) / 2, (bottom + top) / 2];
  const places = [
    ...[bottom - distance, top + distance].map((y) => [middle, y]),
    ...[left - distance, right + distance].map((x) => [x, centre]),
  ];
  return places.map(([x = 0, y = 0]) => drawTarget(x, y)).join('');
}

function drawTarget(x: number, y: number): string {
  const arm = LENGTH / 2;
  const control = RADIUS * CURVE;
  const curve = (...ends: number[]) => `${ends.map((end, index) => decimal(end + (index % 2 ? y : x))).join(' ')} c\n`;
  const circle =
    curve(RADIUS, control, control, RADIUS, 0, RADIUS) +
    curve(-control, RADIUS, -RADIUS, control, -RADIUS, 0) +
    curve(-RADIUS, -control, -control, -RADIUS, 0, -RADIUS) +
    curve(control, -RADIUS, RADIUS, -control, RADIUS, 0);
  return `${line(x - arm, y, x + arm, y)}${line(x, y - arm, x, y + arm)}${decimal(x + RADIUS)} ${decimal(y)} m\n${circle}S\n`;
}

function line(...[x1, y1, x2, y2]: [number, number, number, number]): string {
  return `${decimal(x1)} ${decimal(y1)} m ${decimal(x2)} ${decimal(y2)} l S\n`;
}

/** Lets content reach into the bleed where a page has no margin: Chromium clips it to the area inside the margins. */
function openClips(editable: EditablePdf, streams: StreamDecoder, ref: unknown, sheet: Edges, { bleed }: PrintersMarks): void {
  const stream = ref instanceof PdfRef ? editable.resolve(ref) : undefined;
  if (!(ref instanceof PdfRef) || !(stream instanceof PdfStream)) return;
  const content = streams.decode(stream).toString('latin1');
  const unit = Number(PAGE_MATRIX.exec(content)?.[1]);
  if (!unit) return;
  const [width, height] = [(sheet.right - sheet.left) / unit, (sheet.top - sheet.bottom) / unit];
  let area: string | undefined;
  const opened = content.replace(CLIP, (clip, x, y, w, h) => {
    area ??= clip;
    if (!isNear(clip, area)) return clip;
    const [left, right] = openSides(Number(x), Number(w), width, bleed / unit, TOLERANCE / unit);
    const [top, bottom] = openSides(Number(y), Number(h), height, bleed / unit, TOLERANCE / unit);
    return [left, top, right - left, bottom - top].map(decimal).join(' ');
  });
  if (opened !== content) editable.change(ref, deflatedStream(entriesOf(stream), Buffer.from(opened, 'latin1')));
}

/** The two ends of a clip, of which those at the edge of the page become those of the bleed. */
function openSides(start: number, length: number, sheet: number, bleed: number, tolerance: number): [number, number] {
  const end = start + length;
  const isAtEnd = Math.abs(end - (sheet - bleed)) <= tolerance;
  return [Math.abs(start - bleed) <= tolerance ? 0 : start, isAtEnd ? sheet : end];
}

/** Whether two rectangles differ by less than a unit. */
function isNear(clip: string, other: string): boolean {
  const others = other.split(' ').map(Number);
  return clip.split(' ').every((value, index) => Math.abs(Number(value) - (others[index] ?? 0)) < 1);
}
