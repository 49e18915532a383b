import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Requests of playground visitors in the current minute, counted across nodes. */
export const visitorRequests: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('visitor_requests')
      .addColumn('visitor', 'text', (column) => column.primaryKey())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('requests', 'integer', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('visitor_requests_since').on('visitor_requests').column('since').execute();
  },
};
