/**
 * Ends a parser that does not advance. libpdf reads a delimiter without a meaning, such as the rest of a damaged string, as a word
 * without characters, and stays where it is: in an array or a dictionary it would do so until the memory is full.
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
