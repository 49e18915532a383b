/**
 * Restores a backup into an empty data folder: reads every file, compares it with its checksum, and checks the database before it
 * gets its final name. After an error, the folder is empty again.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../../errors.ts';
import { syncFolder } from '../files.ts';
import { lockFolder } from '../folder-lock.ts';
import { migrations } from '../migrations/index.ts';
import { openForReading } from '../sqlite.ts';
import {
  blobOf,
  CHECKSUMS,
  contentPath,
  DATABASE,
  FORMAT,
  HEADER,
  type Header,
  readChecksums,
  SUMMARY,
  type Summary,
} from './format.ts';
import { readBackup } from './read.ts';
import { livingContent, migrationsOf, rowsOf } from './snapshot.ts';

/** Matches the files of the lock, which is held during the restore. */
const LOCK = /^service\.lock/;
/** The name of the database until it has been checked. */
const UNCHECKED = 'platen.db.restoring';

export interface Restored extends Summary {
  header: Header;
}

interface Found {
  header: Header | undefined;
  summary: Summary | undefined;
  checksums: string | undefined;
  /** By file name. */
  files: Map<string, { bytes: number; sha256: string }>;
}

/** `content` is where the settings put the content of documents. Throws `CommandError`. */
export async function restore(
  target: { dataDir: string; content: Header['content'] },
  source: string,
  stdin: Readable,
): Promise<Restored> {
  const unlock = lockFolder(target.dataDir);
  if (!unlock)
    throw new CommandError(`a service uses the data folder ${target.dataDir}: stop it, or set PLATEN_DATA_DIR to a new one`);
  try {
    const others = (await readdir(target.dataDir)).filter((name) => !LOCK.test(name));
    if (others.length) throw new CommandError(`the data folder ${target.dataDir} is not empty: set PLATEN_DATA_DIR to a new one`);
    try {
      return await fill(target, source, stdin);
    } catch (error) {
      await empty(target.dataDir);
      throw explainArchive(error);
    }
  } finally {
    unlock();
  }
}

async function fill({ dataDir, content }: Parameters<typeof restore>[0], source: string, stdin: Readable): Promise<Restored> {
  const found: Found = { header: undefined, summary: undefined, checksums: undefined, files: new Map() };
  for await (const { name, content: bytes } of readBackup(source, stdin)) {
    if (!found.header && name !== HEADER)
      throw new CommandError(`this is not a backup of Platen: it does not begin with ${HEADER}`);
    await writeFile(dataDir, name, bytes, found);
    if (name === HEADER) found.header = checkedHeader(found.header, content);
  }
  const restored = checkComplete(found);
  const database = join(dataDir, UNCHECKED);
  checkDatabase(database, restored);
  await checkContent(dataDir, restored, found);
  await syncFolder(dataDir);
  await rename(database, join(dataDir, DATABASE));
  await syncFolder(dataDir);
  return restored;
}

