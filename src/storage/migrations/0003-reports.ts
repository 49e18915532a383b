import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a render had to tell, with the document it made. */
export const reports: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('documents').addColumn('report', 'text').execute();
  },
};
