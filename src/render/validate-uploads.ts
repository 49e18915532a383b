/** Validates PDFs that callers send, each in a process of its own, as `merge-uploads.ts` merges them. */
import { ServiceError } from '../errors.ts';
import type { Profile } from '../pdf/conformance/profiles.ts';
import type { Validated } from '../pdf/validate/validate.ts';
import { type ProcessLimits, ProcessQueue } from '../queue/process-queue.ts';
import { MAX_UNPACKED_BYTES, resourceLimit, UPLOAD_LIMITS } from './upload-limits.ts';
import type { ValidationOutcome, ValidationTask } from './validate-worker.ts';

export class UploadValidation {
  readonly #processes: ProcessQueue;
  readonly #maxUnpackedBytes: number;

  /** Starts no process yet. */
  constructor({ maxUnpackedBytes = MAX_UNPACKED_BYTES, ...limits }: Partial<ProcessLimits> & { maxUnpackedBytes?: number } = {}) {
    const all = { ...UPLOAD_LIMITS, ...limits };
    this.#maxUnpackedBytes = maxUnpackedBytes;
    const work = {
      module: new URL('./validate-worker.ts', import.meta.url),
      libraries: ['@libpdf/core', 'saxes'],
      busy: 'too many PDFs are being validated',
      outOfTime: (cause: unknown) => resourceLimit(`the PDF takes longer than ${all.timeoutMs} ms to validate`, cause),
      outOfMemory: (cause: unknown) => resourceLimit('the PDF takes more memory to validate than it may', cause),
    };
    this.#processes = new ProcessQueue(work, all);
  }

  /** `owner` is whose turn it takes. Throws `pdf_unreadable`, `resource_limit`, `queue_full`, and what `signal` was aborted with. */
  async validate(owner: string, content: Uint8Array, profiles: Profile[] | undefined, signal?: AbortSignal): Promise<Validated> {
    const task: ValidationTask = { content, profiles, maxUnpackedBytes: this.#maxUnpackedBytes };
    const outcome = (await this.#processes.run(owner, task, signal)) as ValidationOutcome;
    if (outcome !== 'unreadable') return outcome;
    throw new ServiceError(
      'pdf_unreadable',
      'the body is not a PDF, or it is damaged, protected by a password, or packed in an unusual way',
    );
  }

  /** Ends the processes. What runs or waits is refused, and so is what comes later. */
  close(): void {
    this.#processes.close();
  }
}
