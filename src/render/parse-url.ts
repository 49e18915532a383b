import type { Faults } from './faults.ts';
import { URL_EXPECTED } from './options-schema.ts';

/** An http(s) address in its canonical spelling. A name and password in it stay. */
export function parseUrl(path: string, given: string, errors: Faults): URL | undefined {
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol)) return url;
  errors.add(path, `must be ${URL_EXPECTED}`);
  return undefined;
}
