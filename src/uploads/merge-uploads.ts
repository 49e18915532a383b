/**
 * Merges uploaded PDFs: several PDFs in, one PDF with all their pages out. Uploads are untrusted, so they are parsed in separate
 * processes, whose failure affects nothing else.
 */
import { type Refusal, unlessRefused } from '../pdf/refusal.ts';
import type { ProcessLimits } from '../queue/process-queue.ts';
import type { MergedFinishing } from './finish-merged.ts';
import type { MergedUploads, MergeUploadsTask, UploadedPdf } from './merge-worker.ts';
import { MAX_UNPACKED_BYTES, PdfProcesses } from './upload-limits.ts';

/** The PDF at `index` cannot be merged. */
export class UnusableUploadError extends Error {
  override name = 'UnusableUploadError';
  readonly index: number;

  /** `because` is a predicate such as `is protected by a password`. */
  constructor(index: number, because: string) {
    super(because);
    this.index = index;
  }
}

interface UploadMergingLimits extends Partial<ProcessLimits> {
  maxPdfBytes: number;
  /** Maximum decompressed size of the objects of all PDFs together. */
  maxUnpackedBytes?: number;
}

export class UploadMerging extends PdfProcesses {
  readonly #maxUnpackedBytes: number;
  readonly #maxPdfBytes: number;

  constructor({ maxPdfBytes, maxUnpackedBytes = MAX_UNPACKED_BYTES, ...limits }: UploadMergingLimits) {
    const module = new URL('./merge-worker.ts', import.meta.url);
    const busy = 'too many PDFs are being merged';
    super('merging the PDFs', { module, libraries: ['@libpdf/core'], busy }, limits);
    this.#maxUnpackedBytes = maxUnpackedBytes;
    this.#maxPdfBytes = maxPdfBytes;
  }

  /** Owners take turns. Throws `UnusableUploadError`, `resource_limit`, `queue_full`, and the reason of `signal`. */
  async merge(owner: string, files: UploadedPdf[], signal?: AbortSignal, finishing?: MergedFinishing) {
    const limits = { maxUnpackedBytes: this.#maxUnpackedBytes, maxPdfBytes: this.#maxPdfBytes };
    const task: MergeUploadsTask = { files, ...limits, finishing };
    const merged = unlessRefused((await this.run(owner, task, signal)) as MergedUploads | Refusal);
    if ('unusable' in merged) throw new UnusableUploadError(merged.unusable, merged.because);
    const { buffer, byteOffset, byteLength } = merged.pdf;
    return { pdf: Buffer.from(buffer, byteOffset, byteLength), pages: merged.pages };
  }
}
