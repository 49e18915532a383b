import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Makes reservations cheaper: every render inserts and deletes one, and every changed page is written to the log of the database.
 * The table therefore has no index besides its primary key, which on SQLite contains the rows (`without rowid`). Expired leases are
 * found by reading all rows, of which there are only as many as active renders.
 */
export const reservations: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('reservations').renameTo('reservations_before').execute();
    await db.schema
      .createTable('reservations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .modifyEnd(db.getExecutor().adapter instanceof SqliteAdapter ? sql`without rowid` : sql``)
      .execute();
    await sql`insert into reservations select id, account_id, day, lease_until from reservations_before`.execute(db);
    await db.schema.dropTable('reservations_before').execute();
  },
};
