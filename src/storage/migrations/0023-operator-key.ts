import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Marks the key of the operator: the one that the first start creates. */
export const operatorKey: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('api_keys')
      .addColumn('is_operator', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    // Earlier versions gave it these names.
    await sql`update api_keys set is_operator = 1 where name = 'first key'
      and id = (select id from api_keys order by created_at, id limit 1)
      and account_id in (select id from accounts where name = 'first account')`.execute(db);
  },
};
