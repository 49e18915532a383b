/**
 * Creates the signatures of PDFs (CMS, RFC 5652, in the PAdES profile of ETSI EN 319 142-1): the digest of a file and a key in, a
 * signature with its certificates out. Certificates and time stamps are embedded unchanged, so no untrusted bytes are parsed here.
 */
import { createHash, createPrivateKey, sign as signBytes, verify, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type { Deadline } from '../deadline.ts';
import { MalformedAsn1Error } from './asn1.ts';
import type { SigningKey } from './certificate-facts.ts';
import { certificateFields, contextTag, integer, oid, sequence, TAGS, write } from './der.ts';
import { MAX_TIME_STAMP_BYTES, type TimeStamps } from './time-stamps.ts';

export interface SigningAlgorithm {
  digest: 'sha256' | 'sha384' | 'sha512';
  isElliptic: boolean;
}

export type Signer = Pick<SigningKey, 'chain'> & { facts: Pick<SigningKey['facts'], 'keyType'> };

const [DATA, SIGNED_DATA] = ['1.2.840.113549.1.7.1', '1.2.840.113549.1.7.2'];
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const SIGNATURE_TIME_STAMP = '1.2.840.113549.1.9.16.2.14';
const DIGESTS = {
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
} as const;
const WITH_RSA = {
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha512: '1.2.840.113549.1.1.13',
} as const;
const WITH_ECDSA = { sha256: '1.2.840.10045.4.3.2', sha384: '1.2.840.10045.4.3.3', sha512: '1.2.840.10045.4.3.4' } as const;
/** The size of everything besides the certificates: digests, and a signature of up to 1,024 bytes. */
const STRUCTURE_BYTES = 4_096;

/** Signs in the thread pool, without blocking the event loop. */
const signInThread = promisify(signBytes);

/** Larger curves use longer digests. */
export function signingAlgorithm({ facts: { keyType } }: Pick<Signer, 'facts'>): SigningAlgorithm {
  const [, curve] = /^EC (.*)$/.exec(keyType) ?? [];
  const digest = curve === 'P-521' ? 'sha512' : curve === 'P-384' ? 'sha384' : 'sha256';
  return { digest, isElliptic: curve !== undefined };
}

/** The maximum size of a signature in bytes. Throws `MalformedAsn1Error`. */
export function signatureBytes({ chain }: Pick<Signer, 'chain'>, isStamped: boolean): number {
  const certificates = chain.reduce((sum, { length }) => sum + length, 0);
  return (
    STRUCTURE_BYTES + certificates + encodeSignerId(signerCertificate(chain)).length + (isStamped ? MAX_TIME_STAMP_BYTES : 0)
  );
}

/** The owner under which requests for time stamps are queued, and their deadline. */
export interface SigningContext {
  owner: string;
  deadline: Deadline;
}

/**
 * `digest` is the digest of the file with the algorithm that `signingAlgorithm` returns; `token` is the time stamp. With `timeStamps`,
 * throws `timestamp_failed` and `queue_full`.
 */
export async function sign(
  signer: SigningKey,
  digest: Uint8Array,
  timeStamps: TimeStamps | undefined,
  { owner, deadline }: SigningContext,
): Promise<{ signature: Buffer; token: Buffer | undefined }> {
  const attributes = signedAttributes(signer, digest);
  const key = createPrivateKey({ key: signer.key, format: 'der', type: 'pkcs8' });
  const signature = await signInThread(signingAlgorithm(signer).digest, write(TAGS.set, attributes), key);
  const imprint = createHash('sha256').update(signature).digest();
  const token = await timeStamps?.stamp(owner, imprint, deadline);
  return { signature: encodeCms(signer, attributes, signature, token), token };
}

/** Makes a trial signature synchronously, without a time stamp. Throws if this key and these certificates cannot sign. */
export function trySigning(signer: SigningKey): void {
  const { digest } = signingAlgorithm(signer);
  const attributes = signedAttributes(signer, createHash(digest).digest());
  const key = createPrivateKey({ key: signer.key, format: 'der', type: 'pkcs8' });
  const toBeSigned = write(TAGS.set, attributes);
  const signature = signBytes(digest, toBeSigned, key);
  const { publicKey } = new X509Certificate(signerCertificate(signer.chain));
  if (!verify(digest, toBeSigned, publicKey, signature)) throw new Error('the signature does not match its certificate');
  const { length } = encodeCms(signer, attributes, signature, undefined);
  if (length > signatureBytes(signer, false)) throw new Error('the signature is larger than its placeholder');
}

/** Builds the SignedData. `attributes` contains the members of the SET that `signature` signs. */
function encodeCms(signer: Signer, attributes: Buffer, signature: Buffer, token: Buffer | undefined): Buffer {
  const { digest, isElliptic } = signingAlgorithm(signer);
  const digestAlgorithm = sequence(oid(DIGESTS[digest])); // without parameters (RFC 5754, 2)
  const signatureAlgorithm = isElliptic ? sequence(oid(WITH_ECDSA[digest])) : sequence(oid(WITH_RSA[digest]), write(TAGS.null)); // RFC 5754, 3.2
  const signerInfo = sequence(
    integer(1),
    encodeSignerId(signerCertificate(signer.chain)),
    digestAlgorithm,
    write(contextTag(0), attributes),
    signatureAlgorithm,
    write(TAGS.octetString, signature),
    ...(token ? [write(contextTag(1), attribute(SIGNATURE_TIME_STAMP, token))] : []),
  );
  const signed = sequence(
    integer(1),
    write(TAGS.set, digestAlgorithm),
    sequence(oid(DATA)),
    write(contextTag(0), ...signer.chain),
    write(TAGS.set, signerInfo),
  );
  return sequence(oid(SIGNED_DATA), write(contextTag(0), signed));
}

/** Leaves out the signing time, which EN 319 142-1 requires in the PDF itself. DER sorts the members of a SET OF by their bytes. */
function signedAttributes({ chain }: Pick<Signer, 'chain'>, digest: Uint8Array): Buffer {
  const certificateHash = createHash('sha256').update(signerCertificate(chain)).digest();
  const identifier = sequence(write(TAGS.octetString, certificateHash)); // SHA-256 is the default
  const attributes = [
    attribute(CONTENT_TYPE, oid(DATA)),
    attribute(MESSAGE_DIGEST, write(TAGS.octetString, digest)),
    attribute(SIGNING_CERTIFICATE_V2, sequence(sequence(identifier))),
  ];
  return Buffer.concat(attributes.toSorted(Buffer.compare));
}

function attribute(type: string, value: Buffer): Buffer {
  return sequence(oid(type), write(TAGS.set, value));
}

function signerCertificate([own]: readonly Buffer[]): Buffer {
  if (!own) throw new Error('the signing key has no certificate');
  return own;
}

/** The issuer and the serial number of a certificate. */
function encodeSignerId(certificate: Buffer): Buffer {
  const [serialNumber, , issuer] = certificateFields(certificate);
  if (serialNumber?.[0] !== TAGS.integer || issuer?.[0] !== TAGS.sequence) throw new MalformedAsn1Error('not a certificate');
  return sequence(issuer, serialNumber);
}
