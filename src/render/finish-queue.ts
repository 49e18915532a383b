/** The queue of PDFs that wait to be finished. It serves owners in turn and limits how many bytes are in memory. */
import type { Deadline } from '../deadline.ts';
import { queueFull } from '../errors.ts';
import type { MergeTask } from '../pdf/edit/merge.ts';
import type { FinishSettings } from '../pdf/finish-settings.ts';
import type { Finisher } from '../pdf/finisher.ts';
import { OwnerCounter } from '../queue/owner-counter.ts';
import type { OwnerQueue } from '../queue/owner-queue.ts';

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

  /** Takes ownership of the chunks, and throws the same errors, like `Finisher.finish`. */
  async finish(owner: string, chunks: Buffer[], settings: FinishSettings, deadline: Deadline): Promise<Buffer[]> {
    const bytes = sizeOf(chunks) + settings.attachments.reduce((sum, { content }) => sum + content.length, 0);
    return this.#inTurn(owner, bytes, deadline, () => this.#finisher.finish(chunks, settings, deadline.signal));
  }

  /** Reads the documents (`bytes` in total) when it is their turn. Throws the errors of `Finisher.merge` and `read`. */
  async merge(
    owner: string,
    bytes: number,
    read: () => Promise<MergeTask>,
    deadline: Deadline,
  ): Promise<Buffer[] | { protectedParts: number[] }> {
    const work = async () => this.#finisher.merge(await deadline.race(read()), deadline.signal);
    return this.#inTurn(owner, bytes, deadline, work);
  }

  /** The place is given back when the work has ended, which is later than the caller leaves if a thread cannot be interrupted. */
  async #inTurn<T>(owner: string, bytes: number, deadline: Deadline, work: () => Promise<T>): Promise<T> {
    const giveBack = this.#reserve(owner, bytes);
    const leave = await this.#queue.acquire(owner, deadline).catch((error: unknown) => {
      giveBack();
      throw error;
    });
    const done = work().finally(() => {
      giveBack();
      leave();
    });
    return deadline.race(done);
  }

  #reserve(owner: string, bytes: number): () => void {
    const share = this.#maxBytes * SHARE_OF_OWNERS;
    const counted = Math.min(bytes, share);
    if (this.#bytes.total + counted > (this.#bytes.of(owner) ? share : this.#maxBytes))
      throw queueFull('too many PDFs are being finished', this.#queue.retryAfterSeconds);
    return this.#bytes.add(owner, counted);
  }
}

export function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((total, { length }) => total + length, 0);
}
