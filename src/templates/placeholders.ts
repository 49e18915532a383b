/**
 * The plain template engine: HTML with `{{path}}` and `{{{path}}}` and JSON data in, HTML with the values in it out. What looks
 * like anything else in braces stays as it is, and what was inserted is never looked at again.
 */
import { invalidRequest, ServiceError } from '../errors.ts';

export interface ParsedTemplate {
  /** The dotted paths it names, each once, in order of first use. */
  readonly paths: string[];
  /** The text around the placeholders: always one piece more than there are placeholders. */
  readonly texts: Piece[];
  /** What belongs between the texts, as positions in `insertions`. */
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

/** Every position is looked at a fixed number of times. Throws `template_error` for more paths than a template may have. */
export function parsePlaceholders(html: string): ParsedTemplate {
  const texts: Piece[] = [];
  const order: number[] = [];
  const known = new Map<string, number>();
  const insertions: Insertion[] = [];
  let textStart = 0;
  for (let at = html.indexOf('{{'); at >= 0; ) {
    const found = placeholderAt(html, at);
    if (found.path !== undefined) {
      texts.push(pieceOf(html.slice(textStart, found.start)));
      order.push(positionOf(found.path, found.raw, known, insertions));
      textStart = found.end;
    }
    at = html.indexOf('{{', found.end);
  }
  texts.push(pieceOf(html.slice(textStart)));
  return { paths: [...new Set(insertions.map(({ path }) => path))], texts, order, insertions };
}

/**
 * Throws `content_too_large`, before anything is put together, when the result would have more than `limitBytes` bytes of UTF-8,
 * and `invalid_request` for a value nested too deeply to be written out. `data` is what JSON can hold.
 */
export function fillPlaceholders(template: ParsedTemplate, data: Record<string, unknown>, limitBytes: number): string {
  const values = valuesOf(template.insertions, data, limitBytes);
  checkSize(template, values, limitBytes);
  const pieces: string[] = [];
  for (const piece of piecesOf(template, values)) pieces.push(piece.text);
  return pieces.join('');
}

/** `actual` is left out where nobody counted to the end. */
export function resultTooLarge(limit: number, actual?: number): ServiceError {
  const size = actual === undefined ? `more than ${limit}` : actual;
  return new ServiceError('content_too_large', `html has ${size} bytes after substitution; at most ${limit} are allowed`, {
    members: actual === undefined ? { limit } : { limit, actual },
  });
}

/** Counts the bytes of a text that comes in pieces; the halves of a surrogate pair may come in two. */
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

/** What the run of braces that begins at `open` leads to. Only its last three count: a path holds no brace. */
function placeholderAt(html: string, open: number): Found {
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

/** The first match at or after `from`, or the end. The patterns match one character, so there is nothing to backtrack into. */
function find(pattern: RegExp, html: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}

function positionOf(path: string, raw: boolean, known: Map<string, number>, insertions: Insertion[]): number {
  const key = raw ? `{${path}` : path;
  const position = known.get(key) ?? insertions.push({ path, raw }) - 1;
  known.set(key, position);
  if (known.size > MAX_PATHS) throw tooManyPaths();
  return position;
}

/** Different ones; each may be used as often as there is room. */
const MAX_PATHS = 5_000;
const MAX_PATH_CHARACTERS = 64_000;

/** What a template says it takes goes into lists and replies. Throws `template_error`. */
export function checkPaths(paths: string[]): string[] {
  const characters = paths.reduce((sum, path) => sum + path.length, 0);
  if (paths.length > MAX_PATHS || characters > MAX_PATH_CHARACTERS) throw tooManyPaths();
  return paths;
}

function tooManyPaths(): ServiceError {
  const detail = `the template uses more than ${MAX_PATHS} different paths, or more than ${MAX_PATH_CHARACTERS} characters of them`;
  return new ServiceError('template_error', detail);
}

function pieceOf(text: string): Piece {
  return { text, bytes: Buffer.byteLength(text) };
}

/**
 * Paths may name an object and what is in it, so that the JSON of them all can be far longer than the data. Writing goes on past
 * the ceiling to be able to say how large the result would be, but not past this.
 */
const MAX_WRITTEN_CHARACTERS = 32 * 1024 * 1024;

/** The text of every placeholder, each worked out once however often it is used. */
function valuesOf(insertions: Insertion[], data: Record<string, unknown>, limitBytes: number): Piece[] {
  let written = 0;
  let bytes = 0;
  return insertions.map(({ path, raw }) => {
    if (written > MAX_WRITTEN_CHARACTERS && bytes > limitBytes) throw resultTooLarge(limitBytes);
    const value = lookUp(path, data);
    const text = textOf(value, path);
    const piece = raw ? pieceOf(text) : escapedPiece(text, limitBytes);
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

function textOf(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    // The stack of the serializer ends at some thousands of levels.
    if (error instanceof RangeError)
      throw invalidRequest([{ path: `data.${path}`, message: 'is nested too deeply to be inserted as text' }]);
    throw error;
  }
}

/** A text that is too long as it is will be refused: what it would grow to is counted, and not built. */
function escapedPiece(text: string, limitBytes: number): Piece {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limitBytes) return pieceOf(escapeHtml(text));
  let more = 0;
  for (let at = 0; at < text.length; at++) more += GROWTH[text.charCodeAt(at)] ?? 0;
  return { text: '', bytes: bytes + more };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** By how much each character grows, by its code. */
const GROWTH = Array.from({ length: 64 }, (_, code) => (ENTITIES[String.fromCharCode(code)] ?? ' ').length - 1);

function checkSize(template: ParsedTemplate, values: Piece[], limitBytes: number): void {
  const size = new Utf8Counter();
  for (const { text, bytes } of piecesOf(template, values)) size.add(text, bytes);
  if (size.bytes > limitBytes) throw resultTooLarge(limitBytes, size.bytes);
}

function* piecesOf({ texts, order }: ParsedTemplate, values: Piece[]): Generator<Piece> {
  const nothing = { text: '', bytes: 0 };
  yield texts[0] ?? nothing;
  for (let at = 0; at < order.length; at++) {
    yield values[order[at] ?? -1] ?? nothing;
    yield texts[at + 1] ?? nothing;
  }
}
