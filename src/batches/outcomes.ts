/** Updates a batch when items get their result. Call these functions in the transaction that stores the result. */
import type { Query } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared.ts';
import { hasPendingUpload, uploadRecord, uploadReports } from '../webhooks/uploads.ts';
import type { WebhookEvent } from '../webhooks/webhooks.ts';
import type { RenderKind } from './batch-request.ts';
import type { Completed } from './queue.ts';

/** The position under which the defaults of a batch are stored in `batch_requests`. */
export const DEFAULTS_POSITION = -1;
/** The id prefix of batches that hold one asynchronous render. */
export const RENDER_PREFIX = 'ren_';

/** The endpoint that answers for an item. */
export function itemEndpoint(batchId: string): string {
  return batchId.startsWith(RENDER_PREFIX) ? '/v1/renders' : '/v1/batches';
}

/** The additional data that binds the ciphertext of a request to its batch, position and kind. */
export function additionalData(batchId: string, position: number, kind: RenderKind = 'pdf'): string {
  return `${batchId} ${position}${kind === 'pdf' ? '' : ` ${kind}`}`;
}

/** Stores an event in the given transaction. See `Webhooks.enqueue`. */
export type Announce = (event: WebhookEvent, query: Query) => Promise<unknown>;

type Ended = 'succeeded' | 'failed' | 'cancelled';

/** Counts and numbers items that have finished. Returns whether their batch has finished, too. */
export async function countOutcomes(
  query: Query,
  batchId: string,
  { status, positions, keptUntil = 0, now }: { status: Ended; positions: number[]; keptUntil?: number; now: number },
  announce: Announce,
): Promise<boolean> {
  const items = positions.length;
  const {
    rows: [counted],
  } = await COUNT[status](query, { batchId, items, keptUntil, now });
  if (!counted) throw new Error('an item belongs to a batch');
  const { completed_at, total, unfinished, failed } = counted;
  const before = total - unfinished - items;
  for (const [index, position] of positions.toSorted((a, b) => a - b).entries())
    await setNumber(query, { batchId, position, number: before + index + 1 });
  if (completed_at === null) return false;
  await forgetRequests(query, batchId, failed > 0);
  await announceEnd(query, batchId, announce);
  return true;
}

/** Removes the requests of a batch that has ended, unless some of its failed items can be run again. */
async function forgetRequests(query: Query, batchId: string, hasFailed: boolean): Promise<void> {
  const kept = query.selectFrom('batch_requests').select('position').where('batch_id', '=', batchId);
  await query
    .deleteFrom('batch_requests')
    .where('batch_id', '=', batchId)
    .$if(hasFailed, (rows) => rows.where(({ exists, not }) => not(exists(kept.where('position', '>', DEFAULTS_POSITION)))))
    .execute();
}

const prepareCount = (status: Ended) =>
  prepareQuery((query, { batchId, items, keptUntil, now }: { batchId: string; items: number; keptUntil: number; now: number }) =>
    query
      .updateTable('batches')
      .set((eb) => ({
        [status]: eb(status, '+', items),
        unfinished: eb('unfinished', '-', items),
        completed_at: eb
          .case()
          .when('unfinished', '=', items)
          .then(eb.cast<number>(eb.val(now), 'bigint'))
          .else(null)
          .end(),
        kept_until: eb.case().when('kept_until', '<', keptUntil).then(keptUntil).else(eb.ref('kept_until')).end(),
      }))
      .where('id', '=', batchId)
      .returning(['completed_at', 'total', 'unfinished', 'failed']),
  );

const COUNT = { succeeded: prepareCount('succeeded'), failed: prepareCount('failed'), cancelled: prepareCount('cancelled') };

const setNumber = prepareQuery((query, { batchId, position, number }: { batchId: string; position: number; number: number }) =>
  query.updateTable('batch_items').set({ finished_no: number }).where('batch_id', '=', batchId).where('position', '=', position),
);

/**
 * Enqueues the webhook event for the end of a batch, if the batch has a webhook address. Does nothing while uploads are pending;
 * `announceUploaded` does it then.
 */
export async function announceEnd(query: Query, batchId: string, announce: Announce): Promise<void> {
  const batch = await query
    .selectFrom('batches')
    .select(['key_id', 'account_id', 'webhook_url', 'total', 'succeeded', 'failed', 'cancelled', 'completed_at'])
    .where('id', '=', batchId)
    .executeTakeFirstOrThrow();
  const { key_id: keyId, account_id: accountId, webhook_url: url, completed_at, total, succeeded, failed, cancelled } = batch;
  if (url === null || (await hasPendingUpload(query, batchId))) return;
  const status = cancelled ? 'cancelled' : 'completed';
  const completed = new Date(Number(completed_at)).toISOString();
  if (batchId.startsWith(RENDER_PREFIX)) {
    const data = { render_id: batchId, ...(await readOutcome(query, batchId)), completed_at: completed };
    return void (await announce({ accountId, keyId, url, type: 'render.completed', data }, query));
  }
  const data = { batch_id: batchId, status, total, succeeded, failed, cancelled, completed_at: completed };
  await announce({ accountId, keyId, url, type: 'batch.completed', data }, query);
}

/**
 * Call this when an upload of the batch has ended. If it was the last one and all items have finished, enqueues the event for the
 * end of the batch and returns true.
 */
export async function announceUploaded(query: Query, batchId: string, announce: Announce): Promise<boolean> {
  // Locks the row, which waits for concurrent transactions that end an upload or an item of this batch, so that the last one sees
  // that it is the last. The condition must not include `completed_at`: PostgreSQL skips a row that does not match it before
  // another transaction commits, without waiting for that transaction.
  const batch = await query
    .updateTable('batches')
    .set((eb) => ({ total: eb.ref('total') }))
    .where('id', '=', batchId)
    .returning('completed_at')
    .executeTakeFirst();
  if (!batch || batch.completed_at === null || (await hasPendingUpload(query, batchId))) return false;
  await announceEnd(query, batchId, announce);
  return true;
}

/** The outcome of the only item of an asynchronous render. */
async function readOutcome(query: Query, batchId: string) {
  const { status, document_id, error } = await query
    .selectFrom('batch_items')
    .select(['status', 'document_id', 'error'])
    .where('batch_id', '=', batchId)
    .executeTakeFirstOrThrow();
  const [upload] = (await uploadReports(query, batchId)).values();
  return {
    ...{ status, document_id, error: error === null ? null : (JSON.parse(error) as object) },
    ...(upload && { delivery: uploadRecord(upload) }),
  };
}

export async function cancelQueued(query: Query, batchId: string, now: number, announce: Announce): Promise<Completed> {
  const queued = await query
    .updateTable('batch_items')
    .set({ status: 'cancelled', due_at: null })
    .where('batch_id', '=', batchId)
    .where('status', '=', 'queued')
    .returning('position')
    .execute();
  const positions = queued.map(({ position }) => position);
  const items = positions.length;
  if (!items) return { items, batchEnded: false };
  await query.deleteFrom('batch_requests').where('batch_id', '=', batchId).where('position', 'in', positions).execute();
  return { items, batchEnded: await countOutcomes(query, batchId, { status: 'cancelled', positions, now }, announce) };
}
