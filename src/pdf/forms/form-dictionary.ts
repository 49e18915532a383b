/** Builds the interactive form dictionary, which lists the fields of a PDF (ISO 32000-1, 12.7.2). */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef } from '@libpdf/core';
import { textString } from '../objects/syntax.ts';

/** The flag of `SigFlags` for a form with a signature field (table 219). */
const SIGNATURES_EXIST = 1;

export const OWN_FONTS = ['Helv', 'ZaDb'];

/** Viewers use the fonts of the dictionary to display text that a user types. */
export function formDictionary(
  fields: readonly PdfRef[],
  hasSignatures: boolean,
  add: (object: PdfDict) => PdfRef,
  fonts: Record<string, PdfObject> = {},
): PdfDict {
  const font = (name: string, more: Record<string, PdfObject>) =>
    add(PdfDict.of({ Type: PdfName.of('Font'), Subtype: PdfName.of('Type1'), BaseFont: PdfName.of(name), ...more }));
  const Helv = font('Helvetica', { Encoding: PdfName.of('WinAnsiEncoding') });
  const DR = PdfDict.of({ Font: PdfDict.of({ Helv, ZaDb: font('ZapfDingbats', {}), ...fonts }) });
  const form = PdfDict.of({ Fields: PdfArray.of(...fields), DR, DA: textString('/Helv 0 Tf 0 g') });
  if (hasSignatures) form.set('SigFlags', PdfNumber.of(SIGNATURES_EXIST));
  return form;
}
