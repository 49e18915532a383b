import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Finds the batches of an account that have not ended, with their unfinished items. It replaces the index of asynchronous renders. */
export const openItems: Migration = {
  async up(db: Kysely<unknown>) {
    const open = db.schema.createIndex('batches_open_of_account').on('batches').columns(['account_id', 'unfinished', 'id']);
    await open.where(sql.ref('completed_at'), 'is', null).execute();
    await db.schema.dropIndex('batches_open_renders').execute();
  },
};
