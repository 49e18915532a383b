import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes for lists of batches, which leave out asynchronous renders, and for the open asynchronous renders of an account. */
export const batchLists: Migration = {
  async up(db: Kysely<unknown>) {
    const index = (name: string, columns: string[]) => db.schema.createIndex(name).on('batches').columns(columns);
    await db.schema.dropIndex('batches_list').execute();
    await index('batches_list', ['key_id', 'created_at', 'id']).where(sql`substr(id, 1, 4)`, '<>', sql.lit('ren_')).execute();
    await index('batches_open_renders', ['account_id'])
      .where(sql`substr(id, 1, 4)`, '=', sql.lit('ren_'))
      .where(sql.ref('completed_at'), 'is', null)
      .execute();
  },
};
