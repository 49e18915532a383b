/** Base64 in a request. */
import type { Faults } from './faults.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Strictly: what Node would leave out is refused. Line breaks are allowed, as tools write them. */
export function decodeBase64(path: string, given: string, errors: Faults): Buffer {
  const text = given.replace(/[\r\n]+/g, '');
  if (!BASE64.test(text) || text.length % 4 !== 0) errors.add(path, 'must be base64');
  return Buffer.from(text, 'base64');
}
