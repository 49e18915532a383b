/** Links of a PDF to an origin that is no more: made relative, in place and of the same length. */
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';

/** A literal string (ISO 32000-1, 7.3.4.2), as far as an address needs one. */
const REST_OF_STRING = /^((?:[^()\\]|\\.)*)\)/s;
const MAX_ADDRESS = 8_192;

/** Chromium writes annotations as plain text, with addresses in ASCII. What does not look like that is left as it is. */
export function makeLinksRelative(chunks: readonly Buffer[], origin: string): void {
  const file = new ChunkedBuffer(chunks);
  const start = `(${origin}/`;
  let end = 0;
  for (const at of file.positionsOf(start)) {
    if (at < end) continue; // in what has been read, so that each byte is read once
    const [, rest] = REST_OF_STRING.exec(file.text(at + start.length, MAX_ADDRESS)) ?? [];
    end = at + start.length + (rest?.length ?? MAX_ADDRESS);
    if (rest !== undefined) file.overwrite(at, `(${rest})`.padEnd(start.length + rest.length + 1));
  }
}
