/** The version of a template that its owner published, the JSON Schema of its data, and named sample data. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  'alter table templates add column published_version integer',
  'alter table templates add column schema text',
  'alter table template_versions add column schema text',
  `create table template_samples (
    template_id text not null references templates (id),
    name text not null,
    key_id text not null references api_keys (id),
    data text not null,
    bytes bigint not null,
    constraint template_samples_key primary key (template_id, name)
  )`,
  'create index template_samples_owner on template_samples (key_id, bytes)',
];

export const templates: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
