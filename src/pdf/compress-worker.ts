/**
 * Makes PDFs smaller that need no other change, in the threads that finish PDFs: a printed PDF in, fewer bytes out. It is a file of its
 * own, because it loads in half the time of the other work.
 */
import { move } from 'piscina';
import { compressPrinted } from './compress/compress-printed.ts';
import { removeDuplicates } from './compress/remove-duplicates.ts';
import { withLetterhead } from './edit/letterhead.ts';
import type { Letterhead } from './finish-settings.ts';
import { yieldToOthers } from './yield-to-others.ts';

export interface CompressTask {
  pieces: Uint8Array[];
  letterhead?: Letterhead | undefined;
}

yieldToOthers();

/** Returns the PDF as it is if that fails. The bytes are transferred instead of copied. */
export default function compress({ pieces, letterhead }: CompressTask): Uint8Array<ArrayBuffer> {
  const compressed = compressAsPossible(withLetterhead(Buffer.concat(pieces), letterhead));
  return move(compressed) as unknown as typeof compressed;
}

/** Does nothing. Calling it starts a thread, which is then ready to compress a PDF. */
export function prepare(): void {}

function compressAsPossible(printed: Buffer): Uint8Array<ArrayBuffer> {
  try {
    return compressPrinted(removeDuplicates(printed));
  } catch {
    return Uint8Array.from(printed);
  }
}
