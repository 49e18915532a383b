/** Describes a certificate and checks that its key may sign PDFs: a key pair in, the facts for its record out. */
import type { KeyObject, X509Certificate } from 'node:crypto';
import { Certificate } from 'pkijs';
import { parse } from './asn1.ts';

export interface CertificateFacts {
  /** The distinguished name as in RFC 4514: `CN=Ada Lovelace, O=ACME, C=DE`. */
  subject: string;
  issuer: string;
  /** In hexadecimal. */
  serialNumber: string;
  /** Milliseconds since 1970. */
  notBefore: number;
  notAfter: number;
  /** For example `RSA 3072` or `EC P-256`. */
  keyType: string;
  /** SHA-256 of the certificate, in hexadecimal. */
  fingerprint: string;
  /** The name of the signer, as viewers display it. */
  commonName: string;
}

/** A private key with its certificate chain. */
export interface SigningKey {
  facts: CertificateFacts;
  /** PKCS#8. */
  key: Buffer;
  /** Starts with the certificate of the key. In DER. */
  chain: Buffer[];
}

/** A private key and its certificates, as a PKCS#12 file holds them. */
export interface Pkcs12 {
  key: KeyObject;
  /** The certificate of the key, then that of its issuer, and so on. */
  chain: [X509Certificate, ...X509Certificate[]];
}

/** The file, its key or its certificate cannot be used for signatures. The message does not quote the content of the file. */
export class UnsuitableCertificateError extends Error {
  override name = 'UnsuitableCertificateError';
}

const MIN_RSA_BITS = 2_048;
/** A signature with a key of this size takes about 50 ms. */
const MAX_RSA_BITS = 8_192;
const CURVES: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };
const KEY_USAGE = '2.5.29.15';
/** Bits of the first byte of a key usage: digitalSignature and nonRepudiation, which is also called contentCommitment. */
const FOR_SIGNATURES = 0b1100_0000;

/** A chain usually has three or four certificates of up to 2 KiB and 300 values. Each signature contains all of them. */
const MAX_CHAIN = 10;
const MAX_CERTIFICATE_BYTES = 16_384;
const MAX_VALUES = 2_000;

/** Checks the size of a certificate chain in DER. Throws `UnsuitableCertificateError`. */
export function checkChain(chain: readonly Uint8Array[]): void {
  if (chain.length > MAX_CHAIN)
    throw new UnsuitableCertificateError(`it has a chain of ${chain.length} certificates; at most ${MAX_CHAIN} are allowed`);
  for (const certificate of chain) {
    if (certificate.length > MAX_CERTIFICATE_BYTES)
      throw new UnsuitableCertificateError(`one of its certificates has more than ${MAX_CERTIFICATE_BYTES} bytes`);
    try {
      parse(certificate, MAX_VALUES);
    } catch (cause) {
      throw new UnsuitableCertificateError(`one of its certificates is damaged, or contains more than ${MAX_VALUES} values`, {
        cause,
      });
    }
  }
}

/** Throws `UnsuitableCertificateError`. */
export function readFacts({ key, chain }: Pkcs12): CertificateFacts {
  const [certificate] = chain;
  checkUsage(certificate);
  const [notBefore, notAfter] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (!(notBefore <= notAfter))
    throw new UnsuitableCertificateError('its validity period cannot be read, or ends before it starts');
  return {
    subject: formatName(certificate.subject),
    issuer: formatName(certificate.issuer),
    serialNumber: certificate.serialNumber.toLowerCase(),
    notBefore,
    notAfter,
    keyType: describeKeyType(key),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    commonName: part(certificate.subject, 'CN') || part(certificate.subject, 'O') || formatName(certificate.subject),
  };
}

/** Node returns a distinguished name as one line for each part, the most general part first. */
function formatName(lines: string | undefined): string {
  return (lines ?? '').split('\n').filter(Boolean).reverse().join(', ');
}

function part(lines: string | undefined, name: string): string {
  const line = (lines ?? '').split('\n').findLast((each) => each.startsWith(`${name}=`)) ?? '';
  return line.slice(name.length + 1).replace(/\\(.)/g, '$1');
}

function describeKeyType({ asymmetricKeyType, asymmetricKeyDetails: details = {} }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') {
    const bits = details.modulusLength ?? 0;
    if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
      throw new UnsuitableCertificateError(`its RSA key has ${bits} bits; it must have from ${MIN_RSA_BITS} to ${MAX_RSA_BITS}`);
    return `RSA ${bits}`;
  }
  const curve = CURVES[details.namedCurve ?? ''];
  if (asymmetricKeyType === 'ec' && curve) return `EC ${curve}`;
  const what = [asymmetricKeyType, details.namedCurve].filter(Boolean).join(' ');
  throw new UnsuitableCertificateError(`its key is of the type ${what}; use RSA, or a key on the curve P-256, P-384 or P-521`);
}

/** A certificate without the key usage extension may be used for any purpose. */
function checkUsage({ raw }: X509Certificate): void {
  const usage = Certificate.fromBER(Uint8Array.from(raw)).extensions?.find(({ extnID }) => extnID === KEY_USAGE);
  const bits = usage && Buffer.from(usage.extnValue.valueBlock.valueHexView);
  // A BIT STRING consists of its tag, its length, the number of unused bits, and its bytes.
  if (bits && !((bits[3] ?? 0) & FOR_SIGNATURES))
    throw new UnsuitableCertificateError(
      'its key usage includes neither digitalSignature nor nonRepudiation, so it may not sign documents',
    );
}
