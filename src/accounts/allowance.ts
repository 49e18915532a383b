/**
 * Counts the documents of an account against its monthly limit: reserve before a render, commit if it succeeds, release if it
 * fails. A reservation is a lease, so that nothing stays charged when a process dies during a render.
 */

import type { Clock } from '../clock.ts';
import { invalidRequest, ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Database, Query } from '../storage/database.ts';
import { prepareQuery, prepareWrite } from '../storage/prepared.ts';
import type { Principal } from './accounts.ts';
import type { Leases } from './leases.ts';
import {
  MINUTE_MS,
  type MonthAndMinute,
  type NewReservation,
  rateLimited,
  reserveConcurrency,
  takeFromMonthAndMinute,
} from './shared-limits.ts';
import { addToSums, readSums, type UsageSums } from './usage-sums.ts';

export interface Reservation {
  id: string;
  accountId: string;
  keyId: string;
  documents: number;
  /** The UTC day on which the documents count, such as `2026-11-21`. */
  day: string;
  /** Documents left in this month after these, or null if the plan has no limit. */
  remaining: number | null;
  /** Whether nothing is charged, because a test key renders. */
  isFree?: boolean;
}

/** What a render reserves. */
interface Wanted {
  documents: number;
  isBackground: boolean;
}

/** What a render made. */
interface Product {
  templateId?: string | undefined;
  pages: number;
  bytes: number;
}

export interface Usage {
  period: { start: number; end: number };
  used: number;
  isCurrent: boolean;
  /** Every day of the period up to today. */
  daily: Array<{ date: string; documents: number }>;
}

const MONTH_CHARACTERS = 'yyyy-mm'.length;
const DAY_CHARACTERS = 'yyyy-mm-dd'.length;
const DAY_MS = 86_400_000;
const SUMMED_MONTHS = 12;
/** The prefix of `month` in a row that counts the renders of test keys on one day. */
const TEST_DAYS = 'test ';
const CHARGES_NOTHING = { id: '', keyId: '', documents: 0, day: '', remaining: null, isFree: true };
/** The largest value of an integer column, used for plans without a limit. */
const NO_LIMIT = 2_147_483_647;

/** A further write in the same transaction. */
export type TransactionHook = (query: Query) => Promise<void>;

export type ChargedRenders = Pick<Allowance, 'reserve' | 'commit' | 'release'>;

export class Allowance {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #maxTestRenders: number;

  /** `testRendersPerDay` limits the renders of all test keys of one account. */
  constructor(database: Database, clock: Clock, leases: Leases, { testRendersPerDay } = { testRendersPerDay: 0 }) {
    this.#database = database;
    this.#clock = clock;
    this.#leases = leases;
    this.#maxTestRenders = testRendersPerDay;
  }

  /**
   * Reserves documents of this month for one render, or none for a test key. Throws `quota_exceeded`. If several nodes share the
   * database, also enforces the limits that hold for all of them: throws `rate_limited` and `concurrency_limited`.
   */
  async reserve(principal: Principal, documents = 1): Promise<Reservation> {
    return this.#reserve(principal, { documents, isBackground: false });
  }

  /** The same for background renders. They do not count against the rate limit, and use the capacity that calls leave free. */
  readonly inBackground: ChargedRenders = {
    reserve: (principal, documents = 1) => this.#reserve(principal, { documents, isBackground: true }),
    commit: (...settled) => this.commit(...settled),
    release: (reservation) => this.release(reservation),
  };

  async #reserve(principal: Principal, wanted: Wanted): Promise<Reservation> {
    if (principal.isTest) return this.#countTests(principal.accountId, wanted.documents);
    const reservation = (await this.#take(principal, wanted)) ?? (await this.#takeFromExpired(principal, wanted));
    if (!reservation) throw await this.#allowanceExceeded(principal, wanted);
    this.#leases.hold(this.#renew, reservation.id);
    return reservation;
  }

