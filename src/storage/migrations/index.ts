/** All migrations, oldest first. A migration that has been released is never changed. */
import type { Migration } from 'kysely/migration';
import { accounts } from './0001-accounts.ts';
import { resources } from './0002-resources.ts';

export const migrations: Record<string, Migration> = {
  '0001-accounts': accounts,
  '0002-resources': resources,
};
