/**
 * Passwords and permissions: AES-256 as of ISO 32000-2, 7.6 (revision 6), through `node:crypto`. Passwords in; the encryption
 * dictionary and what encrypts strings and streams out.
 */

import { createCipheriv, hash } from 'node:crypto';
import { PdfBool, PdfDict, PdfName, PdfNumber, PdfString } from '@libpdf/core';
import type { Password, PdfPermission } from '../finish-settings.ts';
import type { DeterministicRandom } from './deterministic-random.ts';

export interface Encryption {
  dictionary: PdfDict;
  /** The first bytes of its result are its initialization vector. */
  cipher(bytes: Uint8Array): Buffer;
  /** Both parts of the file's identifier. */
  id: Buffer;
}

export function encrypt(catalog: PdfDict, { user, owner, permissions }: Password, random: DeterministicRandom): Encryption {
  catalog.set('Extensions', EXTENSIONS);
  const key = random.bytes(32);
  const id = random.bytes(16);
  const flags = permissionFlags(permissions);
  const forUser = passwordEntries(Buffer.from(user), key, random);
  const forOwner = owner === undefined ? nobody(random) : passwordEntries(Buffer.from(owner), key, random, forUser.proof);
  const dictionary = PdfDict.of({
    ...STANDARD,
    U: new PdfString(forUser.proof),
    UE: new PdfString(forUser.wrappedKey),
    O: new PdfString(forOwner.proof),
    OE: new PdfString(forOwner.wrappedKey),
    P: PdfNumber.of(flags),
    Perms: new PdfString(encryptedFlags(flags, key, random)),
  });
  return { dictionary, id, cipher: (bytes) => encrypted(bytes, key, random.bytes(16)) };
}

/** A file of PDF 1.7 says so when it is encrypted in this way (Adobe's Supplement to ISO 32000, ExtensionLevel 8). */
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

/** Bits from 0 (ISO 32000-2, table 22, counts from 1). */
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

/** A signed number of 32 bits. Those without a meaning are 1, but for the lowest two. */
function permissionFlags(permissions: PdfPermission[] | undefined): number {
  if (!permissions) return ~0b11;
  const denied = Object.values(BITS).flat();
  const nothing = denied.reduce((flags, bit) => flags & ~(1 << bit), ~0b11);
  return permissions.flatMap((permission) => BITS[permission]).reduce((flags, bit) => flags | (1 << bit), nothing);
}

/** What a password is checked with, and the key of the file under it. */
interface PasswordEntries {
  proof: Buffer;
  wrappedKey: Buffer;
}

/** Algorithms 8 and 9. The owner's depend on the user's. */
function passwordEntries(
  password: Buffer,
  key: Buffer,
  random: DeterministicRandom,
  userProof: Buffer = Buffer.alloc(0),
): PasswordEntries {
  const [validationSalt, keySalt] = [random.bytes(8), random.bytes(8)];
  const proof = Buffer.concat([hardened(password, validationSalt, userProof), validationSalt, keySalt]);
  const wrapping = hardened(password, keySalt, userProof);
  const wrappedKey = createCipheriv('aes-256-cbc', wrapping, Buffer.alloc(16)).setAutoPadding(false).update(key);
  return { proof, wrappedKey };
}

/** Entries that no password fits, found without the work of hashing one. */
function nobody(random: DeterministicRandom): PasswordEntries {
  return { proof: random.bytes(48), wrappedKey: random.bytes(32) };
}

/** Algorithm 10: the permissions, so that nobody changes them without the key. */
function encryptedFlags(flags: number, key: Buffer, random: DeterministicRandom): Buffer {
  const block = Buffer.concat([Buffer.alloc(8, 0xff), Buffer.from('Tadb'), random.bytes(4)]);
  block.writeInt32LE(flags);
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block);
}

const DIGESTS = ['sha256', 'sha384', 'sha512'];

/** Algorithm 2.B: 32 bytes, after at least 64 rounds. Some 3 ms, which is what it is for. */
function hardened(password: Buffer, salt: Buffer, userProof: Buffer): Buffer {
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

/** 7.6.3.3. */
function encrypted(bytes: Uint8Array, key: Buffer, vector: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([vector, cipher.update(bytes), cipher.final()]);
}
