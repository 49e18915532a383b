/** Request bodies: bytes in, a JSON value out, or an error that says what is wrong with the bytes. */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../errors.ts';

const MAX_DEPTH = 100;
/** Members, elements, objects and arrays. More than any document prints, and a fraction of a second to parse. */
const MAX_VALUES = 500_000;
/** Some clients send one; a reader may pass over it (RFC 8259, 8.1). */
const BOM = Buffer.from('\ufeff');

/** `beforeParsing` is told how many values there are. Throws `invalid_json`. */
export function parseJson(body: Buffer, beforeParsing: (values: number) => void): unknown {
  if (!body.length) throw new ServiceError('invalid_json', 'the body is empty; send a JSON object');
  if (!isUtf8(body)) throw new ServiceError('invalid_json', 'the body is not valid UTF-8');
  beforeParsing(measure(body));
  return parse(body.toString('utf8', startsWithBom(body) ? BOM.length : 0));
}

function startsWithBom(body: Buffer): boolean {
  return body.subarray(0, BOM.length).equals(BOM);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text around the fault; only the position may leave.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new ServiceError('invalid_json', `the body is not valid JSON${position ? ` (at character ${position})` : ''}`);
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}`: each pair differs in this bit alone. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Looks at the bytes once, before anything is built from them: nesting and number decide what parsing would take. */
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
  if (deepest > MAX_DEPTH) throw refused(`is nested more than ${MAX_DEPTH} levels deep`);
  if (values > MAX_VALUES) throw refused(`holds more than ${MAX_VALUES} values`);
  return values;
}

/** Long strings are passed over with a native search. */
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

function refused(what: string): ServiceError {
  return new ServiceError('invalid_json', `the body ${what}`);
}
