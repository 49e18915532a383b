/** What a backup consists of: the names of its files, in the order in which they are written, and what is in them. */

/** First: what a reader must understand. */
export const HEADER = 'platen-backup.json';
export const DATABASE = 'platen.db';
/** What was found, to be counted again. */
export const SUMMARY = 'summary.json';
/** Last, as `sha256sum -c` reads it. A backup without it is not complete. */
export const CHECKSUMS = 'SHA256SUMS';

export const FORMAT = 1;

export interface Header {
  format: number;
  /** The version of Platen that made it. */
  platen: string;
  created_at: string;
  /** Migrations that the database has. */
  migrations: string[];
  /** Whether the content of documents is part of the backup, or in a bucket that has a backup of its own. */
  content: 'files' | 'bucket';
}

export interface Summary {
  /** When the database was copied: the state that comes back. */
  as_of: string;
  /** Shortly after: when the content that the copy names was there. What had expired by then is not part of the backup. */
  content_as_of: string;
  /** Rows of each table. */
  rows: Record<string, number>;
  /** Number and size of the files with content. */
  files: number;
  bytes: number;
  /** Content that was missing or damaged in the data folder already: names of documents. */
  faults: string[];
}

export interface BackupFile {
  name: string;
  sha256: string;
}

const CONTENT = /^blobs\/([0-9A-Za-z]{2})\/((?:doc|idm|tas)_\1[0-9A-Za-z]+)$/;
const LINE = /^([0-9a-f]{64}) {2}(\S+)$/;

/** The name of a blob as that of a file in a backup: where the data folder has it. */
export function contentPath(blob: string): string {
  return `blobs/${blob.slice(blob.indexOf('_') + 1).slice(0, 2)}/${blob}`;
}

/** Undefined for names that no backup has. */
export function blobOf(name: string): string | undefined {
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
