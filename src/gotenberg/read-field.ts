/** How the text of a form field is read: the text in, its value out. */
import { parseJson } from '../http/requests/json-body.ts';

/** Notes that a member of the value has another name in the form, so that an error can name it as it was sent. */
export type Rename = (member: string, sent: string) => void;

/** Parses the text of a field. Throws an Error that says what is valid. */
export type Reader = (text: string, rename?: Rename) => unknown;

export interface Field {
  read: Reader;
  /** The path within `options` that gets the value. Absent if the value is used in another way. */
  option?: string;
  /** Whether it may be sent several times. Its value is then a list, in which undefined stands for an empty one. */
  repeats?: true;
}

export type Fields = Readonly<Record<string, Field>>;

export const text = (option?: string): Field => ({ read: (given) => given, ...(option && { option }) });
export const flag = (option?: string): Field => ({ read: readFlag, ...(option && { option }) });
export const number = (option?: string): Field => ({ read: readNumber, ...(option && { option }) });
export const json = (read: (value: unknown, rename: Rename) => unknown, option?: string): Field => ({
  read: (given, rename = () => {}) => read(readJson(given), rename),
  ...(option && { option }),
});

const MAX_VALUES = 10_000;
/** Values of an unused field. Clients send such fields, so unsupported fields with these values are ignored. */
export const EMPTY_VALUE = /^(?:|false|0|\[\]|\{\}|null)$/i;

/** Parses a boolean like Go's `ParseBool`. */
export function readFlag(given: string): boolean {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(given)) return true;
  if (/^(?:0|f|F|FALSE|false|False)$/.test(given)) return false;
  throw new Error('must be true or false');
}

export function readNumber(given: string): number {
  const value = Number(given);
  if (!given.trim() || !Number.isFinite(value)) throw new Error('must be a number');
  return value;
}

function readJson(given: string): unknown {
  try {
    return parseJson(Buffer.from(given), (values) => {
      if (values > MAX_VALUES) throw new RangeError('too many values');
    });
  } catch {
    throw new Error('must be JSON');
  }
}

/** Go clients write null for a list without a value, and for an object. Gotenberg reads it as an empty one. */
export function readList(value: unknown): unknown[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error('must be a list, as JSON');
}

export function readObject(value: unknown): Record<string, unknown> {
  if (value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error('must be an object, as JSON');
}

export function parseChoice(given: string, values: readonly string[]): string {
  if (values.includes(given)) return given;
  throw new Error(`must be ${values.join(' or ')}`);
}
