/** Opens the database and applies migrations. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Migrator } from 'kysely/migration';
import type { Pool } from 'pg';
import { ServiceError, storageFailed } from '../errors.ts';
import { type DatabaseState, type Engine, type Nodes, type NodesOptions, OutcomeUnknown } from './engine.ts';
import { migrations } from './migrations/index.ts';
import { openForReading, openSqlite } from './sqlite.ts';
import type { Query } from './tables.ts';

export type { DatabaseState, Query };

export interface DatabaseSettings {
  dataDir: string;
  /** Of a PostgreSQL server. Default: SQLite in the data folder. */
  databaseUrl?: string;
  databaseConnections?: number;
}

export interface Database {
  readonly query: Query;
  /** Whether other nodes may use it, too. */
  readonly isShared: boolean;
  /**
   * Runs `work` in a transaction, again from its beginning if it collided with another one. Inside, only the query passed to it
   * may be used, and the first statement must write, because a transaction that reads first may find the database changed when
   * it writes.
   *
   * Other transactions may be committed between two statements, and a changed row stays locked until the end. Where that is not
   * enough, such as for a limit on a number of rows, transactions with the same `oneByOne` wait for each other.
   */
  transaction<T>(work: (query: Query) => Promise<T>, oneByOne?: string): Promise<T>;
  /** Does nothing while another node is at work under this name. */
  exclusively(name: string, work: () => Promise<void>): Promise<void>;
  /** To be called by a service, which is a node, and not by commands. Throws `storage_failed` when one has to be alone and is not. */
  joinNodes(options: NodesOptions): Promise<Nodes>;
  /** For a library that speaks to a server itself, and absent where there is none. The caller ends them. */
  connections?(name: string, max: number): Pool;
  /** Throws while this node is refused; see `Nodes`. For whoever uses `connections`. */
  checkNode?(): void;
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
export async function inspectDatabase(settings: DatabaseSettings): Promise<DatabaseState | undefined> {
  const { dataDir, databaseUrl } = settings;
  if (databaseUrl) return (await import('./postgres.ts')).inspectPostgres(databaseUrl, Object.keys(migrations));
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

/** Opens the database and applies the migrations it lacks. Throws `storage_failed`, also where a newer version has migrated it. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const { migrate, release, ...engine } = await openEngine(settings);
  const close = async () => {
    await engine.query.destroy();
    await release();
  };
  await migrate(migrateToLatest).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { ...engine, close };
}

/** Whether what failed may be done all the same, so that what belongs to it has to stay until that is known. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ServiceError && error.cause instanceof OutcomeUnknown;
}

async function openEngine({ dataDir, databaseUrl, databaseConnections = 2 }: DatabaseSettings): Promise<Engine> {
  if (databaseUrl) {
    const { openPostgres } = await import('./postgres.ts'); // loaded only where it is chosen
    return openPostgres({ databaseUrl, databaseConnections });
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return openSqlite(databaseFile(dataDir));
}

async function migrateToLatest(db: Query): Promise<void> {
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (/previously executed migration \S+ is missing/.test(String(error)))
    throw storageFailed('a newer version of Platen has migrated the database: use that version, or restore a backup', error);
  if (String(error).includes('New migrations must always'))
    throw new Error(
      'this version of Platen has a migration that sorts before one the database has: it must come after all others',
      {
        cause: error,
      },
    );
  if (error) throw error;
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
