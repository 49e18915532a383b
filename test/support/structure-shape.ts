/** Writes the structure of a PDF in one line, so that tests can compare it. */
import { PdfDict } from '@libpdf/core';
import { StructureElement } from '../../src/pdf/structure/structure-element.ts';

/** Types of elements and their kids; `#` is content, and `@` a link. Elements for text alone are left out, unless they have a language. */
export function structureShape(element: StructureElement): string {
  const kids = element.kids.map((kid) => {
    if (!(kid instanceof StructureElement)) return kid instanceof PdfDict && kid.has('Obj') ? '@' : '#';
    return kid.type === 'NonStruct' && !kid.text('Lang')
      ? kid.kids.map((inner) => (inner instanceof StructureElement ? structureShape(inner) : '#')).join(' ')
      : structureShape(kid);
  });
  return `${element.type}(${kids.join(' ')})`;
}
