/** Names callers give their PDFs: what can be a file's name on every system, and in a header. */

const MAX_CHARACTERS = 200;
/** Control characters, separators of paths, and marks that turn the direction of text to disguise an ending. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function isUsableFilename(name: string): boolean {
  if (!name.trim() || name.length > MAX_CHARACTERS || !name.isWellFormed()) return false;
  return !FORBIDDEN.test(name) && !/^\.+$/.test(name);
}
