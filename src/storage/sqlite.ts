/** Kysely on the SQLite that Node brings: the few calls Kysely makes, answered by `node:sqlite`. */
import { closeSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import { storageFailed } from '../errors.ts';
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
/** Waits for another process that writes; the plain one would fail where that one writes between its first two statements. */
const BEGIN = 'begin immediate';
/** https://sqlite.org/rescode.html: the low byte of the extended code. */
const STORAGE_FAULTS: Readonly<Record<number, string>> = {
  5: 'is locked', // BUSY
  6: 'is locked', // LOCKED
  8: 'cannot be written', // READONLY
  10: 'cannot be read or written', // IOERR
  11: 'is damaged', // CORRUPT
  13: 'is full', // FULL
  14: 'cannot be opened', // CANTOPEN
};

/** Opens (or creates) a database file, readable and writable by other processes meanwhile. */
export function openSqlite(file: string): Engine {
  const database = explained(() => openFile(file));
  const log = openOnce(`${file}-wal`);
  const query = new Kysely<Tables>({ dialect: new Dialect({ database: adapt(database) }) });
  return {
    query,
    // The same sync of the log that `synchronous = FULL` would do inside the commit.
    flush: () => log.sync(),
    scrub: async () => {
      await log.sync(); // most of what the scrub would wait for, without holding the event loop
      await scrub(query, database);
    },
    release: () => log.close(),
  };
}

/** For a look that changes nothing. Throws where the file cannot be read. */
export function openForReading(file: string): DatabaseSync {
  return explained(() => new DatabaseSync(file, { readOnly: true }));
}

/** All migrations or none: Kysely takes it that SQLite could not take back a table that was made. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }
}

function openFile(file: string): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600)); // SQLite alone would let everybody read it; its log takes after it
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.exec('PRAGMA journal_mode = WAL');
  // A commit writes to the log without waiting for the disk; `flush` waits, and does not hold the event loop meanwhile.
  database.exec('PRAGMA synchronous = NORMAL');
  // Moving the log into the database holds the event loop for some ten milliseconds: the sweep does it, and this when it must.
  database.exec('PRAGMA wal_autocheckpoint = 8000'); // pages of 4 kB
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA secure_delete = ON'); // what is deleted is overwritten
  return database;
}

/** Through the queue of statements, so never inside a transaction; and without waiting for readers: the next scrub does it then. */
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

/** The log is there from the first statement on, and keeps its place while the database is open. */
function openOnce(path: string) {
  let handle: Promise<FileHandle> | undefined;
  return {
    async sync() {
      try {
        handle ??= open(path, 'r+');
        await (await handle).datasync();
      } catch (error) {
        const lost = handle;
        handle = undefined; // the next one opens it anew
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
    prepare(text: string): SqliteStatement {
      if (text === 'rollback' && !database.isTransaction) return NOTHING;
      const known = statements.get(text);
      if (known) return known;
      const statement = adaptStatement(explained(() => database.prepare(text === 'begin' ? BEGIN : text)));
      if (statements.size < MAX_STATEMENTS) statements.set(text, statement);
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  type Values = Parameters<typeof statement.all>;
  return {
    reader: statement.columns().length > 0,
    all: (values) => explained(() => statement.all(...(values as Values))),
    run: (values) => explained(() => statement.run(...(values as Values))),
    iterate: (values) => statement.iterate(...(values as Values)),
  };
}

/** A full disk ends a transaction by itself; rolling it back once more would hide what happened behind another error. */
const NOTHING: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

/** Faults of the disk are not the request's, and may pass: `storage_failed`. */
export function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const what = STORAGE_FAULTS[((error as { errcode?: number }).errcode ?? 0) & 0xff];
    if (!what) throw error;
    throw storageFailed(`the storage of the service ${what}`, error);
  }
}
