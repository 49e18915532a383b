import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Deliveries that upload the result of a batch item. A delivery without a batch is a webhook. The due time of uploads has a separate
 * column, because older nodes, which may run during an upgrade, send every delivery with a `next_attempt_at` as a webhook.
 */
export const uploads: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('webhook_deliveries').addColumn('batch_id', 'text').execute();
    await db.schema.alterTable('webhook_deliveries').addColumn('batch_position', 'integer').execute();
    await db.schema.alterTable('webhook_deliveries').addColumn('next_upload_at', 'bigint').execute();
    await db.schema
      .createIndex('webhook_deliveries_uploads')
      .on('webhook_deliveries')
      .columns(['next_upload_at', 'lease_until', 'host', 'account_id'])
      .where(sql.ref('next_upload_at'), 'is not', null)
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_batch')
      .on('webhook_deliveries')
      .columns(['batch_id', 'status'])
      .where(sql.ref('batch_id'), 'is not', null)
      .execute();
  },
};
