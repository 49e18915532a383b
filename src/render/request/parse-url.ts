/** Parses an http(s) address of a request: text in, a URL or a validation error out. */
import { URL_EXPECTED } from './schemas/options-schema.ts';
import type { ValidationErrors } from './values/validation-errors.ts';

/** Returns the address in canonical form, including its user name and password. */
export function parseUrl(path: string, given: string, errors: ValidationErrors): URL | undefined {
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol)) return url;
  errors.add(path, `must be ${URL_EXPECTED}`);
  return undefined;
}
