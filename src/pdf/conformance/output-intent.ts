/** Adds an sRGB output intent to an editable PDF (ISO 19005-2, 6.2.3). */
import { readFileSync } from 'node:fs';
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfRef, PdfStream } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { deflatedStream, textString } from '../objects/syntax.ts';

const SRGB = 'sRGB IEC61966-2.1';

export function addOutputIntent(editable: EditablePdf): void {
  editable.catalog.set('OutputIntents', PdfArray.of(outputIntent((profile) => editable.add(profile))));
}

/** `add` stores the stream of the ICC profile and returns its reference. */
export function outputIntent(add: (profile: PdfStream) => PdfRef): PdfDict {
  return PdfDict.of({
    Type: PdfName.of('OutputIntent'),
    S: PdfName.of('GTS_PDFA1'),
    OutputConditionIdentifier: textString(SRGB),
    Info: textString(SRGB),
    DestOutputProfile: add(new PdfStream(PROFILE, PROFILE.data)),
  });
}

/** Primaries and white point of sRGB, adapted to D50, and 1,024 points of its transfer curve (ICC.1:2001-04, 6.4 and 6.5). */
const PROFILE = deflatedStream({ N: PdfNumber.of(3) }, readFileSync(new URL('./srgb.icc', import.meta.url)));
