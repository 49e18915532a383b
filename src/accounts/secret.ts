/**
 * The secrets of API keys: `plt_`, or `plt_test_` for test keys, 32 random base62 characters (190 bits) and a checksum of 6
 * characters. The checksum lets the service refuse mistyped keys, and scanners recognize leaked keys, without a database lookup.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ALPHABET, randomBase62 } from '../ids.ts';

const PREFIX = 'plt_';
const TEST_PREFIX = 'plt_test_';
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
/** Number of characters of the random part in a hint. */
const HINT_CHARACTERS = 4;
const SHAPE = new RegExp(`^${PREFIX}(?:test_)?([0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}})$`);

export function newSecret(isTest = false): string {
  const body = randomBase62(RANDOM_CHARACTERS);
  return (isTest ? TEST_PREFIX : PREFIX) + body + checksum(body);
}

/** The first characters of a secret, by which people tell keys apart. */
export function secretHint(secret: string): string {
  const prefix = secret.startsWith(TEST_PREFIX) ? TEST_PREFIX : PREFIX;
  return secret.slice(0, prefix.length + HINT_CHARACTERS);
}

/** Whether a text has the form and checksum of a secret. */
export function isWellFormed(secret: string): boolean {
  const [, text] = SHAPE.exec(secret) ?? [];
  if (text === undefined) return false;
  return checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === secret.slice(-CHECKSUM_CHARACTERS); // not timing-sensitive: anybody can compute the checksum
}

/** The hash that is stored in place of a secret. The secret has enough entropy for a plain hash. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
