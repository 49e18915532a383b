/** How often the bytes of a file may be searched. Once is enough if every stream has its end. */
const MAX_SEARCHES = 20;
const END = Buffer.from('end');

/**
 * Throws if the streams of an untrusted PDF overlap. libpdf searches for the end of each stream whose length is wrong, which would
 * take minutes for thousands of streams that all lack theirs.
 */
export function requireStreamEnds(bytes: Uint8Array): void {
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
