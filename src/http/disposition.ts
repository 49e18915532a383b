/** The Content-Disposition header: whether a file is shown or saved, and under which name. */
import { create as contentDisposition } from 'content-disposition';

export type Disposition = 'inline' | 'attachment';

const EXTENSION = /\.[a-z][a-z0-9]{0,7}$/i;
/** Letters that Unicode does not take apart. */
const LETTERS = new Map(
  Object.entries({
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
  }),
);

/** `extension`, such as `.pdf`, is added to a name without one. Without a name there is none. */
export function dispositionOf(filename: string | null | undefined, extension: string, type: Disposition = 'inline'): string {
  if (filename === null || filename === undefined) return contentDisposition(undefined, { type });
  const name = EXTENSION.test(filename) ? filename : filename + extension;
  return contentDisposition(name, { type, fallback: toAscii(name) });
}

/** For clients that read no `filename*`. */
function toAscii(name: string): string {
  const apart = name.normalize('NFKD').replace(/\p{M}/gu, '');
  return apart.replace(/[^\x20-\x7e]/gu, (letter) => LETTERS.get(letter) ?? '_');
}
