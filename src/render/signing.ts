/** Signs finished PDFs: what the caller asked for and a stored certificate in, a field in the PDF and then its signature out. */

import type { SigningKey } from '../certificates/certificate-facts.ts';
import type { CertificateOwner, Certificates } from '../certificates/certificates.ts';
import { algorithmOf, type SigningTurn, sign, signatureBytes } from '../certificates/cms.ts';
import type { Revocation } from '../certificates/revocation.ts';
import { certificatesIn, MAX_TIME_STAMP_BYTES, type TimeStamps } from '../certificates/time-stamps.ts';
import { PLAIN_DEVICE } from '../chromium/devtools/emulation.ts';
import { onlyLanguage } from '../chromium/fonts/han-fonts.ts';
import { PLAIN_LOAD } from '../chromium/load/load-settings.ts';
import type { Page, PrintJob, RawPdf } from '../chromium/page.ts';
import type { Deadline } from '../deadline.ts';
import { ServiceError } from '../errors.ts';
import type { SignatureField, SignatureHole } from '../pdf/finish-settings.ts';
import { ChunkedBuffer } from '../pdf/objects/chunked-buffer.ts';
import type { FinishQueue } from './finish-queue.ts';
import { OWN_PAGE } from './own-page.ts';
import type { FieldPlan, SignaturePlan } from './signature-options.ts';

export interface SigningServices {
  certificates: Pick<Certificates, 'open'>;
  /** Absent if the operator has named no authority. */
  timeStamps?: TimeStamps | undefined;
  revocation: Revocation;
}

/** A signature that is to be made. */
export interface Signing {
  plan: SignaturePlan;
  key: SigningKey;
  timeStamps: TimeStamps | undefined;
  /** For the levels that hold what is said of it. */
  revocation: Revocation | undefined;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether the PDF is not for anybody: its field is placed, but the signature is not made. */
  isTrial?: boolean;
}

/**
 * Before anything is rendered. Throws `not_found`, `certificate_expired`, `certificate_unusable`, `timestamps_unavailable`,
 * `secret_key_missing`, `queue_full`.
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

/** The document that is printed to be shown in the field; undefined where nothing is shown. */
export function appearanceOf(signing: Signing | undefined): string | undefined {
  const { field } = signing?.plan ?? {};
  return signing && field && (field.html ?? plainAppearance(signing, field));
}

/** Prints what the field shows on a page of its size, without network and scripts. */
export async function printAppearance(
  page: Page,
  html: string,
  field: FieldPlan,
  hanLanguages: string,
  deadline: Deadline,
): Promise<RawPdf> {
  const printed = await page.print({ ...appearanceJob(html, field, onlyLanguage(hanLanguages)), hanLanguages }, deadline);
  await page.reset();
  return printed;
}

function appearanceJob(html: string, { width, height }: FieldPlan, language = ''): PrintJob {
  return {
    content: { kind: 'html', html: `<!doctype html><html lang="${language}">${RESET}${html}`, baseUrl: undefined },
    load: { ...PLAIN_LOAD, device: { ...PLAIN_DEVICE, javascript: false }, offline: true },
    print: {
      ...OWN_PAGE,
      paper: { widthInches: width, heightInches: height },
      paperChosenBy: 'caller',
      marginChosenBy: 'caller',
    },
  };
}

const RESET = '<title>signature</title><style>body { margin: 0 }</style>';
const MAX_FONT_PX = 16;
const LINE_HEIGHT = 1.25;
/** Of a letter, in font sizes: generous, so that a line stays in the field. */
const LETTER_WIDTH = 0.62;

function plainAppearance({ plan, key, at }: Signing, { width, height }: FieldPlan): string {
  const time = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const { reason, location } = plan;
  const lines = [key.facts.commonName, time, reason, location].filter((line) => line !== undefined);
  const longest = Math.max(...lines.map(({ length }) => length));
  const size = Math.min(MAX_FONT_PX, (96 * height) / (lines.length * LINE_HEIGHT), (96 * width) / (longest * LETTER_WIDTH));
  const [name = '', ...rest] = lines.map((line) => `<div dir="auto">${escaped(line)}</div>`);
  const style = `font: ${size}px/${LINE_HEIGHT} sans-serif; white-space: pre; overflow: hidden; height: ${height}in`;
  return `<div style="${style}"><b>${name}</b>${rest.join('')}</div>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

const POINTS_PER_INCH = 72;

/** The field as it is written into the PDF. */
export function fieldOf({ plan, key, timeStamps, at }: Signing, appearance: RawPdf | undefined): SignatureField {
  const { reason, location, contact, field } = plan;
  const { commonName } = key.facts;
  const points = (inches: number) => inches * POINTS_PER_INCH;
  return {
    ...{ name: commonName, reason, location, contact, signedAt: at },
    description: `Signature: ${commonName}`,
    reservedBytes: signatureBytes(key, timeStamps !== undefined),
    digest: algorithmOf(key).digest,
    visible: field &&
      appearance && {
        page: field.page,
        ...{ x: points(field.x), y: points(field.y), width: points(field.width), height: points(field.height) },
        appearance: appearance.chunks,
      },
  };
}

/**
 * Signs: a PDF with room for its signature in, the signed one out. Throws `timestamp_failed`, `revocation_failed`,
 * `certificate_unusable`, `queue_full` and the error of the deadline.
 */
export async function completeSignature(
  chunks: Buffer[],
  hole: SignatureHole,
  { key, plan, timeStamps, revocation }: Signing,
  finishing: Pick<FinishQueue, 'extend'>,
  { owner, deadline }: SigningTurn,
): Promise<Buffer[]> {
  const { signature, token } = await sign(key, hole.digest, timeStamps, { owner, deadline });
  fill(chunks, hole, signature);
  if (!revocation || !timeStamps || !token) return chunks;
  const collected = await revocation.collect(owner, { own: key.chain, others: certificatesIn(token) }, deadline);
  const timeStampBytes = plan.level === 'B-LTA' ? MAX_TIME_STAMP_BYTES : undefined;
  const extended = await finishing.extend(owner, chunks, { ...collected, timeStampBytes }, deadline);
  if (extended.hole) fill(extended.pieces, extended.hole, await timeStamps.stamp(owner, extended.hole.digest, deadline));
  return extended.pieces;
}

function fill(chunks: Buffer[], { start, digits }: SignatureHole, signature: Buffer): void {
  const text = signature.toString('hex');
  if (text.length > digits) throw new Error('the signature is larger than its room');
  new ChunkedBuffer(chunks).overwrite(start, text.padEnd(digits, '0'));
}
