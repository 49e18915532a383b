/** The queue of items in the database: a claim is a lease in the row of its item, renewed while the process that has it lives. */
import type { Clock, Leases } from '../accounts/leases.ts';
import { randomBase62 } from '../accounts/secret.ts';
import type { Database, Query } from '../storage/database.ts';
import { prepared } from '../storage/prepared.ts';
import { type Announce, cancelQueued, countOutcomes, DEFAULTS_POSITION } from './outcomes.ts';
import { type BatchQueue, type CancelledLate, type ClaimedItem, ClaimLost, type Completed, type Outcome } from './queue.ts';

interface Place {
  batchId: string;
  position: number;
}

export class DatabaseQueue implements BatchQueue {
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

  async keysWithWork(): Promise<string[]> {
    const { rows } = await selectKeys(this.#database.query, { now: this.#clock() });
    return rows.map(({ key_id }) => key_id);
  }

  async claim(keyId: string): Promise<ClaimedItem | undefined> {
    const place = await this.#nextOf(keyId);
    if (!place) return undefined;
    const claim = `clm_${randomBase62(22)}`;
    const attempts = await this.#database.transaction((query) => this.#take(query, place, claim));
    if (attempts === undefined) return this.claim(keyId); // another process was faster
    const ciphertext = await this.#requestOf(place); // where that fails, the lease ends by itself
    this.#leases.hold(this.#renew, claim);
    return { claim, keyId, ...place, attempts, ciphertext };
  }

  async complete(item: ClaimedItem, outcome: Outcome, query?: Query): Promise<Completed> {
    if (query) return this.#complete(item, outcome, query);
    return this.#database.transaction((own) => this.#complete(item, outcome, own));
  }

  async release(item: ClaimedItem, afterMs: number): Promise<CancelledLate[]> {
    this.#leases.drop(this.#renew, item.claim);
    return this.#database.transaction(async (query) => {
      await requeue(query, this.#clock() + afterMs)
        .where('claim', '=', item.claim)
        .execute();
      return cancelLate(query, [item.batchId], this.#clock(), this.#announce);
    });
  }

  async recover({ alone } = { alone: false }): Promise<CancelledLate[]> {
    const now = this.#clock();
    const until = alone ? Number.MAX_SAFE_INTEGER : now;
    return this.#database.transaction(async (query) => {
      const lost = await requeue(query, now).where('lease_until', '<=', until).returning('batch_id').execute();
      return cancelLate(query, [...new Set(lost.map(({ batch_id }) => batch_id))], now, this.#announce);
    });
  }

