/**
 * Chooses where a test service stores its data: in its data folder or, if PLATEN_TEST_DATABASE_URL and PLATEN_TEST_BLOBS_URL
 * name a PostgreSQL server and a bucket, in a separate database and under a separate prefix there.
 */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/storage/database.ts';

const DUPLICATE_DATABASE = '42P04';

/** Returns the same settings every time for the same folder. */
export async function storageSettings(dataDir: string): Promise<Record<string, string>> {
  const { PLATEN_TEST_DATABASE_URL: server, PLATEN_TEST_BLOBS_URL: bucket } = process.env;
  const { PLATEN_TEST_SECRET_KEY_FILE: secretKeyFile } = process.env;
  const name = `test_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  return {
    ...(server && { PLATEN_DATABASE_URL: await createDatabase(server, name) }),
    ...(bucket && { PLATEN_BLOBS_URL: withPath(bucket, name) }),
    ...(secretKeyFile && { PLATEN_SECRET_KEY_FILE: secretKeyFile }),
  };
}

/** Opens only the database, without a service. */
export async function openTestDatabase(dataDir: string): Promise<Database> {
  const { PLATEN_DATABASE_URL: databaseUrl } = await storageSettings(dataDir);
  return openDatabase({ dataDir, ...(databaseUrl !== undefined && { databaseUrl, databaseConnections: 10 }) });
}

async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } catch (error) {
    if ((error as { code?: string }).code !== DUPLICATE_DATABASE) throw error;
  } finally {
    await client.end();
  }
  return withPath(server, name);
}

function withPath(address: string, path: string): string {
  const url = new URL(address);
  url.pathname = `/${path}`;
  return url.href;
}
