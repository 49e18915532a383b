/**
 * Counts the requests of playground visitors on all nodes of an installation, in minutes that begin with a request, and their rendering
 * time, as `VisitorTime` does. Both are rows of one table, whose `since` is at most a minute from now.
 */

import type { Clock } from '../clock.ts';
import type { Database } from '../storage/database.ts';
import { prepareQuery, prepareWrite } from '../storage/prepared.ts';

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

  /** Returns undefined if the visitor has used no time. */
  async readTime(visitor: string): Promise<number | undefined> {
    const { rows } = await readTime(this.#database.query, { visitor: timeRow(visitor) });
    return rows[0]?.since;
  }

  /** `cost` is the time in milliseconds after which the render is forgotten. `since` is at most `maxAheadMs` from now. */
  async addTime(visitor: string, cost: number, maxAheadMs: number): Promise<void> {
    const now = this.#clock();
    const [minuteAgo, latest] = [now - WINDOW_MS, now + maxAheadMs];
    const since = Math.min(minuteAgo + cost, latest);
    const times = { since, cost, minuteAgo, latest, inAMinute: now + WINDOW_MS };
    await addTime(this.#database.query, { visitor: timeRow(visitor), ...times });
  }

  async removeEnded(): Promise<void> {
    const now = this.#clock();
    await this.#database.query
      .deleteFrom('visitor_requests')
      .where((eb) => eb.or([eb('since', '<=', now - WINDOW_MS), eb('since', '>', now + WINDOW_MS)]))
      .execute();
  }
}

/** An address has no space. */
function timeRow(visitor: string): string {
  return `time ${visitor}`;
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

const readTime = prepareQuery((query, { visitor }: { visitor: string }) =>
  query.selectFrom('visitor_requests').select('since').where('visitor', '=', visitor),
);

interface CountedTime {
  visitor: string;
  since: number;
  cost: number;
  minuteAgo: number;
  latest: number;
  inAMinute: number;
}

const addTime = prepareWrite((query, { visitor, since, cost, minuteAgo, latest, inAMinute }: CountedTime) =>
  query
    .insertInto('visitor_requests')
    .values({ visitor, since, requests: 1 })
    .onConflict((conflict) =>
      conflict.column('visitor').doUpdateSet((eb) => {
        const sum = eb('visitor_requests.since', '+', cost);
        return {
          since: eb
            .case()
            .when(eb.or([eb('visitor_requests.since', '<=', minuteAgo), eb('visitor_requests.since', '>', inAMinute)]))
            .then(eb.ref('excluded.since'))
            .when(eb(sum, '>', latest))
            .then(eb.val(latest))
            .else(sum)
            .end(),
          requests: eb('visitor_requests.requests', '+', eb.lit(1)),
        };
      }),
    ),
);
