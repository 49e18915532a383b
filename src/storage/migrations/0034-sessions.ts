/** Sessions of the dashboard, which stand for a key. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  `create table sessions (
    id_hash text primary key,
    key_id text not null references api_keys (id),
    begun_with text not null,
    ends_at bigint not null
  )`,
  'create index sessions_key on sessions (key_id, ends_at)',
  'create index sessions_end on sessions (ends_at)',
];

export const sessions: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
