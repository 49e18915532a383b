/** Counts the requests of playground visitors on all nodes of an installation, in minutes that begin with a request. */

import type { Database } from '../storage/database.ts';
import { prepared } from '../storage/prepared.ts';
import type { Clock } from './leases.ts';

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
    const { rows } = await countRequest(this.#database.query, { visitor, now, ended: now - WINDOW_MS });
    const { requests = 1, since = now } = rows[0] ?? {};
    return { requests, endsInMs: Math.max(0, since + WINDOW_MS - now) };
  }

  async removeEnded(): Promise<void> {
    await this.#database.query
      .deleteFrom('visitor_requests')
      .where('since', '<=', this.#clock() - WINDOW_MS)
      .execute();
  }
}

const countRequest = prepared((query, { visitor, now, ended }: { visitor: string; now: number; ended: number }) =>
  query
    .insertInto('visitor_requests')
    .values({ visitor, since: now, requests: 1 })
    .onConflict((conflict) =>
      conflict.column('visitor').doUpdateSet((eb) => {
        const hasEnded = eb.case().when('visitor_requests.since', '<=', ended);
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
