/**
 * Accounts that have reached their limit of concurrent renders, counted over all nodes. Their items stay in the queue until a
 * slot may be free. Nodes announce to each other that they wait; a node announces the end of a render only if another node waits
 * for it.
 */
import type { Principal } from '../accounts/accounts.ts';
import type { Clock } from '../clock.ts';

/** Whether the account may start one more render, counted over all nodes. */
type HasFreeSlot = (principal: Principal) => Promise<boolean>;

interface Waiting {
  principal: Principal;
  pauseMs: number;
  timer: NodeJS.Timeout | undefined;
  isLooking: boolean;
  /** A render ended while the database was being queried, so the answer may be out of date. */
  isToLookAgain: boolean;
}

const FIRST_PAUSE_MS = 500;
/** Limits how long a lost notice, or a slot that a dead node frees without one, goes unnoticed. */
const MAX_PAUSE_MS = 5_000;
/** A node that is still waiting repeats its notice before this time is over. */
const OTHERS_WAIT_MS = 3 * MAX_PAUSE_MS;

export class AwaitedSlots {
  readonly #hasFreeSlot: HasFreeSlot;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();
  /** Accounts for which other nodes wait, and when that information expires. */
  readonly #othersWait = new Map<string, number>();
  #closed = false;
  #onPlace: () => void = () => {};
  #tellOthers: (notice: string) => void = () => {};

  constructor(hasFreeSlot: HasFreeSlot, clock: Clock) {
    this.#hasFreeSlot = hasFreeSlot;
    this.#clock = clock;
  }

  /** `listener` is called when an account that had no free slot may have one. */
  watch(listener: () => void): void {
    this.#onPlace = listener;
  }

  /** `listener` sends notices to the other nodes, which pass them to `receiveNotice`. */
  watchNotices(listener: (notice: string) => void): void {
    this.#tellOthers = listener;
  }

  isAwaited(accountId: string): boolean {
    return this.#waiting.has(accountId);
  }

  /** Call this when the account has no free slot. */
  wait(principal: Principal): void {
    if (this.#closed || this.isAwaited(principal.accountId)) return;
    const waiting = { principal, pauseMs: FIRST_PAUSE_MS, timer: undefined, isLooking: false, isToLookAgain: false };
    this.#waiting.set(principal.accountId, waiting);
    this.#lookLater(waiting);
  }

  /** Call this when a render of the account has ended on this node. */
  renderEnded(accountId: string): void {
    this.#look(accountId);
    const until = this.#othersWait.get(accountId);
    if (until === undefined) return;
    this.#othersWait.delete(accountId); // one notice is enough: nodes that still wait repeat theirs
    if (until > this.#clock()) this.#tellOthers(`left ${accountId}`);
  }

  /** Handles a notice of another node. Ignores unknown notices. */
  receiveNotice(notice: string): void {
    const [what, accountId] = notice.split(' ');
    if (!accountId) return;
    if (what === 'awaited') this.#othersWait.set(accountId, this.#clock() + OTHERS_WAIT_MS);
    if (what === 'left') this.#look(accountId);
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  #lookLater(waiting: Waiting): void {
    const { accountId } = waiting.principal;
    this.#tellOthers(`awaited ${accountId}`);
    waiting.timer = setTimeout(() => {
      waiting.pauseMs = Math.min(2 * waiting.pauseMs, MAX_PAUSE_MS);
      this.#look(accountId);
    }, waiting.pauseMs).unref();
  }

  #look(accountId: string): void {
    const waiting = this.#waiting.get(accountId);
    if (!waiting) return;
    waiting.isToLookAgain = true;
    if (!waiting.isLooking) void this.#lookFor(waiting);
  }

  async #lookFor(waiting: Waiting): Promise<void> {
    clearTimeout(waiting.timer);
    waiting.isLooking = true;
    let isFree = false;
    while (waiting.isToLookAgain && !isFree) {
      waiting.isToLookAgain = false;
      isFree = await this.#hasFreeSlot(waiting.principal).catch(() => false);
    }
    waiting.isLooking = false;
    if (this.#closed) return;
    if (!isFree) return this.#lookLater(waiting);
    this.#waiting.delete(waiting.principal.accountId);
    this.#onPlace();
  }
}
