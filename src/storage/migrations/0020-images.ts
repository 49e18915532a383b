import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stored images: the type and size of a document that is not a PDF, and the kind of an asynchronous render. */
export const images: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('documents').addColumn('media_type', 'text').execute();
    await db.schema.alterTable('documents').addColumn('width', 'integer').execute();
    await db.schema.alterTable('documents').addColumn('height', 'integer').execute();
    await db.schema.alterTable('batches').addColumn('kind', 'text').execute();
  },
};
