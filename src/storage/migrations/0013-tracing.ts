import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which trace a batch and an event belong to. */
export const tracing: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['batches', 'webhook_deliveries'])
      await db.schema.alterTable(table).addColumn('traceparent', 'text').execute();
  },
};