  /** Throws what `reserve` would throw now, and reserves nothing. */
  async check(principal: Principal, documents = 1): Promise<void> {
    const { accountId, plan, isTest } = principal;
    const today = toDay(this.#clock());
    const { used } = await this.#readMonth(accountId, isTest ? TEST_DAYS + today : toMonth(today));
    if (used + documents <= (isTest ? this.#maxTestRenders : (plan.documents ?? NO_LIMIT))) return;
    throw isTest ? this.#testsExceeded() : await this.#allowanceExceeded(principal, { documents, isBackground: false });
  }

  /**
   * Charges the documents, if any were reserved, and adds them to the sums of the key and of the template. `hook` writes in the same
   * transaction; for `lockName` see `Database`.
   */
  async commit(
    reservation: Reservation | undefined,
    { templateId = '', pages, bytes }: Product = { pages: 0, bytes: 0 },
    hook: TransactionHook = async () => {},
    lockName?: string,
  ): Promise<void> {
    if (!reservation || reservation.isFree) return this.#database.transaction(hook, lockName);
    await this.#database.transaction(async (query) => {
      const { numAffectedRows } = await deleteReservation(query, reservation);
      // The reservation was removed because its lease expired while the process was suspended. The documents are charged anyway.
      if (!numAffectedRows) await addToMonth(query, reservation, reservation.documents);
      await hook(query);
      await addToDay(query, reservation); // last, because this row and the sums are locked until the end
      await addToSums(query, { ...reservation, month: toMonth(reservation.day), templateId, pages, bytes });
    }, lockName);
    this.#leases.drop(this.#renew, reservation.id);
  }

  /** Removes the reservation without a charge. */
  async release(reservation: Reservation): Promise<void> {
    if (reservation.isFree) return;
    this.#leases.drop(this.#renew, reservation.id);
    await this.#database.transaction(async (query) => {
      const { numAffectedRows } = await deleteReservation(query, reservation);
      if (numAffectedRows) await addToMonth(query, reservation, -reservation.documents);
    });
  }

  /** Removes expired reservations of processes that died. Returns their number. */
  async releaseExpired(accountId?: string): Promise<number> {
    return this.#database.transaction(async (query) => {
      const expired = await query
        .deleteFrom('reservations')
        .where('lease_until', '<=', this.#clock())
        .$if(accountId !== undefined, (delete_) => delete_.where('account_id', '=', accountId as string))
        .returning(['account_id as accountId', 'day', 'documents'])
        .execute();
      // A fixed order prevents a deadlock between two processes that do this at the same time.
      const key = (row: { accountId: string; day: string }) => row.accountId + row.day;
      expired.sort((a, b) => (key(a) < key(b) ? -1 : 1));
      for (const reservation of expired) await addToMonth(query, reservation, -reservation.documents);
      return expired.length;
    });
  }

  /** Whether there are reservations that may still be released, of running renders or of processes that just died. */
  async hasReservations(accountId: string): Promise<boolean> {
    const query = this.#database.query.selectFrom('reservations').select('id').where('account_id', '=', accountId);
    return (await query.limit(1).executeTakeFirst()) !== undefined;
  }

  /** Whether one more background render of the account may start, according to the reservations. */
  async hasFreeSlot({ accountId, plan }: Principal): Promise<boolean> {
    if (plan.concurrency === null) return true;
    const { rows } = await countSlots(this.#database.query, { accountId, now: this.#clock() });
    return (rows[0]?.taken ?? 0) < plan.concurrency;
  }

  /** The usage of the account in the month of `at`. Throws `invalid_request` for a month that has not begun. */
  async usage(accountId: string, at = this.#clock()): Promise<Usage> {
    // Reading must work while the database cannot be written. Expired reservations then count a little longer.
    await this.releaseExpired(accountId).catch(() => {});
    const now = this.#clock();
    const period = monthPeriod(at);
    if (period.start > now) throw invalidRequest([{ path: 'month', message: 'must be this month or an earlier one' }]);
    const days = await this.#database.query
      .selectFrom('usage_days')
      .select(['day', 'documents'])
      .where('account_id', '=', accountId)
      .where('day', '>=', toDay(period.start))
      .where('day', '<', toDay(period.end))
      .execute();
    const documents = new Map(days.map((row) => [row.day, row.documents]));
    const last = Math.min(now, period.end - 1);
    const daily = daysUpTo(period.start, last).map((date) => ({ date, documents: documents.get(date) ?? 0 }));
    const { used } = await this.#readMonth(accountId, toMonth(toDay(period.start)));
    return { period, isCurrent: now < period.end, used, daily };
  }

  /** The sums of the month that begins at `start`, and of the eleven before. */
  sums(accountId: string, start: number): Promise<UsageSums> {
    const year = new Date(start);
    year.setUTCMonth(year.getUTCMonth() - SUMMED_MONTHS + 1);
    return readSums(this.#database.query, accountId, { since: toMonth(year.toISOString()), month: toMonth(toDay(start)) });
  }

  /** One statement checks and reserves, so that two requests never both get the last document. */
  async #take(principal: Principal, { documents, isBackground }: Wanted): Promise<Reservation | undefined> {
    const { accountId, keyId, plan } = principal;
    const limit = plan.documents;
    const most = Math.min(limit ?? NO_LIMIT, NO_LIMIT) - documents;
    if (most < 0) return undefined;
    const id = createId('rsv');
    const now = this.#clock();
    const day = toDay(now);
    const perMinute = this.#perMinute(principal, isBackground);
    const used = await this.#database.transaction(async (query) => {
      const month = { accountId, month: toMonth(day), documents, most };
      const { rows } = await (perMinute === null
        ? takeFromMonth(query, month)
        : takeFromMonthAndMinute(query, { ...month, now, minuteAgo: now - MINUTE_MS, inAMinute: now + MINUTE_MS, perMinute }));
      const [row] = rows;
      if (!row) return undefined;
      const reservation = { id, accountId, documents, day, until: this.#leases.until(), isBackground: isBackground ? 1 : 0 };
      if (!this.#database.isShared || plan.concurrency === null) await insertReservation(query, reservation);
      else await reserveConcurrency(query, { ...reservation, now, most: plan.concurrency });
      return row.used;
    });
    if (used === undefined) return undefined;
    return { id, accountId, keyId, documents, day, remaining: limit === null ? null : limit - used };
  }

  /** The rate limit to count here, or null. A single node counts requests before it reads them. */
  #perMinute({ plan }: Principal, isBackground: boolean): number | null {
    return this.#database.isShared && !isBackground ? plan.requestsPerMinute : null;
  }

  /** Test renders are not charged, so a daily limit replaces the allowance. Failed renders count too. */
  async #countTests(accountId: string, documents: number): Promise<Reservation> {
    const [now, limit] = [this.#clock(), this.#maxTestRenders];
    const today = TEST_DAYS + toDay(now);
    const rows = await this.#database.transaction(async (query) => {
      await query
        .deleteFrom('usage_months')
        .where('account_id', '=', accountId)
        .where('month', 'like', `${TEST_DAYS}%`)
        .where('month', '<', today)
        .execute();
      const most = limit - documents;
      return most < 0 ? [] : (await takeFromMonth(query, { accountId, month: today, documents, most })).rows;
    });
    if (rows.length) return { ...CHARGES_NOTHING, accountId };
    throw this.#testsExceeded();
  }

  #testsExceeded(): ServiceError {
    const [now, limit] = [this.#clock(), this.#maxTestRenders];
    const resetsAt = new Date(Math.floor(now / DAY_MS + 1) * DAY_MS).toISOString();
    const detail = `the test keys of an account may render ${limit} documents a day; the next day begins at ${resetsAt}`;
    return new ServiceError('quota_exceeded', detail, { members: { limit, used: limit, resets_at: resetsAt } });
  }

  async #takeFromExpired(principal: Principal, wanted: Wanted): Promise<Reservation | undefined> {
    return (await this.releaseExpired(principal.accountId)) ? this.#take(principal, wanted) : undefined;
  }

  async #readMonth(accountId: string, month: string): Promise<{ used: number; minute_began_at: number }> {
    const row = await this.#database.query
      .selectFrom('usage_months')
      .select(['used', 'minute_began_at'])
      .where('account_id', '=', accountId)
      .where('month', '=', month)
      .executeTakeFirst();
    return row ?? { used: 0, minute_began_at: 0 };
  }

  async #allowanceExceeded(principal: Principal, { documents, isBackground }: Wanted): Promise<ServiceError> {
    const { accountId, plan } = principal;
    const now = this.#clock();
    const { used, minute_began_at: began } = await this.#readMonth(accountId, toMonth(toDay(now)));
    const perMinute = this.#perMinute(principal, isBackground);
    const left = (plan.documents ?? NO_LIMIT) - used;
    if (perMinute !== null && left >= documents)
      return rateLimited(perMinute, Math.max(1, Math.ceil((began + MINUTE_MS - now) / 1000)));
    const resetsAt = new Date(monthPeriod(now).end).toISOString();
    const detail =
      left > 0
        ? `the request is charged for ${documents} documents, and only ${left} are left this month`
        : `the plan ${plan.name} allows ${plan.documents} documents per month, and ${used} are used; the next month begins at ${resetsAt}`;
    return new ServiceError('quota_exceeded', detail, { members: { limit: plan.documents, used, resets_at: resetsAt } });
  }

  readonly #renew = async (ids: string[], until: number): Promise<void> => {
    await this.#database.query.updateTable('reservations').set({ lease_until: until }).where('id', 'in', ids).execute();
  };
}

