/**
 * PDFs that a caller sends in, one PDF of all their pages out. Nobody knows what is in them, so that they are parsed in a process of
 * their own, which may end without anybody else noticing.
 */
import { ServiceError } from '../errors.ts';
import { type ProcessLimits, ProcessQueue } from '../queue/process-queue.ts';
import type { MergedUploads, MergeUploadsTask } from './merge-worker.ts';
import { MAX_UNPACKED_BYTES, resourceLimit, UPLOAD_LIMITS } from './upload-limits.ts';

export interface UploadedPdf {
  /** Of its bookmark. */
  title: string;
  content: Uint8Array;
}

export interface MergedPdf {
  pdf: Buffer;
  pages: number;
}

/** One of the PDFs cannot be merged. */
export class UnusableUpload extends Error {
  override name = 'UnusableUpload';
  readonly index: number;

  /** `because`: `is protected by a password`. */
  constructor(index: number, because: string) {
    super(because);
    this.index = index;
  }
}

interface UploadMergingLimits extends Partial<ProcessLimits> {
  /** Of the merged PDF. */
  maxPdfBytes: number;
  /** What the objects of all PDFs together may unpack to. */
  maxUnpackedBytes?: number;
}

export class UploadMerging {
  readonly #processes: ProcessQueue;
  readonly #maxUnpackedBytes: number;
  readonly #maxPdfBytes: number;

  /** Starts no process yet. */
  constructor({ maxPdfBytes, maxUnpackedBytes = MAX_UNPACKED_BYTES, ...limits }: UploadMergingLimits) {
    const all = { ...UPLOAD_LIMITS, ...limits };
    this.#maxUnpackedBytes = maxUnpackedBytes;
    this.#maxPdfBytes = maxPdfBytes;
    const work = {
      module: new URL('./merge-worker.ts', import.meta.url),
      libraries: ['@libpdf/core'],
      busy: 'too many PDFs are being merged',
      outOfTime: (cause: unknown) => resourceLimit(`the PDFs take longer than ${all.timeoutMs} ms to merge`, cause),
      outOfMemory: (cause: unknown) => resourceLimit('the PDFs take more memory to merge than they may', cause),
    };
    this.#processes = new ProcessQueue(work, all);
  }

  /**
   * `owner` is whose turn it takes. Throws `UnusableUpload`, `resource_limit`, `queue_full`, and what `signal` was aborted with.
   */
  async merge(owner: string, files: UploadedPdf[], signal?: AbortSignal): Promise<MergedPdf> {
    const task: MergeUploadsTask = { files, maxUnpackedBytes: this.#maxUnpackedBytes, maxPdfBytes: this.#maxPdfBytes };
    const merged = (await this.#processes.run(owner, task, signal)) as MergedUploads;
    if (merged === 'too large') throw this.#tooLarge();
    if ('unusable' in merged) throw new UnusableUpload(merged.unusable, merged.because);
    const { buffer, byteOffset, byteLength } = merged.pdf;
    if (byteLength > this.#maxPdfBytes) throw this.#tooLarge();
    return { pdf: Buffer.from(buffer, byteOffset, byteLength), pages: merged.pages };
  }

  #tooLarge(): ServiceError {
    const limit = this.#maxPdfBytes;
    return new ServiceError('resource_limit', `the merged PDF has more than ${limit} bytes`, { members: { limit } });
  }

  /** Ends the processes. What runs or waits is refused, and so is what comes later. */
  close(): void {
    this.#processes.close();
  }
}
