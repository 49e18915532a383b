/** Counts the requests of playground visitors on all nodes of an installation, in minutes that begin with a request. */

import type { Clock } from '../clock.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared.ts';

const WINDOW_MS = 60_000;

export class VisitorRequests {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Counts a request, and returns the requests of the minute with the milliseconds until it ends. */
  async count(visitor: string): Promise<{ requests: number; endsInMs: number }> {
    const now = this.#clock();
    const { rows } = await countRequest(this.#database.query, {
      visitor,
      now,
      minuteAgo: now - WINDOW_MS,
      inAMinute: now + WINDOW_MS,
    });
    const { requests = 1, since = now } = rows[0] ?? {};
    return { requests, endsInMs: Math.max(0, since + WINDOW_MS - now) };
  }

  async removeEnded(): Promise<void> {
    const now = this.#clock();
    await this.#database.query
      .deleteFrom('visitor_requests')
      .where((eb) => eb.or([eb('since', '<=', now - WINDOW_MS), eb('since', '>', now + WINDOW_MS)]))
      .execute();
  }
}

interface CountedRequest {
  visitor: string;
  now: number;
  minuteAgo: number;
  inAMinute: number;
}

/** A minute further in the future than clocks of nodes differ was begun by a clock that was wrong, and has ended too. */
const countRequest = prepareQuery((query, { visitor, now, minuteAgo, inAMinute }: CountedRequest) =>
  query
    .insertInto('visitor_requests')
    .values({ visitor, since: now, requests: 1 })
    .onConflict((conflict) =>
      conflict.column('visitor').doUpdateSet((eb) => {
        const hasEnded = eb
          .case()
          .when(eb.or([eb('visitor_requests.since', '<=', minuteAgo), eb('visitor_requests.since', '>', inAMinute)]));
        return {
          since: hasEnded.then(eb.ref('excluded.since')).else(eb.ref('visitor_requests.since')).end(),
          requests: hasEnded
            .then(eb.lit(1))
            .else(eb('visitor_requests.requests', '+', eb.lit(1)))
            .end(),
        };
      }),
    )
    .returning(['since', 'requests']),
);
