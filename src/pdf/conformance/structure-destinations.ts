/**
 * Lets links and bookmarks lead to tags as well as to places of pages (ISO 14289-2, 8.8). Chromium says which tag a bookmark means,
 * and of a link the place only: its tag is that of what is painted there.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { IN_LINE } from './nesting.ts';
import { type Painted, type PaintedContent, paintedKey } from './painted-content.ts';
import { isAnnotation, StructureElement } from './structure-element.ts';
import type { StructureTree } from './structure-tree.ts';

/** In points: how far what is painted may reach over the box that is led to. */
const TOLERANCE = 4;

export function addStructureDestinations(draft: EditablePdf, tree: StructureTree, painted: PaintedContent): void {
  const destinations = new Destinations(draft, tree, painted);
  destinations.mendOutline();
  for (const { ref } of draft.pdf.getPages()) destinations.mendPage(ref);
}

/** What a tag paints. */
interface Mark extends Painted {
  element: StructureElement;
}

class Destinations {
  readonly #draft: EditablePdf;
  readonly #tree: StructureTree;
  readonly #painted: PaintedContent;
  readonly #named: PdfObject | undefined;
  /** By page, from the top down, and in a line from the left to the right; read once a link asks for them. */
  #marks: Map<number, Mark[]> | undefined;

  constructor(draft: EditablePdf, tree: StructureTree, painted: PaintedContent) {
    this.#draft = draft;
    this.#tree = tree;
    this.#painted = painted;
    this.#named = draft.resolve(draft.catalog.get('Dests'));
  }

  mendOutline(): void {
    const outlines = this.#draft.resolve(this.#draft.catalog.get('Outlines'));
    const waiting = outlines instanceof PdfDict ? [outlines.get('First')] : [];
    while (waiting.length) {
      const ref = waiting.pop();
      const item = this.#draft.resolve(ref);
      if (!(ref instanceof PdfRef) || !(item instanceof PdfDict)) continue;
      waiting.push(item.get('Next'), item.get('First'));
      const element = item.get('SE');
      this.#mend(ref, item, element instanceof PdfRef ? element : undefined);
    }
  }

  mendPage(ref: PdfRef): void {
    const page = this.#draft.resolve(ref);
    const annotations = page instanceof PdfDict ? this.#draft.resolve(page.get('Annots')) : undefined;
    for (const entry of annotations instanceof PdfArray ? annotations.toArray() : []) {
      const annotation = this.#draft.resolve(entry);
      if (entry instanceof PdfRef && annotation instanceof PdfDict) this.#mend(entry, annotation, undefined);
    }
  }

  /** `element` is where a destination leads, where that is known. */
  #mend(ref: PdfRef, holder: PdfDict, element: PdfRef | undefined): void {
    const given = holder.get('Dest');
    const place = this.#placeOf(given);
    if (!given || !place) return;
    const [, ...view] = place.toArray();
    const action = PdfDict.of({
      S: PdfName.of('GoTo'),
      D: given,
      SD: PdfArray.of(element ?? this.#elementAt(place), ...view),
    });
    const copy = holder.clone();
    copy.delete('Dest');
    copy.set('A', action);
    this.#draft.change(ref, copy);
  }

  #placeOf(given: PdfObject | undefined): PdfArray | undefined {
    const name = nameOf(this.#draft.resolve(given));
    const found = name !== undefined && this.#named instanceof PdfDict ? this.#named.get(name) : given;
    const place = this.#draft.resolve(found);
    return place instanceof PdfArray ? place : undefined;
  }

  #elementAt(place: PdfArray): PdfRef {
    const [page, , x, y] = place.toArray();
    const [left, top] = [x, y].map((each) => (each instanceof PdfNumber ? each.value : 0));
    this.#marks ??= this.#readMarks();
    const marks = (page instanceof PdfRef && this.#marks.get(page.objectNumber)) || [];
    const below = marks.filter((mark) => mark.top <= (top ?? 0) + TOLERANCE);
    const inColumn = below.find((mark) => mark.left >= (left ?? 0) - TOLERANCE);
    const found = inColumn ?? below[0] ?? marks.at(-1);
    return (found ? blockOf(found.element) : this.#tree.document).ref;
  }

  #readMarks(): Map<number, Mark[]> {
    const marks = new Map<number, Mark[]>();
    for (const element of this.#tree.elements()) {
      if (element.type === 'Artifact') continue;
      for (const leaf of element.kids) {
        if (leaf instanceof StructureElement || isAnnotation(leaf)) continue;
        const { holder, mcid } = this.#tree.placeOf(leaf, element);
        const painted = holder && this.#painted.get(paintedKey(holder.objectNumber, mcid));
        if (!painted) continue;
        const onPage = marks.get(painted.page) ?? [];
        marks.set(painted.page, onPage);
        onPage.push({ ...painted, element });
      }
    }
    for (const onPage of marks.values()) onPage.sort((one, other) => other.top - one.top || one.left - other.left);
    return marks;
  }
}

/** What a reader goes to: a paragraph and not a word of it. */
function blockOf(element: StructureElement): StructureElement {
  let block = element;
  while (block.parent && (block.type === 'NonStruct' || (IN_LINE.has(block.type) && block.type !== 'Figure'))) block = block.parent;
  return block;
}

function nameOf(value: PdfObject | undefined): string | undefined {
  if (value instanceof PdfName) return value.value;
  return value instanceof PdfString ? value.asString() : undefined;
}
