/**
 * Replaces `TextDecoder.prototype.decode` of the whole process, which must be a child that only reads PDFs of others. libpdf reads a
 * delimiter without a meaning, such as the rest of a damaged string, as a word without characters, and stays where it is: in an array
 * or a dictionary it would do so until the memory is full. The replacement ends that.
 */

/** No usable PDF has as many empty names. */
const MAX_EMPTY_WORDS = 100_000;

if (!process.send) throw new Error('only a child process may replace TextDecoder.prototype.decode');

let left = MAX_EMPTY_WORDS;

/** Call it before an untrusted PDF is read. */
export function limitEmptyWords(): void {
  left = MAX_EMPTY_WORDS;
}

/** Throws if the parser was stuck, because the library takes an object that it could not read for null. */
export function throwIfStuck(): void {
  if (left < 0) throw new Error('an object of the PDF cannot be read');
}

const decode = TextDecoder.prototype.decode;

TextDecoder.prototype.decode = function (input, options) {
  if (input?.byteLength === 0 && --left < 0) throw new Error('the PDF cannot be parsed any further');
  return decode.call(this, input, options);
};
