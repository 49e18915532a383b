/** Creates certificates for tests: a name, a key type and a validity in, a key pair with its certificate out. */
import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import * as asn1js from 'asn1js';
import {
  AccessDescription,
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  CRLDistributionPoints,
  DistributionPoint,
  Extension,
  ExtKeyUsage,
  GeneralName,
  InfoAccess,
} from 'pkijs';

export type KeyKind = 'RSA' | 'EC';

export interface IssuedCertificate {
  name: string;
  key: KeyObject;
  cryptoKey: webcrypto.CryptoKey;
  certificate: Certificate;
  /** The certificate in DER. */
  der: Buffer;
}

export interface CertificateOptions {
  kind?: KeyKind;
  issuer?: IssuedCertificate;
  notBefore?: Date;
  notAfter?: Date;
  /** The bits of the key usage extension, such as 0b1100_0000 for signatures. */
  keyUsage?: number;
  isAuthority?: boolean;
  /** Whether the certificate is for time stamps or for OCSP responses. */
  signsTimeStamps?: boolean;
  signsOcsp?: boolean;
  /** URLs of the OCSP responder, of the revocation list, and of the issuer certificate. */
  ocspUrl?: string;
  crlUrl?: string;
  issuerUrl?: string;
  /** Whether its revocation status must not be checked (`id-pkix-ocsp-nocheck`). */
  ocspNoCheck?: boolean;
  /** The issuer name of a certificate without an `issuer`. Default: its own name. */
  issuerName?: string;
  /** The number of values in an additional extension. */
  values?: number;
}

const DAY_MS = 86_400_000;
const KINDS = {
  RSA: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) },
  EC: { name: 'ECDSA', namedCurve: 'P-256' },
};

