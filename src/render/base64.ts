/** Base64 in a request. */
import type { ValidationErrors } from './validation-errors.ts';

/** Strictly: what Node would leave out is refused. Compared with what it is written as, which takes no more than reading it. */
export function decodeBase64(path: string, given: string, errors: ValidationErrors): Buffer {
  const bytes = Buffer.from(given, 'base64');
  if (bytes.toString('base64') !== given) errors.add(path, 'must be base64, padded and without line breaks');
  return bytes;
}