/** Writes a file. Unknown names are refused, because they could lead out of the folder. */
async function writeFile(dataDir: string, name: string, content: Readable, found: Found): Promise<void> {
  if (name === CHECKSUMS) {
    found.checksums = await text(content);
    return;
  }
  if (found.files.has(name)) throw new CommandError(`the backup contains ${name} twice`);
  if (name === HEADER || name === SUMMARY) {
    const read = await text(content);
    found.files.set(name, { bytes: Buffer.byteLength(read), sha256: createHash('sha256').update(read).digest('hex') });
    Object.assign(found, { [name === HEADER ? 'header' : 'summary']: parsed(name, read) });
    return;
  }
  if (name !== DATABASE && blobOf(name) === undefined)
    throw new CommandError(`the backup contains ${name}, which is not part of a backup`);
  const path = join(dataDir, name === DATABASE ? UNCHECKED : name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  found.files.set(name, await written(content, path));
}

function checkedHeader(header: Header | undefined, content: Header['content']): Header {
  if (header?.format !== FORMAT || !Array.isArray(header.migrations))
    throw new CommandError(`this version of Platen does not support the format of the backup: use Platen ${header?.platen}`);
  requireKnown(header.migrations, header.platen);
  if (header.content === content) return header;
  throw new CommandError(
    header.content === 'bucket'
      ? 'the content of the documents is in a bucket: set PLATEN_BLOBS_URL to it'
      : 'the backup contains the content of the documents as files: unset PLATEN_BLOBS_URL, and run `platen migrate-store` afterwards',
  );
}

function requireKnown(applied: string[], version: string): void {
  const unknown = applied.filter((name) => !(name in migrations));
  if (unknown.length)
    throw new CommandError(`a newer version of Platen (${version}) made the backup: use that version or a later one`);
}

function checkComplete({ header, summary, checksums, files }: Found): Restored {
  const expected = checksums === undefined ? undefined : readChecksums(checksums);
  if (!expected || !header || !summary || !files.has(DATABASE)) throw new CommandError('the backup is not complete');
  for (const { name, sha256 } of expected) {
    const file = files.get(name);
    if (!file) throw new CommandError(`the backup lacks ${name}`);
    if (file.sha256 !== sha256) throw new CommandError(`${name} of the backup is damaged: its SHA-256 differs`);
  }
  const extra =
    expected.length === files.size ? undefined : [...files.keys()].find((name) => !expected.some((each) => each.name === name));
  if (extra !== undefined) throw new CommandError(`the backup contains ${extra}, which its checksums do not list`);
  return { ...summary, header };
}

function checkDatabase(path: string, { header, rows }: Restored): void {
  {
    using database = openForReading(path);
    const [{ integrity_check: state } = {}] = database.prepare('PRAGMA integrity_check').all();
    if (state !== 'ok') throw new CommandError(`the database of the backup is damaged: ${state}`);
    const [broken] = database.prepare('PRAGMA foreign_key_check').all();
    if (broken)
      throw new CommandError(`the database of the backup is damaged: rows of ${broken.table} refer to rows that are missing`);
  }
  requireKnown(migrationsOf(path), header.platen);
  const counted = rowsOf(path);
  for (const table of new Set([...Object.keys(rows), ...Object.keys(counted)]))
    if (rows[table] !== counted[table])
      throw new CommandError(`the database of the backup has ${counted[table]} rows in ${table} instead of ${rows[table]}`);
}

/** Checks the content, and removes content that was deleted during the backup but is still in the archive. */
async function checkContent(dataDir: string, restored: Restored, { files }: Found): Promise<void> {
  if (restored.header.content === 'bucket') return;
  const living = livingContent(join(dataDir, UNCHECKED), Date.parse(restored.content_as_of));
  const faults = new Set(restored.faults);
  for (const { blob, bytes, sha256 } of living.filter((each) => !faults.has(each.blob))) {
    const file = files.get(contentPath(blob));
    if (!file) throw new CommandError(`the backup lacks the content of ${blob}`);
    if ((bytes ?? file.bytes) !== file.bytes || (sha256 ?? file.sha256) !== file.sha256)
      throw new CommandError(`the content of ${blob} does not match the database`);
  }
  const named = new Set(living.map(({ blob }) => contentPath(blob)));
  const content = [...files.keys()].filter((name) => blobOf(name) !== undefined);
  const kept = content.filter((name) => named.has(name));
  if (kept.length !== restored.files)
    throw new CommandError(`the backup has ${kept.length} files of content instead of ${restored.files}`);
  for (const name of content.filter((each) => !named.has(each))) await rm(join(dataDir, name));
  for (const folder of new Set(content.map(dirname))) await syncFolder(join(dataDir, folder));
}

async function written(content: Readable, path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(content, hashing, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  return { bytes, sha256: hash.digest('hex') };
}

function parsed(name: string, read: string): unknown {
  try {
    return JSON.parse(read);
  } catch {
    throw new CommandError(`${name} of the backup is damaged`);
  }
}

/** Explains the errors of a damaged or truncated archive: errors without a code, or a destroyed stream. */
function explainArchive(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isPlain = error.constructor === Error && (error as NodeJS.ErrnoException).code === undefined;
  const isBrokenOff = (error as NodeJS.ErrnoException).code === 'STREAM_DESTROYED';
  return isPlain || isBrokenOff ? new CommandError(`the archive cannot be read: ${error.message}`) : error;
}

async function empty(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => !LOCK.test(name));
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
}
