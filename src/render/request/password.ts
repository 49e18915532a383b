/** Checks the password of a PDF: text in, errors out if PDF readers would interpret the typed password differently. */
import type { FieldError } from '../../errors.ts';
import { textErrors } from '../../validate.ts';
import { MAX_PASSWORD_BYTES } from './schemas/finish-schema.ts';

/** RFC 3454, tables C.1.2 and B.1. */
const OTHER_SPACES = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g;
const UNSEEN = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g;
/** RFC 4013, 2.3, and all format characters, because newer ones are as hard to type. Other characters newer than 2002 are allowed. */
const PROHIBITED = /[\p{C}\p{Zl}\p{Zp}\u2ff0-\u2fff\ufffd]/u;
/** RFC 3454, 6, for the scripts of its tables: no letter of the other direction, and such a letter at both ends. */
const RIGHT_TO_LEFT = /[[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\u0640\u061b\u061f\u066d]--[\p{M}\p{Nd}]]/v;
const LEFT_TO_RIGHT = /[\p{L}--[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\u0640]]/v;

/**
 * PDF 2.0 requires SASLprep (RFC 4013) for passwords. Some readers apply it to what a person types, such as PDFBox
 * (https://github.com/apache/pdfbox/blob/trunk/pdfbox/src/main/java/org/apache/pdfbox/pdmodel/encryption/SaslPrep.java); qpdf and
 * Poppler do not. A password that SASLprep changes therefore opens the PDF in some readers only, in either form.
 */
export function passwordErrors(path: string, password: string): FieldError[] {
  const errors = [...textErrors(path, password), ...characterErrors(path, password)];
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    errors.push({ path, message: `must have at most ${MAX_PASSWORD_BYTES} bytes of UTF-8` });
  return errors;
}

function characterErrors(path: string, password: string): FieldError[] {
  const normalized = password.replace(OTHER_SPACES, ' ').replace(UNSEEN, '').normalize('NFKC');
  if (!normalized || PROHIBITED.test(normalized))
    return [{ path, message: 'must have at least one visible character, and no control, private or unassigned characters' }];
  if (isMixed(normalized))
    return [
      {
        path,
        message:
          'must not mix letters written from right to left with letters written from left to right, and must begin and end with a letter written from right to left (RFC 4013)',
      },
    ];
  if (normalized !== password) return [{ path, message: CHANGED, normalized }];
  return [];
}

const CHANGED =
  'contains characters that Unicode normalization changes (NFKC with SASLprep, as PDF 2.0 requires). Not all PDF readers normalize the password that a person types, so some could not open the PDF: send the normalized form';

function isMixed(text: string): boolean {
  if (!RIGHT_TO_LEFT.test(text)) return false;
  const ends = [text[0] ?? '', text.at(-1) ?? ''];
  return LEFT_TO_RIGHT.test(text) || !ends.every((end) => RIGHT_TO_LEFT.test(end));
}
