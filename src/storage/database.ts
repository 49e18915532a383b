/** Opens the database and applies migrations. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Migrator } from 'kysely/migration';
import { CommandError, explainMissing, ServiceError, storageFailed } from '../errors.ts';
import { DiskBlobs } from './blobs/blobs-disk.ts';
import { blobsFolder } from './blobs/open-blobs.ts';
import { type Engine, OutcomeUnknownError } from './engine.ts';
import { adoptBaseline, findRefusal, hasTable, type Refusal, readApplied, selectNewer } from './migrations/applied.ts';
import { migrations } from './migrations/index.ts';
import { findChange } from './migrations/schema.ts';
import { openForReading, openSqlite, queryFile, withStorageErrors } from './sqlite.ts';
import type { Query } from './tables.ts';
import { readCount } from './totals.ts';

export type { Query };

/** Optional packages that PostgreSQL needs, and the setting that chooses it. */
export const POSTGRES_PACKAGES = ['pg graphile-worker', 'PLATEN_DATABASE_URL'] as const;
const postgres = () => import('./postgres.ts').catch(explainMissing(...POSTGRES_PACKAGES));

/** How long a successful check of the schema is reused. */
const SCHEMA_GOOD_MS = 5_000;

export interface DatabaseSettings {
  dataDir: string;
  /** The URL of a PostgreSQL database. Default: SQLite in the data folder. */
  databaseUrl?: string;
  databaseConnections?: number;
  /** The URL of the bucket with the content of documents. Default: files in the data folder. */
  blobsUrl?: string;
}

export interface Database extends Omit<Engine, 'migrate' | 'release'>, AsyncDisposable {
  /** Throws `storage_failed` if somebody has changed the tables. A result may be reused for a few seconds. */
  checkSchema(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseState {
  keys: number;
  /** Migrations that the next start applies. */
  pending: string[];
  /** Migrations of a newer version. */
  unknown: string[];
  /** Why this version cannot use the database, with what is wrong in detail. */
  refusal?: Refusal;
  /** The number of certificates by the id of the secret key that encrypts them. */
  certificates: Record<string, number>;
  /** The plans of the accounts that are not deleted. */
  plans: string[];
}

/** Inspects a database without changing it. Returns undefined if there is none yet. Throws if it cannot be read. */
export async function inspectDatabase(settings: DatabaseSettings): Promise<DatabaseState | undefined> {
  const { databaseUrl } = settings;
  await using query = await openForInspection(settings);
  if (!query || (databaseUrl && !(await hasTable(query, 'kysely_migration')))) return undefined;
  const applied = await readApplied(query);
  const refusal = findRefusal(applied) ?? (await findChange(query));
  return {
    keys: (await hasTable(query, 'api_keys')) ? await readCount(query.selectFrom('api_keys')) : 0,
    pending: Object.keys(migrations).filter((name) => !applied.includes(name)),
    unknown: selectNewer(applied),
    ...(refusal && { refusal }),
    certificates: (await hasTable(query, 'certificates')) ? await countCertificates(query) : {},
    plans: !refusal && (await hasTable(query, 'accounts')) ? await readPlans(query) : [],
  };
}

/** Opens the database to read it, without creating or migrating it. Returns undefined if there is no file. */
export async function openForInspection({ dataDir, databaseUrl }: DatabaseSettings): Promise<Query | undefined> {
  if (databaseUrl) return (await postgres()).queryPostgres(databaseUrl);
  const file = databaseFile(dataDir);
  return (await isThere(file)) ? queryFile(file) : undefined;
}

/** The plans of accounts that are not deleted. */
export async function readPlans(query: Query): Promise<string[]> {
  const rows = await query
    .selectFrom('accounts')
    .select('plan')
    .distinct()
    .where('deleted_at', 'is', null)
    .orderBy('plan')
    .execute();
  return rows.map(({ plan }) => plan);
}

async function countCertificates(query: Query): Promise<Record<string, number>> {
  const rows = await query
    .selectFrom('certificates')
    .select((eb) => ['secret_key_id', eb.fn.countAll<number>().as('certificates')])
    .groupBy('secret_key_id')
    .execute();
  return Object.fromEntries(rows.map(({ secret_key_id, certificates }) => [secret_key_id, certificates]));
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
  await using query = await openForInspection(settings);
  return !query || !(await hasTable(query, 'kysely_migration'));
}

/**
 * Opens the database and applies missing migrations. Throws `CommandError` if the database is lost, and `storage_failed`, also if
 * this version cannot use it.
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
  let goodUntil = performance.now() + SCHEMA_GOOD_MS;
  const checkSchema = async () => {
    if (performance.now() < goodUntil) return;
    refuse(await findChange(engine.query));
    goodUntil = performance.now() + SCHEMA_GOOD_MS;
  };
  return { ...engine, checkSchema, close, [Symbol.asyncDispose]: close };
}

/** Whether a failed transaction may have been committed anyway. Blobs that belong to it must stay until that is known. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ServiceError && error.cause instanceof OutcomeUnknownError;
}

async function openEngine({ dataDir, databaseUrl, databaseConnections = 2 }: DatabaseSettings): Promise<Engine> {
  if (databaseUrl) {
    const { openPostgres } = await postgres(); // loaded only if it is configured
    return openPostgres(databaseUrl, databaseConnections);
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return openSqlite(databaseFile(dataDir));
}

/** Throws `storage_failed` if this version cannot use the database, whose applied migrations it returns. */
export async function requireUsable(query: Query): Promise<string[]> {
  const applied = await readApplied(query);
  refuse(findRefusal(applied) ?? (await findChange(query)));
  return applied;
}

function refuse(refusal: Refusal | undefined): void {
  if (refusal) throw storageFailed(`${refusal.what}: ${refusal.remedy}`);
}

/** Checks the schema before and after, so that no migration runs on tables that somebody has changed. */
async function migrateToLatest(db: Query, schema?: string): Promise<void> {
  const applied = await requireUsable(db);
  await adoptBaseline(db, applied);
  const provider = { getMigrations: async () => migrations };
  const migrator = new Migrator({ db, provider, ...(schema !== undefined && { migrationTableSchema: schema }) });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (String(error).includes('New migrations must always'))
    throw new Error(
      'this version of Platen has a new migration that sorts before one that the database already has; it must sort after all others',
      { cause: error },
    );
  if (error) throw error;
  if (results.length) refuse(await findChange(db));
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
