/**
 * Turns at a few threads: an owner in, leave to run out. As many tasks run as there are threads, and a limited line waits before
 * them. Owners take turns, and none takes the last thread: whatever the templates of one do, those of others are filled. (Piscina's
 * own queue does not count tasks that can be aborted, and forgets those that wait for a thread that was ended.)
 */
import { queueFull } from '../errors.ts';

export interface TurnLimits {
  /** What is said to an owner for whom too many wait. */
  what: string;
  threads: number;
  /** How many of one owner may wait for a thread, and how long. */
  maxWaiting: number;
  waitMs: number;
}

export class Turns {
  readonly #limits: TurnLimits;
  /** By owner, the one whose turn it is first. */
  readonly #waiting = new Map<string, Array<() => void>>();
  readonly #running = new Map<string, number>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Returns what to call when the thread is free again. Throws `queue_full`, and what the signal was aborted with. */
  async enter(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#mayRun(owner)) this.#count(owner, 1);
    else await this.#wait(owner, signal);
    return () => {
      this.#count(owner, -1);
      this.#admitNext();
    };
  }

  #mayRun(owner: string): boolean {
    const { threads } = this.#limits;
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    return all < threads && (this.#running.get(owner) ?? 0) < Math.max(1, threads - 1);
  }

  #count(owner: string, change: 1 | -1): void {
    const count = (this.#running.get(owner) ?? 0) + change;
    if (count) this.#running.set(owner, count);
    else this.#running.delete(owner);
  }

  #admitNext(): void {
    for (const [owner, line] of this.#waiting) {
      if (!this.#mayRun(owner)) continue;
      const admit = line.shift();
      this.#waiting.delete(owner);
      if (line.length) this.#waiting.set(owner, line); // at the end: its next turn comes after all others
      this.#count(owner, 1);
      admit?.();
      return;
    }
  }

  async #wait(owner: string, signal?: AbortSignal): Promise<void> {
    const line = this.#waiting.get(owner) ?? [];
    if (line.length >= this.#limits.maxWaiting) throw queueFull(this.#limits.what, 1);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (reason: unknown) => {
      const at = line.indexOf(resolve);
      if (at < 0) return; // it has its turn already
      line.splice(at, 1);
      if (!line.length) this.#waiting.delete(owner);
      reject(reason);
    };
    const leave = () => refuse(signal?.reason);
    const timer = setTimeout(() => refuse(queueFull(this.#limits.what, 1)), this.#limits.waitMs);
    signal?.addEventListener('abort', leave, { once: true });
    line.push(resolve);
    this.#waiting.set(owner, line);
    await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    });
  }
}
