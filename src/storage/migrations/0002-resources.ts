import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Templates, stored documents, allowance, idempotency and signed links. */
export const resources: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('accounts')
      .addColumn('auto_store', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await templates(db);
    await documents(db);
    await usage(db);
    await idempotency(db);
    await db.schema
      .createTable('signing_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};

async function templates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('templates')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('engine', 'text', (column) => column.notNull())
    .addColumn('html', 'text', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('placeholders', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('templates_list').on('templates').columns(['key_id', 'created_at', 'id']).execute();
  await db.schema.createIndex('templates_size').on('templates').columns(['key_id', 'bytes']).execute();
}

/** The indexes contain only documents with content. The rows of others, which are kept for 410 replies, may grow for years. */
async function documents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('documents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('filename', 'text')
    .addColumn('bytes', 'bigint')
    .addColumn('pages', 'integer')
    .addColumn('sha256', 'text')
    .addColumn('source', 'text')
    .addColumn('template_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .addColumn('remove_at', 'bigint', (column) => column.notNull())
    .addColumn('has_content', 'integer', (column) => column.notNull())
    .execute();
  const index = async (name: string, columns: string[]) => {
    await db.schema.createIndex(name).on('documents').columns(columns).where(sql.ref('has_content'), '=', sql.lit(1)).execute();
  };
  await index('documents_list', ['key_id', 'created_at', 'id']);
  await index('documents_by_template', ['key_id', 'template_id', 'created_at', 'id']);
  await index('documents_of_account', ['account_id', 'remove_at', 'bytes']);
  await index('documents_to_remove', ['remove_at']);
}

async function usage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_months')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('month', 'text', (column) => column.notNull())
    .addColumn('used', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_months_key', ['account_id', 'month'])
    .execute();
  await db.schema
    .createTable('usage_days')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('documents', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_key', ['account_id', 'day'])
    .execute();
  await db.schema
    .createTable('reservations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('reservations_lease').on('reservations').column('lease_until').execute();
}

async function idempotency(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('claim', 'text', (column) => column.notNull())
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('resource_id', 'text')
    .addColumn('blob', 'text')
    .addColumn('blob_until', 'bigint')
    .addPrimaryKeyConstraint('idempotency_keys_key', ['key_id', 'name'])
    .execute();
  await db.schema.createIndex('idempotency_keys_expiry').on('idempotency_keys').column('expires_at').execute();
  await db.schema.createIndex('idempotency_keys_resource').on('idempotency_keys').column('resource_id').execute();
  await db.schema.createIndex('idempotency_keys_blob').on('idempotency_keys').column('blob').execute();
  await db.schema.createIndex('idempotency_keys_blob_until').on('idempotency_keys').column('blob_until').execute();
}
