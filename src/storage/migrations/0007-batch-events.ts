import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Numbers the items of a batch in the order of their outcomes, from 1. In existing batches, the order of the items is used. */
export const batchEvents: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('batch_items').addColumn('finished_no', 'integer').execute();
    await sql`
      UPDATE batch_items SET finished_no = ended.number
      FROM (
        SELECT batch_id, position, row_number() OVER (PARTITION BY batch_id ORDER BY position) AS number
        FROM batch_items WHERE status IN ('succeeded', 'failed', 'cancelled')
      ) AS ended
      WHERE batch_items.batch_id = ended.batch_id AND batch_items.position = ended.position`.execute(db);
    await db.schema
      .createIndex('batch_items_finished')
      .unique()
      .on('batch_items')
      .columns(['batch_id', 'finished_no'])
      .where(sql.ref('finished_no'), 'is not', null)
      .execute();
  },
};
