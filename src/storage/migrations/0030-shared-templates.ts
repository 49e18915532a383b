/** Templates can be shared with the other keys of their account, and are found by name. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  'alter table templates add column shared_account_id text references accounts (id)',
  'create index templates_shared on templates (shared_account_id, created_at, id)',
  'create index templates_shared_name on templates (shared_account_id, name)',
  'create index templates_name on templates (key_id, name)',
];

export const sharedTemplates: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
