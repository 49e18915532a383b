import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes that find the due deliveries of an account, because accounts take turns. */
export const deliveryTurns: Migration = {
  async up(db: Kysely<unknown>) {
    for (const [name, dueAt] of Object.entries({ webhooks: 'next_attempt_at', uploads: 'next_upload_at' }))
      await db.schema
        .createIndex(`webhook_deliveries_${name}_of_account`)
        .on('webhook_deliveries')
        .columns(['account_id', dueAt, 'lease_until', 'host'])
        .where(sql.ref(dueAt), 'is not', null)
        .execute();
  },
};
