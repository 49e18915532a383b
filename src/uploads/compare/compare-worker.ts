/** The process that compares PDFs: a file in, keys of its pages out; or two files and pairs of pages in, their differences out. */
import { createHash } from 'node:crypto';
import type { PDFiumDocument, PDFiumPage } from '@hyzyla/pdfium';
import { inTime, serveTasks } from '../../queue/serve-tasks.ts';
import { drawPage, encodePng, openPdf, orEnd, pageSize, type Size, type WhyClosed } from '../pdfium.ts';
import { type Bitmap, type Box, compareBitmaps, extend, mergeBoxes } from './differing-areas.ts';
import { type Annotation, readAnnotations } from './page-annotations.ts';
import type { PageKeys, PagePair } from './page-pairs.ts';
import { cleanText, differingLines } from './text-lines.ts';

/** Pictures of the first pages that differ. */
export interface Pictures {
  /** Pixels. */
  longestEdge: number;
  /** For how many pages. */
  most: number;
}

interface PairsTask {
  before: Uint8Array;
  after: Uint8Array;
  /** At least one. */
  pairs: PagePair[];
  /** Channels that differ by up to this number, of 255, are equal. */
  tolerance: number;
  pictures: Pictures | undefined;
}

export type ComparisonTask = { content: Uint8Array } | PairsTask;

/** Lengths are in points, from the upper left corner. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PageDifference {
  /** Page numbers, from 1. Null if the PDF lacks the page. */
  before: number | null;
  after: number | null;
  status: 'same' | 'changed' | 'added' | 'removed';
  /** The number of pixels that differ at `DRAWN_DPI`. */
  pixels: number;
  areas: Area[];
  /** Lines that only one of the pages has. */
  text: { removed: string[]; added: string[] };
  /** The size of the page in points: of the larger one, if there are two. */
  width: number;
  height: number;
  /** PNGs, if they were wanted and the pages differ. */
  pictures?: { before?: Uint8Array; after?: Uint8Array };
}

/** Differences of the first of the pairs, at least one of them, because a task has little time. */
export type Compared = { keys: PageKeys[] } | { pages: PageDifference[] } | WhyClosed;

/** Pixels per point: 216 dpi. Lines that are thinner than a pixel are all drawn with one. */
const SCALE = 3;
/** Larger pages are drawn smaller. */
const MAX_PIXELS = 16_777_216;
const MAX_EDGE = 16_384;
/** Gray, with the alpha in the highest byte. */
const BEYOND_PAGE = 0xff_bb_bb_bb;
/** No pair is begun after this time, so that a task ends in time and owners take turns. */
const TURN_MS = 5_000;

serveTasks((task: ComparisonTask) => orEnd('content' in task ? readKeys(task.content) : comparePairs(task)));

async function readKeys(content: Uint8Array): Promise<Compared> {
  const document = await openPdf(content);
  if (typeof document === 'string') return document;
  return inTime(() => {
    const keys: PageKeys[] = [];
    for (let index = 0; index < document.getPageCount(); index++) {
      const page = openPage(document, index);
      if (!page) return 'unreadable';
      const text = page.page.getText();
      keys.push({ text: digest(text), withoutNumbers: digest(text.replace(/\d+/g, '0')), size: toRounded(page.size) });
      page.close();
    }
    return { keys };
  });
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}

async function comparePairs({ before, after, pairs, tolerance, pictures }: PairsTask): Promise<Compared> {
  const documents = [await openPdf(before), await openPdf(after)] as PDFiumDocument[]; // their keys have been read
  const end = performance.now() + TURN_MS;
  const pages: PageDifference[] = [];
  let picturesLeft = pictures?.most ?? 0;
  for (const pair of pairs) {
    const difference = await comparePair(documents, pair, tolerance);
    if (pictures && difference.status !== 'same' && picturesLeft-- > 0)
      difference.pictures = await drawPictures(openPair(documents, pair), pictures.longestEdge);
    pages.push(difference);
    if (performance.now() > end) break;
  }
  return { pages };
}

interface OpenPage {
  page: PDFiumPage;
  size: Size;
  close(): void;
}

/** Undefined if the page is damaged. The library closes only pages that it draws. */
function openPage(document: PDFiumDocument, index: number): OpenPage | undefined {
  const page = document.getPage(index);
  const { module, pageIdx } = page as unknown as { module: { _FPDF_ClosePage(page: number): void }; pageIdx: number };
  const size = pageSize(page);
  return size && { page, size, close: () => module._FPDF_ClosePage(pageIdx) };
}

interface DrawnPage {
  size: Size;
  text: string;
  annotations: Annotation[];
  bitmap: Bitmap;
}

