/** The worker thread that finishes PDFs, one at a time: a PDF as Chromium printed it in, the finished PDF out. */
import type { PdfRef } from '@libpdf/core';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { ServiceError } from '../errors.ts';
import { compressStreams } from './compress/compress-streams.ts';
import { removeDuplicates } from './compress/remove-duplicates.ts';
import { conform } from './conformance/conform.ts';
import { type Invoice, invoiceFilename, profileRelationship } from './conformance/invoice-profiles.ts';
import { claimsStructure } from './conformance/profiles.ts';
import { type InvoiceFacts, readInvoice } from './conformance/read-invoice.ts';
import { notConformant } from './conformance/violations.ts';
import { type AssociatedFile, attach } from './edit/attachments.ts';
import { joinHyphenatedWords } from './edit/join-hyphenated-words.ts';
import { withLetterhead } from './edit/letterhead.ts';
import { addMetadata } from './edit/metadata.ts';
import { normalizeInfoDictionary } from './edit/normalize-info-dictionary.ts';
import { type Split, type SplitTask, splitDocuments } from './edit/split-documents.ts';
import { stampPages } from './edit/stamp.ts';
import type { FinishSettings, SignatureField, SignaturePlaceholder, ValidationUpdate } from './finish-settings.ts';
import { addFields } from './forms/add-fields.ts';
import { shrinkImages } from './images/shrink-images.ts';
import { type Merged, type MergeTask, merge as mergeAll } from './merge/merge.ts';
import { DeterministicRandom, digestInputs } from './objects/deterministic-random.ts';
import { EditablePdf } from './objects/editable-pdf.ts';
import { encrypt } from './objects/encrypt.ts';
import { writeWithObjectStreams } from './objects/object-streams.ts';
import { type Parts, writePlain } from './objects/write.ts';
import { replaceBookmarks } from './paged/bookmarks.ts';
import { addPageLabels } from './paged/page-labels.ts';
import { addPrintersMarks } from './press/add-printers-marks.ts';
import { type Refusal, toRefusal } from './refusal.ts';
import { addSignatureField, type FieldPlace, findHole, placeField, SIGNATURE_NAME } from './security/signature-field.ts';
import { TIME_STAMP_NAME, withValidationData } from './security/validation-update.ts';
import { yieldToOthers } from './yield-to-others.ts';

export interface FinishTask {
  pieces: Uint8Array[];
  settings: FinishSettings;
  secret: Uint8Array;
}

export interface ExtendTask {
  pieces: Uint8Array[];
  update: ValidationUpdate;
}

const ID_BYTES = 16;

yieldToOthers();

/** A written PDF, which may have a placeholder for a signature or a time stamp. */
export interface Written {
  bytes: Uint8Array<ArrayBuffer>;
  hole: SignaturePlaceholder | undefined;
}

/**
 * Finishes a PDF. The same task gives the same bytes, which are transferred instead of copied. Encryption or the signature must
 * be the last change.
 */
export async function finish(task: FinishTask): Promise<Written | Refusal> {
  return toRefusal(() => finishAsPossible(receiveTask(task)));
}

/** If repairing the tags fails, finishes the PDF without the repair, unless it claims conformance for its tags. */
async function finishAsPossible(task: Received): Promise<Written> {
  const { settings } = task;
  const finished = finishExactly(task);
  if (!settings.repairsTags || claimsStructure(settings.conformance)) return finished;
  return finished.catch((error) => {
    if (error instanceof ServiceError && error.code === 'not_conformant') throw error;
    return finishExactly({ ...task, settings: { ...settings, repairsTags: false } });
  });
}

async function finishExactly({ input, settings, secret }: Received): Promise<Written> {
  const invoice = settings.invoice && readInvoice(settings.invoice);
  const editable = await EditablePdf.read(input);
  const title = addMetadata(editable, settings, invoice);
  replaceBookmarks(editable, settings.bookmarks);
  if (settings.joinsWords) joinHyphenatedWords(editable);
  addPageLabels(editable, settings.labels);
  await stampPages(editable, settings.watermark);
  await shrinkImages(editable, settings.images);
  attach(editable, [...invoiceFile(settings.invoice, invoice), ...settings.attachments]);
  const { signature } = settings;
  const place = signature && (await placeField(editable, signature.visible));
  const { shown, unnamed, refs } = await addFields(editable, settings.forms, place ? signatureNames(place) : []);
  const forms = place?.shown ? [...shown, place.shown] : shown;
  addPrintersMarks(editable, settings.printersMarks);
  const violations = conform(editable, settings, { title, shown: forms, unnamed });
  if (violations.length) throw notConformant(violations);
  if (settings.conformance || signature) editable.id = digestInputs(input, settings).subarray(0, ID_BYTES);
  const marker = signature && place && addSignatureField(editable, signature, place, findOwnField(signature, refs));
  const bytes = write(editable, input, settings, secret).join();
  const hole = signature && marker ? findHole(Buffer.from(bytes.buffer), marker, signature.digest) : undefined;
  return transfer({ bytes, hole });
}

