/**
 * Reads and verifies what an issuer says about the revocation of a certificate: an OCSP response (RFC 6960) or a CRL (RFC 5280, 5)
 * in, the status out.
 */
import { X509Certificate } from 'node:crypto';
import * as asn1js from 'asn1js';
import {
  AlgorithmIdentifier,
  BasicOCSPResponse,
  CertID,
  Certificate,
  Extension,
  ExtKeyUsage,
  getCrypto,
  IssuingDistributionPoint,
  OCSPResponse,
  type SingleResponse,
} from 'pkijs';
import { MalformedAsn1Error, octets, parse } from './asn1.ts';
import { certificateFields, contextTag, readChildren, TAGS } from './der.ts';

/** An OCSP response or a CRL, with the certificate it is about and its issuer. */
export interface StatusResponse {
  certificate: Uint8Array;
  issuer: Uint8Array;
  response: Uint8Array;
  /** The time at which the answer must be valid, in milliseconds since 1970. */
  at: number;
}

export type RevocationStatus =
  /**
   * `responders` contains the certificate of the OCSP responder if the issuer did not sign itself. `until` is the time of the next
   * update in milliseconds since 1970; undefined if a newer answer is always available.
   */
  | { isGood: true; responders: Uint8Array[]; until: number | undefined }
  | { revokedAt: number | undefined }
  /** Why the answer cannot be used. */
  | { fault: string };

class UnusableResponseError extends Error {
  override name = 'UnusableResponseError';
}

const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
const [GOOD, REVOKED] = [0, 1];
const EXTENDED_KEY_USAGE = '2.5.29.37';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const ISSUING_DISTRIBUTION_POINT = '2.5.29.28';
/** Extensions of a CRL that do not change its meaning: its number, and the identifier of the issuer's key. */
const IGNORED_EXTENSIONS = new Set(['2.5.29.20', '2.5.29.35']);
/** Signature algorithms with SHA-1 or MD5, with which signatures can be forged. */
const INSECURE_ALGORITHMS = new Set(['1.2.840.113549.1.1.5', '1.2.840.10045.4.1', '1.2.840.113549.1.1.4']);
/** Maximum difference between the clocks of the issuer and of this service. */
const MAX_CLOCK_DIFFERENCE_MS = 300_000;

export function readOcspResponse(about: StatusResponse): Promise<RevocationStatus> {
  return withFaults(async () => {
    const bytes = parseBasicResponse(about.response);
    const response = BasicOCSPResponse.fromBER(Uint8Array.from(bytes));
    const responder = await findResponder(response, bytes, about);
    const { certStatus, thisUpdate, nextUpdate } = await findSingleResponse(response, about);
    requireTime(about.at, thisUpdate, nextUpdate);
    const { tagNumber } = certStatus.idBlock;
    if (tagNumber === REVOKED) {
      const [time] = certStatus.valueBlock.value ?? [];
      return { revokedAt: time instanceof asn1js.GeneralizedTime ? time.toDate().getTime() : undefined };
    }
    if (tagNumber !== GOOD) throw new UnusableResponseError('does not know the status of the certificate');
    return { isGood: true, responders: responder ? [responder] : [], until: nextUpdate?.getTime() };
  });
}

function parseBasicResponse(response: Uint8Array): Buffer {
  const { responseStatus, responseBytes } = OCSPResponse.fromBER(Uint8Array.from(response));
  const status = responseStatus.valueBlock.valueDec;
  if (status !== 0) throw new UnusableResponseError(`answered with the OCSP status ${status}`);
  if (responseBytes?.responseType !== BASIC_RESPONSE)
    throw new UnusableResponseError('sent something other than a basic OCSP response');
  return octets(responseBytes.response);
}

async function findSingleResponse(
  { tbsResponseData }: BasicOCSPResponse,
  { certificate, issuer }: StatusResponse,
): Promise<SingleResponse> {
  const id = new CertID();
  const issuerCertificate = parseCertificate(issuer);
  await id.createForCertificate(parseCertificate(certificate), { hashAlgorithm: 'SHA-1', issuerCertificate });
  const single = tbsResponseData.responses.find(({ certID }) => certID.isEqual(id));
  if (!single) throw new UnusableResponseError('sent an OCSP response about another certificate');
  return single;
}

