/**
 * Finds text of a document that Chromium's headers and footers cover: a printed PDF in, the pages and how far they reach out. Chromium
 * draws them after the document, in an area that is as large as the sheet (`PrintHeaderAndFooter`:
 * https://source.chromium.org/chromium/chromium/src/+/main:components/printing/renderer/print_render_frame_helper.cc).
 */

import { POINTS_PER_PX } from '../../units.ts';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { contentView, type PrintedView } from '../objects/inspect.ts';
import { type Area, readPainted } from './painted-areas.ts';

/** A header or footer that covers text. */
export interface TemplateCover {
  template: 'header' | 'footer';
  /** Numbers of the pages, from 1, of the first twenty. */
  pages: number[];
  /** How far it reaches from the edge of the sheet, in points. */
  reach: number;
}

type Cover = Pick<TemplateCover, 'template' | 'reach'>;

/** If these pages have no such text, the others are not read. */
const FIRST_PAGES = 2;
/** Reading the text of a page takes a millisecond. */
const MAX_PAGES = 20;
const WHOLE_SHEET = /\nq\n0 0 ([\d.]+) [\d.]+ re\nW\*? n\n/g;
const PAGE_MATRIX = /^(\.\d+) 0 0 -.*\n/;
/** Points that a header may reach into the area of the page, whose lines have some space above them. */
const TOLERANCE = 2;
/** What takes more of a page is its background. */
const HIGHEST_PART = 0.4;
/** The part of a line that must be covered, and the points of its width. */
const [PART, LEAST_WIDTH] = [0.4, 3];

export function findTemplateCovers(file: PrintedPages): TemplateCover[] {
  const found = new Map<TemplateCover['template'], TemplateCover>();
  for (let index = 0; index < Math.min(MAX_PAGES, file.pages.length); index++) {
    if (index === FIRST_PAGES && !found.size) break;
    for (const { template, reach } of readCovers(file, index)) {
      const before = found.get(template);
      found.set(template, {
        template,
        pages: [...(before?.pages ?? []), index + 1],
        reach: Math.max(reach, before?.reach ?? 0),
      });
    }
  }
  return [...found.values()];
}

/** The text of the document is read only if a header or footer reaches into its area. */
function readCovers(file: PrintedPages, index: number): Cover[] {
  const { width, height } = file.pageSize(index);
  const content = file.pageContent(index).toString('latin1');
  const [matrix = '', unit] = PAGE_MATRIX.exec(content) ?? [];
  const start = [...content.matchAll(WHOLE_SHEET)].findLast(
    ([, units]) => Math.abs(Number(units) * Number(unit) - width) < 1,
  )?.index;
  const view = contentView(content.slice(0, start));
  if (start === undefined || !view) return [];
  const painted = readPainted(file, index, matrix + content.slice(start)).filter(
    (each) => heightOf(each) < height * HIGHEST_PART,
  );
  const reaching = painted.filter((each) => isWithin(each, view));
  const lines = reaching.length ? readPainted(file, index, content.slice(0, start)).filter(({ isText }) => isText) : [];
  return (['header', 'footer'] as const).flatMap((template) => {
    const isOfIt = ({ top, bottom }: Area) => top + bottom < height === (template === 'header');
    if (!reaching.some((each) => isOfIt(each) && lines.some((line) => covers(each, line)))) return [];
    const own = painted.filter(isOfIt);
    const reach =
      template === 'header' ? Math.max(...own.map((each) => each.bottom)) : height - Math.min(...own.map((each) => each.top));
    return [{ template, reach }];
  });
}

function heightOf({ top, bottom }: Area): number {
  return bottom - top;
}

function isWithin({ top, bottom }: Area, { scale, topPoints, heightPx }: PrintedView): boolean {
  return bottom > topPoints + TOLERANCE && top < topPoints + heightPx * scale * POINTS_PER_PX - TOLERANCE;
}

/** Whether so much of a line is below that it cannot be read. */
function covers(above: Area, line: Area): boolean {
  const width = Math.min(above.right, line.right) - Math.max(above.left, line.left);
  const height = Math.min(above.bottom, line.bottom) - Math.max(above.top, line.top);
  return width >= LEAST_WIDTH && height >= PART * (above.isText ? Math.min(heightOf(above), heightOf(line)) : heightOf(line));
}
