/**
 * Makes annotations and widgets of form fields part of the pages that they are on: an open PDF in, pages that show the same without them
 * out (ISO 32000-1, 12.5.5). Resources of others are never changed, because pages may share them.
 */
import { PdfArray, PdfDict, PdfName, PdfNull, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { balanceOf } from '../content/graphics-balance.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { toMatrix, transform } from '../objects/matrix.ts';
import { findResources } from '../objects/page-view.ts';
import { decimal } from '../objects/syntax.ts';
import { drawAppearance } from './drawn-annotations.ts';
import { rectangleOf } from './rectangles.ts';

/** Bits of `F` for annotations that are not shown (table 165): hidden, and not on a screen. */
const NOT_SHOWN = 2 | 32;
const NAME = 'PlatenAnnotation';

/** Chooses annotations by their subtypes. Returns the subtypes of those that have no appearance, and so are lost. */
export function flattenAnnotations(pdf: ForeignPdf, isChosen: (subtype: string) => boolean): string[] {
  return pdf.pages().flatMap(({ ref, page }) => {
    const chosen = pdf.list(page, 'Annots').filter((each) => isChosen(pdf.name(pdf.asDict(each), 'Subtype')));
    return chosen.length ? flattenOn(pdf, ref, page, chosen) : [];
  });
}

function flattenOn(pdf: ForeignPdf, ref: PdfRef, page: PdfDict, chosen: readonly PdfObject[]): string[] {
  const lost: string[] = [];
  const resources = findResources(pdf, page)?.clone() ?? new PdfDict();
  const forms = pdf.copyDictionary(resources, 'XObject');
  const drawn = chosen.flatMap((each) => drawAnnotation(pdf, pdf.asDict(each) as PdfDict, forms, lost));
  if (drawn.length) {
    resources.set('XObject', forms);
    pdf.update(ref, { Resources: resources, Contents: PdfArray.of(...contentWith(pdf, page, drawn)) });
  }
  const all = pdf.list(page, 'Annots');
  const gone = new Set(chosen);
  const numbers = new Set(chosen.flatMap((each) => (each instanceof PdfRef ? each.objectNumber : [])));
  const left = all.filter((each) => !gone.has(each) && !numbers.has(parentOfPopup(pdf, each) ?? 0));
  pdf.update(ref, { Annots: PdfArray.of(...left) });
  const staying = new Set(left);
  for (const each of all) if (each instanceof PdfRef && !staying.has(each)) pdf.change(each, PdfNull.instance);
  return lost;
}

/** The object number of the annotation to which a pop-up window belongs. */
function parentOfPopup(pdf: ForeignPdf, annotation: PdfObject): number | undefined {
  const popup = pdf.asDict(annotation);
  const parent = pdf.name(popup, 'Subtype') === 'Popup' ? popup?.get('Parent') : undefined;
  return parent instanceof PdfRef ? parent.objectNumber : undefined;
}

/** The content of a page, which restores all that it has saved and nothing else, and what follows. */
function contentWith(pdf: ForeignPdf, page: PdfDict, drawn: readonly string[]): PdfObject[] {
  const { missing, open } = balanceOf(pdf, page);
  const stream = (content: string) => pdf.add(PdfStream.fromDict({}, Buffer.from(content)));
  const [before, after] = ['q\n'.repeat(missing + 1), 'Q '.repeat(open + 1)];
  return [stream(before), ...pdf.listOrOne(page, 'Contents'), stream(`\n${after}\n${drawn.join('\n')}\n`)];
}

/** The operators that draw it, or nothing. */
function drawAnnotation(pdf: ForeignPdf, annotation: PdfDict, forms: PdfDict, lost: string[]): string[] {
  if ((pdf.number(annotation, 'F') ?? 0) & NOT_SHOWN) return [];
  const subtype = pdf.name(annotation, 'Subtype');
  const form = findAppearance(pdf, annotation) ?? drawAppearance(pdf, annotation, subtype);
  const matrix = form && placement(pdf, annotation, form);
  if (!form && subtype !== 'Widget') lost.push(subtype);
  if (!matrix) return [];
  const name = findFreeName(forms);
  forms.set(name, pdf.add(withLayer(pdf, form, annotation.get('OC'))));
  return [`q ${matrix.map(decimal).join(' ')} cm /${name} Do Q`];
}

/** Of a box, the appearance of its state. */
function findAppearance(pdf: ForeignPdf, annotation: PdfDict): PdfStream | undefined {
  const normal = pdf.resolve(pdf.dict(annotation, 'AP')?.get('N'));
  if (!(normal instanceof PdfDict) || normal instanceof PdfStream) return normal instanceof PdfStream ? normal : undefined;
  return pdf.stream(normal, pdf.name(annotation, 'AS'));
}

/** What moves the box of the appearance, as its own matrix turns it, into the rectangle of the annotation. */
function placement(pdf: ForeignPdf, annotation: PdfDict, form: PdfStream): number[] | undefined {
  const [box, rect] = [rectangleOf(pdf.numbers(form, 'BBox')), rectangleOf(pdf.numbers(annotation, 'Rect'))];
  if (!box || !rect || !(box.width && box.height)) return undefined;
  const matrix = toMatrix(pdf.resolve(form.get('Matrix')));
  const corners = [box.x, box.x + box.width].flatMap((x) => [box.y, box.y + box.height].flatMap((y) => transform(matrix, x, y)));
  const turned = rectangleOf(corners);
  if (!turned) return undefined;
  const [across, up] = [rect.width / (turned.width || 1), rect.height / (turned.height || 1)];
  return [across, 0, 0, up, rect.x - turned.x * across, rect.y - turned.y * up];
}

/** A copy, which is a form XObject even if it does not say so, in the layer of the annotation. */
function withLayer(pdf: ForeignPdf, form: PdfStream, layer: PdfObject | undefined): PdfStream {
  const copy = new PdfStream(form, form.data);
  copy.set('Type', PdfName.of('XObject'));
  copy.set('Subtype', PdfName.of('Form'));
  copy.delete('StructParent');
  if (layer && pdf.asDict(layer) && !copy.has('OC')) copy.set('OC', layer);
  return copy;
}

function findFreeName(forms: PdfDict): string {
  let number = forms.size;
  while (forms.has(`${NAME}${number}`)) number++;
  return `${NAME}${number}`;
}
