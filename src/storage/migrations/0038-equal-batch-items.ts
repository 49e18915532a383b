/** An index for the items of a batch that are equal to one of it, which were looked for among all its items each time one begins. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const equalBatchItems: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('create index batch_items_leader on batch_items (batch_id, leader)').execute(db);
  },
};
