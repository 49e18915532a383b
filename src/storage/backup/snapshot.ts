/** Copies a database that is in use into a SQLite file, and reads such copies. */
import { closeSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { openDatabase } from '../database.ts';
import { queryFile, withStorageErrors } from '../sqlite.ts';
import type { Query } from '../tables.ts';
import { copyRows } from './copy-rows.ts';
import { DATABASE } from './format.ts';

/** Content that a row names. */
export interface NamedContent {
  blob: string;
  /** Null if no row states it; the same holds for `sha256`. */
  bytes: number | null;
  sha256: string | null;
}

/** Like a deletion by the owner: the sweep of a service that runs on the copy removes the rows later. */
const DELETE = [
  'UPDATE documents SET deleted_at = :now, remove_at = :now WHERE id = :blob',
  'UPDATE idempotency_keys SET blob_until = :now WHERE blob = :blob',
];
/** The files were replaced in the database of the service, or the template version that they belonged to no longer exists. */
const DELETE_ASSETS = [
  'DELETE FROM template_assets WHERE blob = :blob',
  'DELETE FROM account_assets WHERE blob = :blob',
  'DELETE FROM failure_pictures WHERE blob = :blob',
];

/** Does not block writers. Free pages of SQLite, which may still contain deleted rows, are not copied. Returns the file. */
export async function takeSnapshot(query: Query, folder: string, { ofPostgres }: { ofPostgres: boolean }): Promise<string> {
  const path = join(folder, DATABASE);
  closeSync(openSync(path, 'wx', 0o600)); // SQLite would create a file that everybody can read
  if (ofPostgres) await copyPostgres(query, path);
  else await sql`VACUUM INTO ${path}`.execute(query);
  return path;
}

/** One transaction sees the rows as they were at its beginning. */
async function copyPostgres(query: Query, path: string): Promise<void> {
  await using copy = await openDatabase({ dataDir: dirname(path) });
  const reading = query.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  await reading.execute((own) => copyRows(own, copy));
  await sql`PRAGMA journal_mode = DELETE`.execute(copy.query); // a backup has no log beside its database
}

/** The content of documents that have not expired at `now`, of stored replies to idempotent requests, of the files of templates and accounts, and of pictures of failures. */
export async function livingContent(query: Query, now: number): Promise<NamedContent[]> {
  const { rows } = await sql<NamedContent>`
    select id as blob, bytes, sha256 from documents where has_content = 1 and deleted_at is null and remove_at > ${now}
    union all select blob, null, null from idempotency_keys where blob is not null and blob_until > ${now}
    union all select distinct blob, bytes, null from template_assets
    union all select blob, bytes, null from account_assets
    union all select blob, null, null from failure_pictures where remove_at > ${now}`.execute(query);
  return rows;
}

/** Number of rows by table of a copy. */
export async function countRows(path: string): Promise<Record<string, number>> {
  await using query = queryFile(path);
  const tables = sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`;
  const counts: Record<string, number> = {};
  for (const { name } of (await tables.execute(query)).rows)
    counts[name] = (await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(query)).rows[0]?.n ?? 0;
  return counts;
}

/** Marks content as deleted that was deleted before it could be copied. */
export function markDeleted(path: string, blobs: string[], now: number): void {
  if (!blobs.length) return;
  const existing = pathToFileURL(path);
  existing.search = 'mode=rw'; // does not create an empty one, as a path would
  withStorageErrors(() => {
    using database = new DatabaseSync(existing);
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN');
    for (const statement of DELETE.map((each) => database.prepare(each))) for (const blob of blobs) statement.run({ blob, now });
    for (const statement of DELETE_ASSETS.map((each) => database.prepare(each)))
      for (const blob of blobs) statement.run({ blob });
    database.exec('COMMIT');
  });
}