export async function issue(name: string, options: CertificateOptions = {}): Promise<IssuedCertificate> {
  const {
    kind = 'EC',
    issuer,
    issuerName = name,
    notBefore = new Date(Date.now() - DAY_MS),
    notAfter = new Date(Date.now() + 365 * DAY_MS),
  } = options;
  const pair = (await webcrypto.subtle.generateKey(KINDS[kind], true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const certificate = new Certificate({ version: 2, serialNumber: serialNumber() });
  certificate.subject.typesAndValues.push(new AttributeTypeAndValue({ type: '2.5.4.3', value: utf8(name) }));
  if (issuer) certificate.issuer = issuer.certificate.subject;
  else certificate.issuer.typesAndValues.push(new AttributeTypeAndValue({ type: '2.5.4.3', value: utf8(issuerName) }));
  certificate.notBefore.value = notBefore;
  certificate.notAfter.value = notAfter;
  certificate.extensions = extensionsOf(options);
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey);
  await certificate.sign(issuer?.cryptoKey ?? pair.privateKey, 'SHA-256');
  const der = Buffer.from(certificate.toSchema(true).toBER());
  return {
    name,
    key: KeyObject.from(pair.privateKey),
    cryptoKey: pair.privateKey,
    certificate: Certificate.fromBER(Uint8Array.from(der)),
    der,
  };
}

function utf8(value: string): asn1js.Utf8String {
  return new asn1js.Utf8String({ value });
}

function serialNumber(): asn1js.Integer {
  const bytes = randomBytes(12);
  bytes[0] = 1;
  return new asn1js.Integer({ valueHex: Uint8Array.from(bytes).buffer });
}

function extensionsOf({
  keyUsage,
  isAuthority,
  signsTimeStamps,
  signsOcsp,
  values,
  ...options
}: CertificateOptions): Extension[] {
  const extension = (extnID: string, critical: boolean, value: { toBER(): ArrayBuffer }) =>
    new Extension({ extnID, critical, extnValue: value.toBER() });
  const usage = keyUsage ?? (isAuthority ? 0b0000_0110 : undefined);
  const purposes = [...(signsTimeStamps ? ['1.3.6.1.5.5.7.3.8'] : []), ...(signsOcsp ? ['1.3.6.1.5.5.7.3.9'] : [])];
  return [
    ...(usage === undefined
      ? []
      : [extension('2.5.29.15', true, new asn1js.BitString({ valueHex: Uint8Array.of(usage).buffer }))]),
    ...(isAuthority ? [extension('2.5.29.19', true, new BasicConstraints({ cA: true }).toSchema())] : []),
    ...(purposes.length ? [extension('2.5.29.37', true, new ExtKeyUsage({ keyPurposes: purposes }).toSchema())] : []),
    ...(values
      ? [extension('1.3.6.1.4.1.55555.2', false, sequence(...Array.from({ length: values }, () => new asn1js.Null())))]
      : []),
    ...addressesOf(options, extension),
    ...(options.ocspNoCheck ? [extension('1.3.6.1.5.5.7.48.1.5', false, new asn1js.Null())] : []),
  ];
}

function addressesOf(
  { ocspUrl, crlUrl, issuerUrl }: Pick<CertificateOptions, 'ocspUrl' | 'crlUrl' | 'issuerUrl'>,
  extension: (id: string, critical: boolean, value: { toBER(): ArrayBuffer }) => Extension,
): Extension[] {
  const at = (value: string) => new GeneralName({ type: 6, value });
  const description = (accessMethod: string, url: string | undefined) =>
    url === undefined ? [] : [new AccessDescription({ accessMethod, accessLocation: at(url) })];
  const accessDescriptions = [...description('1.3.6.1.5.5.7.48.1', ocspUrl), ...description('1.3.6.1.5.5.7.48.2', issuerUrl)];
  const point = crlUrl === undefined ? [] : [new DistributionPoint({ distributionPoint: [at(crlUrl)] })];
  return [
    ...(accessDescriptions.length
      ? [extension('1.3.6.1.5.5.7.1.1', false, new InfoAccess({ accessDescriptions }).toSchema())]
      : []),
    ...(point.length ? [extension('2.5.29.31', false, new CRLDistributionPoints({ distributionPoints: point }).toSchema())] : []),
  ];
}

const [DATA, SHROUDED_KEY_BAG, CERTIFICATE_BAG] = [
  '1.2.840.113549.1.7.1',
  '1.2.840.113549.1.12.10.1.2',
  '1.2.840.113549.1.12.10.1.3',
];

/** Returns a PKCS#12 file in base64 whose key is encrypted with AES-256 and whose certificates are not encrypted. */
export function pkcs12Of(
  { key, der }: Pick<IssuedCertificate, 'key' | 'der'>,
  chain: IssuedCertificate[],
  password: string,
): string {
  const encrypted = key.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: password });
  const certificates = [der, ...chain.map((each) => each.der)].map((bytes) =>
    bag(CERTIFICATE_BAG, sequence(oid('1.2.840.113549.1.9.22.1'), explicit(octets(bytes)))),
  );
  const safes = [sequence(...certificates), sequence(bag(SHROUDED_KEY_BAG, read(encrypted)))].map(data);
  const file = sequence(new asn1js.Integer({ value: 3 }), data(sequence(...safes)));
  return Buffer.from(file.toBER()).toString('base64');
}

type Value = asn1js.BaseBlock;

function sequence(...value: Value[]): asn1js.Sequence {
  return new asn1js.Sequence({ value });
}

function oid(value: string): asn1js.ObjectIdentifier {
  return new asn1js.ObjectIdentifier({ value });
}

function octets(bytes: Uint8Array): asn1js.OctetString {
  return new asn1js.OctetString({ valueHex: Uint8Array.from(bytes).buffer });
}

function explicit(value: Value): asn1js.Constructed {
  return new asn1js.Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: [value] });
}

function data(value: Value): asn1js.Sequence {
  return sequence(oid(DATA), explicit(octets(Buffer.from(value.toBER()))));
}

function bag(type: string, value: Value): asn1js.Sequence {
  return sequence(oid(type), explicit(value));
}

function read(bytes: Uint8Array): Value {
  return asn1js.fromBER(Uint8Array.from(bytes)).result;
}
