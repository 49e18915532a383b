/** Request bodies: bytes in, a JSON value out, or an error that says what is wrong with the bytes. */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../errors.ts';

const MAX_DEPTH = 100;
/** Some clients send one; a reader may pass over it (RFC 8259, 8.1). */
const BOM = Buffer.from('\ufeff');

/** Throws `invalid_json`. */
export function parseJson(body: Buffer): unknown {
  if (!body.length) throw new ServiceError('invalid_json', 'the body is empty; send a JSON object');
  if (!isUtf8(body)) throw new ServiceError('invalid_json', 'the body is not valid UTF-8');
  const value = parse(body.toString('utf8', startsWithBom(body) ? BOM.length : 0));
  if (isDeeperThan(value, MAX_DEPTH))
    throw new ServiceError('invalid_json', `the body is nested more than ${MAX_DEPTH} levels deep`);
  return value;
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

/** Walks without recursion, so that the nesting it looks for cannot exhaust the stack. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item).filter(isContainer) : []));
  }
  return false;
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
