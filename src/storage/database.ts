/** The database: which tables there are, and how it is opened and brought up to date. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import { openSqlite } from './sqlite.ts';
import type { Query } from './tables.ts';

export type { Query };

export interface Database {
  readonly query: Query;
  /**
   * All of it or nothing. Inside, only the query that is handed in may be used, and the first statement has to write: what
   * reads first may find the database changed when it writes.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Resolves when everything committed so far outlives a loss of power. A commit alone outlives the end of the process;
   * what a caller is told has happened is flushed first.
   */
  flush(): Promise<void>;
  /** Cuts off the log of the database, with what deleted rows have left in it. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database in the data folder and applies the migrations it lacks. */
export async function openDatabase(config: { dataDir: string }): Promise<Database> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const { query, flush, scrub, release } = openSqlite(join(config.dataDir, 'platen.db'));
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
