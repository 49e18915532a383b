/** What every outcome of an item changes in its batch. To be called within the transaction of the outcome. */
import type { Query } from '../storage/database.ts';

/** Where the defaults of a batch are kept among its requests. */
export const DEFAULTS_POSITION = -1;

type Ended = 'succeeded' | 'failed' | 'cancelled';

/** Counts items that have got their outcome; returns whether their batch has no more to do. */
export async function countOutcomes(
  query: Query,
  batchId: string,
  { status, items, keptUntil = 0, now }: { status: Ended; items: number; keptUntil?: number; now: number },
): Promise<boolean> {
  const { completed_at } = await query
    .updateTable('batches')
    .set((eb) => ({
      [status]: eb(status, '+', items),
      unfinished: eb('unfinished', '-', items),
      completed_at: eb.case().when('unfinished', '=', items).then(now).else(null).end(),
      kept_until: eb.case().when('kept_until', '<', keptUntil).then(keptUntil).else(eb.ref('kept_until')).end(),
    }))
    .where('id', '=', batchId)
    .returning('completed_at')
    .executeTakeFirstOrThrow();
  const ended = completed_at !== null;
  if (ended) await query.deleteFrom('batch_requests').where('batch_id', '=', batchId).execute();
  return ended;
}

export interface Cancelled {
  items: number;
  batchEnded: boolean;
}

/** Ends all items of a batch that have not been taken up. */
export async function cancelQueued(query: Query, batchId: string, now: number): Promise<Cancelled> {
  const queued = await query
    .updateTable('batch_items')
    .set({ status: 'cancelled', due_at: null })
    .where('batch_id', '=', batchId)
    .where('status', '=', 'queued')
    .returning('position')
    .execute();
  const items = queued.length;
  if (!items) return { items, batchEnded: false };
  await query
    .deleteFrom('batch_requests')
    .where('batch_id', '=', batchId)
    .where(
      'position',
      'in',
      queued.map(({ position }) => position),
    )
    .execute();
  return { items, batchEnded: await countOutcomes(query, batchId, { status: 'cancelled', items, now }) };
}
