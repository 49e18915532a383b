/** A PDF that waits for its reader: in memory where there is room, else on the disk, however slowly it is read. */
import type { Readable } from 'node:stream';
import type { HeldBytes } from '../queue/byte-budget.ts';

/** The bytes of a PDF. */
export type Content = Buffer[] | Readable;

export interface Spool {
  /** See `storage/blobs.ts`. */
  spool(chunks: Iterable<Buffer>): Promise<Readable>;
}

/** What the request held so far has been printed, and is counted no longer. */
export async function heldPdf(
  { chunks, bytes }: { chunks: Buffer[]; bytes: number },
  memory: HeldBytes,
  blobs: Spool,
): Promise<Content> {
  if (memory.tryResize(bytes)) return chunks;
  memory.resize(0);
  return blobs.spool(chunks).catch(() => chunks); // it has been charged: better in memory than lost
}
