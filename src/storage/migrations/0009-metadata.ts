import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Metadata of documents, templates and batches, and the index that filters lists by it. */
export const metadata: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['documents', 'templates', 'batches'])
      await db.schema.alterTable(table).addColumn('metadata', 'text').execute();
    await db.schema
      .createTable('metadata_index')
      .addColumn('object_id', 'text', (column) => column.notNull())
      .addColumn('owner_key_id', 'text', (column) => column.notNull().references('api_keys.id'))
      .addColumn('object_kind', 'text', (column) => column.notNull())
      .addColumn('member', 'text', (column) => column.notNull())
      .addColumn('member_value', 'text', (column) => column.notNull())
      .addColumn('object_created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('metadata_index_key', ['object_id', 'member'])
      .execute();
    await db.schema
      .createIndex('metadata_index_list')
      .on('metadata_index')
      .columns(['owner_key_id', 'object_kind', 'member', 'member_value', 'object_created_at', 'object_id'])
      .execute();
  },
};
