/** An index for the failed webhooks of one account, which may be few among those of all. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const FAILED = "where status = 'failed' and batch_id is null";
const STATEMENTS = [
  'drop index webhook_deliveries_failed',
  `create index webhook_deliveries_failed on webhook_deliveries (created_at, id) ${FAILED}`,
  `create index webhook_deliveries_failed_of_account on webhook_deliveries (account_id, created_at, id) ${FAILED}`,
];

export const failedWebhooks: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
