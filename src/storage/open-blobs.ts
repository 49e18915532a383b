/** Opens the place for content that the settings name: files in the data folder, or a bucket. */
import { join } from 'node:path';
import { explainMissing } from '../errors.ts';
import type { Blobs } from './blobs.ts';
import { DiskBlobs } from './blobs-disk.ts';
import { parseS3Location } from './locations.ts';

/** `installation` tells this installation from others, which may not use the same place. Throws `storage_failed`. */
export async function openBlobs(
  { blobsUrl, dataDir }: { blobsUrl: string; dataDir: string },
  installation: string,
): Promise<Blobs> {
  if (!blobsUrl) return DiskBlobs.open(join(dataDir, 'blobs'));
  // The client takes a tenth of a second and 30 MB: only who uses it pays.
  const { S3Blobs } = await import('./blobs-s3.ts').catch(
    explainMissing('@aws-sdk/client-s3 @aws-sdk/lib-storage', 'PLATEN_BLOBS_URL'),
  );
  return S3Blobs.open(parseS3Location(blobsUrl), { installation, spoolFolder: join(dataDir, 'spool') });
}
