/** Validates the target of an upload: the value that the caller sent in, a URL and headers out. */

import { type FieldError, invalidRequest, UNKNOWN_FIELD } from '../errors.ts';
import { connectionHeaders } from './connection-headers.ts';

export interface UploadTarget {
  url: string;
  /** The names are in lower case. */
  headers: Record<string, string>;
}

const MAX_CHARACTERS = 4_096;
const MAX_HEADERS = 20;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const VALUE = /^[\x20-\x7e]{0,1024}$/;
/** Headers that belong to the connection or to the body. */
const NOT_FOR_CALLERS = connectionHeaders('content-encoding');

/** Headers that could make a server on an internal network mistake the host, path, method or client of the request. */
const MISLEADING =
  /^(?:cookie2?|forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|x-original-.*|x-rewrite-.*|x-(?:http-)?method(?:-override)?)$/i;

export const MAX_UPLOAD_HEADERS = MAX_HEADERS;
const URL_EXPECTED = `a URL that begins with https://, without name and password, of at most ${MAX_CHARACTERS.toLocaleString('en')} characters`;

/**
 * `given` is a URL, or an object with a URL and headers. Throws `invalid_request`. The egress policy is applied later, at each
 * attempt.
 */
export function parseUploadTarget(given: unknown, path = 'deliver_to'): UploadTarget {
  if (typeof given === 'string') return { url: parseAddress(given, path), headers: {} };
  if (!isObject(given)) throw invalidRequest([{ path, message: 'must be a URL, or an object with url and headers' }]);
  const { url, headers, ...others } = given;
  const errors: FieldError[] = Object.keys(others)
    .slice(0, MAX_HEADERS)
    .map((name) => ({ path: `${path}.${name.slice(0, 64)}`, message: `${UNKNOWN_FIELD}; use url or headers` }));
  if (errors.length) throw invalidRequest(errors);
  return { url: parseAddress(url, `${path}.url`), headers: parseHeaders(headers ?? {}, `${path}.headers`) };
}

function parseAddress(given: unknown, path: string): string {
  const url = typeof given === 'string' && given.length <= MAX_CHARACTERS ? URL.parse(given) : null;
  if (url?.protocol !== 'https:' || url.username || url.password || url.href.length > MAX_CHARACTERS)
    throw invalidRequest([{ path, message: `must be ${URL_EXPECTED}` }]);
  url.hash = '';
  return url.href;
}

function parseHeaders(given: unknown, path: string): Record<string, string> {
  if (!isObject(given)) throw invalidRequest([{ path, message: 'must be an object of header names and strings' }]);
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  if (entries.length > MAX_HEADERS) throw invalidRequest([{ path, message: `must have at most ${MAX_HEADERS} members` }]);
  const errors = entries.flatMap(([name, value]) => findFaults(name, value, path));
  if (errors.length) throw invalidRequest(errors);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value as string]));
}

function findFaults(name: string, value: unknown, path: string): FieldError[] {
  if (!NAME.test(name)) return [{ path, message: 'must have valid HTTP header names' }];
  if (NOT_FOR_CALLERS.test(name)) return [{ path: `${path}.${name}`, message: 'cannot be set: it belongs to the connection' }];
  if (MISLEADING.test(name)) return [{ path: `${path}.${name}`, message: 'cannot be set: no store needs it' }];
  if (typeof value === 'string' && VALUE.test(value)) return [];
  return [{ path: `${path}.${name}`, message: 'must be a string of at most 1,024 printable ASCII characters' }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
