import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Webhooks: their payloads, the outcomes of deliveries, and the secrets that sign them. */
export const webhooks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('accounts').addColumn('document_expired_webhook_url', 'text').execute();
    await secrets(db);
    await deliveries(db);
  },
};

async function secrets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhook_secrets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('valid_until', 'bigint')
    .execute();
  await db.schema.createIndex('webhook_secrets_account').on('webhook_secrets').column('account_id').execute();
  await db.schema
    .createIndex('webhook_secrets_present')
    .unique()
    .on('webhook_secrets')
    .column('account_id')
    .where(sql.ref('valid_until'), 'is', null)
    .execute();
  await db.schema.createIndex('webhook_secrets_end').on('webhook_secrets').column('valid_until').execute();
}

async function deliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('payload', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_attempt_at', 'bigint')
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('response_status', 'integer')
    .addColumn('error', 'text')
    .execute();
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on('webhook_deliveries').columns(columns).execute();
  await index('webhook_deliveries_list', ['key_id', 'created_at', 'id']);
  await index('webhook_deliveries_age', ['created_at']);
  // Contains every column that the query for due deliveries reads, which skips many rows if a receiver does not answer.
  await db.schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['next_attempt_at', 'lease_until', 'host', 'account_id'])
    .where(sql.ref('next_attempt_at'), 'is not', null)
    .execute();
}
