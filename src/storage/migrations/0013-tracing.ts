import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The trace to which a batch or a webhook event belongs. */
export const tracing: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['batches', 'webhook_deliveries'])
      await db.schema.alterTable(table).addColumn('traceparent', 'text').execute();
  },
};
