/**
 * Adds the validation data that proves a signature when its issuers no longer answer (ETSI EN 319 142-1, 5.4): a signed PDF and
 * validation data in, the same bytes followed by an incremental update out.
 */
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, PdfStream, PdfString } from '@libpdf/core';
import type { SignaturePlaceholder, ValidationUpdate } from '../finish-settings.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { numbers, textString } from '../objects/syntax.ts';
import { FORM_FLAGS, findHole, freeFieldName, newMarker, PLACEHOLDER } from './signature-field.ts';

/** With a number. */
const TIME_STAMP_STEM = 'DocumentTimeStamp';
export const TIME_STAMP_NAME = `${TIME_STAMP_STEM}1`;

/** `hole` is the placeholder for the time stamp, if `update` requests one. */
export async function withValidationData(
  file: Uint8Array,
  update: ValidationUpdate,
): Promise<{ file: Buffer; hole: SignaturePlaceholder | undefined }> {
  const pdf = await PDF.load(file);
  const blocker = pdf.canSaveIncrementally();
  if (blocker !== null) throw new Error(`the signed PDF cannot be updated incrementally: ${blocker}`);
  const catalog = pdf.context.catalog.getDict();
  const reader = new PdfReader(pdf);
  const known = reader.dict(catalog, 'DSS'); // of earlier signatures
  const store = known?.clone() ?? PdfDict.of({ Type: PdfName.of('DSS') });
  const added = { Certs: update.certificates, OCSPs: update.ocspResponses, CRLs: update.crls };
  for (const [entry, all] of Object.entries(added)) {
    const streams = all.map((bytes) => pdf.register(new PdfStream([], bytes)));
    if (streams.length) store.set(entry, PdfArray.of(...reader.list(known, entry), ...streams));
  }
  catalog.set('DSS', pdf.register(store));
  const marker = update.timeStampBytes === undefined ? undefined : addTimeStamp(pdf, catalog, update.timeStampBytes);
  const saved = await pdf.save({ incremental: true });
  const written = Buffer.from(saved.buffer, saved.byteOffset, saved.byteLength);
  return { file: written, hole: marker && findHole(written, marker.toString('hex').toUpperCase(), 'sha256') };
}

/** Adds a signature field without a widget, so that it is not visible. Returns the marker of its placeholder. */
function addTimeStamp(pdf: PDF, catalog: PdfDict, bytes: number): Buffer {
  const marker = newMarker();
  const signature = PdfDict.of({
    ...{ Type: PdfName.of('DocTimeStamp'), Filter: PdfName.of('Adobe.PPKLite'), SubFilter: PdfName.of('ETSI.RFC3161') },
    ByteRange: numbers(0, PLACEHOLDER, PLACEHOLDER, PLACEHOLDER),
    Contents: new PdfString(Buffer.concat([marker, Buffer.alloc(bytes - marker.length)]), 'hex'),
  });
  const field = PdfDict.of({
    FT: PdfName.of('Sig'),
    T: textString(freeFieldName(new PdfReader(pdf), TIME_STAMP_STEM)),
    V: pdf.register(signature),
  });
  const reader = new PdfReader(pdf);
  const form = reader.dict(catalog, 'AcroForm');
  if (!form) throw new Error('the signed PDF has no form fields');
  form.set('Fields', PdfArray.of(...reader.list(form, 'Fields'), pdf.register(field)));
  form.set('SigFlags', PdfNumber.of(FORM_FLAGS));
  return marker;
}
