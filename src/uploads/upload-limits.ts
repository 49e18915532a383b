/** Limits of the processes that parse uploaded PDFs. */
import { ServiceError } from '../errors.ts';
import type { ProcessLimits } from '../queue/process-queue.ts';

export const UPLOAD_LIMITS: Readonly<ProcessLimits> = {
  processes: 2,
  maxWaiting: 64,
  waitMs: 30_000,
  timeoutMs: 30_000,
  idleMs: 30_000,
  heapMb: 768,
};
/** Maximum decompressed size of the objects of all PDFs of a request together. */
export const MAX_UNPACKED_BYTES = 268_435_456;

export function resourceLimit(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('resource_limit', detail, { cause });
}
