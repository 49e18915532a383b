/** Validates uploaded PDFs in separate processes, like `assemble-uploads.ts`: a PDF and profiles in, the rules that it breaks out. */
import { ServiceError } from '../errors.ts';
import type { AnyProfile } from '../pdf/conformance/profiles.ts';
import type { Validated } from '../pdf/validate/validate.ts';
import type { ProcessLimits } from '../queue/process-queue.ts';
import { MAX_UNPACKED_BYTES, PdfProcesses } from './upload-limits.ts';
import type { ValidationOutcome, ValidationTask } from './validate-worker.ts';

export class UploadValidation extends PdfProcesses {
  readonly #maxUnpackedBytes: number;

  constructor({ maxUnpackedBytes = MAX_UNPACKED_BYTES, ...limits }: Partial<ProcessLimits> & { maxUnpackedBytes?: number } = {}) {
    const module = new URL('./validate-worker.ts', import.meta.url);
    const busy = 'too many PDFs are being validated';
    super('validating the PDF', { module, libraries: ['@libpdf/core', 'saxes'], busy }, limits);
    this.#maxUnpackedBytes = maxUnpackedBytes;
  }

  /** Owners take turns. Throws `pdf_unreadable`, `resource_limit`, `queue_full`, and the reason of `signal`. */
  async validate(
    owner: string,
    content: Uint8Array,
    profiles: AnyProfile[] | undefined,
    signal?: AbortSignal,
  ): Promise<Validated> {
    const task: ValidationTask = { content, profiles, maxUnpackedBytes: this.#maxUnpackedBytes };
    const outcome = (await this.run(owner, task, signal)) as ValidationOutcome;
    if (outcome !== 'unreadable') return outcome;
    throw new ServiceError(
      'pdf_unreadable',
      'the body is not a PDF, or it is damaged, protected by a password, or compressed with an unsupported filter',
    );
  }
}
