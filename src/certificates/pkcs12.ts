/** Opens a PKCS#12 file (RFC 7292): its bytes and password in, a private key with its certificate and the chain above it out. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { der, MalformedAsn1Error, octets, oid, parse, readMembers, type Value } from './asn1.ts';
import { type Pkcs12, UnsuitableCertificateError } from './certificate-facts.ts';
import { Pkcs12Ciphers, WrongPasswordError } from './pkcs12-ciphers.ts';

const DATA = '1.2.840.113549.1.7.1';
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6';
const KEY_BAG = '1.2.840.113549.1.12.10.1.1';
const SHROUDED_KEY_BAG = '1.2.840.113549.1.12.10.1.2';
const CERTIFICATE_BAG = '1.2.840.113549.1.12.10.1.3';
const X509_CERTIFICATE = '1.2.840.113549.1.9.22.1';
/** More than any real chain contains. */
const MAX_CERTIFICATES = 32;
const MAX_KEYS = 8;

/** Throws `MalformedAsn1Error`, `WrongPasswordError`, `UnsuitableCertificateError`. */
export function openPkcs12(bytes: Uint8Array, password: string): Pkcs12 {
  const ciphers = new Pkcs12Ciphers(password);
  const [, safe, mac] = readMembers(parse(bytes));
  const content = readData(safe);
  if (mac) ciphers.check(mac, content);
  const found: Bags = { keys: [], certificates: [] };
  for (const info of readMembers(parse(content))) collect(readMembers(parse(readContent(info, ciphers))), ciphers, found);
  return findPair(found);
}

interface Bags {
  keys: Buffer[];
  certificates: Buffer[];
}

function readContent(info: Value, ciphers: Pkcs12Ciphers): Buffer {
  const [type, content] = readMembers(info);
  if (oid(type) === DATA) return readData(info);
  if (oid(type) !== ENCRYPTED_DATA) throw new MalformedAsn1Error('a part of an unknown type');
  const [, encrypted] = readMembers(readMembers(content)[0]);
  const [, algorithm, data] = readMembers(encrypted);
  return ciphers.decrypt(algorithm, octets(data));
}

function readData(info: Value | undefined): Buffer {
  const [type, content] = readMembers(info);
  if (oid(type) !== DATA) throw new MalformedAsn1Error('the content is not protected by a password');
  return octets(readMembers(content)[0]);
}

function collect(bags: Value[], ciphers: Pkcs12Ciphers, found: Bags): void {
  for (const bag of bags) {
    const [type, content] = readMembers(bag);
    const [value] = readMembers(content);
    const kind = oid(type);
    if (kind === KEY_BAG) found.keys.push(der(value));
    else if (kind === SHROUDED_KEY_BAG) found.keys.push(readKey(value, ciphers));
    else if (kind === CERTIFICATE_BAG) found.certificates.push(...readCertificates(value));
    if (found.keys.length > MAX_KEYS || found.certificates.length > MAX_CERTIFICATES)
      throw new MalformedAsn1Error('too many keys or certificates');
  }
}

function readKey(value: Value | undefined, ciphers: Pkcs12Ciphers): Buffer {
  const [algorithm, data] = readMembers(value);
  return checkKey(ciphers.decrypt(algorithm, octets(data)));
}

/** The certificate in a bag; empty if it is not an X.509 certificate. */
function readCertificates(value: Value | undefined): Buffer[] {
  const [form, certificate] = readMembers(value);
  return oid(form) === X509_CERTIFICATE ? [octets(readMembers(certificate)[0])] : [];
}

/** With a wrong password, the decrypted bytes sometimes end with valid padding, but they are not a key. */
function checkKey(key: Buffer): Buffer {
  try {
    readMembers(parse(key));
    return key;
  } catch (cause) {
    throw new WrongPasswordError('', { cause });
  }
}

function findPair({ keys, certificates }: Bags): Pkcs12 {
  const known = certificates.map((bytes) => readOrThrow(() => new X509Certificate(bytes)));
  for (const bytes of keys) {
    const key = readOrThrow(() => createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }));
    const own = known.find((certificate) => certificate.checkPrivateKey(key));
    if (own) return { key, chain: buildChain(own, known) };
  }
  throw new UnsuitableCertificateError('it contains no private key for its certificate');
}

function readOrThrow<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new MalformedAsn1Error('a key or a certificate cannot be read', { cause: error });
  }
}

function buildChain(own: X509Certificate, known: X509Certificate[]): Pkcs12['chain'] {
  const chain: Pkcs12['chain'] = [own];
  for (let last = own; ; ) {
    const issuer = known.find((each) => !chain.includes(each) && last.checkIssued(each));
    if (!issuer) return chain;
    chain.push(issuer);
    last = issuer;
  }
}
