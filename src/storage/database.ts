/** Opens the database and applies migrations. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Migrator } from 'kysely/migration';
import type { Pool } from 'pg';
import { CommandError, explainMissing, ServiceError, storageFailed } from '../errors.ts';
import { DiskBlobs } from './blobs-disk.ts';
import {
  CERTIFICATES,
  countBySecretKey,
  type DatabaseState,
  type Engine,
  type Nodes,
  type NodesOptions,
  OutcomeUnknownError,
  selectPlans,
} from './engine.ts';
import { migrations } from './migrations/index.ts';
import { openForReading, openSqlite, withStorageErrors } from './sqlite.ts';
import type { Query } from './tables.ts';

export type { DatabaseState, Query };

/** Optional packages that PostgreSQL needs, and the setting that chooses it. */
export const POSTGRES_PACKAGES = ['pg graphile-worker', 'PLATEN_DATABASE_URL'] as const;
const postgres = () => import('./postgres.ts').catch(explainMissing(...POSTGRES_PACKAGES));

export interface DatabaseSettings {
  dataDir: string;
  /** The URL of a PostgreSQL database. Default: SQLite in the data folder. */
  databaseUrl?: string;
  databaseConnections?: number;
  /** The URL of the bucket with the content of documents. Default: files in the data folder. */
  blobsUrl?: string;
}

export interface Database {
  readonly query: Query;
  /** Whether other nodes may use the database too. */
  readonly isShared: boolean;
  /**
   * Runs `work` in a transaction, and again from its beginning after a conflict with another one. `work` must use only the query
   * passed to it, and its first statement must write, because a transaction that reads first may find the database changed when it
   * writes.
   *
   * Other transactions may be committed between two statements, and a changed row stays locked until the end. If that is not
   * enough, for example to limit the number of rows, pass `oneByOne`: transactions with the same value wait for each other.
   */
  transaction<T>(work: (query: Query) => Promise<T>, oneByOne?: string): Promise<T>;
  /** Runs `work`, unless another node is running work under this name. */
  exclusively(name: string, work: () => Promise<void>): Promise<void>;
  /** Registers this process as a node. Throws `storage_failed` if it, or another node, must be alone. */
  joinNodes(options: NodesOptions): Promise<Nodes>;
  /** Opens a pool for a library that connects to the server itself; absent for SQLite. The caller closes the pool. */
  connections?(name: string, max: number): Pool;
  /** Throws while this node is refused; see `Nodes`. Users of `connections` must call it. */
  checkNode?(): void;
  /**
   * Resolves when everything committed so far survives a power failure. A commit alone survives only the end of the process, so
   * flush before you report a change to a caller.
   */
  flush(): Promise<void>;
  /** Truncates the log of the database, which still contains deleted rows. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/** Inspects a database without changing it. Returns undefined if there is none yet. Throws if it cannot be read. */
export async function inspectDatabase(settings: DatabaseSettings): Promise<DatabaseState | undefined> {
  const { dataDir, databaseUrl } = settings;
  if (databaseUrl) return (await postgres()).inspectPostgres(databaseUrl, Object.keys(migrations));
  const file = databaseFile(dataDir);
  if (!(await isThere(file))) return undefined;
  return withStorageErrors(() => inspectSqlite(file));
}

function inspectSqlite(file: string): DatabaseState {
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
    certificates: has('certificates') ? countBySecretKey(database.prepare(CERTIFICATES).all()) : {},
    plans: has('accounts')
      ? database
          .prepare(selectPlans(applied))
          .all()
          .map(({ plan }) => `${plan}`)
      : [],
  };
}

/**
 * Reads the whole file of a database in the data folder, but does not compare indexes with tables, which would take several times as
 * long. Returns what is wrong.
 */
export async function findDamage({ dataDir, databaseUrl }: DatabaseSettings): Promise<string | undefined> {
  const file = databaseFile(dataDir);
  if (databaseUrl || !(await isThere(file))) return undefined;
  using database = openForReading(file);
  const [{ quick_check: found } = {}] = withStorageErrors(() => database.prepare('PRAGMA quick_check(1)').all());
  return found === 'ok' ? undefined : String(found).replaceAll(/\s+/g, ' ');
}

/**
 * Whether the data folder has the content of documents, but the database is missing or empty. The sweep would remove all of the
 * content, because no row names it.
 */
export async function isDatabaseLost(settings: DatabaseSettings): Promise<boolean> {
  if (settings.blobsUrl || !(await DiskBlobs.hasContent(blobsFolder(settings.dataDir)))) return false;
  const state = await inspectDatabase(settings);
  return !state || state.pending.length === Object.keys(migrations).length;
}

/**
 * Opens the database and applies missing migrations. Throws `CommandError` if the database is lost, and `storage_failed`, also if
 * a newer version has migrated it.
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  if (await isDatabaseLost(settings))
    throw new CommandError(
      `${blobsFolder(settings.dataDir)} contains documents, but the database is missing or empty: restore a backup into a new folder, as docs/operate/backups.md shows, or move blobs/ elsewhere to start without these documents`,
    );
  return openOrCreateDatabase(settings);
}

/** Does the same, and also creates a database for content that is already there. */
export async function openOrCreateDatabase(settings: DatabaseSettings): Promise<Database> {
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

/** Whether a failed transaction may have been committed anyway. Blobs that belong to it must stay until that is known. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ServiceError && error.cause instanceof OutcomeUnknownError;
}

async function openEngine({ dataDir, databaseUrl, databaseConnections = 2 }: DatabaseSettings): Promise<Engine> {
  if (databaseUrl) {
    const { openPostgres } = await postgres(); // loaded only if it is configured
    return openPostgres({ databaseUrl, databaseConnections });
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return openSqlite(databaseFile(dataDir));
}

async function migrateToLatest(db: Query, schema?: string): Promise<void> {
  const provider = { getMigrations: async () => migrations };
  const migrator = new Migrator({ db, provider, ...(schema !== undefined && { migrationTableSchema: schema }) });
  const { error } = await migrator.migrateToLatest();
  if (/previously executed migration \S+ is missing/.test(String(error)))
    throw storageFailed('a newer version of Platen has migrated the database: use that version, or restore a backup', error);
  if (String(error).includes('New migrations must always'))
    throw new Error(
      'this version of Platen has a new migration that sorts before one that the database already has; it must sort after all others',
      {
        cause: error,
      },
    );
  if (error) throw error;
}

function databaseFile(dataDir: string): string {
  return join(dataDir, 'platen.db');
}

/** Where documents are stored if they are files. */
function blobsFolder(dataDir: string): string {
  return join(dataDir, 'blobs');
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
