/** Checks the filenames of PDFs: a name must be valid on every operating system and in an HTTP header. */

export const MAX_FILENAME = 200;
/** Control characters, path separators, and direction marks, which can disguise the extension of a file. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function isUsableFilename(name: string, maxCharacters = MAX_FILENAME): boolean {
  if (!name.trim() || name.length > maxCharacters || !name.isWellFormed()) return false;
  return !FORBIDDEN.test(name) && !/^\.+$/.test(name);
}
