/** Accounts have default options for their renders, and files that all of their documents can use. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  'alter table accounts add column default_options text',
  'alter table accounts add column asset_bytes bigint not null default 0',
  `create table account_assets (
    account_id text not null references accounts (id),
    path text not null,
    type text not null,
    blob text not null,
    bytes bigint not null,
    constraint account_assets_key primary key (account_id, path)
  )`,
  'create index account_assets_blob on account_assets (blob)',
];

export const accountDefaults: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
