/**
 * Ends a parser that does not advance, or takes a time that grows faster than the file. libpdf reads a delimiter without a meaning,
 * such as the rest of a damaged string, as a word without characters, and stays where it is: in an array or a dictionary it would do
 * so until the memory is full.
 */

/** No usable PDF has as many empty names. */
const MAX_EMPTY_WORDS = 100_000;

let left = MAX_EMPTY_WORDS;

/** Call it before an untrusted PDF is read. */
export function limitEmptyWords(): void {
  left = MAX_EMPTY_WORDS;
}

/** Throws if an object could not be read for this reason, which the library takes for null. */
export function throwIfStuck(): void {
  if (left < 0) throw new Error('an object of the PDF cannot be read');
}

const decode = TextDecoder.prototype.decode;

TextDecoder.prototype.decode = function (input, options) {
  if (input?.byteLength === 0 && --left < 0) throw new Error('the PDF cannot be parsed any further');
  return decode.call(this, input, options);
};

/** How often the bytes of a file may be searched. Once is enough if every stream has its end. */
const MAX_SEARCHES = 20;

/**
 * Throws if the streams of an untrusted PDF overlap. libpdf searches for the end of each stream whose length is wrong, which would
 * take minutes for thousands of streams that all lack theirs.
 */
export function requireEndsOfStreams(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [open, starts, searched] = [0, 0, 0];
  const end = (at: number) => {
    searched += open * at - starts;
    [open, starts] = [0, 0];
  };
  for (let at = file.indexOf('stream'); at >= 0; at = file.indexOf('stream', at + 1)) {
    if (file.subarray(Math.max(0, at - 3), at).equals(END)) end(at);
    else [open, starts] = [open + 1, starts + at];
  }
  end(file.length);
  if (searched > MAX_SEARCHES * file.length) throw new Error('the streams of the PDF have no end');
}

const END = Buffer.from('end');
