/** The format of a backup: the names of its files, in the order in which they are written, and their content. */

/** The first file, which describes the format. */
export const HEADER = 'platen-backup.json';
export const DATABASE = 'platen.db';
/** Counts of rows and files, which `restore` compares. */
export const SUMMARY = 'summary.json';
/** The last file, in the format of `sha256sum -c`. A backup without it is incomplete. */
export const CHECKSUMS = 'SHA256SUMS';

export const FORMAT = 2;

export interface Header {
  format: number;
  platen: string;
  created_at: string;
  /** Identifies the installation in its bucket; see `openBlobs`. Empty if the service was never started. */
  installation: string;
  migrations: string[];
  /** `bucket` if the content of documents stays in a bucket that is backed up separately. */
  content: 'files' | 'bucket';
}

export interface Summary {
  /** When the database was copied: `restore` returns to this state. */
  as_of: string;
  /** Shortly after `as_of`: when the content was complete. Content that had expired by then is not part of the backup. */
  content_as_of: string;
  rows: Record<string, number>;
  /** Number and total size of the files with content. */
  files: number;
  bytes: number;
  /** Names of content that was already missing or damaged in the data folder. */
  faults: string[];
}

export interface BackupFile {
  name: string;
  sha256: string;
}

const CONTENT = /^blobs\/([0-9A-Za-z]{2})\/((?:doc|idm|tas)_\1[0-9A-Za-z]+)$/;
const LINE = /^([0-9a-f]{64}) {2}(\S+)$/;

/** The file name of a blob in a backup, which is also its path in the data folder. */
export function contentPath(blob: string): string {
  return `blobs/${blob.slice(blob.indexOf('_') + 1).slice(0, 2)}/${blob}`;
}

/** The blob name of a file; undefined for any other file. */
export function blobName(name: string): string | undefined {
  return CONTENT.exec(name)?.[2];
}

export function writeChecksums(files: BackupFile[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}

export function readChecksums(text: string): BackupFile[] | undefined {
  const lines = text.split('\n').filter(Boolean);
  const files = lines.flatMap((line) => {
    const [, sha256 = '', name = ''] = LINE.exec(line) ?? [];
    return name ? [{ name, sha256 }] : [];
  });
  return files.length === lines.length ? files : undefined;
}
