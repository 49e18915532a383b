/** Adds a signature to a PDF that exists, signed or not: a PDF in, the same bytes followed by an incremental update out. */
import { PDF } from '@libpdf/core';
import { claimsStructure } from '../conformance/profiles.ts';
import { readPartFacts } from '../edit/read-facts.ts';
import type { SignatureField, SignaturePlaceholder } from '../finish-settings.ts';
import { generateAppearances } from '../forms/generate-appearances.ts';
import { isProtected } from '../objects/cross-reference.ts';
import { ForeignPdf } from '../objects/foreign-pdf.ts';
import { writeWithObjectStreams } from '../objects/object-streams.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { PdfUpdate } from '../objects/pdf-update.ts';
import { addSignatureField, findHole, hasSignature, placeField } from './signature-field.ts';

/** A PDF that cannot be signed. The message is a predicate. */
export class SignatureRefusedError extends Error {
  override name = 'SignatureRefusedError';
}

export interface WithPlaceholder {
  file: Uint8Array;
  hole: SignaturePlaceholder;
  pages: number;
  /** Whether the PDF was encrypted, which it is no longer. */
  wasProtected: boolean;
}

/** Throws `SignatureRefusedError`, and `print_failed` for a field that is not on its page. */
export async function withSignatureField(file: Uint8Array, field: SignatureField): Promise<WithPlaceholder> {
  const { update, wasProtected } = await openForUpdate(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  if (update.pdf.version.startsWith('2')) update.version = '2.0';
  if (!hasSignature(update.pdf)) showValues(update);
  const isTagged = claimsStructure(readPartFacts(update.pdf).claims); // who claims nothing may have other trees than we read
  const marker = addSignatureField(update, field, await placeField(update, field.visible), undefined, isTagged);
  const written = update.write();
  return { file: written, hole: findHole(written, marker, field.digest), pages: update.pages().length, wasProtected };
}

/**
 * A PDF that is not signed is written anew if it is too damaged for an update, or encrypted so that it opens without a password: other
 * steps decrypt it as well.
 */
async function openForUpdate(bytes: Buffer): Promise<{ update: PdfUpdate; wasProtected: boolean }> {
  const pdf = await loadUnlocked(bytes);
  if (allowsNoChange(pdf)) throw new SignatureRefusedError('is certified, and allows no further signature');
  const wasProtected = pdf.isEncrypted;
  const update = wasProtected ? undefined : tryUpdate(bytes, pdf);
  if (update) return { update, wasProtected };
  const why = wasProtected ? 'encrypted, so that it cannot have a further signature' : 'too damaged for a further signature';
  if (hasSignature(pdf)) throw new SignatureRefusedError(`is signed, and ${why}`);
  const written = writeWithObjectStreams(new ForeignPdf(pdf)).join();
  return { update: await PdfUpdate.open(Buffer.from(written.buffer)), wasProtected };
}

async function loadUnlocked(bytes: Buffer): Promise<PDF> {
  try {
    const pdf = await PDF.load(bytes);
    if (!pdf.isEncrypted || pdf.isAuthenticated) return pdf;
  } catch (error) {
    if (!isProtected(bytes)) throw error;
  }
  throw new SignatureRefusedError('is protected by a password: send it as password of the part');
}

function tryUpdate(bytes: Buffer, pdf: PDF): PdfUpdate | undefined {
  try {
    return new PdfUpdate(bytes, pdf);
  } catch {
    return undefined;
  }
}

/** What a viewer would generate would differ from what was signed, so that the form no longer asks it to. */
function showValues(update: PdfUpdate): void {
  for (const ref of generateAppearances(update.pdf)) {
    const changed = update.asDict(ref);
    if (changed) update.change(ref, changed);
  }
}

/** Whether a certification forbids all changes (ISO 32000-1, 12.8.2.2). */
function allowsNoChange(pdf: PDF): boolean {
  const reader = new PdfReader(pdf);
  const certification = reader.dict(reader.dict(pdf.context.catalog.getDict(), 'Perms'), 'DocMDP');
  return reader.list(certification, 'Reference').some((each) => {
    return reader.number(reader.dict(reader.asDict(each), 'TransformParams'), 'P') === 1;
  });
}
