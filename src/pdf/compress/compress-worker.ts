/**
 * Makes PDFs smaller that need no other change, in the threads that finish PDFs: a printed PDF in, fewer bytes out. It is a file of its
 * own, because it loads in half the time of the other work.
 */
import { move } from 'piscina';
import { yieldToOthers } from '../yield-to-others.ts';
import { compressPrinted } from './compress-printed.ts';
import { removeDuplicates } from './remove-duplicates.ts';

export interface CompressTask {
  pieces: Uint8Array[];
}

yieldToOthers();

/** Returns the PDF as it is if that fails. The bytes are transferred instead of copied. */
export default function compress({ pieces }: CompressTask): Uint8Array<ArrayBuffer> {
  const compressed = compressAsPossible(Buffer.concat(pieces));
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
