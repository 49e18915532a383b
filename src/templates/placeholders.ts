/**
 * The placeholder engine: HTML with `{{path}}` and `{{{path}}}` and JSON data in, HTML with the values out. Other text in braces is
 * left unchanged, and inserted values are not searched for placeholders.
 */
import { invalidRequest, ServiceError } from '../errors.ts';

export interface ParsedTemplate {
  /** The dotted paths of the template, each once, in order of first use. */
  readonly paths: string[];
  /** The text around the placeholders: always one piece more than there are placeholders. */
  readonly texts: Piece[];
  /** The insertions between the texts, as positions in `insertions`. */
  readonly order: number[];
  readonly insertions: Insertion[];
}

interface Piece {
  text: string;
  bytes: number;
}

interface Insertion {
  path: string;
  raw: boolean;
}

/** Parses in linear time. Throws `template_error` if the template has too many paths. */
export function parsePlaceholders(html: string): ParsedTemplate {
  const texts: Piece[] = [];
  const order: number[] = [];
  const known = new Map<string, number>();
  const insertions: Insertion[] = [];
  let textStart = 0;
  for (let at = html.indexOf('{{'); at >= 0; ) {
    const found = readPlaceholder(html, at);
    if (found.path !== undefined) {
      texts.push(toPiece(html.slice(textStart, found.start)));
      order.push(assignPosition(found.path, found.raw, known, insertions));
      textStart = found.end;
    }
    at = html.indexOf('{{', found.end);
  }
  texts.push(toPiece(html.slice(textStart)));
  return { paths: [...new Set(insertions.map(({ path }) => path))], texts, order, insertions };
}

/**
 * Throws `content_too_large`, before it builds the result, if the result would have more than `limitBytes` bytes of UTF-8, and
 * `invalid_request` for a value that is nested too deeply. `data` must be a JSON value.
 */
export function fillPlaceholders(template: ParsedTemplate, data: Record<string, unknown>, limitBytes: number): string {
  const values = fillInsertions(template.insertions, data, limitBytes);
  checkSize(template, values, limitBytes);
  const pieces: string[] = [];
  for (const piece of joinPieces(template, values)) pieces.push(piece.text);
  return pieces.join('');
}

/** `actual` is absent if the size was not counted to the end. */
export function resultTooLarge(limit: number, actual?: number): ServiceError {
  const size = actual === undefined ? `more than ${limit}` : actual;
  return new ServiceError('content_too_large', `html has ${size} bytes after substitution; at most ${limit} are allowed`, {
    members: actual === undefined ? { limit } : { limit, actual },
  });
}

/** Counts the UTF-8 bytes of a text in chunks. A surrogate pair may be split between two chunks. */
export class Utf8Counter {
  bytes = 0;
  #endsOnHalf = false;

  add(text: string, bytes = Buffer.byteLength(text)): void {
    if (bytes === 0) return;
    const joins = this.#endsOnHalf && (text.charCodeAt(0) & SURROGATE) === SECOND_HALF;
    // Alone each half counts as the three bytes of U+FFFD; together they are one character of four.
    this.bytes += joins ? bytes - 2 : bytes;
    this.#endsOnHalf = (text.charCodeAt(text.length - 1) & SURROGATE) === FIRST_HALF;
  }
}

const SURROGATE = 0xfc00;
const FIRST_HALF = 0xd800;
const SECOND_HALF = 0xdc00;

type Found = { path: string; raw: boolean; start: number; end: number } | { path: undefined; end: number };

/** Parses the run of braces that begins at `open`. Only its last three count, because a path contains no brace. */
function readPlaceholder(html: string, open: number): Found {
  const blank = find(NOT_OPENING, html, open);
  const pathStart = find(NOT_BLANK, html, blank);
  const pathEnd = find(NOT_PATH, html, pathStart);
  const close = find(NOT_BLANK, html, pathEnd);
  const path = html.slice(pathStart, pathEnd);
  const raw = blank - open >= 3 && html.startsWith('}}}', close);
  if (!(raw || html.startsWith('}}', close)) || BROKEN_PATH.test(path)) return { path: undefined, end: close };
  const braces = raw ? 3 : 2;
  return { path, raw, start: blank - braces, end: close + braces };
}

