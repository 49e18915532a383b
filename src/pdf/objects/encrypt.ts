/**
 * Encrypts PDFs with AES-256 (ISO 32000-2, 7.6, revision 6) through `node:crypto`: passwords and permissions in; the encryption
 * dictionary, and a function that encrypts strings and streams, out.
 */

import { createCipheriv, hash } from 'node:crypto';
import { PdfBool, PdfDict, PdfName, PdfNumber, PdfString } from '@libpdf/core';
import type { Password, PdfPermission } from '../finish-settings.ts';
import type { DeterministicRandom } from './deterministic-random.ts';

export interface Encryption {
  dictionary: PdfDict;
  /** Encrypts a string or a stream. The result starts with its initialization vector. */
  cipher(bytes: Uint8Array): Buffer;
  /** The file identifier; both its parts are equal. */
  id: Buffer;
}

export function encrypt(catalog: PdfDict, { user, owner, permissions }: Password, random: DeterministicRandom): Encryption {
  catalog.set('Extensions', EXTENSIONS);
  const key = random.bytes(32);
  const id = random.bytes(16);
  const flags = permissionFlags(permissions);
  const forUser = passwordEntries(Buffer.from(user), key, random);
  const forOwner =
    owner === undefined ? unusableEntries(random) : passwordEntries(Buffer.from(owner), key, random, forUser.proof);
  const dictionary = PdfDict.of({
    ...STANDARD,
    U: new PdfString(forUser.proof),
    UE: new PdfString(forUser.wrappedKey),
    O: new PdfString(forOwner.proof),
    OE: new PdfString(forOwner.wrappedKey),
    P: PdfNumber.of(flags),
    Perms: new PdfString(encryptFlags(flags, key, random)),
  });
  return { dictionary, id, cipher: (bytes) => encryptCbc(bytes, key, random.bytes(16)) };
}

/** A PDF 1.7 file must declare this kind of encryption (Adobe's Supplement to ISO 32000, ExtensionLevel 8). */
const EXTENSIONS = PdfDict.of({
  ADBE: PdfDict.of({ BaseVersion: PdfName.of('1.7'), ExtensionLevel: PdfNumber.of(8) }),
});

const STANDARD = {
  Filter: PdfName.of('Standard'),
  V: PdfNumber.of(5),
  R: PdfNumber.of(6),
  Length: PdfNumber.of(256),
  CF: PdfDict.of({
    StdCF: PdfDict.of({ AuthEvent: PdfName.of('DocOpen'), CFM: PdfName.of('AESV3'), Length: PdfNumber.of(32) }),
  }),
  StmF: PdfName.of('StdCF'),
  StrF: PdfName.of('StdCF'),
  EncryptMetadata: PdfBool.TRUE,
};

/** Bit positions from 0 (ISO 32000-2, table 22, counts them from 1). */
const BITS: Record<PdfPermission, number[]> = {
  print: [2, 11],
  print_low: [2],
  modify: [3],
  copy: [4],
  annotate: [5],
  fill_forms: [8],
  accessibility: [9],
  assemble: [10],
};

/** The permissions as a signed 32-bit integer. Bits without a meaning are 1, except the lowest two. */
function permissionFlags(permissions: PdfPermission[] | undefined): number {
  if (!permissions) return ~0b11;
  const denied = Object.values(BITS).flat();
  const nothing = denied.reduce((flags, bit) => flags & ~(1 << bit), ~0b11);
  return permissions.flatMap((permission) => BITS[permission]).reduce((flags, bit) => flags | (1 << bit), nothing);
}

/**
 * The entries for one password: a hash to verify it, and the file key encrypted with it (algorithms 8 and 9). Those of the owner
 * password depend on those of the user password, which are passed as `userProof`.
 */
function passwordEntries(password: Buffer, key: Buffer, random: DeterministicRandom, userProof: Buffer = Buffer.alloc(0)) {
  const [validationSalt, keySalt] = [random.bytes(8), random.bytes(8)];
  const proof = Buffer.concat([hardenedHash(password, validationSalt, userProof), validationSalt, keySalt]);
  const wrapping = hardenedHash(password, keySalt, userProof);
  const wrappedKey = createCipheriv('aes-256-cbc', wrapping, Buffer.alloc(16)).setAutoPadding(false).update(key);
  return { proof, wrappedKey };
}

/** Entries that no password matches, made without the cost of hashing one. */
function unusableEntries(random: DeterministicRandom) {
  return { proof: random.bytes(48), wrappedKey: random.bytes(32) };
}

/** Algorithm 10: an encrypted copy of the permissions, so that they cannot be changed without the key. */
function encryptFlags(flags: number, key: Buffer, random: DeterministicRandom): Buffer {
  const block = Buffer.concat([Buffer.alloc(8, 0xff), Buffer.from('Tadb'), random.bytes(4)]);
  block.writeInt32LE(flags);
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block);
}

const DIGESTS = ['sha256', 'sha384', 'sha512'];

/** Algorithm 2.B: a hash of 32 bytes after at least 64 rounds. It takes about 3 ms on purpose, to slow down password guessing. */
function hardenedHash(password: Buffer, salt: Buffer, userProof: Buffer): Buffer {
  let digest = hash('sha256', Buffer.concat([password, salt, userProof]), 'buffer');
  for (let round = 0, last = 0; round < 64 || last > round - 32; round++) {
    const once = Buffer.concat([password, digest, userProof]);
    const cipher = createCipheriv('aes-128-cbc', digest.subarray(0, 16), digest.subarray(16, 32)).setAutoPadding(false);
    const output = cipher.update(Buffer.alloc(64 * once.length, once));
    const remainder = output.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3; // 256 is 1 modulo 3
    digest = hash(DIGESTS[remainder] ?? '', output, 'buffer');
    last = output.at(-1) ?? 0;
  }
  return digest.subarray(0, 32);
}

/** AES-256 in CBC mode (7.6.3.3). */
function encryptCbc(bytes: Uint8Array, key: Buffer, vector: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([vector, cipher.update(bytes), cipher.final()]);
}
