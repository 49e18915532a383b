/** One render at a time for every visitor, and a short line of those that wait for it. */
import type { Deadline } from '../deadline.ts';
import { ServiceError } from '../errors.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';

const MAX_WAITING = 2;

interface Line {
  queue: OwnerQueue;
  /** Renders that wait or run. */
  renders: number;
}

export class VisitorLines {
  readonly #lines = new Map<string, Line>();

  /** Throws `rate_limited`. */
  requireRoom(visitor: string): void {
    const line = this.#lines.get(visitor);
    if (line && line.renders > MAX_WAITING) throw tooMany(line.queue.retryAfterSeconds);
  }

  /** Returns what to call when the render has ended. Throws `rate_limited`, and what the deadline ends with. */
  async enter(visitor: string, deadline: Deadline): Promise<() => void> {
    this.requireRoom(visitor);
    const line = this.#lines.get(visitor) ?? { queue: new OwnerQueue({ capacity: 1, limit: MAX_WAITING }), renders: 0 };
    line.renders++;
    this.#lines.set(visitor, line);
    const forget = () => {
      if (--line.renders === 0) this.#lines.delete(visitor);
    };
    try {
      const leave = await line.queue.acquire(visitor, deadline);
      return () => {
        leave();
        forget();
      };
    } catch (error) {
      forget();
      throw error;
    }
  }
}

function tooMany(seconds: number): ServiceError {
  const detail = `the playground renders one document at a time for an address, and ${MAX_WAITING} may wait; try again in ${seconds} s`;
  return new ServiceError('rate_limited', detail, {
    retryAfterSeconds: seconds,
    members: { limit: MAX_WAITING + 1, retry_after: seconds },
  });
}