const NOT_OPENING = /[^{]/g;
const NOT_BLANK = /\S/g;
const NOT_PATH = /[^\p{L}\p{M}\p{Nd}_$.-]/gu;
const BROKEN_PATH = /^\.|\.\.|\.$|^$/;

/** The first match at or after `from`, or the end. The patterns match one character, so that they never backtrack. */
function find(pattern: RegExp, html: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}

function assignPosition(path: string, raw: boolean, known: Map<string, number>, insertions: Insertion[]): number {
  const key = raw ? `{${path}` : path;
  const position = known.get(key) ?? insertions.push({ path, raw }) - 1;
  known.set(key, position);
  if (known.size > MAX_PATHS) throw tooManyPaths();
  return position;
}

/** Maximum number of different paths. Each may occur any number of times. */
const MAX_PATHS = 5_000;
const MAX_PATH_CHARACTERS = 64_000;

/** Limits the paths of a template, because records and lists contain them. Throws `template_error`. */
export function checkPaths(paths: string[]): string[] {
  const characters = paths.reduce((sum, path) => sum + path.length, 0);
  if (paths.length > MAX_PATHS || characters > MAX_PATH_CHARACTERS) throw tooManyPaths();
  return paths;
}

function tooManyPaths(): ServiceError {
  const detail = `the template uses more than ${MAX_PATHS} different paths, or more than ${MAX_PATH_CHARACTERS} characters of them`;
  return new ServiceError('template_error', detail);
}

function toPiece(text: string): Piece {
  return { text, bytes: Buffer.byteLength(text) };
}

/**
 * Paths may name an object and its members, so that the JSON of all of them can be far longer than the data. Counting continues
 * beyond the limit, so that the error can report the actual size, but not beyond this size.
 */
const MAX_WRITTEN_CHARACTERS = 32 * 1024 * 1024;

/** The text of every placeholder. Each is computed once, no matter how often it is used. */
function fillInsertions(insertions: Insertion[], data: Record<string, unknown>, limitBytes: number): Piece[] {
  let written = 0;
  let bytes = 0;
  return insertions.map(({ path, raw }) => {
    if (written > MAX_WRITTEN_CHARACTERS && bytes > limitBytes) throw resultTooLarge(limitBytes);
    const value = lookUp(path, data);
    const text = toText(value, path);
    const piece = raw ? toPiece(text) : escapedPiece(text, limitBytes);
    if (typeof value === 'object') written += piece.text.length;
    bytes += piece.bytes;
    return piece;
  });
}

/** Own properties only, and only of objects and arrays: a string has no `length` here and an object no `constructor`. */
function lookUp(path: string, data: Record<string, unknown>): unknown {
  let value: unknown = data;
  for (const segment of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) && !ARRAY_INDEX.test(segment)) return undefined;
    if (!Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

function toText(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    // Thousands of levels overflow the stack of the serializer.
    if (error instanceof RangeError)
      throw invalidRequest([{ path: `data.${path}`, message: 'is nested too deeply to be inserted as text' }]);
    throw error;
  }
}

/** Does not build the escaped text if the text is too long already: its size is counted for the error. */
function escapedPiece(text: string, limitBytes: number): Piece {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limitBytes) return toPiece(escapeHtml(text));
  let more = 0;
  for (let at = 0; at < text.length; at++) more += GROWTH[text.charCodeAt(at)] ?? 0;
  return { text: '', bytes: bytes + more };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The number of bytes that escaping adds, by character code. */
const GROWTH = Array.from({ length: 64 }, (_, code) => (ENTITIES[String.fromCharCode(code)] ?? ' ').length - 1);

function checkSize(template: ParsedTemplate, values: Piece[], limitBytes: number): void {
  const size = new Utf8Counter();
  for (const { text, bytes } of joinPieces(template, values)) size.add(text, bytes);
  if (size.bytes > limitBytes) throw resultTooLarge(limitBytes, size.bytes);
}

function* joinPieces({ texts, order }: ParsedTemplate, values: Piece[]): Generator<Piece> {
  const nothing = { text: '', bytes: 0 };
  yield texts[0] ?? nothing;
  for (let at = 0; at < order.length; at++) {
    yield values[order[at] ?? -1] ?? nothing;
    yield texts[at + 1] ?? nothing;
  }
}
