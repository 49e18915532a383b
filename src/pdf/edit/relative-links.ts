/** Makes links to a temporary origin relative, in place and without changing the length of the PDF. */
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';

/** The rest of a literal string (ISO 32000-1, 7.3.4.2) without unescaped parentheses, as in a URL. */
const REST_OF_STRING = /^((?:[^()\\]|\\.)*)\)/s;
const MAX_ADDRESS = 8_192;

/**
 * Chromium writes annotations uncompressed, with URLs in ASCII. Anything in another form is left unchanged. See `emit` in
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFDocument.cpp.
 */
export function makeLinksRelative(chunks: readonly Buffer[], origin: string): void {
  const file = new ChunkedBuffer(chunks);
  const start = `(${origin}/`;
  let end = 0;
  for (const at of file.findPositions(start)) {
    if (at < end) continue; // inside the previous link, so that each byte is read only once
    const [, rest] = REST_OF_STRING.exec(file.text(at + start.length, MAX_ADDRESS)) ?? [];
    end = at + start.length + (rest?.length ?? MAX_ADDRESS);
    if (rest !== undefined) file.overwrite(at, `(${rest})`.padEnd(start.length + rest.length + 1));
  }
}
