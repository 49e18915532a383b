/** Downloads the files that `downloadFrom` names, and adds them to the form: URLs in, files with the names that their servers give out. */
import { parse as parseDisposition } from 'content-disposition';
import { type FetchedFile, fetchFile, NoResponseError } from '../egress/fetch-bytes.ts';
import { type OutboundPolicy, RefusedError } from '../egress/policy.ts';
import { type FieldError, invalidRequest, ServiceError } from '../errors.ts';
import { connectionHeaders } from '../webhooks/connection-headers.ts';
import { type Field, readList, readObject, secretJson } from './read-field.ts';
import { type GotenbergForm, withoutFolders } from './sent-form.ts';

interface Download {
  url: URL;
  headers: Record<string, string>;
  /** The part of the form that gets the file. */
  to: (typeof MEMBERS)[keyof typeof MEMBERS];
}

const MEMBERS = { files: 'files', embedded: 'embeds', embeds: 'embeds', watermark: 'watermark', stamp: 'stamp' } as const;
const MAX_DOWNLOADS = 100;
const TIMEOUT_MS = 30_000;
const NOT_FOR_CALLERS = connectionHeaders();

export const DOWNLOADS: Field = secretJson(readDownloads);

/** Returns undefined if there are none. */
function readDownloads(value: unknown): Download[] | undefined {
  const downloads = readList(value).map(readDownload);
  if (downloads.length > MAX_DOWNLOADS) throw new Error(`must have at most ${MAX_DOWNLOADS} URLs`);
  return downloads.length ? downloads : undefined;
}

function readDownload(value: unknown): Download {
  const { url: given, extraHttpHeaders, field, embedded, attachment } = readObject(value);
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('has an entry without a URL that begins with https:// or http://');
  const name = field || (embedded === true || attachment === true ? 'embedded' : 'files');
  if (typeof name !== 'string' || !Object.hasOwn(MEMBERS, name))
    throw new Error(`has a field that is not ${Object.keys(MEMBERS).join(', ')}`);
  return { url, headers: readHeaders(extraHttpHeaders ?? null), to: MEMBERS[name as keyof typeof MEMBERS] };
}

function readHeaders(value: unknown): Record<string, string> {
  const headers = Object.entries(readObject(value));
  for (const [name, text] of headers) {
    const isUsable = /^[\w-]{1,128}$/.test(name) && !NOT_FOR_CALLERS.test(name);
    if (!isUsable || typeof text !== 'string' || !/^[\t\x20-\x7e]{0,8192}$/.test(text))
      throw new Error(`has a header ${name.slice(0, 64)} that cannot be sent`);
  }
  return Object.fromEntries(headers) as Record<string, string>;
}

/** What all downloads of a request may use. */
interface Room {
  maxBytes: number;
  signal: AbortSignal;
  /** Counts memory. Throws `memory_limited` and `overloaded`. */
  hold(bytes: number): void;
}

/** Throws `invalid_request` that names all URLs without a usable file, and `forbidden_url`. */
export async function addDownloads(form: GotenbergForm, policy: OutboundPolicy, { maxBytes, signal, hold }: Room): Promise<void> {
  const downloads = (form.values.get('downloadFrom') ?? []) as Download[];
  const errors: FieldError[] = [];
  let left = maxBytes;
  for (const [index, { url, headers, to }] of downloads.entries())
    try {
      const options = { url, headers, accept: '*/*', maxBytes: left, timeoutMs: TIMEOUT_MS, signal };
      const { name, type, content } = readFile(await fetchFile(policy, options));
      hold(content.length);
      left -= content.length;
      form[to].push({ path: name, type, content });
    } catch (error) {
      errors.push({ path: `downloadFrom[${index}].url`, message: describeFailure(error) });
    }
  if (errors.length) throw invalidRequest(errors);
}

function readFile({ bytes, headers }: FetchedFile) {
  const name = readName(headers['content-disposition']);
  if (!name) throw new NoResponseError('answered without a file name: its Content-Disposition has none');
  return { name, type: headers['content-type']?.split(';', 1)[0]?.trim(), content: bytes };
}

function readName(disposition: string | undefined): string {
  try {
    return withoutFolders(parseDisposition(disposition ?? '').parameters.filename ?? '').normalize();
  } catch {
    return '';
  }
}

/** Callers are not told why a host has no address that may be reached. */
function describeFailure(error: unknown): string {
  if (!(error instanceof NoResponseError)) throw error;
  if (error.cause instanceof RefusedError && error.cause.hasNoAddress)
    throw new ServiceError('forbidden_url', 'a URL of downloadFrom is not allowed by the network policy of this service');
  return error.message;
}
