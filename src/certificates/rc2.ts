/** Decrypts RC2 in CBC mode (RFC 2268), with which older programs encrypt PKCS#12 files and which OpenSSL 3 cannot read. */

/** A permutation of the bytes that is based on the digits of pi (RFC 2268, 2). */
const PI_TABLE = Buffer.from(
  `d978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2
179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82
54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626
6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7
08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec
c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731
2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9
0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad`.replace(/\s/g, ''),
  'hex',
);
const BLOCK_BYTES = 8;
const KEY_BYTES = 128;
const WORDS = 64;
/** Mixing rounds in the order of decryption, with a mashing round after each stage except the last. */
const ROUNDS = [5, 6, 5];
const SHIFTS = [1, 2, 3, 5];

/** The number of effective key bits is the length of the key. The result still has its padding. */
export function decryptRc2(key: Buffer, iv: Buffer, data: Buffer): Buffer {
  const words = expand(key);
  const plain = Buffer.alloc(data.length);
  for (let at = 0; at + BLOCK_BYTES <= data.length; at += BLOCK_BYTES) {
    const before = at ? data.subarray(at - BLOCK_BYTES, at) : iv;
    const block = decryptBlock(words, data.subarray(at, at + BLOCK_BYTES));
    for (let index = 0; index < BLOCK_BYTES; index++) plain[at + index] = (block[index] ?? 0) ^ (before[index] ?? 0);
  }
  return plain;
}

function expand(key: Buffer): Uint16Array {
  const bytes = Buffer.alloc(KEY_BYTES);
  key.copy(bytes);
  const pi = (index: number) => PI_TABLE[index & 255] ?? 0;
  const at = (index: number) => bytes[index] ?? 0;
  for (let i = key.length; i < KEY_BYTES; i++) bytes[i] = pi(at(i - 1) + at(i - key.length));
  bytes[KEY_BYTES - key.length] = pi(at(KEY_BYTES - key.length));
  for (let i = KEY_BYTES - 1 - key.length; i >= 0; i--) bytes[i] = pi(at(i + 1) ^ at(i + key.length));
  return Uint16Array.from({ length: WORDS }, (_, index) => bytes.readUInt16LE(2 * index));
}

function decryptBlock(words: Uint16Array, block: Buffer): Buffer {
  const r = Uint16Array.from([0, 2, 4, 6], (offset) => block.readUInt16LE(offset));
  let next = WORDS;
  for (const [stage, rounds] of ROUNDS.entries()) {
    if (stage > 0) for (let i = 3; i >= 0; i--) unmash(r, words, i);
    for (let step = 4 * rounds - 1; step >= 0; step--) unmix(r, words[--next] ?? 0, step & 3);
  }
  const plain = Buffer.alloc(BLOCK_BYTES);
  for (const [index, word] of r.entries()) plain.writeUInt16LE(word, 2 * index);
  return plain;
}

function unmash(r: Uint16Array, words: Uint16Array, i: number): void {
  r[i] = at(r, i) - (words[at(r, i + 3) & 63] ?? 0);
}

function unmix(r: Uint16Array, word: number, i: number): void {
  const shift = SHIFTS[i] ?? 0;
  const turned = (at(r, i) >>> shift) | (at(r, i) << (16 - shift));
  const mixed = (at(r, i + 3) & at(r, i + 2)) + (~at(r, i + 3) & at(r, i + 1));
  r[i] = turned - word - mixed;
}

/** The indexes of the words wrap around. */
function at(r: Uint16Array, index: number): number {
  return r[index & 3] ?? 0;
}
