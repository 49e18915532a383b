import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Earlier versions of templates. */
export const templateVersions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('template_versions')
      .addColumn('template_id', 'text', (column) => column.notNull().references('templates.id'))
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('engine', 'text', (column) => column.notNull())
      .addColumn('html', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('placeholders', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('template_versions_key', ['template_id', 'version'])
      .execute();
    await db.schema
      .createIndex('template_versions_age')
      .on('template_versions')
      .columns(['key_id', 'updated_at', 'bytes'])
      .execute();
  },
};
