/** Holds a PDF until the client has read it: in memory if there is room, otherwise on the disk. */
import type { Readable } from 'node:stream';
import type { HeldBytes } from '../../queue/byte-budget.ts';
import type { RenderMemory } from '../../render/render.ts';

export type Content = Buffer[] | Readable;

export interface Spool {
  /** See `storage/blobs.ts`. */
  spool(chunks: Iterable<Buffer>): Promise<Readable>;
}

export interface RequestUsage {
  memory: HeldBytes;
  /** Disk space for a PDF that has no room in memory. */
  disk: HeldBytes;
}

/**
 * Counts the PDF instead of everything that the request held before, which is no longer needed. Call it before the render is
 * charged, because it throws `memory_limited` or `overloaded` if the disk has no room either.
 */
export function makeRoomFor(bytes: number, { memory, disk }: RequestUsage): void {
  if (memory.tryResize(bytes)) return;
  disk.resize(bytes);
  memory.resize(0);
}

/** The memory that a render may count towards its request. If `sendsResult` is false, the PDF is not part of the reply. */
export function memoryOfRender(usage: RequestUsage, sendsResult = true): RenderMemory {
  return {
    grow: (bytes) => usage.memory.grow(bytes),
    makeRoomFor: (bytes) => sendsResult && makeRoomFor(bytes, usage),
  };
}

/** Stores the PDF where `makeRoomFor` found room for it. */
export async function spoolPdf({ chunks }: { chunks: Buffer[] }, { disk }: RequestUsage, blobs: Spool): Promise<Content> {
  if (!disk.bytes) return chunks;
  return blobs.spool(chunks).catch(() => chunks); // the PDF has been charged, so that it stays in memory rather than being lost
}
