/**
 * Turns the controls of a document into form fields: prepares them before the print, and prints again without those that the PDF shows
 * twice or not at all, because these cannot become fields.
 */
import type { PreparedFields } from '../../chromium/load/structure/form-controls.ts';
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { ServiceError } from '../../errors.ts';
import type { ElementLocation, FormControl } from '../../tag-structure.ts';
import { unplacedFields } from './field-appearances.ts';
import type { Print } from './print.ts';

export interface PlacedFields {
  /** The form fields that the PDF shows exactly once. */
  fields: readonly FormControl[];
  /** Controls that should have become fields, and are printed as they are. */
  printedFields: ElementLocation[];
}

/** Without a key, no fields are wanted. */
export async function prepareFields(document: LoadedDocument, key: string | undefined): Promise<PreparedFields> {
  return key === undefined ? { fields: [], printed: [] } : document.prepareFields(key);
}

/** `scale` is that of the request. Throws `print_failed` if fields have no fixed position. */
export async function placeFields(
  document: LoadedDocument,
  print: Print,
  { fields, printed }: PreparedFields,
  key: string | undefined,
  scale: number,
): Promise<Print & PlacedFields> {
  const printedFields = [...printed];
  if (key === undefined || fields.length === 0) return { ...print, fields: [], printedFields };
  const findUnplaced = unplacedFields(key, scale);
  const missing = new Set(findUnplaced(print.chunks, fields));
  const placed = fields.filter(({ number }) => !missing.has(number));
  let pdf = print;
  if (missing.size) {
    const left = fields.filter(({ number }) => missing.has(number));
    if (!print.settings.pageRanges) printedFields.push(...left); // else most of them are on pages that are not printed
    await document.restoreFields([...missing]);
    pdf = { ...print, ...(await document.print(print.settings)) };
  }
  if (findUnplaced(pdf.chunks, placed).length)
    throw new ServiceError('print_failed', 'options.forms: the form fields of the document have no fixed position');
  await document.restoreFields(placed.map(({ number }) => number)); // clipped content is searched for in the document as it was
  return { ...pdf, fields: placed, printedFields };
}
