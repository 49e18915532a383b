/** Opens the content store that the settings select: files in the data folder, or an S3 bucket. */
import { join } from 'node:path';
import { explainMissing } from '../../errors.ts';
import { parseS3Location } from '../locations.ts';
import type { Blobs } from './blobs.ts';
import { DiskBlobs } from './blobs-disk.ts';

/** `installation` identifies this installation, because others must not use the same bucket prefix. Throws `storage_failed`. */
export async function openBlobs(
  { blobsUrl, dataDir }: { blobsUrl: string; dataDir: string },
  installation: string,
): Promise<Blobs> {
  if (!blobsUrl) return DiskBlobs.open(blobsFolder(dataDir));
  const S3Blobs = await loadS3Blobs();
  return S3Blobs.open(parseS3Location(blobsUrl), { installation, spoolFolder: join(dataDir, 'spool') });
}

/** Where content is stored if no bucket is set. */
export function blobsFolder(dataDir: string): string {
  return join(dataDir, 'blobs');
}

/** Says whether an installation already uses the bucket, without changing it. Throws `storage_failed` if it cannot be read. */
export async function isBucketUsed(blobsUrl: string): Promise<boolean> {
  const S3Blobs = await loadS3Blobs();
  return S3Blobs.isUsed(parseS3Location(blobsUrl));
}

/** Loading the client takes a tenth of a second and 30 MB, so it is loaded only if it is used. */
async function loadS3Blobs() {
  const needed = explainMissing('@aws-sdk/client-s3 @aws-sdk/lib-storage', 'PLATEN_BLOBS_URL');
  const { S3Blobs } = await import('./blobs-s3.ts').catch(needed);
  return S3Blobs;
}
