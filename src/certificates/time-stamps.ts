/** Requests time stamps from a time stamp authority (RFC 3161): a digest in, a token that proves when the data existed out. */
import { randomBytes } from 'node:crypto';
import * as asn1js from 'asn1js';
import {
  AlgorithmIdentifier,
  type Certificate,
  ExtKeyUsage,
  MessageImprint,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';
import type { Deadline } from '../deadline.ts';
import { readBody } from '../egress/fetch-bytes.ts';
import { ServiceError } from '../errors.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';
import { der, parse, readMembers } from './asn1.ts';
import { contextTag, readChildren, TAGS } from './der.ts';

/** Maximum size of a token with its certificates. */
export const MAX_TIME_STAMP_BYTES = 16_384;
const SHA_256 = '2.16.840.1.101.3.4.2.1';
const [TST_INFO, DATA] = ['1.2.840.113549.1.9.16.1.4', '1.2.840.113549.1.7.1'];
const GRANTED = new Set([0, 1]);
const NONCE_BYTES = 8;
const MAX_REPLY_BYTES = 65_536;
const TIMEOUT_MS = 10_000;
const RETRY_AFTER_SECONDS = 10;
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** Maximum difference between the clocks of the authority and of this service. */
const MAX_CLOCK_DIFFERENCE_MS = 300_000;
/** How many requests run at the same time, how many more for owners that have none running, and how many may wait. */
const [PARALLEL, RESERVED, MAX_WAITING] = [8, 4, 256];

export interface TimeStampSettings {
  /** Set by the operator, so it is not subject to the outbound policy. It may contain a user name and a password. */
  url: string;
  timeoutMs?: number;
  /** Replaces the queue of requests in tests. */
  queue?: OwnerQueue;
}

export class TimeStamps {
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;
  readonly #queue: OwnerQueue;

  constructor({ url, timeoutMs = TIMEOUT_MS, queue }: TimeStampSettings) {
    // `longestMs` exceeds the timeout of a request, so that no request is stopped in favour of another owner.
    const limits = { capacity: PARALLEL, reserved: RESERVED, limit: MAX_WAITING, longestMs: 2 * timeoutMs };
    this.#queue = queue ?? new OwnerQueue(limits);
    this.#url = new URL(url);
    const { username, password } = this.#url;
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    this.#headers = {
      'content-type': 'application/timestamp-query',
      accept: 'application/timestamp-reply',
      ...((username || password) && { authorization: `Basic ${credentials}` }),
    };
    this.#url.username = '';
    this.#url.password = '';
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Returns the token in DER. The request is queued under `owner`; `imprint` is a SHA-256 digest. Throws `timestamp_failed`,
   * `queue_full`, or the error of the deadline.
   */
  async stamp(owner: string, imprint: Uint8Array, deadline: Deadline): Promise<Buffer> {
    const leave = await this.#queue.acquire(owner, deadline);
    try {
      return await this.#stamp(imprint, deadline);
    } finally {
      leave();
    }
  }

  async #stamp(imprint: Uint8Array, deadline: Deadline): Promise<Buffer> {
    const nonce = randomBytes(NONCE_BYTES);
    nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40; // a positive number without leading zeros
    const reply = await this.#ask(encodeRequest(imprint, nonce), deadline.signal).catch((error: unknown) => {
      deadline.throwIfOver();
      throw error instanceof ServiceError ? error : timeStampFailed('could not be reached', error);
    });
    return readToken(reply, { imprint, nonce });
  }

  async #ask(body: Buffer, signal: AbortSignal): Promise<Buffer> {
    const late = AbortSignal.timeout(this.#timeoutMs);
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: Uint8Array.from(body),
      redirect: 'error',
      signal: AbortSignal.any([late, signal]),
    }).catch((error: unknown) => {
      throw late.aborted ? timeStampFailed(`did not answer within ${this.#timeoutMs / 1000} seconds`, error) : error;
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw timeStampFailed(`answered with status ${response.status}`);
    }
    return response.body ? readBody(response.body, MAX_REPLY_BYTES, timeStampFailed) : Buffer.alloc(0);
  }
}

function encodeRequest(imprint: Uint8Array, nonce: Buffer): Buffer {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA_256, algorithmParams: new asn1js.Null() }),
      hashedMessage: new asn1js.OctetString({ valueHex: Uint8Array.from(imprint).buffer }),
    }),
    nonce: new asn1js.Integer({ valueHex: Uint8Array.from(nonce).buffer }),
    certReq: true,
  });
  return Buffer.from(request.toSchema().toBER());
}

