/** PDFs on their way into the threads that finish them: keys in turn, and no more of them in memory than there is room for. */
import type { Deadline } from '../deadline.ts';
import { queueFull } from '../errors.ts';
import type { MergeTask } from '../pdf/edit/merge.ts';
import type { FinishSettings } from '../pdf/finish-settings.ts';
import type { Finisher } from '../pdf/finisher.ts';
import type { OwnerQueue } from '../queue/owner-queue.ts';

/** Of the bytes that may be in memory: what is left is for owners who have none there. */
const SHARE_OF_OWNERS = 0.75;

export class FinishLine {
  readonly #finisher: Finisher;
  readonly #queue: OwnerQueue;
  readonly #maxBytes: number;
  /** By owner. */
  readonly #bytes = new Map<string, number>();

  /** `maxBytes`: of all that wait or are being finished; one of them alone may be larger. */
  constructor(finisher: Finisher, queue: OwnerQueue, { maxBytes }: { maxBytes: number }) {
    this.#finisher = finisher;
    this.#queue = queue;
    this.#maxBytes = maxBytes;
  }

  /** Something to finish will come. Throws `queue_full` where it would have no room: nothing is rendered for it then. */
  expect(owner: string): void {
    this.#queue.requireRoom(owner);
    this.#finisher.prepare();
  }

  /** The pieces are handed over, as with `Finisher.finish`, and it throws what that throws. */
  async finish(owner: string, pieces: Buffer[], settings: FinishSettings, deadline: Deadline): Promise<Buffer[]> {
    const bytes = sizeOf(pieces) + settings.attachments.reduce((sum, { content }) => sum + content.length, 0);
    return this.#inTurn(owner, bytes, deadline, () => this.#finisher.finish(pieces, settings, deadline.signal));
  }

  /** The documents are read when it is their turn, `bytes` in all. Throws what `Finisher.merge` and `read` throw. */
  async merge(
    owner: string,
    bytes: number,
    read: () => Promise<MergeTask>,
    deadline: Deadline,
  ): Promise<Buffer[] | { protectedParts: number[] }> {
    return this.#inTurn(owner, bytes, deadline, async () => this.#finisher.merge(await read(), deadline.signal));
  }

  async #inTurn<T>(owner: string, bytes: number, deadline: Deadline, work: () => Promise<T>): Promise<T> {
    const giveBack = this.#reserve(owner, bytes);
    try {
      const leave = await this.#queue.acquire(owner, deadline);
      return await deadline.race(work()).finally(leave);
    } finally {
      giveBack();
    }
  }

  #reserve(owner: string, bytes: number): () => void {
    const share = this.#maxBytes * SHARE_OF_OWNERS;
    const counted = Math.min(bytes, share);
    const all = [...this.#bytes.values()].reduce((sum, own) => sum + own, 0);
    if (all + counted > (this.#bytes.has(owner) ? share : this.#maxBytes))
      throw queueFull('too many PDFs are being finished', this.#queue.retryAfterSeconds);
    const change = (difference: number) => {
      const own = (this.#bytes.get(owner) ?? 0) + difference;
      if (own) this.#bytes.set(owner, own);
      else this.#bytes.delete(owner);
    };
    change(counted);
    return () => change(-counted);
  }
}

export function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((total, { length }) => total + length, 0);
}
