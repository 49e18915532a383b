import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The files of template versions. Versions share content that did not change. */
export const templateAssets: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('template_assets')
      .addColumn('template_id', 'text', (column) => column.notNull().references('templates.id'))
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('blob', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('template_assets_key', ['template_id', 'version', 'path'])
      .execute();
    await db.schema.createIndex('template_assets_blob').on('template_assets').column('blob').execute();
    await db.schema.createIndex('template_assets_owner').on('template_assets').columns(['key_id', 'blob', 'bytes']).execute();
  },
};
