/** Copies a database that is in use, and reads copies that any version of Platen wrote. */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { openForReading, withStorageErrors } from '../sqlite.ts';

/** Content that a row names. */
export interface NamedContent {
  blob: string;
  /** Null if no row states it; the same holds for `sha256`. */
  bytes: number | null;
  sha256: string | null;
}

/** The content of documents that have not expired at `now`, and of stored replies to idempotent requests. */
const LIVING = `
  SELECT id AS blob, bytes, sha256 FROM documents WHERE has_content = 1 AND deleted_at IS NULL AND remove_at > :now
  UNION ALL SELECT blob, NULL, NULL FROM idempotency_keys WHERE blob IS NOT NULL AND blob_until > :now`;
/** Databases of old versions have no template files. */
const LIVING_ASSETS = ' UNION ALL SELECT DISTINCT blob, bytes, NULL FROM template_assets';
/** Like a deletion by the owner: the sweep of a service that runs on the copy removes the rows later. */
const DELETE = [
  'UPDATE documents SET deleted_at = :now, remove_at = :now WHERE id = :blob',
  'UPDATE idempotency_keys SET blob_until = :now WHERE blob = :blob',
];
/** The template version that the file belonged to no longer exists in the database of the service. */
const DELETE_ASSET = 'DELETE FROM template_assets WHERE blob = :blob';

/** Does not block writers. Free pages, which may still contain deleted rows, are not copied. */
export function takeSnapshot(file: string, path: string): void {
  closeSync(openSync(path, 'wx', 0o600)); // SQLite would create a file that everybody can read
  using database = openForReading(file);
  withStorageErrors(() => database.prepare('VACUUM INTO ?').run(path));
}

export function migrationsOf(path: string): string[] {
  using database = openForReading(path);
  const rows = withStorageErrors(() => database.prepare('SELECT name FROM kysely_migration ORDER BY name').all());
  return rows.map(({ name }) => `${name}`);
}

export function livingContent(path: string, now: number): NamedContent[] {
  using database = openForReading(path);
  return withStorageErrors(() =>
    database.prepare(hasTable(database, 'template_assets') ? LIVING + LIVING_ASSETS : LIVING).all({ now }),
  ) as unknown as NamedContent[];
}

export function rowsOf(path: string): Record<string, number> {
  using database = openForReading(path);
  const tables = database.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
  );
  const count = (table: string) => Number(database.prepare(`SELECT count(*) AS rows FROM "${table}"`).get()?.rows);
  return Object.fromEntries(tables.all().map(({ name }) => [`${name}`, count(`${name}`)]));
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
    const asset = hasTable(database, 'template_assets') ? database.prepare(DELETE_ASSET) : undefined;
    for (const blob of blobs) asset?.run({ blob });
    database.exec('COMMIT');
  });
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}
