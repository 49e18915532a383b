/**
 * Enforces the limits of an account across all nodes of one database. The statements that reserve a document of the month count
 * them, so they need no additional round trip.
 */
import { ServiceError } from '../errors.ts';
import type { Query } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared.ts';
import { concurrencyLimited } from './concurrency.ts';

export const MINUTE_MS = 60_000;

export interface NewReservation {
  id: string;
  accountId: string;
  /** How many documents are reserved. */
  documents: number;
  day: string;
  until: number;
  /** 1 for a render of a batch, or a render in the background. */
  isBackground: number;
}

export interface MonthAndMinute {
  accountId: string;
  month: string;
  documents: number;
  /** The number of documents that may be used before. */
  most: number;
  now: number;
  minuteAgo: number;
  /** A minute that begins later than this was written by a node with a wrong clock and is ignored. */
  inAMinute: number;
  perMinute: number;
}

/**
 * Takes documents of the month and one render of the minute, or returns no row. A minute starts with the first render after the
 * previous minute has ended.
 */
export const takeFromMonthAndMinute = prepareQuery((query, values: MonthAndMinute) => {
  const { accountId, month, documents, most, now, minuteAgo, inAMinute, perMinute } = values;
  return query
    .insertInto('usage_months')
    .values({ account_id: accountId, month, used: documents, minute_began_at: now, minute_renders: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'month'])
        .doUpdateSet((eb) => {
          const isOver = eb.or([
            eb('usage_months.minute_began_at', '<=', minuteAgo),
            eb('usage_months.minute_began_at', '>', inAMinute),
          ]);
          return {
            used: eb('usage_months.used', '+', documents),
            minute_began_at: eb
              .case()
              .when(isOver)
              .then(eb.ref('excluded.minute_began_at'))
              .else(eb.ref('usage_months.minute_began_at'))
              .end(),
            minute_renders: eb
              .case()
              .when(isOver)
              .then(eb.lit(1))
              .else(eb('usage_months.minute_renders', '+', 1))
              .end(),
          };
        })
        .where('usage_months.used', '<=', most)
        .where((eb) =>
          eb.or([
            eb('usage_months.minute_began_at', '<=', minuteAgo),
            eb('usage_months.minute_began_at', '>', inAMinute),
            eb('usage_months.minute_renders', '<', perMinute),
          ]),
        ),
    )
    .returning('used');
});

/**
 * Inserts the reservation if the account has fewer than `most` running renders. Call it after the row of its month was changed in
 * the same transaction: the lock on that row excludes other nodes. Throws `concurrency_limited`.
 */
export async function reserveConcurrency(
  query: Query,
  reservation: NewReservation & { now: number; most: number },
): Promise<void> {
  const { numAffectedRows } = await insertBelowLimit(query, reservation);
  if (!numAffectedRows) throw concurrencyLimited(reservation.most);
}

/** Calls count only other calls; background renders count all renders. */
const insertBelowLimit = prepareQuery((query, reservation: NewReservation & { now: number; most: number }) => {
  const { id, accountId, documents, day, until, isBackground, now, most } = reservation;
  return query
    .insertInto('reservations')
    .columns(['id', 'account_id', 'documents', 'day', 'lease_until', 'in_background'])
    .expression(
      query
        .selectNoFrom((eb) => [
          eb.cast<string>(eb.val(id), 'text').as('id'),
          eb.cast<string>(eb.val(accountId), 'text').as('account_id'),
          eb.cast<number>(eb.val(documents), 'integer').as('documents'),
          eb.cast<string>(eb.val(day), 'text').as('day'),
          eb.cast<number>(eb.val(until), 'bigint').as('lease_until'),
          eb.cast<number>(eb.val(isBackground), 'integer').as('in_background'),
        ])
        .where((eb) =>
          eb(
            eb
              .selectFrom('reservations')
              .select(({ fn }) => fn.countAll<number>().as('count'))
              .where('account_id', '=', accountId)
              .where('lease_until', '>', now)
              .where('in_background', '<=', isBackground),
            '<',
            most,
          ),
        ),
    );
});

export function rateLimited(limit: number, seconds: number): ServiceError {
  return new ServiceError('rate_limited', `your plan allows ${limit} renders a minute; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
    members: { limit, retry_after: seconds },
  });
}
