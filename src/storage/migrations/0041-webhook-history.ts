/** What became of each attempt of a webhook. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const webhookHistory: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table webhook_deliveries add column history text').execute(db);
  },
};
