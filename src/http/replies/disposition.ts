/** Builds the Content-Disposition header, which says whether a file is shown or saved, and under which name. */
import { create as contentDisposition } from 'content-disposition';

export type Disposition = 'inline' | 'attachment';

const EXTENSION = /\.[a-z][a-z0-9]{0,7}$/i;
/** Letters that Unicode normalization does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Adds `extension`, such as `.pdf`, to a name without one. Without a name, the header has no filename. */
export function toDisposition(filename: string | null | undefined, extension: string, type: Disposition = 'inline'): string {
  if (filename === null || filename === undefined) return contentDisposition(undefined, { type });
  const name = EXTENSION.test(filename) ? filename : filename + extension;
  return contentDisposition(name, { type, fallback: toAscii(name) });
}

/** The name for clients that do not support `filename*`. */
function toAscii(name: string): string {
  const apart = name.normalize('NFKD').replace(/\p{M}/gu, '');
  return apart.replace(/[^\x20-\x7e]/gu, (letter) => LETTERS[letter] ?? '_');
}
