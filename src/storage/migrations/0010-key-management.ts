import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The scopes of keys, the key that created them, the previous secret after a rotation, and test keys. */
export const keyManagement: Migration = {
  async up(db: Kysely<unknown>) {
    const add = (name: string, type: 'text' | 'bigint') => db.schema.alterTable('api_keys').addColumn(name, type).execute();
    await add('scopes', 'text');
    await add('made_by', 'text');
    await add('previous_secret_hash', 'text');
    await add('previous_valid_until', 'bigint');
    await db.schema
      .alterTable('api_keys')
      .addColumn('is_test', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.createIndex('api_keys_made_by').on('api_keys').column('made_by').execute();
    await db.schema
      .createIndex('api_keys_previous_secret')
      .on('api_keys')
      .column('previous_secret_hash')
      .where(sql.ref('previous_secret_hash'), 'is not', null)
      .execute();
  },
};
