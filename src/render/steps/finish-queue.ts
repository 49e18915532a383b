/** The queue of PDFs that wait for finishing. It serves owners in turn and limits how many bytes are in memory. */
import type { Deadline } from '../../deadline.ts';
import { queueFull } from '../../errors.ts';
import type { Split, SplitTask } from '../../pdf/edit/split-documents.ts';
import type {
  FinishSettings,
  Letterhead,
  SignatureField,
  SignaturePlaceholder,
  ValidationUpdate,
} from '../../pdf/finish-settings.ts';
import type { Finisher } from '../../pdf/finisher.ts';
import type { MergeTask } from '../../pdf/merge/merge.ts';
import { OwnerCounter } from '../../queue/owner-counter.ts';
import type { OwnerQueue } from '../../queue/owner-queue.ts';

/** Share of the bytes for all owners together. The rest is reserved for owners who have none in memory. */
const SHARE_OF_OWNERS = 0.75;

export class FinishQueue {
  readonly #finisher: Finisher;
  readonly #queue: OwnerQueue;
  readonly #maxBytes: number;
  /** Bytes in memory by owner. */
  readonly #bytes = new OwnerCounter();

  /** `maxBytes` limits all PDFs that wait or are being finished. A single PDF may be larger. */
  constructor(finisher: Finisher, queue: OwnerQueue, { maxBytes }: { maxBytes: number }) {
    this.#finisher = finisher;
    this.#queue = queue;
    this.#maxBytes = maxBytes;
  }

  /** Throws `queue_full` if a PDF would have no room. Call it before a render, so that no render is wasted. */
  expect(owner: string): void {
    this.#queue.requireRoom(owner);
    this.#finisher.prepare();
  }

  /** Starts a thread for a PDF that may be compressed. */
  prepareToCompress(): void {
    this.#finisher.prepare('compress');
  }

  /** Takes ownership of the chunks, and throws the same errors, like `Finisher.finish`. */
  async finish(owner: string, chunks: Buffer[], settings: FinishSettings, deadline: Deadline): Promise<Buffer[]> {
    const work = () => this.#finisher.finish(chunks, settings, deadline.signal);
    return this.#runReserved(owner, countBytes(chunks, settings), deadline, work);
  }

  /** Takes ownership of the chunks, and throws the same errors, like `Finisher.compress`. */
  async compress(owner: string, chunks: Buffer[], deadline: Deadline, letterhead?: Letterhead): Promise<Buffer[]> {
    const work = () => this.#finisher.compress(chunks, letterhead, deadline.signal);
    return this.#runReserved(owner, totalLength(chunks), deadline, work);
  }

  /**
   * Finishes a PDF with a reserved space for a signature, which `fill` then writes. Returns the pieces that `fill` returns. `fill` may
   * take long, so it occupies no thread, but the bytes of the PDF count until it has ended.
   */
  async sign(
    owner: string,
    chunks: Buffer[],
    settings: FinishSettings & { signature: SignatureField },
    fill: (pieces: Buffer[], hole: SignaturePlaceholder) => Promise<Buffer[]>,
    deadline: Deadline,
  ): Promise<Buffer[]> {
    const release = this.#reserve(owner, countBytes(chunks, settings));
    const work = () => this.#finisher.prepareSignature(chunks, settings, deadline.signal);
    const done = this.#inTurn(owner, deadline, work)
      .then(({ pieces, hole }) => fill(pieces, hole))
      .finally(release);
    return deadline.race(done);
  }

  /** Adds validation data. Call it within `sign`, which already counts the bytes. Throws the errors of `Finisher.extend`. */
  async extend(owner: string, pieces: Buffer[], update: ValidationUpdate, deadline: Deadline) {
    return this.#inTurn(owner, deadline, () => this.#finisher.extend(pieces, update, deadline.signal));
  }

  /** Splits the print of combined documents, and throws the errors of `finish`. */
  split(owner: string, chunks: Buffer[], task: Omit<SplitTask, 'pieces'>, deadline: Deadline): Promise<Split> {
    const work = () => this.#finisher.split({ pieces: chunks, ...task }, deadline.signal);
    return this.#runReserved(owner, totalLength(chunks), deadline, work);
  }

  /** Reads the documents (`bytes` in total) when it is their turn. Throws the errors of `Finisher.merge` and `read`. */
  async merge(
    owner: string,
    bytes: number,
    read: () => Promise<MergeTask>,
    deadline: Deadline,
  ): Promise<Buffer[] | { protectedParts: number[] }> {
    const work = async () => this.#finisher.merge(await deadline.race(read()), deadline.signal);
    return this.#runReserved(owner, bytes, deadline, work);
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#finisher.close();
  }

  /** Releases the place and the bytes when the work ends. If a thread cannot be interrupted, that is after the caller has left. */
  async #runReserved<T>(owner: string, bytes: number, deadline: Deadline, work: () => Promise<T>): Promise<T> {
    const release = this.#reserve(owner, bytes);
    return deadline.race(this.#inTurn(owner, deadline, work).finally(release));
  }

  async #inTurn<T>(owner: string, deadline: Deadline, work: () => Promise<T>): Promise<T> {
    const leave = await this.#queue.acquire(owner, deadline);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  #reserve(owner: string, bytes: number): () => void {
    const share = this.#maxBytes * SHARE_OF_OWNERS;
    const counted = Math.min(bytes, share);
    if (this.#bytes.total + counted > (this.#bytes.of(owner) ? share : this.#maxBytes))
      throw queueFull('too many PDFs are being finished', this.#queue.retryAfterSeconds);
    return this.#bytes.add(owner, counted);
  }
}

function countBytes(chunks: readonly Buffer[], { attachments, invoice, forms }: FinishSettings): number {
  const attached = attachments.reduce((sum, { content }) => sum + content.length, 0);
  return totalLength(chunks) + totalLength(forms?.appearances.flat() ?? []) + attached + Buffer.byteLength(invoice?.xml ?? '');
}

export function totalLength(chunks: readonly Buffer[]): number {
  return chunks.reduce((total, { length }) => total + length, 0);
}
