/**
 * Accounts that have all their renders under way, perhaps on other nodes: their items stay in the queue until a place may be free.
 * Nodes tell each other that they wait, and only those that know of it tell when a render has ended.
 */
import type { Principal } from '../accounts/accounts.ts';
import type { Clock } from '../accounts/leases.ts';

/** Whether the account may have one more render under way, on any node. */
type HasPlace = (principal: Principal) => Promise<boolean>;

interface Waiting {
  principal: Principal;
  pauseMs: number;
  timer: NodeJS.Timeout | undefined;
  isLooking: boolean;
  /** Something ended while the database was asked. */
  isToLookAgain: boolean;
}

const FIRST_PAUSE_MS = 500;
/** A notice may be lost, and the place of a node that died is free without one. */
const MAX_PAUSE_MS = 5_000;
/** Whoever still waits says so again before that. */
const OTHERS_WAIT_MS = 3 * MAX_PAUSE_MS;

export class AwaitedPlaces {
  readonly #hasPlace: HasPlace;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();
  /** Accounts for which other nodes wait, and until when they are believed to. */
  readonly #othersWait = new Map<string, number>();
  #closed = false;
  #onPlace: () => void = () => {};
  #tellOthers: (notice: string) => void = () => {};

  constructor(hasPlace: HasPlace, clock: Clock) {
    this.#hasPlace = hasPlace;
    this.#clock = clock;
  }

  /** `listener` is told when there may be a place for an account that had none. */
  watch(listener: () => void): void {
    this.#onPlace = listener;
  }

  /** `listener` passes notices on to other nodes, which hand them to `hear`. */
  watchNotices(listener: (notice: string) => void): void {
    this.#tellOthers = listener;
  }

  isAwaited(accountId: string): boolean {
    return this.#waiting.has(accountId);
  }

  /** To be called when the account was found to have no place. */
  wait(principal: Principal): void {
    if (this.#closed || this.isAwaited(principal.accountId)) return;
    const waiting = { principal, pauseMs: FIRST_PAUSE_MS, timer: undefined, isLooking: false, isToLookAgain: false };
    this.#waiting.set(principal.accountId, waiting);
    this.#lookLater(waiting);
  }

  /** To be called when a render of the account has ended on this node. */
  left(accountId: string): void {
    this.#look(accountId);
    const until = this.#othersWait.get(accountId);
    if (until === undefined) return;
    this.#othersWait.delete(accountId); // one notice is enough: whoever still waits after it says so again
    if (until > this.#clock()) this.#tellOthers(`left ${accountId}`);
  }

  /** A notice of another node. Others are ignored. */
  hear(notice: string): void {
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
      isFree = await this.#hasPlace(waiting.principal).catch(() => false);
    }
    waiting.isLooking = false;
    if (this.#closed) return;
    if (!isFree) return this.#lookLater(waiting);
    this.#waiting.delete(waiting.principal.accountId);
    this.#onPlace();
  }
}
