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

const CONTENT = /^blobs\/([0-9A-Za-z]{2})\/((?:doc|idm|tas)_\1[0-9A-Za-z]+)$/;
const LINE = /^([0-9a-f]{64}) {2}(\S+)$/gm;

/** The file name of a blob in a backup, which is also its path in the data folder. */
export function contentPath(blob: string): string {
  return `blobs/${blob.slice(blob.indexOf('_') + 1).slice(0, 2)}/${blob}`;
}

/** The blob name of a file; undefined for any other file. */
export function blobName(name: string): string | undefined {
  return CONTENT.exec(name)?.[2];
}

/** `files` has the SHA-256 of each file by its name. */
export function writeChecksums(files: ReadonlyMap<string, string>): string {
  return [...files].map(([name, sha256]) => `${sha256}  ${name}\n`).join('');
}

/** Leaves out lines of another form, such as one that a crash has cut off. */
export function readChecksums(text: string): Map<string, string> {
  return new Map(Array.from(text.matchAll(LINE), ([, sha256 = '', name = '']) => [name, sha256]));
}
