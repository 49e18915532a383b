/** Decrypts parts of PKCS#12 files (RFC 7292, appendices B and C; PKCS#5, RFC 8018): a password and ciphertext in, content out. */
import { createDecipheriv, createHash, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { integer, octets, oid, readMembers, type Value } from './asn1.ts';
import { UnsuitableCertificateError } from './certificate-facts.ts';

/** Deriving the keys would take too long. */
export class TooManyIterationsError extends UnsuitableCertificateError {
  override name = 'TooManyIterationsError';
}

/** The decrypted content is not valid, or the integrity check of the file fails. */
export class WrongPasswordError extends Error {
  override name = 'WrongPasswordError';
}

/** Maximum number of iterations for all keys of one file. Programs use 1 to 600,000. */
const MAX_ITERATIONS = 2_000_000;

const DIGESTS: Record<string, string> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const HMACS: Record<string, string> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
};
const CIPHERS: Record<string, [name: string, keyBytes: number]> = {
  '2.16.840.1.101.3.4.1.2': ['aes-128-cbc', 16],
  '2.16.840.1.101.3.4.1.22': ['aes-192-cbc', 24],
  '2.16.840.1.101.3.4.1.42': ['aes-256-cbc', 32],
  '1.2.840.113549.3.7': ['des-ede3-cbc', 24],
};
const PBES2 = '1.2.840.113549.1.5.13';
const PBKDF2 = '1.2.840.113549.1.5.12';
/** The encryption schemes that PKCS#12 itself defines. */
const PKCS12_SCHEMES: Record<string, [name: string, keyBytes: number]> = {
  '1.2.840.113549.1.12.1.3': ['des-ede3-cbc', 24],
  '1.2.840.113549.1.12.1.4': ['des-ede-cbc', 16],
  '1.2.840.113549.1.12.1.5': ['rc2-cbc', 16],
  '1.2.840.113549.1.12.1.6': ['rc2-40-cbc', 5],
};
const [FOR_KEY, FOR_IV, FOR_MAC] = [1, 2, 3];

/** Decrypts one file with its password. */
export class Pkcs12Ciphers {
  readonly #password: string;
  #iterationsLeft: number;

  constructor(password: string, { maxIterations = MAX_ITERATIONS } = {}) {
    this.#password = password;
    this.#iterationsLeft = maxIterations;
  }

  /** `algorithm` is an AlgorithmIdentifier. Throws `WrongPasswordError`, `UnsuitableCertificateError`, `MalformedAsn1Error`. */
  decrypt(algorithm: Value | undefined, data: Buffer): Buffer {
    const [name, parameters] = readMembers(algorithm);
    const id = oid(name);
    if (id === PBES2) return this.#decryptPbes2(parameters, data);
    const own = PKCS12_SCHEMES[id];
    if (!own) throw unsupported(`the encryption ${id}`);
    const [salt, iterations] = readMembers(parameters);
    return this.#decryptPkcs12(own, octets(salt), integer(iterations), data);
  }