/** The certificate of the responder that signed the response; undefined if the issuer itself did. */
async function findResponder(
  response: BasicOCSPResponse,
  bytes: Buffer,
  { issuer, at }: StatusResponse,
): Promise<Uint8Array | undefined> {
  const [signed, , , held] = [...readChildren(bytes)];
  if (!signed) throw new UnusableResponseError('sent an OCSP response without content');
  const isSignedBy = (certificate: Uint8Array) =>
    verifySignature(signed, response.signature, parseCertificate(certificate), response.signatureAlgorithm);
  if (await isSignedBy(issuer)) return undefined;
  const [list] = held ? [...readChildren(held)] : [];
  for (const certificate of list ? readChildren(list) : []) {
    if (!(await isSignedBy(certificate))) continue;
    requireResponder(certificate, issuer, at);
    return Uint8Array.from(certificate);
  }
  throw new UnusableResponseError('sent an OCSP response that neither the issuer nor one of its responders has signed');
}

/** Checks that the issuer authorized the responder (RFC 6960, 4.2.2.2). */
function requireResponder(certificate: Buffer, issuer: Uint8Array, at: number): void {
  const [own, above] = [new X509Certificate(certificate), new X509Certificate(issuer)];
  const { extensions = [], notBefore, notAfter } = parseCertificate(certificate);
  const usage = extensions.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE)?.parsedValue as unknown;
  const isResponder = usage instanceof ExtKeyUsage && usage.keyPurposes.includes(OCSP_SIGNING);
  const isValid = notBefore.value.getTime() <= at && at <= notAfter.value.getTime();
  if (!isResponder || !isValid || !own.checkIssued(above) || !own.verify(above.publicKey))
    throw new UnusableResponseError('sent an OCSP response that is not signed by an authorized responder');
}

/** A CRL can have hundreds of thousands of entries, so they are searched without building objects. */
export function readCrl({ issuer, certificate, response, at }: StatusResponse): Promise<RevocationStatus> {
  return withFaults(async () => {
    const [signed, algorithm, signature] = [...readChildren(Buffer.from(response))];
    if (!signed || !algorithm || !signature)
      throw new UnusableResponseError('sent something other than a list of revoked certificates');
    const list = readCrlFields(signed);
    const [, , , , subject] = certificateFields(Buffer.from(issuer));
    if (!subject?.equals(list.issuer)) throw new UnusableResponseError('sent a list from another issuer');
    const bits = asn1js.fromBER(Uint8Array.from(signature)).result as asn1js.BitString;
    const by = new AlgorithmIdentifier({ schema: asn1js.fromBER(Uint8Array.from(algorithm)).result });
    if (!(await verifySignature(signed, bits, parseCertificate(issuer), by)))
      throw new UnusableResponseError('sent a list that its issuer has not signed');
    requireTime(at, list.thisUpdate, list.nextUpdate);
    const isOfAuthority = new X509Certificate(certificate).ca;
    for (const extension of list.extensions) requireComplete(extension, isOfAuthority);
    const date = findRevocation(certificate, list.entries);
    return date ? { revokedAt: parseTime(date).getTime() } : { isGood: true, responders: [], until: list.nextUpdate?.getTime() };
  });
}

/** The revocation date of the certificate's entry; undefined if the list has none. */
function findRevocation(certificate: Uint8Array, entries: Buffer | undefined): Buffer | undefined {
  const [serialNumber] = certificateFields(Buffer.from(certificate));
  if (!serialNumber) throw new MalformedAsn1Error('not a certificate');
  for (const entry of entries ? readChildren(entries) : []) {
    const [number, date] = readChildren(entry);
    if (number?.equals(serialNumber)) return date;
  }
  return undefined;
}