/** Appends validation data to a signed PDF. */
export async function extend({ pieces, update }: ExtendTask): Promise<Written> {
  const { file, hole } = await withValidationData(Buffer.concat(pieces), update);
  return transfer({ bytes: Uint8Array.from(file), hole });
}

/** Returns a value from the thread and transfers its buffer instead of copying it. */
function transfer(written: Written): Written {
  return move({ [transferableSymbol]: written.bytes.buffer, [valueSymbol]: written } as never) as unknown as Written;
}

function signatureNames({ position }: FieldPlace): string[] {
  return [...(position ? [SIGNATURE_NAME] : []), TIME_STAMP_NAME];
}

/** The form field of the document to sign, if the settings name one. */
function findOwnField({ visible }: SignatureField, fields: Map<number, PdfRef>): PdfRef | undefined {
  return visible && 'number' in visible.place ? fields.get(visible.place.number) : undefined;
}

/** The invoice as an associated file: the XML as it was sent, with its issue date as the modification date. */
function invoiceFile(invoice: Invoice | undefined, facts: InvoiceFacts | undefined): AssociatedFile[] {
  if (!invoice || !facts) return [];
  const { xml, profile } = invoice;
  const name = invoiceFilename(profile);
  const description = profile === 'XRECHNUNG' ? 'XRechnung' : 'Factur-X';
  const content = Buffer.from(xml);
  return [{ name, type: 'text/xml', description, content, relationship: profileRelationship(profile), modified: facts.issued }];
}

export async function merge(task: MergeTask): Promise<Merged | Refusal> {
  const merged = await toRefusal(() => mergeAll(task));
  return merged instanceof Uint8Array ? (move(merged) as unknown as typeof merged) : merged;
}

export async function split(task: SplitTask): Promise<Split> {
  const documents = await splitDocuments(task);
  const buffers = documents.flatMap((document) => (typeof document === 'string' ? [] : [document.buffer]));
  return move({ [transferableSymbol]: buffers, [valueSymbol]: documents } as never) as unknown as Split;
}

/** Does nothing. Calling it starts a thread, which is then ready to finish a PDF. */
export function prepare(): void {}

interface Received extends Omit<FinishTask, 'pieces'> {
  input: Buffer;
}

/**
 * Converts the plain bytes that a thread receives to buffers. The creation time is removed from the printed PDFs first, so that
 * the result does not depend on it.
 */
function receiveTask({ pieces, settings, secret }: FinishTask): Received {
  const { watermark, forms, letterhead, ...others } = settings;
  const printed = withLetterhead(withoutCreationTime(pieces), letterhead);
  const input = settings.compress ? removeDuplicates(printed) : printed;
  const copied: FinishSettings = { ...others, watermark, forms };
  if (watermark) copied.watermark = { ...watermark, stamp: [withoutCreationTime(watermark.stamp)] };
  if (forms) copied.forms = { ...forms, appearances: forms.appearances.map((printed) => [withoutCreationTime(printed)]) };
  return { input, settings: copied, secret };
}

function withoutCreationTime(pieces: Uint8Array[]): Buffer {
  const whole = Buffer.concat(pieces);
  normalizeInfoDictionary([whole]);
  return whole;
}

function write(editable: EditablePdf, input: Buffer, settings: FinishSettings, secret: Uint8Array): Parts {
  if (settings.compress) compressEditable(editable);
  if (settings.password) {
    const random = new DeterministicRandom(secret, digestInputs(input, settings));
    return writeWithObjectStreams(editable, encrypt(editable.catalog, settings.password, random));
  }
  return settings.compress ? writeWithObjectStreams(editable) : writePlain(editable);
}

function compressEditable(editable: EditablePdf): void {
  const pages = editable.pages().map(({ page }) => page);
  compressStreams(editable, pages, (ref, stream) => editable.change(ref, stream));
}
