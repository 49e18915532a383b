/**
 * Removes streams that a printed PDF contains several times: bytes in; bytes in which each occurs once out. Chromium writes the
 * shadow of each box as an image of its own, even if hundreds look the same. See docs/decisions/0018-finishing.md.
 */
import { hash } from 'node:crypto';
import { PdfDict } from '@libpdf/core';
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { readCrossReference, readObjects } from '../objects/cross-reference.ts';
import { parseObject } from '../objects/parse-object.ts';
import { isStream, RawFile } from '../objects/raw-file.ts';
import { endPlain, Parts } from '../objects/write.ts';

/** A smaller stream takes hardly more space than what refers to it. */
const MIN_BYTES = 256;
/** Duplicates of fewer bytes are not worth a thread. */
const MIN_SAVED_BYTES = 32_768;
/** The number of bytes at the end of an object by which duplicates are estimated. */
const COMPARED_BYTES = 128;
/** Streams that differ only in references to duplicates are equal in the next round, such as images with the same mask. */
const MAX_ROUNDS = 4;
const STREAM = 'stream\n';
const MAX_DICTIONARY_BYTES = 4_096;
/**
 * A reference, or a string, which may only look like one. Skia escapes parentheses in strings (`write_literal_byte_string`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFTypes.cpp).
 */
const REFERENCE = /\((?:[^()\\]|\\.)*\)|\b(\d+) 0 R\b/gs;

/** Whether the PDF has many duplicate bytes, estimated without reading its streams. May throw if Chromium did not print it. */
export function hasDuplicates(chunks: readonly Buffer[]): boolean {
  const file = new ChunkedBuffer(chunks);
  if (file.length < MIN_SAVED_BYTES) return false;
  const seen = new Set<string>();
  let saved = 0;
  for (const { end, bytes } of objectsOfSameLength(file)) {
    const key = `${bytes} ${file.text(end - COMPARED_BYTES, COMPARED_BYTES)}`;
    if (seen.has(key)) saved += bytes;
    seen.add(key);
  }
  return saved >= MIN_SAVED_BYTES;
}

/** Large objects with as many bytes as another one. The digits of their number do not count. */
function objectsOfSameLength(file: ChunkedBuffer): Array<{ end: number; bytes: number }> {
  const objects = readObjects(file).map(({ id, start, end }) => ({ end, bytes: end - start - `${id}`.length }));
  const large = Map.groupBy(
    objects.filter(({ bytes }) => bytes >= MIN_BYTES),
    ({ bytes }) => bytes,
  );
  return [...large.values()].filter(({ length }) => length > 1).flat();
}

/** Returns the same bytes if nothing occurs twice. Throws if Chromium did not print the PDF. */
export function removeDuplicates(pdf: Buffer, rounds = MAX_ROUNDS): Buffer {
  const file = new RawFile(pdf);
  const copies = findCopies(file);
  if (!copies.size || !rounds) return pdf;
  const parts = new Parts();
  const offsets: number[] = [];
  for (let id = 1; id < file.size; id++) {
    const body = copies.has(id) ? undefined : file.body(id);
    if (!body) continue;
    offsets[id] = parts.length;
    parts.addObject(id, ...withReferences(body, copies));
  }
  endPlain(parts, offsets, readTrailer(pdf));
  return removeDuplicates(Buffer.from(parts.join().buffer), rounds - 1);
}

function readTrailer(pdf: Buffer): PdfDict {
  const { trailer } = readCrossReference(new ChunkedBuffer([pdf]));
  const dict = parseObject(trailer.slice(trailer.indexOf('<<'), trailer.lastIndexOf('>>') + 2));
  if (!(dict instanceof PdfDict)) throw new Error('the PDF has no trailer');
  return dict;
}

/** The numbers of streams that are equal to an earlier one, with its number. */
function findCopies(file: RawFile): Map<number, number> {
  const copies = new Map<number, number>();
  const known = new Map<string, number>();
  for (let id = 1; id < file.size; id++) {
    const body = file.body(id);
    if (!body || body.length < MIN_BYTES || !isStream(body)) continue;
    const digest = hash('sha256', body);
    const first = known.get(digest);
    if (first === undefined) known.set(digest, id);
    else copies.set(id, first);
  }
  return copies;
}

/** An object with references to the kept streams. */
function withReferences(body: Buffer, copies: ReadonlyMap<number, number>): Array<string | Buffer> {
  const found = isStream(body) ? body.subarray(0, MAX_DICTIONARY_BYTES).indexOf(STREAM) : body.length;
  const end = found < 0 ? body.indexOf(STREAM) : found;
  const text = body.toString('latin1', 0, end);
  const replaced = text.replace(REFERENCE, (whole, id?: string) => {
    const kept = id && copies.get(Number(id));
    return kept ? `${kept} 0 R` : whole;
  });
  return replaced === text ? [body] : [replaced, body.subarray(end)];
}
