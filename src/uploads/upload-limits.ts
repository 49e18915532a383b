/** The processes that parse PDFs which are untrusted, wholly or in part, and their limits. */
import { ServiceError } from '../errors.ts';
import { type ProcessLimits, ProcessQueue, type ProcessWork } from '../queue/process-queue.ts';

const LIMITS: Readonly<ProcessLimits> = {
  processes: 2,
  maxWaiting: 64,
  waitMs: 30_000,
  timeoutMs: 30_000,
  idleMs: 30_000,
  heapMb: 768,
};
/** Maximum decompressed size of the objects of all PDFs of a request together. */
export const MAX_UNPACKED_BYTES = 268_435_456;

/** Limits the memory of WebAssembly, in pages of 64 KiB: 768 MiB. */
export const WASM_LIMIT = '--wasm-max-mem-pages=12288';

/** What `pdfium.ts` needs. */
export const DRAWING_LIBRARIES = ['@hyzyla/pdfium', 'pngjs'];

export class PdfProcesses extends ProcessQueue {
  /** `doing` begins the texts of errors, such as `merging the PDFs`. Starts no process yet. */
  constructor(doing: string, work: Omit<ProcessWork, 'outOfTime' | 'outOfMemory'>, limits: Partial<ProcessLimits>) {
    const all = { ...LIMITS, ...limits };
    const errors = {
      outOfTime: (cause: unknown) => resourceLimit(`${doing} takes longer than ${all.timeoutMs} ms`, cause),
      outOfMemory: (cause: unknown) => resourceLimit(`${doing} needs too much memory`, cause),
    };
    super({ ...work, ...errors }, all);
  }
}

export function resourceLimit(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('resource_limit', detail, { cause });
}
