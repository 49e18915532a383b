/**
 * Assembles PDFs: parts and steps in, one PDF or several out. Parts are untrusted, so they are parsed in separate processes, whose failure
 * affects nothing else.
 */
import { invalidField } from '../errors.ts';
import type { Assembled, AssemblyFault, AssemblyOrder } from '../pdf/assemble/assemble.ts';
import { unlessRefused } from '../pdf/refusal.ts';
import type { WithPlaceholder } from '../pdf/security/further-signature.ts';
import type { ProcessLimits } from '../queue/process-queue.ts';
import type { AssemblyOutcome, AssemblyTask, ExtendOutcome, ExtendTask, SigningOutcome, SigningTask } from './assemble-worker.ts';
import { MAX_UNPACKED_BYTES, PdfProcesses, WASM_LIMIT } from './upload-limits.ts';

interface AssemblyLimits extends Partial<ProcessLimits> {
  maxPdfBytes: number;
  maxUnpackedBytes?: number;
}

export class UploadAssembly extends PdfProcesses {
  readonly #maxUnpackedBytes: number;
  readonly #maxPdfBytes: number;

  constructor({ maxPdfBytes, maxUnpackedBytes = MAX_UNPACKED_BYTES, ...limits }: AssemblyLimits) {
    const module = new URL('./assemble-worker.ts', import.meta.url);
    const busy = 'too many PDFs are being assembled';
    const libraries = ['@libpdf/core', 'pako', 'saxes', 're2js', 'entities', '@hyzyla/pdfium'];
    super('assembling the PDF', { module, libraries, flags: [WASM_LIMIT], busy }, limits);
    this.#maxUnpackedBytes = maxUnpackedBytes;
    this.#maxPdfBytes = maxPdfBytes;
  }

  /**
   * Owners take turns. Throws `invalid_request` that names a part or a step, `resource_limit`, `queue_full`, and the reason of `signal`.
   */
  async assemble(owner: string, order: Omit<AssemblyOrder, 'maxBytes'>, signal?: AbortSignal): Promise<Assembled> {
    const task = { order: { ...order, maxBytes: this.#maxPdfBytes } };
    return unlessFault(unlessRefused((await this.#run(owner, task, signal)) as AssemblyOutcome));
  }

  /** Adds a field with room for a signature. Earlier signatures stay valid. Throws as `assemble` does, and `print_failed`. */
  async addSignatureField(owner: string, sign: SigningTask, signal?: AbortSignal): Promise<WithPlaceholder> {
    return unlessFault(unlessRefused((await this.#run(owner, { sign }, signal)) as SigningOutcome));
  }

  /** Adds validation data to a signed PDF. */
  async extend(owner: string, extend: ExtendTask, signal?: AbortSignal) {
    return unlessRefused((await this.#run(owner, { extend }, signal)) as ExtendOutcome);
  }

  #run(owner: string, task: AssemblyTask, signal: AbortSignal | undefined): Promise<unknown> {
    return this.run(owner, { ...task, maxUnpackedBytes: this.#maxUnpackedBytes }, signal);
  }
}

function unlessFault<T extends object>(outcome: T | { fault: AssemblyFault }): T {
  if ('fault' in outcome) throw invalidField(outcome.fault.at, outcome.fault.message);
  return outcome;
}
