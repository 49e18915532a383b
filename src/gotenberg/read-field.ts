/** How the text of a form field is read: the text in, its value out. */
import { parseJson } from '../http/requests/json-body.ts';

/** Notes that a member of the value has another name in the form, so that an error can name it as it was sent. */
export type Rename = (member: string, sent: string) => void;

/** Parses the text of a field. Throws an Error that says what is valid. `name` is that of the field. */
type Reader = (text: string, rename?: Rename, name?: string) => unknown;

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
  read: (given, rename = () => {}, name = '') => read(readJson(given, name), rename),
  ...(option && { option }),
});
/** For JSON with secrets: its error does not repeat the text. */
export const secretJson = (read: (value: unknown, rename: Rename) => unknown): Field => ({
  read: (given, rename = () => {}) => read(readJson(given), rename),
});

const MAX_VALUES = 10_000;
/** Maximum number of characters of a value in an error. */
const MAX_REPEATED = 200;
/** Values of an unused field. Clients send such fields, so unsupported fields with these values are ignored. */
export const EMPTY_VALUE = /^(?:|false|0|\[\]|\{\}|null)$/i;

/** Parses a boolean like Go's `ParseBool`. */
export function readFlag(given: string): boolean {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(given)) return true;
  if (/^(?:0|f|F|FALSE|false|False)$/.test(given)) return false;
  throw unparsable(given, badSyntax('ParseBool', given));
}

export function readNumber(given: string): number {
  const value = Number(given);
  if (!given.trim() || !Number.isFinite(value)) throw unparsable(given, badSyntax('ParseFloat', given));
  return value;
}

/** In the words of Gotenberg, which its clients show and compare. */
export function unparsable(given: string, reason: string): Error {
  return new Error(`is invalid (got '${shorten(given)}', resulting to ${reason})`);
}

/** What functions of Go's package `strconv` say. */
export function badSyntax(parser: 'Atoi' | 'ParseBool' | 'ParseFloat', given: string): string {
  return `strconv.${parser}: parsing ${quote(given)}: invalid syntax`;
}

/** As Go quotes the beginning of a text. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

function shorten(text: string): string {
  return text.slice(0, MAX_REPEATED).toWellFormed();
}

function readJson(given: string, name?: string): unknown {
  try {
    return parseJson(Buffer.from(given), (values) => {
      if (values > MAX_VALUES) throw new RangeError('too many values');
    });
  } catch {
    if (name === undefined) throw new Error('must be JSON');
    throw unparsable(given, `unmarshal ${name}: ${describeBadJson(given.trimStart())}`);
  }
}

/** What Go's package `encoding/json` says about text that does not begin as JSON. */
function describeBadJson(given: string): string {
  const literal = ['true', 'false', 'null'].find(([first]) => first === given[0]) ?? '';
  const at = [...literal].findIndex((character, index) => character !== given[index]);
  if (!given || (at > 0 && given.length <= at)) return 'unexpected end of JSON input';
  if (at > 0) return `invalid character '${given[at]}' in literal ${literal} (expecting '${literal[at]}')`;
  return /^["[{\d-]/.test(given) || literal ? 'it is not JSON' : `invalid character '${given[0]}' looking for beginning of value`;
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

/** `name` is that of the value within its field. */
export function readText(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return String(value);
  throw new Error(`has a value for ${name.slice(0, 64)} that is not a text`);
}

export function parseChoice(given: string, values: readonly string[]): string {
  if (values.includes(given)) return given;
  const choices = values.map((value) => `'${value}'`);
  const [last] = choices.splice(-1);
  throw unparsable(given, `wrong value, expected ${choices.length ? `either ${choices.join(', ')} or ` : ''}${last}`);
}
