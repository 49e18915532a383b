/** The database: which tables there are, and how it is opened and brought up to date. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import { sqliteDialect } from './sqlite.ts';

/** Times are milliseconds since 1970 in UTC. */
export interface Tables {
  accounts: {
    id: string;
    name: string;
    plan: string;
    created_at: number;
  };
  api_keys: {
    id: string;
    account_id: string;
    name: string;
    /** SHA-256 of the secret, in hexadecimal; the secret itself is kept nowhere. */
    secret_hash: string;
    /** The first characters of the secret, to tell keys apart in lists. */
    hint: string;
    created_at: number;
    revoked_at: number | null;
  };
}

export type Database = Kysely<Tables>;

/** Opens the database in the data folder and applies the migrations it lacks. */
export async function openDatabase(config: { dataDir: string }): Promise<Database> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const database = new Kysely<Tables>({ dialect: sqliteDialect(join(config.dataDir, 'platen.db')) });
  const { error } = await new Migrator({ db: database, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error) throw error;
  return database;
}
