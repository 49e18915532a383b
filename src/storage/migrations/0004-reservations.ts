import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Every render writes a reservation and deletes it again, and each page that changes goes to the log of the database. So the
 * table is one tree and not three: rows lie in the index of their ids, and ends of leases are looked for in all of them, as
 * there are no more than renders under way.
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
