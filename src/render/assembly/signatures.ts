/** Signs an assembled PDF, once for each step `sign`: certificates and a PDF in, the signed PDF out. */
import type { Principal } from '../../accounts/accounts.ts';
import type { Deadline } from '../../deadline.ts';
import type { AssembledFile } from '../../pdf/assemble/open-document.ts';
import type { SignatureField, ValidationUpdate } from '../../pdf/finish-settings.ts';
import type { WithPlaceholder } from '../../pdf/security/further-signature.ts';
import type { withValidationData } from '../../pdf/security/validation-update.ts';
import { contentLanguages, type PrintEngine } from '../pdf.ts';
import type { RenderOwner } from '../render-owner.ts';
import { placedAppearance, printPlaced } from '../steps/signature-appearance.ts';
import { completeSignature, openSigning, type Signing, type SigningServices, toSignatureField } from '../steps/signing.ts';
import type { AssemblyRequest } from './assembly-request.ts';
import { inStep } from './naming.ts';

/** Adds signature fields and validation data to PDFs of others, in processes of their own. */
export interface SignatureUpdates {
  addSignatureField(
    owner: string,
    task: { content: Uint8Array; field: SignatureField },
    deadline?: Deadline,
  ): Promise<WithPlaceholder>;
  extend(
    owner: string,
    task: { content: Uint8Array; update: ValidationUpdate },
    deadline?: Deadline,
  ): ReturnType<typeof withValidationData>;
}

const SIGN = { sign: true };

export interface NumberedSigning {
  number: number;
  signing: Signing;
}

/** Call it before anything is rendered. Throws as `openSigning` does. */
export async function openSignings(
  { signatures }: Pick<AssemblyRequest, 'signatures'>,
  services: SigningServices,
  principal: Pick<Principal, 'keyId' | 'accountId'>,
): Promise<NumberedSigning[]> {
  const opened: NumberedSigning[] = [];
  for (const { number, plan } of signatures) {
    const signing = await inStep({ number, step: SIGN }, () => openSigning(services, plan, principal));
    if (signing) opened.push({ number, signing });
  }
  return opened;
}

interface At {
  updates: SignatureUpdates;
  engine: PrintEngine | undefined;
  owner: RenderOwner;
  deadline: Deadline;
}

/** `wasProtected` tells whether the PDF was encrypted, which a signed one is not. */
type SignedFile = AssembledFile & Pick<WithPlaceholder, 'wasProtected'>;

export async function signAll(content: Uint8Array, signings: readonly NumberedSigning[], at: At): Promise<SignedFile> {
  let file: SignedFile = { content, pages: 0, wasProtected: false };
  for (const { number, signing } of signings) {
    const signed = await inStep({ number, step: SIGN }, () => signOnce(file.content, signing, at));
    file = { ...signed, wasProtected: file.wasProtected || signed.wasProtected };
  }
  return file;
}

async function signOnce(content: Uint8Array, signing: Signing, at: At): Promise<SignedFile> {
  const { updates, owner, deadline } = at;
  const field = toSignatureField(signing, await printAppearance(signing, at));
  const adding = updates.addSignatureField(owner.shareOf, { content, field }, deadline);
  const { file, hole, pages, wasProtected } = await deadline.race(adding);
  const finishing = {
    async extend(shareOf: string, pieces: Buffer[], update: ValidationUpdate) {
      const extended = await updates.extend(shareOf, { content: Buffer.concat(pieces), update }, deadline);
      return { pieces: [toBuffer(extended.file)], hole: extended.hole };
    },
  };
  const context = { owner: owner.shareOf, deadline };
  const signed = await completeSignature([toBuffer(file)], hole, signing, finishing, context);
  return { content: Buffer.concat(signed), pages, wasProtected };
}

/** Undefined for a signature that is not shown. */
async function printAppearance(signing: Signing, { engine, owner, deadline }: At): ReturnType<typeof printPlaced> {
  const placed = placedAppearance(signing);
  if (!placed) return undefined;
  if (!engine) throw new Error('a visible signature needs a browser');
  const languages = contentLanguages({ kind: 'html', html: placed.html, baseUrl: undefined });
  const suitable = { once: false, shareOf: owner.shareOf, suits: () => true };
  return engine.pool.use(owner.boundary, deadline, (page) => printPlaced(page, placed, languages, deadline), suitable);
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
