/** Structure types, nesting rules and language tags as the standards define them. */
import { PdfDict, PdfName } from '@libpdf/core';
import { textString } from '../objects/syntax.ts';

/** The structure types of ISO 32000-1, 14.8.4. */
export const STANDARD_TYPES: ReadonlySet<string> = new Set(
  `Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD
  THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form`.split(
    /\s+/,
  ),
);

/** The structure types that PDF 2.0 adds (ISO 32000-2, 14.8.4). */
export const VERSION_2_TYPES: ReadonlySet<string> = new Set([
  'DocumentFragment',
  'Aside',
  'Title',
  'FENote',
  'Sub',
  'Em',
  'Strong',
  'Artifact',
]);

/** The kids that table and list elements may have (ISO 14289-1, 7.2). */
export const PERMITTED_KIDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    Table: 'TR THead TBody TFoot Caption',
    ...{ THead: 'TR', TBody: 'TR', TFoot: 'TR', TR: 'TH TD' },
    ...{ L: 'L LI Caption', LI: 'Lbl LBody' },
  }).map(([parent, kids]) => [parent, new Set(kids.split(' '))]),
);

/** The syntax of BCP 47 language tags. It does not check whether a tag is registered. */
export const LANGUAGE_TAG = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i;

/** The namespace of the structure types of PDF 2.0 (ISO 32000-2, 14.8.6). */
export const NAMESPACE_OF_PDF_2 = 'http://iso.org/pdf2/ssn';

export function namespaceOfVersion2(): PdfDict {
  return PdfDict.of({ Type: PdfName.of('Namespace'), NS: textString(NAMESPACE_OF_PDF_2) });
}
