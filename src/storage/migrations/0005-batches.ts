import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Batches, their items, and the requests of unfinished items. The indexes for work contain only unfinished work. */
export const batches: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('batches')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('webhook_url', 'text')
      .addColumn('total', 'integer', (column) => column.notNull())
      .addColumn('unfinished', 'integer', (column) => column.notNull())
      .addColumn('succeeded', 'integer', (column) => column.notNull())
      .addColumn('failed', 'integer', (column) => column.notNull())
      .addColumn('cancelled', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('cancelled_at', 'bigint')
      .addColumn('completed_at', 'bigint')
      .addColumn('kept_until', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('batches_list').on('batches').columns(['key_id', 'created_at', 'id']).execute();
    const open = db.schema.createIndex('batches_open').on('batches').columns(['key_id', 'created_at', 'id']);
    await open.where(sql.ref('completed_at'), 'is', null).execute();
    const over = db.schema.createIndex('batches_to_remove').on('batches').column('kept_until');
    await over.where(sql.ref('completed_at'), 'is not', null).execute();
    await items(db);
  },
};

async function items(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('batch_items')
    .addColumn('batch_id', 'text', (column) => column.notNull().references('batches.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('leader', 'integer', (column) => column.notNull())
    .addColumn('reference', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('claim', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('document_id', 'text')
    .addColumn('pages', 'integer')
    .addColumn('bytes', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('error', 'text')
    .addPrimaryKeyConstraint('batch_items_key', ['batch_id', 'position'])
    .execute();
  const index = async (name: string, columns: string[], filled: string) => {
    await db.schema.createIndex(name).on('batch_items').columns(columns).where(sql.ref(filled), 'is not', null).execute();
  };
  await index('batch_items_due', ['batch_id', 'position'], 'due_at');
  await index('batch_items_claim', ['claim'], 'claim');
  await index('batch_items_lease', ['lease_until'], 'lease_until');
  await db.schema
    .createTable('batch_requests')
    .addColumn('batch_id', 'text', (column) => column.notNull().references('batches.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('ciphertext', 'bytea', (column) => column.notNull())
    .addPrimaryKeyConstraint('batch_requests_key', ['batch_id', 'position'])
    .execute();
}
