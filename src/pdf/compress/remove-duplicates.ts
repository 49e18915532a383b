/**
 * Removes streams that a printed PDF contains several times: bytes in; bytes in which each occurs once out. Chromium writes the
 * shadow of each box as an image of its own, even if hundreds look the same. See docs/decisions/0018-finishing.md.
 */
import { hash } from 'node:crypto';
import { isStream, RawFile, replaceReferences, textLength } from '../objects/raw-file.ts';
import { endPlain, Parts } from '../objects/write.ts';

/** A smaller stream takes hardly more space than what refers to it. */
const MIN_BYTES = 256;
/** Streams that differ only in references to duplicates are equal in the next round, such as images with the same mask. */
const MAX_ROUNDS = 4;

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
  endPlain(parts, offsets, file.trailer);
  return removeDuplicates(Buffer.from(parts.join().buffer), rounds - 1);
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
  const end = textLength(body);
  const text = body.toString('latin1', 0, end);
  const replaced = replaceReferences(text, (id) => `${copies.get(id) ?? id} 0 R`);
  return replaced === text ? [body] : [replaced, body.subarray(end)];
}
