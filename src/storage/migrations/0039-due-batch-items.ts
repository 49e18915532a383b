/**
 * The index of equal items begins with the leader. When it began with the batch, SQLite looked in it for an item that is due, and read
 * every item that had ended.
 */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const dueBatchItems: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('drop index batch_items_leader').execute(db);
    await sql.raw('create index batch_items_leader on batch_items (leader, batch_id)').execute(db);
  },
};
