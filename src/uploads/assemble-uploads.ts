/**
 * Assembles PDFs: parts and steps in, one PDF or several out. Parts are untrusted, so they are parsed in separate processes, whose failure
 * affects nothing else.
 */
import { type FieldError, hasCode, invalidRequest } from '../errors.ts';
import type { Assembled, AssemblyHelpers, AssemblyOrder } from '../pdf/assemble/assemble.ts';
import { firstPlace } from '../pdf/assemble/steps.ts';
import { mergedTooLarge } from '../pdf/merge/merge.ts';
import { putBack } from '../pdf/objects/write.ts';
import { unlessRefused } from '../pdf/refusal.ts';
import type { WithPlaceholder } from '../pdf/security/further-signature.ts';
import type { Replies } from '../queue/process-pool.ts';
import type { ProcessLimits, TaskDeadline } from '../queue/process-queue.ts';
import type {
  AssemblyOutcome,
  AssemblyQuestion,
  AssemblyTask,
  ExtendOutcome,
  ExtendTask,
  SigningOutcome,
  SigningTask,
} from './assemble-worker.ts';
import { MAX_UNPACKED_BYTES, PdfProcesses, WASM_LIMIT } from './upload-limits.ts';

/**
 * V8 lets its young generation grow to 64 MiB for each half, so that a process that joins many parts would grow with their number.
 * Smaller halves than these take more processor time.
 */
const YOUNG_LIMIT = '--max-semi-space-size=16';

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
    const libraries = ['@libpdf/core', 'pako', 'saxes', 're2js', 'entities', '@hyzyla/pdfium', 'pngjs'];
    super('assembling the PDF', { module, libraries, flags: [WASM_LIMIT, YOUNG_LIMIT], busy }, limits);
    this.#maxUnpackedBytes = maxUnpackedBytes;
    this.#maxPdfBytes = maxPdfBytes;
  }

  /**
   * Owners take turns. Throws `invalid_request` that names a part or a step, `resource_limit`, `queue_full`, the reason of `deadline`, and
   * the errors of `print`.
   */
  async assemble(
    owner: string,
    order: Omit<AssemblyOrder, 'maxBytes'>,
    deadline?: TaskDeadline,
    helpers: AssemblyHelpers = {},
  ): Promise<Assembled> {
    const maxBytes = this.#maxPdfBytes;
    const store = new OrderedParts(order, maxBytes, helpers);
    const isOne = order.parts.length === 1;
    const parts = isOne ? order.parts : order.parts.map((part) => ({ ...part, content: NOTHING }));
    const run = this.#run(
      owner,
      { order: { ...order, parts, maxBytes, prints: helpers.print !== undefined } },
      deadline,
      (question) => store.reply(question),
    );
    return store.complete(toAssembled(await run.catch((error: unknown) => throwNaming(store.at, error))));
  }

  /** Adds a field with room for a signature. Earlier signatures stay valid. Throws as `assemble` does, and `print_failed`. */
  async addSignatureField(owner: string, sign: SigningTask, deadline?: TaskDeadline): Promise<WithPlaceholder> {
    return unlessFault(unlessRefused((await this.#run(owner, { sign }, deadline)) as SigningOutcome));
  }

  /** Adds validation data to a signed PDF. */
  async extend(owner: string, extend: ExtendTask, deadline?: TaskDeadline) {
    return unlessRefused((await this.#run(owner, { extend }, deadline)) as ExtendOutcome);
  }

  #run(owner: string, task: AssemblyTask, deadline: TaskDeadline | undefined, replies?: Replies): Promise<unknown> {
    return this.run(owner, { ...task, maxUnpackedBytes: this.#maxUnpackedBytes }, deadline, replies);
  }
}

const NOTHING = new Uint8Array();

/** Parts that a process gets when it needs them, and what it has written of the whole, so that it holds neither. */
class OrderedParts {
  readonly #parts: AssemblyOrder['parts'];
  readonly #maxBytes: number;
  readonly #helpers: AssemblyHelpers;
  #kept: Uint8Array[] = [];
  /** What the process works on. */
  at = '';

  constructor(order: Omit<AssemblyOrder, 'maxBytes'>, maxBytes: number, helpers: AssemblyHelpers) {
    this.#parts = order.parts;
    this.#maxBytes = maxBytes;
    this.#helpers = helpers;
    this.#enter(firstPlace(order));
  }

  #enter(at: string): void {
    this.at = at;
    this.#helpers.note?.(at);
  }

  async reply(question: AssemblyQuestion): Promise<Uint8Array | undefined> {
    if ('at' in question) this.#enter(question.at);
    if ('at' in question) return undefined;
    if ('part' in question) this.#enter(`parts[${question.part}]`);
    if ('part' in question) return this.#parts[question.part]?.content;
    if ('print' in question) return this.#helpers.print?.(question.print);
    if ('takeBack' in question) return Buffer.concat(this.#kept.splice(0));
    this.#kept.push(question.keep);
    if (this.#kept.reduce((sum, { length }) => sum + length, 0) > this.#maxBytes) throw mergedTooLarge(this.#maxBytes);
    return undefined;
  }

  complete(assembled: Assembled): Assembled {
    const { headerBytes = 0, ...others } = assembled;
    const { files, extracted } = others;
    const kept = this.#kept.splice(0);
    if (!kept.length) return others;
    if (extracted) return { ...others, extracted: Buffer.concat([...kept, extracted]) };
    return { ...others, files: files.map((file) => ({ ...file, content: putBack({ ...file, headerBytes }, kept) })) };
  }
}

/** A process that was killed could not say what it was working on. */
function throwNaming(at: string, error: unknown): never {
  throw hasCode(error, 'resource_limit') ? error.reword(`${at}: ${error.message}`) : error;
}

function toAssembled(answer: unknown): Assembled {
  return unlessFault(unlessRefused(answer as AssemblyOutcome));
}

function unlessFault<T extends object>(outcome: T | { faults: FieldError[] }): T {
  if ('faults' in outcome) throw invalidRequest(outcome.faults);
  return outcome;
}
