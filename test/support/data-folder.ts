/** Lists the content files in a data folder, and those that its database names. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Returns the sorted paths of all content files, such as `Ab/doc_Ab...`. */
export async function blobFiles(dataDir: string): Promise<string[]> {
  const blobs = join(dataDir, 'blobs');
  const files = (await readdir(blobs, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(blobs.length + 1))
    .filter((path) => !path.startsWith('unfinished/'))
    .sort();
}

/** Returns the files that were started and never moved to their final place. */
export function unfinishedFiles(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, 'blobs', 'unfinished'));
}

/** Returns the content files that the database names, sorted, with their expiry as `until`. */
export function namedFiles(databaseFile: string): Array<{ file: string; until: number }> {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const documents = 'SELECT id, remove_at AS until FROM documents WHERE has_content = 1';
  const answers = 'SELECT blob, blob_until FROM idempotency_keys WHERE blob IS NOT NULL';
  const forever = (table: string) => `SELECT blob, ${Number.MAX_SAFE_INTEGER} FROM ${table}`;
  const assets = `${forever('template_assets')} UNION ALL ${forever('account_assets')}`;
  const pictures = 'SELECT blob, remove_at FROM failure_pictures';
  const rows = database.prepare(`${documents} UNION ${answers} UNION ${assets} UNION ${pictures}`).all() as Array<{
    id: string;
    until: number;
  }>;
  database.close();
  return rows.map(({ id, until }) => ({ file: blobFile(id), until })).sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Returns the path of the content with this name. */
export function blobFile(name: string): string {
  return `${name.slice(4, 6)}/${name}`;
}
