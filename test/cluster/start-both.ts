/** Starts PostgreSQL and an S3 server for all tests of a file, with the credentials that commands of this process need. */
import { closeAfterAll } from '../support/close-after-all.ts';
import { startPostgres } from './postgres-server.ts';
import { S3_CREDENTIALS, startS3 } from './s3-server.ts';

export async function startBoth() {
  Object.assign(process.env, S3_CREDENTIALS);
  const [postgres, s3] = await Promise.all([startPostgres().then(closeAfterAll), startS3().then(closeAfterAll)]);
  return { postgres, s3 };
}