const takeFromMonth = prepareQuery(
  (query, { accountId, month, documents, most }: Pick<MonthAndMinute, 'accountId' | 'month' | 'documents' | 'most'>) =>
    query
      .insertInto('usage_months')
      .values({ account_id: accountId, month, used: documents })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'month'])
          .doUpdateSet((eb) => ({ used: eb('usage_months.used', '+', documents) }))
          .where('usage_months.used', '<=', most),
      )
      .returning('used'),
);

const insertReservation = prepareWrite((query, { id, accountId, documents, day, until, isBackground }: NewReservation) =>
  query
    .insertInto('reservations')
    .values({ id, account_id: accountId, documents, day, lease_until: until, in_background: isBackground }),
);

const countSlots = prepareQuery((query, { accountId, now }: { accountId: string; now: number }) =>
  query
    .selectFrom('reservations')
    .select(({ fn }) => fn.countAll<number>().as('taken'))
    .where('account_id', '=', accountId)
    .where('lease_until', '>', now),
);

const deleteReservation = prepareQuery((query, { id }: { id: string }) => query.deleteFrom('reservations').where('id', '=', id));

const addToDay = prepareWrite((query, { accountId, day, documents }: Pick<Reservation, 'accountId' | 'day' | 'documents'>) =>
  query
    .insertInto('usage_days')
    .values({ account_id: accountId, day, documents })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day']).doUpdateSet((eb) => ({ documents: eb('usage_days.documents', '+', documents) })),
    ),
);

async function addToMonth(query: Query, { accountId, day }: { accountId: string; day: string }, change: number): Promise<void> {
  await query
    .updateTable('usage_months')
    .set((eb) => ({ used: eb('used', '+', change) }))
    .where('account_id', '=', accountId)
    .where('month', '=', toMonth(day))
    .execute();
}

/** The calendar month of an instant, in UTC: its first instant, and that of the next. */
function monthPeriod(now: number): { start: number; end: number } {
  const date = new Date(now);
  return {
    start: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
    end: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1),
  };
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, DAY_CHARACTERS);
}

function toMonth(day: string): string {
  return day.slice(0, MONTH_CHARACTERS);
}

function daysUpTo(start: number, now: number): string[] {
  const count = Math.floor((now - start) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, n) => toDay(start + n * DAY_MS));
}
