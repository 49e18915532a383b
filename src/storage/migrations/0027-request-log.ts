/** The request log: a row for each render and batch item of the last days. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  `create table logged_requests (
    id text primary key,
    key_id text not null,
    created_at bigint not null,
    code text,
    template_id text,
    batch_id text,
    reference text,
    details text not null
  )`,
  'create index logged_requests_list on logged_requests (key_id, created_at, id)',
  'create index logged_requests_age on logged_requests (created_at)',
];

export const requestLog: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
