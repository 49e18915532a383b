/** Sums of each month by key and by template. What was charged before belongs to no key. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  `create table usage_sums (
    account_id text not null references accounts (id),
    kind text not null,
    month text not null,
    object_id text not null,
    documents integer not null,
    pages bigint not null,
    bytes bigint not null,
    constraint usage_sums_key primary key (account_id, kind, month, object_id)
  )`,
  `insert into usage_sums
    select account_id, 'key', substr(day, 1, 7), '', sum(documents), 0, 0 from usage_days group by account_id, substr(day, 1, 7)`,
];

export const usageSums: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
