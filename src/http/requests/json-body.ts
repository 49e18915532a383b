/** Parses JSON bodies. An error says what is wrong with the bytes, and at which position. */
import { ServiceError } from '../../errors.ts';
import { parseJsonText } from '../../parse-json.ts';
import { decodeUtf8 } from '../../utf8.ts';

const MAX_DEPTH = 100;
/**
 * Limits members, elements, objects and arrays together. No document needs so many, and parsing them takes a fraction of a
 * second.
 */
const MAX_VALUES = 500_000;
/** Some clients send a byte order mark, which a parser may ignore (RFC 8259, 8.1). */
const BOM = '\ufeff';

/** Calls `beforeParsing` with the number of values. Throws `invalid_json`. */
export function parseJson(body: Buffer, beforeParsing: (values: number) => void): unknown {
  if (!body.length) throw new ServiceError('invalid_json', 'the body is empty; send a JSON object');
  beforeParsing(measure(body));
  const text = decodeUtf8(body, 'in.json', invalidJson);
  return parseJsonText(text.startsWith(BOM) ? text.slice(BOM.length) : text, 'the body');
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `[` and `{` differ only in this bit, and so do `]` and `}`. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Counts values and checks the nesting before anything is parsed, because these two decide how much time and memory parsing
 * takes.
 */
function measure(body: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) at = endOfString(body, at);
    else if (byte === COMMA) values++;
    else if ((byte | BRACE_BIT) === OPEN) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if ((byte | BRACE_BIT) === CLOSE) depth--;
  }
  if (deepest > MAX_DEPTH) throw invalidJson(`is nested more than ${MAX_DEPTH} levels deep`);
  if (values > MAX_VALUES) throw invalidJson(`contains more than ${MAX_VALUES} values`);
  return values;
}

/** Skips the string with a native search, which is fast for long strings. */
function endOfString(body: Buffer, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = body.indexOf(QUOTE, from);
    if (quote < 0) return body.length;
    let backslashes = 0;
    while (body[quote - 1 - backslashes] === BACKSLASH && quote - 1 - backslashes > start) backslashes++;
    if (backslashes % 2 === 0) return quote;
    from = quote + 1;
  }
}

function invalidJson(what: string): ServiceError {
  return new ServiceError('invalid_json', `the body ${what}`);
}
