/** Keys of administrators, the audit log, and indexes for lists over all accounts. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  'alter table api_keys add column is_administrator integer not null default 0',
  `create table audit_entries (
    id text primary key,
    created_at bigint not null,
    actor text not null,
    action text not null,
    account_id text not null,
    object_id text not null,
    names text,
    changes text not null
  )`,
  'create index audit_entries_list on audit_entries (created_at, id)',
  'create index audit_entries_of_account on audit_entries (account_id, created_at, id)',
  'create index accounts_list on accounts (created_at, id)',
  `create index logged_requests_failed on logged_requests (created_at, id) where code is not null`,
  `create index webhook_deliveries_failed on webhook_deliveries (created_at, id) where status = 'failed'`,
];

export const administration: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