  async waiting(): Promise<number> {
    const { count } = await this.#database.query
      .selectFrom('batch_items')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('due_at', 'is not', null)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async #nextOf(keyId: string): Promise<Place | undefined> {
    const now = this.#clock();
    const { rows: batches } = await selectOldest(this.#database.query, { keyId, now });
    const [batch] = batches;
    if (!batch) return undefined;
    const { rows: items } = await selectNext(this.#database.query, { batchId: batch.id, now });
    const [item] = items;
    return item && { batchId: batch.id, position: item.position };
  }

  /** The item and all that are the same; the number of attempts, or undefined where it is no longer to be had. */
  async #take(query: Query, { batchId, position }: Place, claim: string): Promise<number | undefined> {
    const lease = { batchId, position, claim, until: this.#leases.until() };
    const {
      rows: [leader],
    } = await takeCanonical(query, lease);
    if (!leader) return undefined;
    await takeFollowers(query, lease);
    await markStarted(query, { batchId, now: this.#clock() });
    return leader.attempts;
  }

  async #requestOf({ batchId, position }: Place): Promise<ClaimedItem['ciphertext']> {
    const { rows } = await selectRequest(this.#database.query, { batchId, position });
    const ciphertext = new Map(rows.map((row) => [row.position, row.ciphertext]));
    return { item: ciphertext.get(position) ?? new Uint8Array(), defaults: ciphertext.get(DEFAULTS_POSITION) };
  }

  async #complete({ claim, batchId, position }: ClaimedItem, outcome: Outcome, query: Query): Promise<Completed> {
    const { rows: ended } = await writeOutcome(query, claim, outcome);
    this.#leases.drop(this.#renew, claim);
    // The lease ended under a process that stood still, and another took over: that one counts, and this one is undone.
    if (!ended.length) throw new ClaimLost();
    await forgetRequest(query, { batchId, position });
    const keptUntil = outcome.status === 'succeeded' ? outcome.document.expiresAt : 0;
    const batchEnded = await countOutcomes(
      query,
      batchId,
      { status: outcome.status, positions: ended.map((item) => item.position), keptUntil, now: this.#clock() },
      this.#announce,
    );
    return { items: ended.length, batchEnded };
  }

  readonly #renew = async (claims: string[], until: number): Promise<void> => {
    await this.#database.query.updateTable('batch_items').set({ lease_until: until }).where('claim', 'in', claims).execute();
  };
}

/** Batches that have an item for which it is time. */
function batchesWithWork(query: Query, now: number) {
  return query
    .selectFrom('batches')
    .where('completed_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb.selectFrom('batch_items').select('position').whereRef('batch_id', '=', 'batches.id').where('due_at', '<=', now),
      ),
    );
}

const selectKeys = prepared((query, { now }: { now: number }) => batchesWithWork(query, now).select('key_id').distinct());

const selectOldest = prepared((query, { keyId, now }: { keyId: string; now: number }) =>
  batchesWithWork(query, now).select('id').where('key_id', '=', keyId).orderBy('created_at').orderBy('id').limit(1),
);

const selectNext = prepared((query, { batchId, now }: { batchId: string; now: number }) =>
  query
    .selectFrom('batch_items')
    .select('position')
    .where('batch_id', '=', batchId)
    .where('due_at', '<=', now)
    .orderBy('position')
    .limit(1),
);

const selectRequest = prepared((query, { batchId, position }: { batchId: string; position: number }) =>
  query
    .selectFrom('batch_requests')
    .select(['position', 'ciphertext'])
    .where('batch_id', '=', batchId)
    .where('position', 'in', [position, DEFAULTS_POSITION]),
);

interface Lease extends Place {
  claim: string;
  until: number;
}

const takeCanonical = prepared((query, { batchId, position, claim, until }: Lease) =>
  query
    .updateTable('batch_items')
    .set((eb) => ({ status: 'running', claim, lease_until: until, due_at: null, attempts: eb('attempts', '+', 1) }))
    .where('batch_id', '=', batchId)
    .where('position', '=', position)
    .where('due_at', 'is not', null)
    .returning('attempts'),
);

const takeFollowers = prepared((query, { batchId, position, claim, until }: Lease) =>
  query
    .updateTable('batch_items')
    .set({ status: 'running', claim, lease_until: until })
    .where('batch_id', '=', batchId)
    .where('leader', '=', position)
    .where('status', '=', 'queued'),
);

const markStarted = prepared((query, { batchId, now }: { batchId: string; now: number }) =>
  query.updateTable('batches').set({ started_at: now }).where('id', '=', batchId).where('started_at', 'is', null),
);

const ENDED = { claim: null, lease_until: null };

const writeFailure = prepared((query, { claim, error }: { claim: string; error: string }) =>
  query
    .updateTable('batch_items')
    .set({ ...ENDED, status: 'failed', error })
    .where('claim', '=', claim)
    .returning('position'),
);

const writeSuccess = prepared((query, values: { claim: string; id: string; pages: number; bytes: number; expiresAt: number }) =>
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
    .returning('position'),
);

function writeOutcome(query: Query, claim: string, outcome: Outcome) {
  if (outcome.status === 'failed') return writeFailure(query, { claim, error: JSON.stringify(outcome.error) });
  return writeSuccess(query, { claim, ...outcome.document });
}

const forgetRequest = prepared((query, { batchId, position }: Place) =>
  query.deleteFrom('batch_requests').where('batch_id', '=', batchId).where('position', '=', position),
);

/** The leader can be claimed again, and takes along those that are the same. */
function requeue(query: Query, dueAt: number) {
  return query.updateTable('batch_items').set((eb) => ({
    status: 'queued',
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

/** What comes back to a batch that was cancelled meanwhile is cancelled, too. */
async function cancelLate(query: Query, batchIds: string[], now: number, announce: Announce): Promise<CancelledLate[]> {
  if (!batchIds.length) return [];
  const cancelled = await query
    .updateTable('batches')
    .set((eb) => ({ cancelled_at: eb.ref('cancelled_at') })) // waits for whoever is just cancelling
    .where('id', 'in', batchIds)
    .returning(['id', 'cancelled_at'])
    .execute();
  const late: CancelledLate[] = [];
  for (const { id, cancelled_at } of cancelled)
    if (cancelled_at !== null) late.push({ batchId: id, ...(await cancelQueued(query, id, now, announce)) });
  return late.filter(({ items }) => items > 0);
}
