/**
 * Adds structure destinations to links and bookmarks (ISO 14289-2, 8.8). Chromium writes the target element of a bookmark
 * (`OutlineEntry`: https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFTag.cpp), but
 * only the target position of a link; its element is found from the content that is painted there.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import type { Painted, PaintedContent } from '../content/painted-content.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { pageView } from '../objects/page-view.ts';
import { MAY_BE_INLINE } from '../structure/nesting.ts';
import { StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';
import { outlineItems } from './outline-items.ts';

/** How far painted content may extend beyond the box of the target, in points. */
const TOLERANCE = 4;
/** The weight of a horizontal distance in relation to a vertical one. */
const SIDEWAYS = 0.05;
/** How many pieces of content above and below the target are searched for one in its column. */
const MAX_COLUMNS = 500;
/** The height above its base line, in points, up to which an image that starts higher can be in the line of the target. */
const MAX_LINE = 24;
/** The vertical distance of such an image, in points: text in the line is nearer, and text below it is further away. */
const IN_ITS_LINE = 12;

export function addStructureDestinations(editable: EditablePdf, tree: StructureTree, painted: PaintedContent): void {
  const destinations = new StructureDestinations(editable, tree, painted);
  for (const { ref, item } of outlineItems(editable)) destinations.repair(ref, item, item.getRef('SE'));
  for (const { page } of editable.pages())
    for (const { ref, annotation } of editable.annotations(page)) destinations.repair(ref, annotation);
}

interface ElementContent extends Painted {
  element: StructureElement;
}

class StructureDestinations {
  readonly #editable: EditablePdf;
  readonly #tree: StructureTree;
  readonly #painted: PaintedContent;
  readonly #named: PdfDict | undefined;
  /** The painted content of each page from top to bottom, and from left to right within a line. Read only when a link needs them. */
  #content: Map<number, ElementContent[]> | undefined;

  constructor(editable: EditablePdf, tree: StructureTree, painted: PaintedContent) {
    this.#editable = editable;
    this.#tree = tree;
    this.#painted = painted;
    this.#named = editable.dict(editable.catalog, 'Dests');
  }

  /** `element` is the target element, if it is known. */
  repair(ref: PdfRef, holder: PdfDict, element?: PdfRef): void {
    const given = holder.get('Dest');
    if (!given) return;
    const copy = holder.clone();
    copy.delete('Dest');
    const place = this.#findPlace(given);
    if (place) copy.set('A', this.#actionTo(given, place, element));
    this.#editable.change(ref, copy);
  }

  #actionTo(given: PdfObject, place: PdfArray, element: PdfRef | undefined): PdfDict {
    const [, ...view] = place.toArray();
    return PdfDict.of({
      S: PdfName.of('GoTo'),
      D: given,
      SD: PdfArray.of(element ?? this.#findElement(place), ...view),
    });
  }

  /** The explicit destination; undefined if its page was left out, for example by `pageRanges`. */
  #findPlace(given: PdfObject | undefined): PdfArray | undefined {
    const name = this.#editable.label(given);
    const found = name === undefined ? given : this.#named?.get(name);
    const place = this.#editable.resolve(found);
    return place instanceof PdfArray ? place : undefined;
  }

  #findElement(place: PdfArray): PdfRef {
    const [page] = place.toArray();
    this.#content ??= this.#readContent();
    const content = (page instanceof PdfRef && this.#content.get(page.objectNumber)) || [];
    const [left, top] = page instanceof PdfRef ? this.#findPoint(page, place) : [0, 0];
    const first = firstBelow(content, top + TOLERANCE);
    const images = content.slice(Math.max(0, first - MAX_COLUMNS), first).filter((each) => standsOnLine(each, top));
    const below = content.slice(first, first + MAX_COLUMNS);
    const found = nearest([...images, ...below], left, top) ?? below[0] ?? content.at(-1);
    return (found ? enclosingBlock(found.element) : this.#tree.document).ref;
  }

  /** The target point on the page. Chromium writes link targets as if the page had no margins, so they are added here. */
  #findPoint(ref: PdfRef, place: PdfArray): [left: number, top: number] {
    const [, , x, y] = place.toArray();
    const page = this.#editable.asDict(ref);
    const [left = 0, top = 0] = [x, y].map((each) => (each instanceof PdfNumber ? each.value : 0));
    const corner = this.#painted.corners.get(ref.objectNumber);
    if (!page || !corner) return [left, top];
    const { bottom, height } = pageView(this.#editable, page);
    return [corner[0] + left, corner[1] + top - bottom - height];
  }

  #readContent(): Map<number, ElementContent[]> {
    const elements = this.#tree.elements().filter(({ type }) => type !== 'Artifact');
    const content = Map.groupBy(
      elements.flatMap((element) => this.#findContent(element)),
      ({ page }) => page,
    );
    for (const onPage of content.values()) onPage.sort((one, other) => other.top - one.top || one.left - other.left);
    return content;
  }

  #findContent(element: StructureElement): ElementContent[] {
    return element.kids.flatMap((leaf) => {
      const painted = leaf instanceof StructureElement ? undefined : this.#tree.findPainted(leaf, element, this.#painted);
      const isShown = painted?.codes || element.type === 'Figure' || element.type === 'Form';
      return painted && isShown ? [{ ...painted, element }] : []; // borders start above the text, so they are left out
    });
  }
}

/** The index of the first piece of content that does not start above the line; content is ordered from top to bottom. */
function firstBelow(content: readonly ElementContent[], line: number): number {
  let [from, to] = [0, content.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((content[middle]?.top ?? 0) > line) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Whether an image can be in the line of a target without content, which starts at the height of its text. */
function standsOnLine({ element, bottom }: ElementContent, top: number): boolean {
  return element.type === 'Figure' && bottom < top && top - bottom < MAX_LINE;
}

/**
 * The nearest content below and to the right. Other columns can have lines at the same height, and lines can be centred, so the
 * horizontal distance counts a little.
 */
function nearest(content: readonly ElementContent[], left: number, top: number): ElementContent | undefined {
  let found: { piece: ElementContent; distance: number } | undefined;
  for (const piece of content.filter((each) => each.left >= left - TOLERANCE)) {
    const down = piece.top > top + TOLERANCE ? IN_ITS_LINE : Math.max(0, top - piece.top);
    const distance = down + Math.max(0, piece.left - left) * SIDEWAYS;
    if (!found || distance < found.distance) found = { piece, distance };
  }
  return found?.piece;
}

/** The block that contains an element, so that a link leads to a paragraph and not to a word in it. */
function enclosingBlock(element: StructureElement): StructureElement {
  let block = element;
  while (block.parent && (block.type === 'NonStruct' || (MAY_BE_INLINE.has(block.type) && block.type !== 'Figure')))
    block = block.parent;
  return block;
}
