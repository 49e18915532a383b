import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores the report of a render with its document. */
export const reports: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('documents').addColumn('report', 'text').execute();
  },
};
