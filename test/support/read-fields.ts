/** Reads the form fields of a PDF by pdf.js, in page order. */
import { openPdf } from './open-pdf.ts';

export interface FormField {
  page: number;
  type: string;
  name: string;
  value: unknown;
  description: string;
  /** Left, bottom, right, top, in points. */
  rect: number[];
  isReadOnly: boolean;
  isRequired: boolean;
  isMultiLine: boolean;
  isPassword: boolean;
  maxLength: number;
  /** The appearance state of a checkbox or radio button when it is on. */
  state: string | undefined;
  options: Array<{ exportValue: string; displayValue: string }>;
  hasAppearance: boolean;
}

export async function readFields(pdf: Uint8Array, password?: string): Promise<FormField[]> {
  await using opened = await openPdf(pdf, { password });
  const { document } = opened;
  const found: FormField[] = [];
  for (let page = 1; page <= document.numPages; page++)
    for (const each of await (await document.getPage(page)).getAnnotations()) if (each.fieldType) found.push(fieldOf(page, each));
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: pdf.js states no type for annotations
function fieldOf(page: number, annotation: any): FormField {
  return {
    page,
    type: annotation.fieldType,
    name: annotation.fieldName,
    value: annotation.fieldValue,
    description: annotation.alternativeText,
    rect: annotation.rect,
    isReadOnly: annotation.readOnly,
    isRequired: annotation.required,
    isMultiLine: annotation.multiLine === true,
    isPassword: annotation.password === true,
    maxLength: annotation.maxLen ?? 0,
    state: annotation.buttonValue ?? annotation.exportValue,
    options: annotation.options ?? [],
    hasAppearance: annotation.hasAppearance,
  };
}
