/** Decodes text that must be UTF-8: bytes in, the text or an error that says how to convert them out. */
import { isUtf8 } from 'node:buffer';

/** Where HTML, CSS and XML say their encoding (https://html.spec.whatwg.org/#concept-encoding-sniffing). */
const DECLARATION_BYTES = 1_024;
const DECLARED = /(?:charset|encoding)["']?\s{0,9}[=:]?\s{0,9}["']([\w.:+-]{2,40})["']|charset=([\w.:+-]{2,40})/i;
/** The byte order marks of other encodings, and ASCII in UTF-16 without one. `iconv` removes the marks. */
const BEGINNINGS: ReadonlyArray<readonly [pattern: RegExp, encoding: string]> = [
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/, 'UTF-32'],
  [/^(?:\xff\xfe|\xfe\xff)/, 'UTF-16'],
  [/^[^\0]\0[^\0]\0/, 'UTF-16LE'],
  [/^\0[^\0]\0[^\0]/, 'UTF-16BE'],
];

/** `file` is the name that the error shows. `toError` makes the error of its message, which begins with `is not valid UTF-8`. */
export function decodeUtf8(bytes: Buffer, file: string, toError = (message: string) => new Error(message)): string {
  const beginning = bytes.toString('latin1', 0, 4);
  const isOther = BEGINNINGS.some(([pattern]) => pattern.test(beginning));
  if (!isOther && isUtf8(bytes)) return bytes.toString();
  throw toError(`is not valid UTF-8; ${explainConversion(guessEncoding(bytes, beginning), file)}`);
}

/** `encoding` is a name that `iconv` knows. */
export function explainConversion(encoding: string, file: string): string {
  return `convert it: iconv -f ${encoding} -t UTF-8 ${quote(file)} > utf8${/\.\w{1,9}$/.exec(file)?.[0] ?? ''}`;
}

function guessEncoding(bytes: Buffer, beginning: string): string {
  const marked = BEGINNINGS.find(([pattern]) => pattern.test(beginning))?.[1];
  const [, quoted, plain] = DECLARED.exec(bytes.toString('latin1', 0, DECLARATION_BYTES)) ?? [];
  const declared = (quoted ?? plain ?? 'UTF-8').toUpperCase();
  if (marked) return marked;
  if (!/^UTF-?8$/.test(declared)) return declared;
  // Only Windows has letters where ISO-8859-1 has control characters.
  return bytes.some((byte) => byte >= 0x80 && byte < 0xa0) ? 'WINDOWS-1252' : 'ISO-8859-1';
}

/** A word for a shell. */
function quote(file: string): string {
  return /^[\w./~+-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
