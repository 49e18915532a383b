/**
 * Accounts that have reached their limit of concurrent renders, counted over all nodes. Their items stay in the queue until a
 * slot may be free.
 */
import type { Principal } from '../accounts/accounts.ts';

/** Whether the account may start one more render, counted over all nodes. */
type HasFreeSlot = (principal: Principal) => Promise<boolean>;

interface Waiting {
  principal: Principal;
  timer: NodeJS.Timeout;
  isLooking: boolean;
}

/** Limits how long a slot that another node frees goes unnoticed. */
const LOOK_MS = 1_000;

export class AwaitedSlots {
  readonly #hasFreeSlot: HasFreeSlot;
  readonly #waiting = new Map<string, Waiting>();
  #onSlot: () => void = () => {};

  constructor(hasFreeSlot: HasFreeSlot) {
    this.#hasFreeSlot = hasFreeSlot;
  }

  /** `listener` is called when an account that had no free slot may have one. */
  watch(listener: () => void): void {
    this.#onSlot = listener;
  }

  isAwaited(accountId: string): boolean {
    return this.#waiting.has(accountId);
  }

  /** Call this when the account has no free slot. */
  wait(principal: Principal): void {
    const { accountId } = principal;
    if (this.isAwaited(accountId)) return;
    const timer = setInterval(() => this.renderEnded(accountId), LOOK_MS).unref();
    this.#waiting.set(accountId, { principal, timer, isLooking: false });
  }

  /** Call this when a render of the account has ended on this node. */
  renderEnded(accountId: string): void {
    const waiting = this.#waiting.get(accountId);
    if (waiting && !waiting.isLooking) void this.#look(waiting);
  }

  close(): void {
    for (const { timer } of this.#waiting.values()) clearInterval(timer);
    this.#waiting.clear();
  }

  async #look(waiting: Waiting): Promise<void> {
    waiting.isLooking = true;
    const isFree = await this.#hasFreeSlot(waiting.principal).catch(() => false);
    waiting.isLooking = false;
    if (!isFree || !this.#waiting.delete(waiting.principal.accountId)) return;
    clearInterval(waiting.timer);
    this.#onSlot();
  }
}
