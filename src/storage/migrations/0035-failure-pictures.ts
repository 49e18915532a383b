/** Pictures of pages whose render has failed, for accounts that want them. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  'alter table accounts add column failure_pictures integer not null default 0',
  `create table failure_pictures (
    blob text primary key,
    key_id text not null,
    account_id text not null,
    created_at bigint not null,
    remove_at bigint not null
  )`,
  'create index failure_pictures_account on failure_pictures (account_id, created_at)',
  'create index failure_pictures_due on failure_pictures (remove_at)',
];

export const failurePictures: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
