/** What lies in a data folder: the files of content, and those its database names. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Every file that holds content, as `Ab/doc_Ab...`, in order. */
export async function blobFiles(dataDir: string): Promise<string[]> {
  const blobs = join(dataDir, 'blobs');
  const files = (await readdir(blobs, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(blobs.length + 1))
    .filter((path) => !path.startsWith('unfinished/'))
    .sort();
}

/** Files that were begun and never moved to where content is read. */
export function unfinishedFiles(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, 'blobs', 'unfinished'));
}

/** The files content should be in, by what the database says, in order; `until`: when it is to go. */
export function namedFiles(databaseFile: string): Array<{ file: string; until: number }> {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const documents = 'SELECT id, remove_at AS until FROM documents WHERE has_content = 1';
  const answers = 'SELECT blob, blob_until FROM idempotency_keys WHERE blob IS NOT NULL';
  const assets = `SELECT blob, ${Number.MAX_SAFE_INTEGER} FROM template_assets`;
  const rows = database.prepare(`${documents} UNION ${answers} UNION ${assets}`).all() as Array<{ id: string; until: number }>;
  database.close();
  return rows.map(({ id, until }) => ({ file: blobFile(id), until })).sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Where the content of this name lies. */
export function blobFile(name: string): string {
  return `${name.slice(4, 6)}/${name}`;
}
