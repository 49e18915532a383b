/**
 * Assembles PDFs: parts and steps in, one PDF or several out. Parts are untrusted, so they are parsed in separate processes, whose failure
 * affects nothing else.
 */
import { invalidField } from '../errors.ts';
import type { Assembled, AssemblyOrder } from '../pdf/assemble/assemble.ts';
import { unlessRefused } from '../pdf/refusal.ts';
import type { ProcessLimits } from '../queue/process-queue.ts';
import type { AssemblyOutcome, AssemblyTask } from './assemble-worker.ts';
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
    const task: AssemblyTask = { ...order, maxBytes: this.#maxPdfBytes, maxUnpackedBytes: this.#maxUnpackedBytes };
    const outcome = unlessRefused((await this.run(owner, task, signal)) as AssemblyOutcome);
    if ('fault' in outcome) throw invalidField(outcome.fault.at, outcome.fault.message);
    return outcome;
  }
}