interface CrlFields {
  issuer: Buffer;
  thisUpdate: Date;
  nextUpdate: Date | undefined;
  /** A SEQUENCE of the revoked certificates. */
  entries: Buffer | undefined;
  extensions: Extension[];
}

function readCrlFields(signed: Buffer): CrlFields {
  const fields = [...readChildren(signed)];
  if (fields[0]?.[0] === TAGS.integer) fields.shift(); // the version
  const [, issuer, thisUpdate, ...rest] = fields;
  if (!issuer || !thisUpdate) throw new MalformedAsn1Error('a list without an issuer or a time');
  const nextUpdate = rest[0] && rest[0][0] !== TAGS.sequence && rest[0][0] !== contextTag(0) ? rest.shift() : undefined;
  const entries = rest[0]?.[0] === TAGS.sequence ? rest.shift() : undefined;
  const [extensions] = rest[0]?.[0] === contextTag(0) ? readChildren(rest[0]) : [];
  return {
    issuer,
    thisUpdate: parseTime(thisUpdate),
    nextUpdate: nextUpdate && parseTime(nextUpdate),
    entries,
    extensions: [...(extensions ? readChildren(extensions) : [])].map((each) => new Extension({ schema: parse(each) })),
  };
}

/** A CRL that covers only some certificates or reasons, or only changes, does not prove that a certificate is valid. */
function requireComplete({ extnID, critical, parsedValue }: Extension, isOfAuthority: boolean): void {
  if (!(extnID === ISSUING_DISTRIBUTION_POINT && parsedValue instanceof IssuingDistributionPoint)) {
    if (critical && !IGNORED_EXTENSIONS.has(extnID))
      throw new UnusableResponseError('sent a partial list, or one with an unsupported critical extension');
    return;
  }
  const { onlyContainsUserCerts, onlyContainsCACerts, onlyContainsAttributeCerts, onlySomeReasons, indirectCRL } = parsedValue;
  const isOfOthers = isOfAuthority ? onlyContainsUserCerts : onlyContainsCACerts;
  if (isOfOthers || onlyContainsAttributeCerts || onlySomeReasons || indirectCRL)
    throw new UnusableResponseError('sent a list that does not cover all certificates of this kind');
}

function requireTime(at: number, thisUpdate: Date, nextUpdate: Date | undefined): void {
  if (thisUpdate.getTime() > at + MAX_CLOCK_DIFFERENCE_MS) throw new UnusableResponseError('sent an answer from the future');
  if (nextUpdate && nextUpdate.getTime() < at - MAX_CLOCK_DIFFERENCE_MS)
    throw new UnusableResponseError('sent an answer that is out of date');
}

async function verifySignature(
  signed: Buffer,
  signature: asn1js.BitString,
  { subjectPublicKeyInfo }: Certificate,
  algorithm: AlgorithmIdentifier,
): Promise<boolean> {
  if (INSECURE_ALGORITHMS.has(algorithm.algorithmId))
    throw new UnusableResponseError('signs with SHA-1 or MD5, which are not secure');
  const crypto = getCrypto(true);
  return crypto.verifyWithPublicKey(Uint8Array.from(signed), signature, subjectPublicKeyInfo, algorithm).catch(() => false);
}

/** Converts errors to faults that do not quote the answer. */
async function withFaults(read: () => Promise<RevocationStatus>): Promise<RevocationStatus> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnusableResponseError) return { fault: error.message };
    if (error instanceof MalformedAsn1Error) return { fault: 'sent something that cannot be read' };
    return { fault: 'sent something other than the requested answer' };
  }
}

export function parseCertificate(bytes: Uint8Array): Certificate {
  return Certificate.fromBER(Uint8Array.from(bytes));
}

/** Reads a UTCTime or a GeneralizedTime. */
function parseTime(value: Buffer): Date {
  const time = asn1js.fromBER(Uint8Array.from(value)).result;
  if (time instanceof asn1js.UTCTime) return time.toDate();
  throw new MalformedAsn1Error('not a time');
}
