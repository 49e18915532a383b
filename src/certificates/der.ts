/** Writes DER (ITU-T X.690), and reads it without building objects: bytes in, bytes out. */
import { ObjectIdentifier } from 'asn1js';
import { MalformedAsn1Error } from './asn1.ts';

export const TAGS = { integer: 0x02, octetString: 0x04, null: 0x05, sequence: 0x30, set: 0x31 } as const;
const HIGH_TAG = 0x1f;
const LONG_LENGTH = 0x80;
/** Lengths are read up to this many bytes, which is enough for 4 GiB. */
const MAX_LENGTH_BYTES = 4;

/** The context-specific tag `[number]` of a constructed value. */
export function contextTag(number: number): number {
  return 0xa0 | number;
}

export function write(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, each) => sum + each.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...content]);
}

export function sequence(...content: readonly Uint8Array[]): Buffer {
  return write(TAGS.sequence, ...content);
}

/** Writes an object identifier, such as `1.2.840.113549.1.7.2`. */
export function oid(text: string): Buffer {
  return Buffer.from(new ObjectIdentifier({ value: text }).toBER());
}

export function integer(small: number): Buffer {
  return write(TAGS.integer, Buffer.from([small]));
}

/** The values inside a constructed value, each with its tag. Throws `MalformedAsn1Error`. */
export function* readChildren(value: Buffer): Generator<Buffer> {
  const end = findEnd(value, 0);
  for (let at = findContent(value, 0); at < end; ) {
    const next = findEnd(value, at);
    if (next > end) throw new MalformedAsn1Error('a value extends beyond the value that contains it');
    yield value.subarray(at, next);
    at = next;
  }
}

/** The fields of a certificate from the serial number, then algorithm, issuer, validity, subject and so on. Throws `MalformedAsn1Error`. */
export function certificateFields(certificate: Buffer): Buffer[] {
  const [content] = readChildren(certificate);
  return [...readChildren(content ?? certificate)].filter((field) => field[0] !== contextTag(0)); // the version
}

function findEnd(bytes: Buffer, at: number): number {
  const start = findContent(bytes, at);
  const first = bytes[at + 1] ?? 0;
  const end = start + (first < LONG_LENGTH ? first : bytes.readUIntBE(at + 2, first - LONG_LENGTH));
  if (end > bytes.length) throw new MalformedAsn1Error('a value is cut off');
  return end;
}

function findContent(bytes: Buffer, at: number): number {
  const [tag = HIGH_TAG, length = LONG_LENGTH] = bytes.subarray(at, at + 2);
  const more = length < LONG_LENGTH ? 0 : length - LONG_LENGTH;
  const isLong = length >= LONG_LENGTH;
  if ((tag & HIGH_TAG) === HIGH_TAG || (isLong && !more) || more > MAX_LENGTH_BYTES || at + 2 + more > bytes.length)
    throw new MalformedAsn1Error('a tag or a length cannot be read');
  return at + 2 + more;
}

function lengthBytes(length: number): number[] {
  if (length < LONG_LENGTH) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [LONG_LENGTH | bytes.length, ...bytes];
}