interface SentRequest {
  imprint: Uint8Array;
  nonce: Buffer;
}

/** Throws `timestamp_failed` unless the token matches the request and is signed. */
async function readToken(reply: Buffer, asked: SentRequest): Promise<Buffer> {
  const { status, timeStampToken } = parseOrThrow(() => TimeStampResp.fromBER(Uint8Array.from(reply)));
  if (!GRANTED.has(status.status)) throw timeStampFailed(`refused the request with status ${status.status}`);
  if (!timeStampToken) throw timeStampFailed('sent no time stamp');
  const token = parseOrThrow(() => der(readMembers(parse(reply))[1])); // the original bytes, which are what the authority signed
  if (token.length > MAX_TIME_STAMP_BYTES) throw timeStampFailed(`sent a time stamp of more than ${MAX_TIME_STAMP_BYTES} bytes`);
  // The token becomes part of the signature, which must be in DER.
  if (!Buffer.from(asn1js.fromBER(Uint8Array.from(token)).result.toBER()).equals(token))
    throw timeStampFailed('sent a time stamp that is not encoded in DER');
  const signed = parseOrThrow(() => new SignedData({ schema: timeStampToken.content }));
  const stampedAt = checkInfo(signed, asked);
  signed.encapContentInfo.eContentType = DATA; // for the type of time stamps, the library would require the stamped data itself
  const { signatureVerified, signerCertificate } = await signed
    .verify({ signer: 0, checkChain: false, extendedMode: true })
    .catch(() => ({ signatureVerified: false, signerCertificate: null }));
  if (!signatureVerified || !signerCertificate) throw timeStampFailed('sent a time stamp with an invalid signature');
  checkSigner(signerCertificate, stampedAt);
  return token;
}

/** The certificates in a token, in DER. */
export function readTokenCertificates(token: Buffer): Buffer[] {
  const [, content] = readChildren(token);
  const [signed] = content ? readChildren(content) : [];
  const held = signed && [...readChildren(signed)].find(([tag]) => tag === contextTag(0));
  return held ? [...readChildren(held)].filter(([tag]) => tag === TAGS.sequence) : [];
}

/** Checks that the certificate is valid for time stamping (RFC 3161, 2.3). */
function checkSigner({ extensions = [], notBefore, notAfter }: Certificate, at: Date): void {
  const usage = extensions.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE);
  const purposes = usage && parseOrThrow(() => ExtKeyUsage.fromBER(usage.extnValue.getValue()).keyPurposes);
  if (!usage?.critical || !purposes?.includes(TIME_STAMPING))
    throw timeStampFailed('signs with a certificate that is not valid for time stamping');
  if (!(notBefore.value <= at && at <= notAfter.value))
    throw timeStampFailed('signs with a certificate that was not valid at that time');
}

/** Checks that the time stamp matches the request. Returns its time. */
function checkInfo({ encapContentInfo: { eContentType, eContent } }: SignedData, { imprint, nonce }: SentRequest): Date {
  if (eContentType !== TST_INFO || !eContent) throw timeStampFailed('sent something other than a time stamp');
  const info = parseOrThrow(() => TSTInfo.fromBER(eContent.getValue()));
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  const isOfThis = hashAlgorithm.algorithmId === SHA_256 && Buffer.from(imprint).equals(hashedMessage.valueBlock.valueHexView);
  if (!isOfThis) throw timeStampFailed('sent a time stamp of other data');
  if (!info.nonce || info.nonce.toBigInt() !== BigInt(`0x${nonce.toString('hex')}`))
    throw timeStampFailed('sent a time stamp for another request, with a different nonce');
  if (!(Math.abs(info.genTime.getTime() - Date.now()) < MAX_CLOCK_DIFFERENCE_MS))
    throw timeStampFailed(
      'sent a time stamp with a wrong time: its clock and that of this service differ by more than 5 minutes',
    );
  return info.genTime;
}

function parseOrThrow<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw timeStampFailed('sent something other than a time stamp', error);
  }
}

function timeStampFailed(what: string, cause?: unknown): ServiceError {
  return new ServiceError('timestamp_failed', `the time stamp authority ${what}`, {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
