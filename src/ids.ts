/** Public ids: a prefix of three or four letters that tells the kind, and random characters. */
import { randomInt } from 'node:crypto';

/** The alphabet of base62. */
export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** They carry 130 bits. */
const RANDOM_CHARACTERS = 22;

/** Returns a new id such as `doc_5xKQ…`. */
export function createId(prefix: string): string {
  return `${prefix}_${randomBase62(RANDOM_CHARACTERS)}`;
}

/** Whether a text has the form of an id. Other texts need no database lookup. */
export function isId(text: string): boolean {
  return /^[a-z]{3,4}_[0-9A-Za-z]{1,64}$/.test(text);
}

/** Random characters that are safe everywhere. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}
