/** Opens the database and applies migrations. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import { openForReading, openSqlite } from './sqlite.ts';
import type { Query } from './tables.ts';

export type { Query };

export interface DatabaseState {
  /** Number of API keys. */
  keys: number;
  /** Migrations that the next start applies. */
  pending: string[];
  /** Migrations of a newer version. */
  unknown: string[];
}

export interface Database {
  readonly query: Query;
  /**
   * Runs `work` in a transaction. Inside, only the query passed to it may be used, and the first statement must write, because a
   * transaction that reads first may find the database changed when it writes.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Resolves when everything committed so far survives a loss of power. A commit alone survives only the end of the process,
   * so that a caller is told of a change only after a flush.
   */
  flush(): Promise<void>;
  /** Truncates the log of the database, which still contains deleted rows. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/** Inspects a database without changing it. Returns undefined if there is none yet. Throws if it cannot be read. */
export async function inspectDatabase({ dataDir }: { dataDir: string }): Promise<DatabaseState | undefined> {
  const file = databaseFile(dataDir);
  if (!(await isThere(file))) return undefined;
  using database = openForReading(file);
  const has = (table: string) => database.prepare('select 1 from sqlite_schema where name = ?').get(table) !== undefined;
  const applied = has('kysely_migration')
    ? database
        .prepare('select name from kysely_migration')
        .all()
        .map(({ name }) => `${name}`)
    : [];
  return {
    keys: has('api_keys') ? Number(database.prepare('select count(*) as keys from api_keys').get()?.keys) : 0,
    pending: Object.keys(migrations).filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !(name in migrations)),
  };
}

/** Opens the database in the data folder and applies the migrations it lacks. */
export async function openDatabase(config: { dataDir: string }): Promise<Database> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const { query, flush, scrub, release } = openSqlite(databaseFile(config.dataDir));
  const close = async () => {
    await query.destroy();
    await release();
  };
  const { error } = await new Migrator({ db: query, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error) {
    await close();
    throw error;
  }
  return { query, flush, scrub, close, transaction: (work) => query.transaction().execute(work) };
}

function databaseFile(dataDir: string): string {
  return join(dataDir, 'platen.db');
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
