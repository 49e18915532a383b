/** Before the suites that are run once more on PostgreSQL with S3: both servers, and the settings by which tests find them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setup as unpackFirst } from '../support/unpack-first.ts';
import { startPostgres } from './postgres-server.ts';
import { S3_CREDENTIALS, startS3 } from './s3-server.ts';

export async function setup(): Promise<() => Promise<void>> {
  await unpackFirst();
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  const folder = await mkdtemp(join(tmpdir(), 'platen-test-'));
  const bucket = await s3.createBucket();
  const secretKeyFile = join(folder, 'secret.key');
  await writeFile(secretKeyFile, 'ab'.repeat(32), { mode: 0o600 });
  Object.assign(process.env, S3_CREDENTIALS, {
    PLATEN_TEST_DATABASE_URL: await postgres.createDatabase(),
    PLATEN_TEST_SECRET_KEY_FILE: secretKeyFile,
    PLATEN_TEST_BLOBS_URL: s3.urlOf(bucket),
    PLATEN_TEST_BLOBS_FOLDER: join(s3.folder, 'objects', bucket),
  });
  return async () => {
    await rm(folder, { recursive: true, force: true });
    await Promise.all([postgres[Symbol.asyncDispose](), s3[Symbol.asyncDispose]()]);
  };
}
