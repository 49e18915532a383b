/** Reads the query parameters of lists, and builds pages of lists from rows. */
import type { FastifyRequest } from 'fastify';
import { IsDateTime } from 'typebox/format';
import type { ListPage, Metadata, Position } from '../../documents/documents.ts';
import { type FieldError, invalidRequest } from '../../errors.ts';
import { isMetadataName, MAX_METADATA } from '../../render/request/values/metadata.ts';
import { suggestion } from '../../validate.ts';

export interface ListRequest {
  limit: number;
  after: Position | undefined;
}

/** Reads one parameter: returns its value, or throws an Error that says what is valid. */
type Reader<T> = (text: string) => T;
type Readers = Record<string, Reader<unknown>>;
type Values<R extends Readers> = { [K in keyof R]?: ReturnType<R[K]> };

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
/** Matches `metadata[order]`. */
export const METADATA_MEMBER = /^metadata\[(.*)\]$/s;

const PAGE_READERS = { limit: readLimit, cursor: readCursor };

/** Throws `invalid_request` for unknown, repeated and wrong parameters, all at once. */
export function readQuery<R extends Readers>(request: FastifyRequest, readers: R): Values<R> {
  return readKnown(Object.entries(request.query as Record<string, unknown>), readers);
}

function readKnown<R extends Readers>(parameters: Array<[string, unknown]>, readers: R): Values<R> {
  const findReader = (name: string) => (Object.hasOwn(readers, name) ? readers[name] : undefined);
  return readParameters(parameters, findReader, (name) => suggestion(name, Object.keys(readers))) as Values<R>;
}

/** `suggest` says which parameter an unknown one is likely to mean. Throws as `readQuery` does. */
export function readParameters(
  parameters: Iterable<readonly [name: string, given: unknown]>,
  findReader: (name: string) => Reader<unknown> | undefined,
  suggest: (name: string) => string,
): Record<string, unknown> {
  const errors: FieldError[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, given] of parameters) {
    const reader = findReader(name);
    try {
      if (!reader) throw new Error(`there is no such parameter${suggest(name)}`);
      if (typeof given !== 'string' || Object.hasOwn(values, name)) throw new Error('is sent more than once');
      values[name] = reader(given);
    } catch (error) {
      errors.push({ path: name, message: (error as Error).message });
    }
  }
  if (errors.length) throw invalidRequest(errors);
  return values;
}

/** Reads `limit`, `cursor` and the filters of the list. */
export function readPage<R extends Readers = Record<never, never>>(request: FastifyRequest, filters = {} as R) {
  const readers = { ...filters, ...PAGE_READERS };
  const { limit = DEFAULT_LIMIT, cursor, ...filter } = readQuery(request, readers) as Values<typeof PAGE_READERS>;
  return { page: { limit, after: cursor }, filter: filter as Values<R> };
}

/** Reads `limit`, `cursor`, the filters of the list and `metadata[NAME]=VALUE`. */
export function readFilteredPage<R extends Readers = Record<never, never>>(request: FastifyRequest, filters = {} as R) {
  const parameters = Object.entries(request.query as Record<string, unknown>);
  const members = parameters.filter(([name]) => METADATA_MEMBER.test(name));
  const others = parameters.filter(([name]) => !METADATA_MEMBER.test(name));
  const readers = { ...filters, ...PAGE_READERS, metadata: refuseBareMetadata };
  const { limit = DEFAULT_LIMIT, cursor, ...filter } = readKnown(others, readers) as Values<typeof PAGE_READERS>;
  return {
    page: { limit, after: cursor },
    filter: { ...(filter as Values<R>), ...(members.length && { metadata: readMembers(members) }) },
  };
}

function refuseBareMetadata(): never {
  throw new Error('must be sent as metadata[NAME]=VALUE');
}

function readMembers(parameters: Array<[string, unknown]>): Metadata {
  const errors = parameters.flatMap(([path, given]) => {
    if (typeof given !== 'string') return { path, message: 'is sent more than once' };
    return isMetadataName(metadataMember(path)) ? [] : { path, message: 'cannot be the name of metadata' };
  });
  if (parameters.length > MAX_METADATA) errors.push({ path: 'metadata', message: `is sent more than ${MAX_METADATA} times` });
  if (errors.length) throw invalidRequest(errors);
  return Object.fromEntries(parameters.map(([path, given]) => [metadataMember(path), given as string]));
}

function metadataMember(parameter: string): string {
  return METADATA_MEMBER.exec(parameter)?.[1] ?? '';
}

/** Expects one row more than fits on the page if there are further rows. */
export function toPage<T extends Position, R>(rows: T[], { limit }: ListRequest, toRecord: (row: T) => R) {
  const data = rows.slice(0, limit);
  return pageBefore(rows.length > limit ? data.at(-1) : undefined, data.map(toRecord));
}

export function toList<T, R>({ items, next }: ListPage<T>, toRecord: (item: T) => R) {
  return pageBefore(next, items.map(toRecord));
}

/** `next` is the position after which the next page begins. It is undefined on the last page. */
function pageBefore<R>(next: Position | undefined, data: R[]) {
  return { data, has_more: next !== undefined, next_cursor: next ? writeCursor(next) : null };
}

export function readTime(text: string): number {
  const given = text.replace(' ', '+'); // the client did not encode a plus sign
  const time = Date.parse(given);
  // Date.parse alone reads the 31st of February as the 3rd of March.
  if (!IsDateTime(given) || Number.isNaN(time)) throw new Error('must be a time such as 2026-01-31T12:00:00Z');
  return time;
}

export function readMonth(text: string): number {
  if (!MONTH.test(text)) throw new Error('must be a month such as 2026-01');
  return Date.parse(`${text}-01T00:00:00Z`);
}

export function readBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
  return text === 'true';
}

/** Returns a reader of a parameter that is one of `choices`. */
export function readChoice<const T extends string>(choices: readonly T[]): Reader<T> {
  return (text) => {
    const choice = choices.find((each) => each === text);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

export function readPositive(text: string): number {
  const number = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(number)) throw new Error('must be a whole number from 1');
  return number;
}

export function readText(text: string): string {
  return text;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MAX_LIMIT) throw new Error(`must be a whole number from 1 to ${MAX_LIMIT}`);
  return limit;
}

function writeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url');
}

function readCursor(text: string): Position {
  const [, createdAt, id] = /^(\d{1,16}) (\w{1,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (!createdAt || !id) throw new Error('must be the next_cursor of an earlier page');
  return { createdAt: Number(createdAt), id };
}
