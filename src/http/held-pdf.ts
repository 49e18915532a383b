/** A PDF that waits for its reader: in memory where there is room, else on the disk, however slowly it is read. */
import type { Readable } from 'node:stream';
import type { HeldBytes } from '../queue/byte-budget.ts';
import type { RenderMemory } from '../render/render.ts';

/** The bytes of a PDF. */
export type Content = Buffer[] | Readable;

export interface Spool {
  /** See `storage/blobs.ts`. */
  spool(chunks: Iterable<Buffer>): Promise<Readable>;
}

/** What a request holds. */
export interface Held {
  memory: HeldBytes;
  /** Of a PDF that has no room in memory. */
  disk: HeldBytes;
}

/**
 * Holds a PDF in place of all that the request held so far, which has been printed. To be called before the render is charged:
 * throws `memory_limited` or `overloaded` where there is no room on the disk either.
 */
export function makeRoomFor(bytes: number, { memory, disk }: Held): void {
  if (memory.tryResize(bytes)) return;
  disk.resize(bytes);
  memory.resize(0);
}

/** What a render may count of its request. Where `sendsResult` is false, nobody waits for the PDF. */
export function memoryOfRender(held: Held, sendsResult = true): RenderMemory {
  return {
    grow: (bytes) => held.memory.grow(bytes),
    makeRoomFor: (bytes) => sendsResult && makeRoomFor(bytes, held),
  };
}

/** A PDF that was made room for. */
export async function heldPdf({ chunks }: { chunks: Buffer[] }, { disk }: Held, blobs: Spool): Promise<Content> {
  if (!disk.bytes) return chunks;
  return blobs.spool(chunks).catch(() => chunks); // it has been charged: better in memory than lost
}
