import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stored images: what a document is, where it is no PDF, and renders nobody waits for that make one. */
export const images: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('documents').addColumn('media_type', 'text').execute();
    await db.schema.alterTable('documents').addColumn('width', 'integer').execute();
    await db.schema.alterTable('documents').addColumn('height', 'integer').execute();
    await db.schema.alterTable('batches').addColumn('kind', 'text').execute();
  },
};
