/** Kysely on the SQLite that Node brings: the few calls Kysely makes, answered by `node:sqlite`. */
import { type FileHandle, open } from 'node:fs/promises';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { Query, Tables } from './tables.ts';

/** What differs between one kind of database and another; see `Database`. */
export interface Engine {
  query: Query;
  flush(): Promise<void>;
  scrub(): Promise<void>;
  /** After `query` has been closed. */
  release(): Promise<void>;
}

/** How long a statement waits for another process, such as `platen keys`. It holds the event loop meanwhile. */
const BUSY_TIMEOUT_MS = 5_000;
/** Statements kept compiled; there are far fewer in the code. */
const MAX_STATEMENTS = 500;
/** https://sqlite.org/rescode.html: BUSY, IOERR, FULL, in the low byte of the extended code. */
const STORAGE_FAULTS: Record<number, string> = { 5: 'is locked', 10: 'cannot be read or written', 13: 'is full' };

/** Opens (or creates) a database file, readable and writable by other processes meanwhile. */
export function openSqlite(file: string): Engine {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.exec('PRAGMA journal_mode = WAL');
  // A commit writes to the log without waiting for the disk; `flush` waits, and does not hold the event loop meanwhile.
  database.exec('PRAGMA synchronous = NORMAL');
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA secure_delete = ON'); // what is deleted is overwritten
  const log = openOnce(`${file}-wal`);
  return {
    query: new Kysely<Tables>({ dialect: new SqliteDialect({ database: adapt(database) }) }),
    // The same sync of the log that `synchronous = FULL` would do inside the commit.
    flush: async () => (await log.open()).datasync(),
    scrub: async () => scrub(database),
    release: () => log.close(),
  };
}

/** Without waiting for readers, which would hold the event loop: while there are any, the next scrub does it. */
function scrub(database: DatabaseSync): void {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** The log is there from the first statement on, and keeps its place while the database is open. */
function openOnce(path: string) {
  let handle: Promise<FileHandle> | undefined;
  return {
    open: () => (handle ??= open(path, 'r+')),
    close: async () => (await handle)?.close(),
  };
}

function adapt(database: DatabaseSync): SqliteDatabase {
  const compiled = new Map<string, StatementSync>();
  const compile = (sql: string): StatementSync => {
    const statement = compiled.get(sql) ?? database.prepare(sql);
    if (compiled.size < MAX_STATEMENTS) compiled.set(sql, statement);
    return statement;
  };
  return {
    close: () => database.close(),
    prepare(sql: string): SqliteStatement {
      const statement = explained(() => compile(sql));
      type Values = Parameters<typeof statement.all>;
      return {
        reader: statement.columns().length > 0,
        all: (values) => explained(() => statement.all(...(values as Values))),
        run: (values) => explained(() => statement.run(...(values as Values))),
        iterate: (values) => statement.iterate(...(values as Values)),
      };
    },
  };
}

/** Faults of the disk are not the request's, and may pass: `storage_failed`. */
function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const what = STORAGE_FAULTS[((error as { errcode?: number }).errcode ?? 0) & 0xff];
    if (!what) throw error;
    throw new ServiceError('storage_failed', `the storage of the service ${what}`, { cause: error, retryAfterSeconds: 30 });
  }
}
