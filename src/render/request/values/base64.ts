/** Decodes base64 in a request: text in, bytes or a validation error out. */
import type { ValidationErrors } from './validation-errors.ts';

/** Refuses characters that Node ignores: the bytes are encoded again and compared with the text, which costs no more than decoding. */
export function decodeBase64(path: string, given: unknown, errors: ValidationErrors): Buffer {
  if (typeof given !== 'string') throw new TypeError(`${path} was not validated`); // Node would take an object for an array
  const bytes = Buffer.from(given, 'base64');
  if (bytes.toString('base64') !== given) errors.add(path, 'must be base64, padded and without line breaks');
  return bytes;
}
