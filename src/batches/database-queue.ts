/**
 * The queue of batch items in the database: claim the next item, then complete it together with its document, or put it back. A
 * claim is a lease in the row of its item, which its process renews for as long as it runs.
 */
import type { Leases } from '../accounts/leases.ts';
import type { Clock } from '../clock.ts';
import { createId } from '../ids.ts';
import type { Database, Query } from '../storage/database.ts';
import { isOfKind, selectKeysWithWork } from '../storage/open-batches.ts';
import { prepareQuery, prepareWrite } from '../storage/prepared.ts';
import { readCount } from '../storage/totals.ts';
import { PARSERS, type RenderKind } from './batch-request.ts';
import { type Announce, cancelQueued, countOutcomes, DEFAULTS_POSITION } from './outcomes.ts';
import {
  type CancelledAfterRequeue,
  type ClaimedItem,
  ClaimLostError,
  type Completed,
  type EndedItem,
  type Outcome,
} from './queue.ts';

interface ItemKey {
  batchId: string;
  position: number;
}

export class DatabaseQueue {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #announce: Announce;

  constructor(database: Database, clock: Clock, leases: Leases, announce: Announce) {
    this.#database = database;
    this.#clock = clock;
    this.#leases = leases;
    this.#announce = announce;
  }

  /** The ids of keys with items that can be claimed now. */
  async keysWithWork(): Promise<string[]> {
    const { rows } = await selectKeysWithWork(this.#database.query, { now: this.#clock() });
    return rows.map(({ key_id }) => key_id);
  }

  /** Claims the first due item of the oldest batch of the key that has one, of a kind that this version can render. */
  async claim(keyId: string): Promise<ClaimedItem | undefined> {
    const {
      rows: [next],
    } = await selectNext(this.#database.query, { keyId, now: this.#clock() });
    if (!next) return undefined;
    const { batch_id: batchId, position, traceparent, created_at: createdAt } = next;
    const claim = createId('clm');
    const attempts = await this.#take({ batchId, position }, claim, next.started_at !== null);
    if (attempts === undefined) return this.claim(keyId); // another process was faster
    this.#leases.hold(this.#renew, claim);
    const kind = (next.kind ?? 'pdf') as RenderKind; // the statement selects known kinds only
    const ciphertext = { item: next.item ?? new Uint8Array(), defaults: next.defaults ?? undefined };
    return { claim, keyId, batchId, kind, position, attempts, createdAt, traceparent, ciphertext };
  }

  /** The time until the next item of a key can be claimed, and whether this version can render its kind; undefined if none is queued. */
  async nextDue(keyId: string): Promise<{ afterMs: number; isOfKnownKind: boolean } | undefined> {
    const { rows } = await selectNextDue(this.#database.query, { keyId });
    const { due_at: at = null, known_due_at: knownAt = null } = rows[0] ?? {};
    return at === null ? undefined : { afterMs: Math.max(0, at - this.#clock()), isOfKnownKind: at === knownAt };
  }

  /** Runs in the transaction that stores the document, if `query` is given. Throws `ClaimLostError`. */
  async complete(item: ClaimedItem, outcome: Outcome, query?: Query): Promise<Completed & { ended: EndedItem[] }> {
    if (query) return this.#complete(item, outcome, query);
    return this.#database.transaction((own) => this.#complete(item, outcome, own));
  }

  /**
   * Puts the item back; it can be claimed again after `afterMs`. With `uncounted`, this claim does not count as an attempt.
   * Resolves to the items that were cancelled instead, if their batch had been cancelled.
   */
  async release(item: ClaimedItem, afterMs: number, { uncounted } = { uncounted: false }): Promise<CancelledAfterRequeue[]> {
    this.#leases.drop(this.#renew, item.claim);
    return this.#database.transaction(async (query) => {
      await requeue(query, this.#clock() + afterMs, uncounted ? 1 : 0)
        .where('claim', '=', item.claim)
        .execute();
      return cancelRequeued(query, [item.batchId], this.#clock(), this.#announce);
    });
  }

  /**
   * Puts back the items of processes that have died: those whose leases have expired, or, with `alone` (no other process can be
   * running), all. Resolves as `release` does.
   */
  async recover({ alone } = { alone: false }): Promise<CancelledAfterRequeue[]> {
    const now = this.#clock();
    const until = alone ? Number.MAX_SAFE_INTEGER : now;
    return this.#database.transaction(async (query) => {
      const lost = await requeue(query, now).where('lease_until', '<=', until).returning('batch_id').execute();
      return cancelRequeued(query, [...new Set(lost.map(({ batch_id }) => batch_id))], now, this.#announce);
    });
  }

  /** The number of queued canonical items. */
  countWaiting(): Promise<number> {
    return readCount(this.#database.query.selectFrom('batch_items').where('due_at', 'is not', null));
  }

  /** Claims the item and its duplicates. Returns the number of attempts; undefined if the item is no longer queued. */
  async #take({ batchId, position }: ItemKey, claim: string, isStarted: boolean): Promise<number | undefined> {
    const take = async (query: Query) => {
      const { rows } = await takeItem(query, { batchId, position, claim, until: this.#leases.until() });
      return rows.find((row) => row.position === position)?.attempts;
    };
    if (isStarted) return take(this.#database.query);
    return this.#database.transaction(async (query) => {
      const attempts = await take(query);
      if (attempts !== undefined) await markStarted(query, { batchId, now: this.#clock() });
      return attempts;
    });
  }

  async #complete({ claim, batchId, position }: ClaimedItem, outcome: Outcome, query: Query) {
    const { rows: ended } = await writeOutcome(query, claim, outcome);
    this.#leases.drop(this.#renew, claim);
    // The lease expired while this process was suspended, and another process claimed the item: that claim counts, and this
    // transaction is rolled back.
    if (!ended.length) throw new ClaimLostError();
    if (outcome.status === 'succeeded' || !outcome.keepsRequest) await forgetRequest(query, { batchId, position });
    const keptUntil = outcome.status === 'succeeded' ? outcome.document.expiresAt : 0;
    const batchEnded = await countOutcomes(
      query,
      batchId,
      { status: outcome.status, positions: ended.map((item) => item.position), keptUntil, now: this.#clock() },
      this.#announce,
    );
    return { items: ended.length, batchEnded, ended };
  }

  readonly #renew = async (claims: string[], until: number): Promise<void> => {
    await this.#database.query.updateTable('batch_items').set({ lease_until: until }).where('claim', 'in', claims).execute();
  };
}

/** A batch of a kind that this version can render. Others are left to nodes of a newer version, beside which this one may run. */
const isOfKnownKind = isOfKind(Object.keys(PARSERS));

/** The first due item of the oldest open batch of a known kind that has a due item. */
const selectNext = prepareQuery((query, { keyId, now }: { keyId: string; now: number }) =>
  query
    .selectFrom('batch_items as item')
    .innerJoin('batches as batch', 'batch.id', 'item.batch_id')
    .leftJoin('batch_requests as request', (join) =>
      join.onRef('request.batch_id', '=', 'item.batch_id').onRef('request.position', '=', 'item.position'),
    )
    .leftJoin('batch_requests as defaults', (join) =>
      join.onRef('defaults.batch_id', '=', 'item.batch_id').on('defaults.position', '=', DEFAULTS_POSITION),
    )
    .select(['item.batch_id', 'item.position', 'batch.started_at', 'batch.kind', 'batch.traceparent', 'batch.created_at'])
    .select(['request.ciphertext as item', 'defaults.ciphertext as defaults'])
    .where('item.batch_id', '=', (oldest) =>
      oldest
        .selectFrom('batches')
        .select('batches.id')
        .where('batches.key_id', '=', keyId)
        .where('batches.completed_at', 'is', null)
        .where(isOfKnownKind)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('batch_items as due')
              .select('due.position')
              .whereRef('due.batch_id', '=', 'batches.id')
              .where('due.due_at', '<=', now),
          ),
        )
        .orderBy('batches.created_at')
        .orderBy('batches.id')
        .limit(1),
    )
    .where('item.due_at', '<=', now)
    .orderBy('item.position')
    .limit(1),
);

const selectNextDue = prepareQuery((query, { keyId }: { keyId: string }) =>
  query
    .selectFrom('batches')
    .innerJoin('batch_items as item', 'item.batch_id', 'batches.id')
    .select((eb) => [
      eb.fn.min('item.due_at').as('due_at'),
      eb.fn.min(eb.case().when(isOfKnownKind).then(eb.ref('item.due_at')).end()).as('known_due_at'),
    ])
    .where('batches.key_id', '=', keyId)
    .where('batches.completed_at', 'is', null)
    .where('item.due_at', 'is not', null),
);

/** The canonical item and its duplicates. */
const takeItem = prepareQuery((query, { batchId, position, claim, until }: ItemKey & { claim: string; until: number }) =>
  query
    .updateTable('batch_items')
    .set((eb) => ({
      ...{ status: 'running', claim, lease_until: until, due_at: null },
      attempts: eb
        .case()
        .when('position', '=', eb.ref('leader'))
        .then(eb('attempts', '+', 1))
        .else(eb.ref('attempts'))
        .end(),
    }))
    .where('batch_id', '=', batchId)
    .where('leader', '=', position)
    .where('status', '=', 'queued')
    .returning(['position', 'attempts']),
);

const markStarted = prepareWrite((query, { batchId, now }: { batchId: string; now: number }) =>
  query.updateTable('batches').set({ started_at: now }).where('id', '=', batchId).where('started_at', 'is', null),
);

const ENDED = { claim: null, lease_until: null };

const writeFailure = prepareQuery((query, { claim, error }: { claim: string; error: string }) =>
  query
    .updateTable('batch_items')
    .set({ ...ENDED, status: 'failed', error })
    .where('claim', '=', claim)
    .returning(['position', 'reference']),
);

const writeSuccess = prepareQuery(
  (query, values: { claim: string; id: string; pages: number; bytes: number; expiresAt: number }) =>
    query
      .updateTable('batch_items')
      .set({
        ...ENDED,
        status: 'succeeded',
        document_id: values.id,
        pages: values.pages,
        bytes: values.bytes,
        expires_at: values.expiresAt,
      })
      .where('claim', '=', values.claim)
      .returning(['position', 'reference']),
);

function writeOutcome(query: Query, claim: string, outcome: Outcome) {
  if (outcome.status === 'failed') return writeFailure(query, { claim, error: JSON.stringify(outcome.error) });
  return writeSuccess(query, { claim, ...outcome.document });
}

const forgetRequest = prepareWrite((query, { batchId, position }: ItemKey) =>
  query.deleteFrom('batch_requests').where('batch_id', '=', batchId).where('position', '=', position),
);

/** Only the canonical item becomes due again; a claim of it includes its duplicates. */
function requeue(query: Query, dueAt: number, uncounted = 0) {
  return query.updateTable('batch_items').set((eb) => ({
    status: 'queued',
    attempts: eb
      .case()
      .when('position', '=', eb.ref('leader'))
      .then(eb('attempts', '-', uncounted))
      .else(eb.ref('attempts'))
      .end(),
    claim: null,
    lease_until: null,
    due_at: eb
      .case()
      .when('position', '=', eb.ref('leader'))
      .then(eb.cast<number>(eb.val(dueAt), 'bigint'))
      .else(null)
      .end(),
  }));
}

/** Cancels items that were put back into a batch that has been cancelled in the meantime. */
async function cancelRequeued(
  query: Query,
  batchIds: string[],
  now: number,
  announce: Announce,
): Promise<CancelledAfterRequeue[]> {
  if (!batchIds.length) return [];
  const cancelled = await query
    .updateTable('batches')
    .set((eb) => ({ cancelled_at: eb.ref('cancelled_at') })) // waits for a concurrent cancellation to commit
    .where('id', 'in', batchIds)
    .returning(['id', 'cancelled_at'])
    .execute();
  const late: CancelledAfterRequeue[] = [];
  for (const { id, cancelled_at } of cancelled)
    if (cancelled_at !== null) late.push({ batchId: id, ...(await cancelQueued(query, id, now, announce)) });
  return late.filter(({ items }) => items > 0);
}
