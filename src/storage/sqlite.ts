/** Connects Kysely to `node:sqlite`. */
import { closeSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type DialectAdapter,
  Kysely,
  type LimitNode,
  PostgresAdapter,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
} from 'kysely';
import { storageFailed } from '../errors.ts';
import type { Engine } from './engine.ts';
import type { Query, Tables } from './tables.ts';

/** How long a statement waits for another process, such as `platen keys`. It blocks the event loop in the meantime. */
const BUSY_TIMEOUT_MS = 5_000;
/** Number of compiled statements that are kept. The code has far fewer. */
const MAX_STATEMENTS = 500;
/** Waits for another process that writes. A plain `begin` would fail if that process wrote between the first two statements. */
const BEGIN = 'begin immediate';
const NOTHING = 'select 0';
/** The low byte of the extended result code decides, see https://sqlite.org/rescode.html. */
const STORAGE_FAULTS: Readonly<Record<number, string>> = {
  5: 'is locked', // BUSY
  6: 'is locked', // LOCKED
  8: 'cannot be written', // READONLY
  10: 'cannot be read or written', // IOERR
  11: 'is damaged', // CORRUPT
  13: 'is full', // FULL
  14: 'cannot be opened', // CANTOPEN
  26: 'is damaged', // NOTADB
};

/** Opens or creates a database file. Other processes can read and write it at the same time. */
export function openSqlite(file: string): Engine {
  const database = withStorageErrors(() => openFile(file));
  const log = openOnce(`${file}-wal`);
  const query = connect(adapt(database));
  return {
    query,
    isShared: false,
    migrate: (migrate) => migrate(query),
    transaction: (work) => query.transaction().execute(work), // there is one at a time
    exclusively: (_, work) => work(),
    joinNodes: async () => ({ notify() {}, check() {}, async close() {} }), // the lock of the data folder excludes other nodes
    // The same sync of the log that `synchronous = FULL` would do inside the commit.
    flush: () => log.sync(),
    scrub: async () => {
      await log.sync(); // does most of the waiting of the scrub without blocking the event loop
      await scrub(query, database);
    },
    release: () => log.close(),
  };
}

/** Opens a database file read-only. Throws if it cannot be read. */
export function openForReading(file: string): DatabaseSync {
  return withStorageErrors(() => new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
}

/** Reads a database file with the statements of both databases. Throws if it cannot be read. */
export function queryFile(file: string): Query {
  return connect(adapt(openForReading(file)));
}

/** An empty database in memory. With `migrated`, migrations find PostgreSQL if `forPostgres`, and SQLite otherwise. */
export function openInMemory(forPostgres: boolean): AsyncDisposable & { query: Query; migrated: Query } {
  const database = adapt(new DatabaseSync(':memory:'));
  const query = connect(database);
  const migrated = forPostgres ? connect(database, new PostgresAdapter()) : query;
  return { query, migrated, [Symbol.asyncDispose]: () => query.destroy() };
}

/** Runs all migrations in one transaction. Kysely assumes that SQLite cannot roll back the creation of a table. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * SQLite plans a statement whose limit is a parameter anew each time that it is run, which takes 20 times as long as to look up a row. It
 * does not look into an expression.
 */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit cast(');
    this.visitNode(limit);
    this.append(' as integer)');
  }
}

/** `adapter` is what migrations ask which database they run on. */
function connect(database: SqliteDatabase, adapter: DialectAdapter = new Adapter()): Query {
  const dialect = new SqliteDialect({ database });
  const parts = { createAdapter: () => adapter, createQueryCompiler: () => new Compiler() };
  return new Kysely<Tables>({ dialect: Object.assign(dialect, parts) });
}

function openFile(file: string): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600)); // SQLite would create a file that everybody can read; its log gets the same mode
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.exec('PRAGMA journal_mode = WAL');
  // A commit writes to the log without waiting for the disk. `flush` waits, without blocking the event loop.
  database.exec('PRAGMA synchronous = NORMAL');
  // A checkpoint blocks the event loop for about ten milliseconds. The sweep does it, and SQLite itself only for a very long log.
  database.exec('PRAGMA wal_autocheckpoint = 8000'); // pages of 4 kB
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA secure_delete = ON'); // deleted data is overwritten
  return database;
}

/**
 * Truncates the log. Waits its turn in the queue of statements, so that it never runs inside a transaction. It does not wait for
 * readers; the next scrub finishes the work.
 */
async function scrub(query: Query, database: DatabaseSync): Promise<void> {
  await query.connection().execute(async (alone) => {
    database.exec('PRAGMA busy_timeout = 0');
    try {
      await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(alone);
    } finally {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  });
}

/** The log exists after the first statement and stays at its path while the database is open. */
function openOnce(path: string) {
  let handle: Promise<FileHandle> | undefined;
  return {
    async sync() {
      try {
        handle ??= open(path, 'r+');
        await (await handle).datasync();
      } catch (error) {
        const lost = handle;
        handle = undefined; // the next call opens it again
        lost?.then((opened) => opened.close()).catch(() => {});
        throw storageFailed('the storage of the service cannot be written', error);
      }
    },
    close: async () => (await handle)?.close(),
  };
}

function adapt(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sent: string): SqliteStatement {
      // SQLite rolls back by itself if the disk is full. A second rollback would replace that error with another one.
      const text = sent === 'rollback' && !database.isTransaction ? NOTHING : sent;
      const known = statements.get(text);
      if (known) return known;
      const statement = adaptStatement(withStorageErrors(() => database.prepare(text === 'begin' ? BEGIN : text)));
      if (statements.size < MAX_STATEMENTS) statements.set(text, statement);
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  type Values = Parameters<typeof statement.all>;
  return {
    reader: statement.columns().length > 0,
    all: (values) => withStorageErrors(() => statement.all(...(values as Values))),
    run: (values) => withStorageErrors(() => statement.run(...(values as Values))),
    iterate: (values) => statement.iterate(...(values as Values)),
  };
}

/** Converts disk errors, which may be temporary, to `storage_failed`. */
export function withStorageErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const what = STORAGE_FAULTS[((error as { errcode?: number }).errcode ?? 0) & 0xff];
    if (!what) throw error;
    throw storageFailed(`the storage of the service ${what}`, error);
  }
}
