import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** When a key was last used and when it expires; when an account was suspended, deleted and erased. */
export const accountStates: Migration = {
  async up(db: Kysely<unknown>) {
    const add = (table: string, name: string) => db.schema.alterTable(table).addColumn(name, 'bigint').execute();
    await add('api_keys', 'last_used_at');
    await add('api_keys', 'expires_at');
    await add('accounts', 'suspended_at');
    await add('accounts', 'deleted_at');
    await add('accounts', 'erased_at');
    const deleted = db.schema.createIndex('accounts_deleted').on('accounts').column('deleted_at');
    await deleted.where(sql.ref('deleted_at'), 'is not', null).execute();
  },
};
