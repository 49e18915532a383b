import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Certificates that sign PDFs, with their encrypted private keys. */
export const certificates: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('certificates')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('secret_key_id', 'text', (column) => column.notNull())
      .addColumn('ciphertext', 'bytea', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('certificates_list').on('certificates').columns(['key_id', 'created_at', 'id']).execute();
    await db.schema.createIndex('certificates_account').on('certificates').column('account_id').execute();
  },
};
