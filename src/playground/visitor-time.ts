/**
 * Limits the time of renders that are not charged, for each visitor of the playground and each account. Used time is forgotten evenly:
 * with a limit of 30 seconds a minute, a second of rendering is forgotten after two. So a visitor who has used everything can soon
 * render again, only less often.
 */

import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';

/** What a visitor has used is forgotten after this time at the latest. */
const WINDOW_MS = 60_000;
/** Nobody waits longer, whatever the last renders have taken. */
const MAX_AHEAD_MS = 30_000;
/** Number of visitors who are remembered at the same time. The least recent one is forgotten first. */
const MAX_VISITORS = 100_000;

/** The time that all nodes count. */
interface SharedTime {
  readTime(visitor: string): Promise<number | undefined>;
  addTime(visitor: string, cost: number, maxAheadMs: number): Promise<void>;
}

export class VisitorTime {
  readonly #secondsPerMinute: number;
  readonly #clock: Clock;
  readonly #allNodes: SharedTime | undefined;
  /** When each visitor will have used nothing any more, minus a minute: a time in the future means that nothing is left. */
  readonly #since = new Map<string, number>();

  /** `allNodes` is undefined if there is only one. */
  constructor(secondsPerMinute: number, clock: Clock, allNodes?: SharedTime) {
    this.#secondsPerMinute = secondsPerMinute;
    this.#clock = clock;
    this.#allNodes = allNodes;
  }

  /** Reads what the visitor has used on other nodes. */
  async refresh(visitor: string): Promise<void> {
    const since = await this.#allNodes?.readTime(visitor);
    if (since !== undefined) this.#remember(visitor, Math.max(since, this.#since.get(visitor) ?? since));
  }

  /** Throws `rate_limited` if the visitor has used all of the time. */
  requireTime(visitor: string): void {
    const now = this.#clock();
    const ahead = readSince(this.#since.get(visitor), now) - now;
    if (ahead <= 0) return;
    const seconds = Math.ceil(ahead / 1000);
    const limit = this.#secondsPerMinute;
    const detail = `renders that are not charged may take ${limit} seconds a minute for each account or IP address; try again in ${seconds} s`;
    throw new ServiceError('rate_limited', detail, { retryAfterSeconds: seconds, members: { limit, retry_after: seconds } });
  }

  /** Counts what a render took. Never rejects: what other nodes do not learn, this one still counts. */
  async add(visitor: string, renderMs: number): Promise<void> {
    const now = this.#clock();
    const cost = Math.ceil((renderMs * WINDOW_MS) / (this.#secondsPerMinute * 1000));
    this.#remember(visitor, Math.min(readSince(this.#since.get(visitor), now) + cost, now + MAX_AHEAD_MS));
    await this.#allNodes?.addTime(visitor, cost, MAX_AHEAD_MS).catch(() => {});
  }

  #remember(visitor: string, since: number): void {
    this.#since.delete(visitor); // the order of the map is that of the last use
    this.#since.set(visitor, since);
    const [oldest] = this.#since.keys();
    if (this.#since.size > MAX_VISITORS && oldest !== undefined) this.#since.delete(oldest);
  }
}

/** A time further in the future than clocks of nodes differ was counted by a clock that was wrong. */
function readSince(since: number | undefined, now: number): number {
  return since === undefined || since > now + WINDOW_MS ? now - WINDOW_MS : Math.max(since, now - WINDOW_MS);
}
