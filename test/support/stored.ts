/** Looks into what a test service has stored, wherever: the data folder or, with PostgreSQL and S3, their rows and files as well. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

type Env = Record<string, string | undefined>;
type Row = Record<string, unknown>;

/** Returns the names of the files, rows and objects that contain the bytes. */
export async function storedWith(env: Env, needle: string | Buffer): Promise<string[]> {
  const folders = new Set([env.PLATEN_DATA_DIR ?? '', contentFolder(env)]);
  const files = (await Promise.all([...folders].map(filesIn))).flat();
  const found = await Promise.all(
    files.map(async (file) => basename(file).includes(String(needle)) || (await bytesOf(file)).includes(needle)),
  );
  return [...files.filter((_file, n) => found[n]), ...(await tablesWith(env, Buffer.from(needle)))];
}

/** Returns the paths of the files that hold content. Their names end with the name of the content. */
export async function contentFiles(env: Env): Promise<string[]> {
  return (await filesIn(contentFolder(env))).filter((file) => /^[a-z]+_[0-9A-Za-z]+$/.test(basename(file)));
}

/** The rows of a statement that both databases understand. PostgreSQL gives counts as text. */
export async function rowsOf({ PLATEN_DATABASE_URL, PLATEN_DATA_DIR = '' }: Env, statement: string): Promise<Row[]> {
  if (PLATEN_DATABASE_URL) return queryPostgres(PLATEN_DATABASE_URL, statement);
  using database = new DatabaseSync(join(PLATEN_DATA_DIR, 'platen.db'), { readOnly: true });
  return database.prepare(statement).all();
}

/** The S3 server of the tests keeps each object as a file. */
function contentFolder({ PLATEN_BLOBS_URL, PLATEN_DATA_DIR = '' }: Env): string {
  const { PLATEN_TEST_BLOBS_FOLDER } = process.env;
  if (!PLATEN_BLOBS_URL || !PLATEN_TEST_BLOBS_FOLDER) return join(PLATEN_DATA_DIR, 'blobs');
  return join(PLATEN_TEST_BLOBS_FOLDER, new URL(PLATEN_BLOBS_URL).pathname);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Returns no bytes for a file that has just been deleted. */
function bytesOf(file: string): Promise<Buffer> {
  return readFile(file).catch(() => Buffer.alloc(0));
}

/** Bytes are in rows as they are, where they are text, or in hexadecimal digits. */
async function tablesWith({ PLATEN_DATABASE_URL: url }: Env, needle: Buffer): Promise<string[]> {
  if (!url) return [];
  const tables = await queryPostgres(
    url,
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await queryPostgres(url, `select t::text as text from "${name}" t`);
      return rows.some(({ text }) => String(text).includes(needle.toString()) || String(text).includes(needle.toString('hex')));
    }),
  );
  return tables.filter((_table, n) => found[n]).map(({ name }) => String(name));
}

async function queryPostgres(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
