/** What reads PDFs of others for a command: in processes of their own, which end with the command. */
import type { Config } from '../../config.ts';
import { invalidField } from '../../errors.ts';
import { type LetterheadServices, printOnLetterhead } from '../../render/letterhead.ts';
import type { renderPdf } from '../../render/pdf.ts';
import { UploadAssembly } from '../../uploads/assemble-uploads.ts';
import { Letterheads } from '../../uploads/letterheads.ts';
import { UploadValidation } from '../../uploads/validate-uploads.ts';

/** Starts no process yet. */
export function openPdfReaders(opened: AsyncDisposableStack, limits: Config['merging']) {
  const uploadAssembly = opened.adopt(new UploadAssembly(limits), (each) => each.close());
  return {
    uploadAssembly,
    letterheads: new Letterheads(uploadAssembly),
    uploadValidation: opened.adopt(new UploadValidation(), (each) => each.close()),
    documents: { find: notHere, read: notHere },
  };
}

/** Like `renderPdf`, on the letterhead that the order names. */
export function printerOnLetterheads(services: LetterheadServices): typeof renderPdf {
  const principal = { keyId: 'file', accountId: 'file' };
  return (engine, order, owner, deadline) => printOnLetterhead(engine, order, services, { principal, owner, deadline });
}

export async function notHere(): Promise<never> {
  throw invalidField('', 'needs the service, which keeps documents and templates');
}