  /** Checks the integrity of the file by its MacData `mac`. Throws `WrongPasswordError` if it fails. */
  check(mac: Value, content: Buffer): void {
    const [info, salt, iterations] = readMembers(mac);
    const [algorithm, digest] = readMembers(info);
    const hash = DIGESTS[oid(readMembers(algorithm)[0])];
    if (!hash) throw unsupported('the integrity check');
    const rounds = iterations ? integer(iterations) : 1;
    const expected = octets(digest);
    const fits = this.#passwords().some((password) => {
      const bytes = createHash(hash).digest().length;
      const key = this.#derive(hash, FOR_MAC, password, octets(salt), rounds, bytes);
      const actual = createHmac(hash, key).update(content).digest();
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    });
    if (!fits) throw new WrongPasswordError();
  }

  #decryptPbes2(parameters: Value | undefined, data: Buffer): Buffer {
    const [derivation, scheme] = readMembers(parameters);
    const [method, details] = readMembers(derivation);
    if (oid(method) !== PBKDF2) throw unsupported(`the key derivation ${oid(method)}`);
    const [salt, iterations, ...more] = readMembers(details);
    const function_ = more.find((each) => each.idBlock.tagNumber === 16);
    const hash = function_ ? HMACS[oid(readMembers(function_)[0])] : 'sha1';
    const [cipher, iv] = readMembers(scheme);
    const known = CIPHERS[oid(cipher)];
    if (!hash || !known) throw unsupported(`the encryption ${oid(cipher)}`);
    const [name, keyBytes] = known;
    const rounds = integer(iterations);
    this.#spend(rounds, keyBytes, hash);
    const key = pbkdf2Sync(Buffer.from(this.#password), octets(salt), Math.max(1, rounds), keyBytes, hash);
    return decryptWith(name, key, octets(iv), data);
  }

  #decryptPkcs12([name, keyBytes]: [string, number], salt: Buffer, iterations: number, data: Buffer): Buffer {
    const [first] = this.#passwords();
    const password = first ?? Buffer.alloc(0);
    const key = this.#derive('sha1', FOR_KEY, password, salt, iterations, keyBytes);
    const iv = this.#derive('sha1', FOR_IV, password, salt, iterations, 8);
    return decryptWith(name, key, iv, data);
  }

  /** The password in UTF-16 with two zero bytes at the end. Programs disagree on whether an empty password has them. */
  #passwords(): Buffer[] {
    const encoded = Buffer.from(`${this.#password}\0`, 'utf16le').swap16();
    return this.#password ? [encoded] : [encoded, Buffer.alloc(0)];
  }

  /** Derives a key (RFC 7292, B.2). */
  #derive(hash: string, purpose: number, password: Buffer, salt: Buffer, iterations: number, bytes: number): Buffer {
    this.#spend(iterations, bytes, hash);
    const block = hash === 'sha384' || hash === 'sha512' ? 128 : 64;
    const repeated = (data: Buffer) => Buffer.alloc(block * Math.ceil(data.length / block), data);
    let input: Buffer = Buffer.concat([repeated(salt), repeated(password)]);
    const diversifier = Buffer.alloc(block, purpose);
    const blocks: Buffer[] = [];
    for (let length = 0; length < bytes; ) {
      let digest = createHash(hash).update(diversifier).update(input).digest();
      for (let round = 1; round < iterations; round++) digest = createHash(hash).update(digest).digest();
      blocks.push(digest);
      length += digest.length;
      if (length < bytes) input = incrementBlocks(input, Buffer.alloc(block, digest), block);
    }
    return Buffer.concat(blocks).subarray(0, bytes);
  }

  /** A key that is longer than a digest costs the iterations once for each digest. */
  #spend(iterations: number, bytes: number, hash: string): void {
    this.#iterationsLeft -= iterations * Math.ceil(bytes / createHash(hash).digest().length);
    if (this.#iterationsLeft < 0)
      throw new TooManyIterationsError('its key derivation uses too many iterations; export it with at most 100,000');
  }
}

function unsupported(what: string): UnsuitableCertificateError {
  return new UnsuitableCertificateError(`it uses ${what}, which is not supported; export it with AES-256 and SHA-256`);
}

/** Adds `addend` and 1 to each block, as big-endian numbers of `block` bytes. */
function incrementBlocks(input: Buffer, addend: Buffer, block: number): Buffer {
  const output = Buffer.from(input);
  for (let start = 0; start < output.length; start += block) {
    let carry = 1;
    for (let at = block - 1; at >= 0; at--) {
      const sum = (output[start + at] ?? 0) + (addend[at] ?? 0) + carry;
      output[start + at] = sum & 255;
      carry = sum >> 8;
    }
  }
  return output;
}

/** Reports invalid padding as a wrong password. A wrong key still gives valid padding once in 256 times. */
function decryptWith(cipher: string, key: Buffer, iv: Buffer, data: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, iv);
  try {
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch (error) {
    throw new WrongPasswordError('', { cause: error });
  }
}
