/**
 * Adds the validation data that proves a signature when its issuers no longer answer (ETSI EN 319 142-1, 5.4): a signed PDF and
 * validation data in, the same bytes followed by an incremental update out.
 */
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, PdfStream, PdfString } from '@libpdf/core';
import type { SignaturePlaceholder, ValidationUpdate } from '../finish-settings.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { numbers, textString } from '../objects/syntax.ts';
import { FORM_FLAGS, findHole, newMarker, PLACEHOLDER } from './signature-field.ts';

export const TIME_STAMP_NAME = 'DocumentTimeStamp1';

/** `hole` is the placeholder for the time stamp, if `update` requests one. */
export async function withValidationData(
  file: Uint8Array,
  update: ValidationUpdate,
): Promise<{ file: Buffer; hole: SignaturePlaceholder | undefined }> {
  const pdf = await PDF.load(file);
  const blocker = pdf.canSaveIncrementally();
  if (blocker !== null) throw new Error(`the signed PDF cannot be updated incrementally: ${blocker}`);
  const catalog = pdf.context.catalog.getDict();
  const streams = (all: Uint8Array[]) => PdfArray.of(...all.map((bytes) => pdf.register(new PdfStream([], bytes))));
  const store = PdfDict.of({ Type: PdfName.of('DSS'), Certs: streams(update.certificates) });
  if (update.ocspResponses.length) store.set('OCSPs', streams(update.ocspResponses));
  if (update.crls.length) store.set('CRLs', streams(update.crls));
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
  const field = PdfDict.of({ FT: PdfName.of('Sig'), T: textString(TIME_STAMP_NAME), V: pdf.register(signature) });
  const reader = new PdfReader(pdf);
  const form = reader.dict(catalog, 'AcroForm');
  if (!form) throw new Error('the signed PDF has no form fields');
  form.set('Fields', PdfArray.of(...reader.list(form, 'Fields'), pdf.register(field)));
  form.set('SigFlags', PdfNumber.of(FORM_FLAGS));
  return marker;
}