async function comparePair(documents: PDFiumDocument[], pair: PagePair, tolerance: number): Promise<PageDifference> {
  const pages = openPair(documents, pair);
  const size = sizeOfBoth(pages);
  const [before, after] = pair.map((index) => (index === null ? null : index + 1)) as [number | null, number | null];
  const rounded = toRounded(size);
  const nothing = { before, after, pixels: 0, areas: [], text: { removed: [], added: [] }, ...rounded };
  const [first, second] = pages;
  if (!first || !second) {
    (first ?? second)?.close();
    return { ...nothing, status: first ? 'removed' : 'added' };
  }
  const scale = Math.min(SCALE, Math.sqrt(MAX_PIXELS / (size.width * size.height)), MAX_EDGE / Math.max(size.width, size.height));
  return { ...nothing, ...describe(await draw(first, scale), await draw(second, scale), tolerance, scale) };
}

function openPair(documents: PDFiumDocument[], pair: PagePair): Array<OpenPage | undefined> {
  return pair.map((index, side) => (index === null ? undefined : inTime(() => openExisting(documents[side], index))));
}

/** The size of a page that has room for both. */
function sizeOfBoth(pages: Array<OpenPage | undefined>): Size {
  const sizes = pages.flatMap((page) => (page ? [page.size] : []));
  return { width: Math.max(...sizes.map(({ width }) => width)), height: Math.max(...sizes.map(({ height }) => height)) };
}

function openExisting(document: PDFiumDocument | undefined, index: number): OpenPage {
  const page = document && openPage(document, index);
  if (!page) throw new Error('a page that could be opened cannot be any more');
  return page;
}

async function draw(opened: OpenPage, scale: number): Promise<DrawnPage> {
  const { page, size } = opened;
  const text = inTime(() => page.getText());
  const annotations = inTime(() => readAnnotations(page, toDrawnSize(size, scale)));
  return { size, text, annotations, bitmap: await drawBitmap(opened, scale) };
}

async function drawBitmap({ page, size }: OpenPage, scale: number): Promise<Bitmap> {
  const drawn = toDrawnSize(size, scale);
  const { buffer, byteOffset, byteLength } = await drawPage(page, drawn);
  return { ...drawn, pixels: new Uint32Array(buffer, byteOffset, byteLength / 4) };
}

function toDrawnSize({ width, height }: Size, scale: number): Size {
  return { width: toPixels(width, scale), height: toPixels(height, scale) };
}

function toPixels(points: number, scale: number): number {
  return Math.max(1, Math.floor(points * scale));
}

function describe(before: DrawnPage, after: DrawnPage, tolerance: number, scale: number) {
  const { count, boxes } = inTime(() => compareBitmaps(before.bitmap, after.bitmap, tolerance));
  const moved = [...onlyIn(before.annotations, after.annotations), ...onlyIn(after.annotations, before.annotations)];
  const text = differingLines(cleanText(before.text), cleanText(after.text));
  const isSame = !count && !moved.length && !text.removed.length && !text.added.length && isSameSize(before.size, after.size);
  const areas = inTime(() => mergeBoxes([...boxes, ...moved]).map((box) => toArea(box, scale)));
  return { status: isSame ? ('same' as const) : ('changed' as const), pixels: count, areas, text };
}

function isSameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

function onlyIn(annotations: Annotation[], others: Annotation[]): Box[] {
  const known = new Set(others.map(({ key }) => key));
  return annotations.flatMap(({ key, box }) => (known.has(key) ? [] : [box]));
}

function toArea({ left, top, right, bottom }: Box, scale: number): Area {
  const points = (pixels: number) => toHundredths(pixels / scale);
  return { x: points(left), y: points(top), width: points(right - left), height: points(bottom - top) };
}

function toRounded({ width, height }: Size): Size {
  return { width: toHundredths(width), height: toHundredths(height) };
}

function toHundredths(points: number): number {
  return Math.round(100 * points) / 100;
}

/** Both pictures have the size of the larger page, so that areas have the same place in both. */
async function drawPictures(pages: Array<OpenPage | undefined>, longestEdge: number) {
  const whole = sizeOfBoth(pages);
  const scale = longestEdge / Math.max(whole.width, whole.height);
  const size = toDrawnSize(whole, scale);
  const drawPicture = async (opened: OpenPage) =>
    encodePng(size, new Uint8Array(extend(await drawBitmap(opened, scale), size, BEYOND_PAGE).buffer));
  const [before, after] = pages;
  return { ...(before && { before: await drawPicture(before) }), ...(after && { after: await drawPicture(after) }) };
}
