import { type Kysely, PostgresAdapter } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Counts for the limits of an account that several nodes share: its renders of the current minute, and which active renders are
 * background work. A single node counts in memory and needs no index.
 */
export const limitsOfAllNodes: Migration = {
  async up(db: Kysely<unknown>) {
    const add = (table: string, name: string, type: 'bigint' | 'integer') =>
      db.schema
        .alterTable(table)
        .addColumn(name, type, (column) => column.notNull().defaultTo(0))
        .execute();
    await add('usage_months', 'minute_began_at', 'bigint');
    await add('usage_months', 'minute_renders', 'integer');
    await add('reservations', 'in_background', 'integer');
    if (db.getExecutor().adapter instanceof PostgresAdapter)
      await db.schema.createIndex('reservations_account').on('reservations').column('account_id').execute();
  },
};
