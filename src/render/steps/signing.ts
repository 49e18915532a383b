/** Signs finished PDFs: signature options and a stored certificate in, a signature field and then its signature out. */

import type { SigningKey } from '../../certificates/certificate-facts.ts';
import type { CertificateOwner, Certificates } from '../../certificates/certificates.ts';
import { type SigningContext, sign, signatureBytes, signingAlgorithm } from '../../certificates/cms.ts';
import type { Revocation } from '../../certificates/revocation.ts';
import { MAX_TIME_STAMP_BYTES, readTokenCertificates, type TimeStamps } from '../../certificates/time-stamps.ts';
import type { PagePrint } from '../../chromium/print-once.ts';
import { ServiceError } from '../../errors.ts';
import type { FieldOfDocument, FieldPosition, SignatureField, SignaturePlaceholder } from '../../pdf/finish-settings.ts';
import { ChunkedBuffer } from '../../pdf/objects/chunked-buffer.ts';
import { POINTS_PER_INCH } from '../../units.ts';
import type { FieldPlan, SignaturePlan } from '../request/signature-options.ts';
import type { FinishQueue } from './finish-queue.ts';

export interface SigningServices {
  certificates: Pick<Certificates, 'open'>;
  /** Absent if the operator has set no time stamp authority. */
  timeStamps?: TimeStamps | undefined;
  revocation: Revocation;
}

/** A planned signature with its key. */
export interface Signing {
  plan: SignaturePlan;
  key: SigningKey;
  timeStamps: TimeStamps | undefined;
  /** Only for the levels that embed revocation data: B-LT and B-LTA. */
  revocation: Revocation | undefined;
  /** The signing time in milliseconds since 1970. */
  at: number;
  /** Whether the field is placed but not signed, for a PDF that nobody receives. */
  isTrial?: boolean;
}

/** A signature field and its printed appearance. */
export interface ShownSignature {
  field: FieldPlan | FieldOfDocument;
  printed: PagePrint;
}

/**
 * Opens the certificate and checks that the signature can be made. Call it before anything is rendered. Throws `not_found`,
 * `certificate_expired`, `certificate_unusable`, `timestamps_unavailable`, `revocation_failed`, `secret_key_missing`, `queue_full`.
 */
export async function openSigning(
  { certificates, timeStamps, revocation }: SigningServices,
  plan: SignaturePlan | undefined,
  { keyId, accountId }: CertificateOwner,
): Promise<Signing | undefined> {
  if (!plan) return undefined;
  const { level } = plan;
  const key = await certificates.open(keyId, plan.certificate);
  const isStamped = level !== 'B-B';
  const isLongTerm = isStamped && level !== 'B-T';
  if (isStamped && !timeStamps)
    throw new ServiceError(
      'timestamps_unavailable',
      `options.signature.level: ${level} needs a time stamp authority, which the operator sets with PLATEN_TSA_URL; use B-B`,
    );
  if (isLongTerm) await revocation.requireSources(accountId, key.chain);
  return {
    ...{ plan, key, at: Date.now() },
    timeStamps: isStamped ? timeStamps : undefined,
    revocation: isLongTerm ? revocation : undefined,
  };
}

/** The signature field for the PDF, with its appearance. */
export function toSignatureField({ plan, key, timeStamps, at }: Signing, shown: ShownSignature | undefined): SignatureField {
  const { reason, location, contact } = plan;
  const { commonName } = key.facts;
  return {
    ...{ name: commonName, reason, location, contact, signedAt: at },
    description: `Signature: ${commonName}`,
    reservedBytes: signatureBytes(key, timeStamps !== undefined),
    digest: signingAlgorithm(key).digest,
    visible: shown && { place: toFieldPlace(shown.field), appearance: shown.printed.chunks },
  };
}

function toFieldPlace(field: ShownSignature['field']): FieldPosition | FieldOfDocument {
  if ('number' in field) return field;
  const points = (inches: number) => inches * POINTS_PER_INCH;
  const { page, x, y, width, height } = field;
  return { page, x: points(x), y: points(y), width: points(width), height: points(height) };
}

/**
 * Signs a PDF: its pieces with space reserved for the signature in, the signed pieces out. Throws `timestamp_failed`,
 * `revocation_failed`, `certificate_unusable`, `queue_full` and the error of the deadline.
 */
export async function completeSignature(
  chunks: Buffer[],
  hole: SignaturePlaceholder,
  { key, plan, timeStamps, revocation }: Signing,
  finishing: Pick<FinishQueue, 'extend'>,
  { owner, deadline }: SigningContext,
): Promise<Buffer[]> {
  const { signature, token } = await sign(key, hole.digest, timeStamps, { owner, deadline });
  fill(chunks, hole, signature);
  if (!revocation || !timeStamps || !token) return chunks;
  const collected = await revocation.collect(owner, { own: key.chain, others: readTokenCertificates(token) }, deadline);
  const timeStampBytes = plan.level === 'B-LTA' ? MAX_TIME_STAMP_BYTES : undefined;
  const extended = await finishing.extend(owner, chunks, { ...collected, timeStampBytes }, deadline);
  if (extended.hole) fill(extended.pieces, extended.hole, await timeStamps.stamp(owner, extended.hole.digest, deadline));
  return extended.pieces;
}

function fill(chunks: Buffer[], { start, digits }: SignaturePlaceholder, signature: Buffer): void {
  const text = signature.toString('hex');
  if (text.length > digits) throw new Error('the signature is larger than the space reserved for it');
  new ChunkedBuffer(chunks).overwrite(start, text.padEnd(digits, '0'));
}
