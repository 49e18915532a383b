/**
 * Redacts an open PDF: what is searched and areas in; the same PDF without them out. It is carried out until nothing is found any more,
 * so that the last round is a proof.
 */
import { PdfArray, PdfDict, PdfNull, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { fromShown, pageView } from '../objects/page-view.ts';
import { UnreadableError } from './read-content.ts';
import { ContentRedaction } from './redact-content.ts';
import { dropDescriptions, dropPrivateData, redactStrings } from './redact-objects.ts';
import { metadataMatches, redactStreams, type StreamsFound } from './redact-streams.ts';
import type { Search } from './search.ts';
import { boundsOf, type Polygon, rectangle } from './shapes.ts';

/** An area of a page as it is shown, in points from its upper left corner. */
export interface Box {
  /** Its index. */
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Redaction {
  search: Search;
  boxes: readonly Box[];
  /** Whether `y` is the distance of the lower edges of a box and its page. */
  isFromBottom?: boolean | undefined;
  /** Shares of red, green and blue. Undefined to paint nothing. */
  color: readonly number[] | undefined;
  dropsAttachments: boolean;
  /** Whether the boxes have not been painted yet. */
  isFirst: boolean;
}

/** A part of the PDF that cannot be redacted. */
export class RedactionError extends Error {
  override name = 'RedactionError';
  /** The index of the page. Undefined for the document. */
  readonly page: number | undefined;

  /** `message` is a predicate such as `has content that cannot be parsed`. */
  constructor(page: number | undefined, message: string) {
    super(message);
    this.page = page;
  }
}

export interface Redacted extends StreamsFound {
  /** Whether the metadata of the document is to be written anew. */
  metadata: boolean;
  isChanged: boolean;
  /** How many images were removed as a whole, because they cannot be decoded. */
  removedImages: number;
}

/** Throws `RedactionError`. */
export async function redactPdf(pdf: ForeignPdf, redaction: Redaction): Promise<Redacted> {
  const { search, color, dropsAttachments, isFirst, isFromBottom = false } = redaction;
  dropPrivateData(pdf);
  const boxes = boxesOfPages(pdf, redaction.boxes, isFromBottom);
  const annotations = isFirst ? removeAnnotations(pdf, boxes) : new Set<number>();
  const content = new ContentRedaction(pdf, search, color);
  for (const [index, { ref, page }] of pdf.pages().entries())
    named(index, () => content.planPage(ref, page, boxes.get(index) ?? [], isFirst));
  if (!search.isEmpty) planOthers(pdf, content);
  const hasChangedContent = await content.apply();
  dropDescriptions(pdf, { marks: content.marks, annotations });
  const found = named(undefined, () => redactStreams(pdf, search, contentStreams(pdf), dropsAttachments));
  const hasChangedStrings = !search.isEmpty && redactStrings(pdf, search);
  const metadata = isFirst && metadataMatches(pdf, search); // what is written anew has such words as format in its markup
  const hasOther = found.attachments.length > 0 || found.streams > 0 || metadata;
  const isChanged = hasChangedContent || hasChangedStrings || hasOther || annotations.size > 0;
  return { ...found, metadata, isChanged, removedImages: content.removedImages };
}

function named<T>(page: number | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UnreadableError ? new RedactionError(page, error.message) : error;
  }
}

function boxesOfPages(pdf: ForeignPdf, boxes: readonly Box[], isFromBottom: boolean): Map<number, Polygon[]> {
  const pages = boxes.length ? pdf.pages() : [];
  const found = new Map<number, Polygon[]>();
  for (const { page, x, y, width, height } of boxes) {
    const view = pageView(pdf, pages[page]?.page as PdfDict);
    const shownHeight = view.turn % 180 ? view.width : view.height;
    const low = isFromBottom ? y : shownHeight - y - height;
    const corners = [fromShown(view, x, low), fromShown(view, x + width, low + height)];
    const { left, bottom, right, top } = boundsOf(corners);
    found.set(page, [...(found.get(page) ?? []), rectangle(left, bottom, right, top)]);
  }
  return found;
}

/** Appearances of annotations first, because their pages can be named, and then all other content. */
function planOthers(pdf: ForeignPdf, content: ContentRedaction): void {
  const resources = pdf.dict(pdf.dict(pdf.catalog, 'AcroForm'), 'DR');
  for (const [index, { page }] of pdf.pages().entries())
    for (const { ref, stream } of appearances(pdf, page)) named(index, () => content.planStream(ref, stream, resources));
  for (const object of [...pdf.objects()]) {
    if (!('value' in object) || !(object.value instanceof PdfStream)) continue;
    const { id, value } = object;
    const isContent = pdf.name(value, 'Subtype') === 'Form' || pdf.number(value, 'PatternType') === 1;
    if (isContent) named(undefined, () => content.planStream(PdfRef.of(id), value, resources));
  }
}

function appearances(pdf: ForeignPdf, page: PdfDict): Array<{ ref: PdfRef; stream: PdfStream }> {
  return pdf.list(page, 'Annots').flatMap((annotation) => {
    const all = [...(pdf.dict(pdf.asDict(annotation), 'AP') ?? [])].map(([, value]) => value);
    const states = all.flatMap((each): PdfObject[] => {
      const found = pdf.resolve(each);
      return found instanceof PdfDict && !(found instanceof PdfStream) ? [...found].map(([, state]) => state) : [each];
    });
    return states.flatMap((ref) => {
      const stream = pdf.resolve(ref);
      return ref instanceof PdfRef && stream instanceof PdfStream ? [{ ref, stream }] : [];
    });
  });
}

function contentStreams(pdf: ForeignPdf): Set<number> {
  const refs = pdf.pages().flatMap(({ page }) => pdf.listOrOne(page, 'Contents'));
  return new Set(refs.flatMap((ref) => (ref instanceof PdfRef ? ref.objectNumber : [])));
}

/** Removes annotations under boxes, and form fields with all their widgets. Returns the numbers of those that are gone. */
function removeAnnotations(pdf: ForeignPdf, boxes: ReadonlyMap<number, Polygon[]>): Set<number> {
  const gone = new Set<number>();
  const pages = boxes.size ? pdf.pages() : [];
  for (const [index, areas] of boxes)
    for (const annotation of pdf.list(pages[index]?.page, 'Annots'))
      if (areas.some((area) => touches(pdf, annotation, area))) collectField(pdf, annotation, gone);
  for (const [index, { ref, page }] of pages.entries()) {
    const isGone = (each: PdfObject) =>
      each instanceof PdfRef ? gone.has(each.objectNumber) : (boxes.get(index) ?? []).some((area) => touches(pdf, each, area));
    const all = pdf.list(page, 'Annots');
    if (all.some(isGone)) pdf.update(ref, { Annots: PdfArray.of(...all.filter((each) => !isGone(each))) });
  }
  for (const id of gone) pdf.change(PdfRef.of(id), PdfNull.instance);
  return gone;
}

function touches(pdf: ForeignPdf, annotation: PdfObject, area: Polygon): boolean {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = pdf.list(pdf.asDict(annotation), 'Rect').map((each) => {
    const side = pdf.resolve(each);
    return side instanceof PdfNumber ? side.value : 0;
  });
  const { left, bottom, right, top } = boundsOf(area);
  const [across, up] = [
    Math.min(right, Math.max(x1, x2)) - Math.max(left, Math.min(x1, x2)),
    Math.min(top, Math.max(y1, y2)) - Math.max(bottom, Math.min(y1, y2)),
  ];
  return across > 0 && up > 0;
}

/** A widget without a name of its own shows the value of the field above it. */
function collectField(pdf: ForeignPdf, annotation: PdfObject, gone: Set<number>): void {
  const dict = pdf.asDict(annotation);
  const parent = dict?.get('Parent');
  const isWidget = pdf.name(dict, 'Subtype') === 'Widget' && !dict?.has('T');
  const field = isWidget && parent instanceof PdfRef ? parent : annotation;
  for (const ref of [annotation, field, ...pdf.list(pdf.asDict(field), 'Kids')])
    if (ref instanceof PdfRef) gone.add(ref.objectNumber);
}
