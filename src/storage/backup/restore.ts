/**
 * Restores a backup into the database and the content store that the settings name. Reads every file, compares it with its checksum,
 * and checks the database before it is used. An interrupted restore continues when it is run again; a refused one leaves nothing behind.
 */
import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandError } from '../../errors.ts';
import { findRefusal, type Refusal, readApplied, selectNewer } from '../migrations/applied.ts';
import { findChange } from '../migrations/schema.ts';
import { openForReading, queryFile } from '../sqlite.ts';
import { type Digest, digestContent } from './digest.ts';
import {
  blobName,
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
import { type BackupEntry, readBackup } from './read.ts';
import { countRows, livingContent } from './snapshot.ts';
import { lockTarget, type RestoreSettings, RestoreTarget } from './target.ts';

export interface Restored extends Summary {
  header: Header;
}

interface Found {
  header: Header;
  summary: Summary | undefined;
  checksums: string | undefined;
  /** By file name. */
  files: Map<string, Digest>;
}

/** Throws `CommandError`, after which nothing is left, and `storage_failed`, after which it can be called again. */
export async function restore(settings: RestoreSettings, source: string, stdin: Readable): Promise<Restored> {
  const unlock = await lockTarget(settings);
  try {
    await using entries = readBackup(source, stdin);
    const { value: first } = await entries.next();
    if (first?.name !== HEADER) throw new CommandError(`this is not a backup of Platen: it does not begin with ${HEADER}`);
    const header = await text(first.content);
    const found: Found = { header: checkHeader(header, settings), summary: undefined, checksums: undefined, files: new Map() };
    found.files.set(HEADER, digestText(header));
    await using target = await RestoreTarget.open(settings, found.header, header);
    return await fill(target, entries, found).catch(async (error: unknown) => {
      const explained = explainArchive(error);
      if (explained instanceof CommandError) await target.clear();
      throw explained;
    });
  } catch (error) {
    throw explainArchive(error);
  } finally {
    unlock();
  }
}

async function fill(target: RestoreTarget, entries: AsyncIterable<BackupEntry>, found: Found): Promise<Restored> {
  for await (const entry of entries) await takeFile(target, entry, found);
  const restored = checkComplete(found);
  await checkDatabase(target.databaseFile, restored);
  await checkContent(target, restored, found);
  await target.complete();
  return restored;
}

/** Unknown names are refused, because they could lead out of the folder. */
async function takeFile(target: RestoreTarget, { name, content }: BackupEntry, found: Found): Promise<void> {
  if (name === CHECKSUMS) {
    found.checksums = await text(content);
    return;
  }
  if (found.files.has(name)) throw new CommandError(`the backup contains ${name} twice`);
  const blob = blobName(name);
  if (name === SUMMARY) {
    const read = await text(content);
    found.files.set(name, digestText(read));
    found.summary = parse(name, read) as Summary;
  } else if (name === DATABASE)
    found.files.set(name, await digestContent(content, createWriteStream(target.databaseFile, { mode: 0o600, flush: true })));
  else if (blob !== undefined) found.files.set(name, await target.put(blob, content));
  else throw new CommandError(`the backup contains ${name}, which is not part of a backup`);
}

function checkHeader(read: string, { blobsUrl }: RestoreSettings): Header {
  const header = parse(HEADER, read) as Header | null;
  if (header?.format !== FORMAT || !Array.isArray(header.migrations))
    throw new CommandError(
      `this version of Platen does not support the format of the backup: use the version that made it (${header?.platen})`,
    );
  requireKnown(header.migrations, header.platen);
  if (header.content === 'bucket' && !blobsUrl)
    throw new CommandError('the content of the documents is in a bucket: set PLATEN_BLOBS_URL to it');
  return header;
}

function requireKnown(applied: string[], version: string, change?: Refusal): void {
  if (selectNewer(applied).length)
    throw new CommandError(`a newer version of Platen (${version}) made the backup: use that version or a later one`);
  const refusal = findRefusal(applied) ?? change;
  if (refusal) throw new CommandError(`${refusal.what}: ${refusal.remedy}`);
}

function checkComplete({ header, summary, checksums, files }: Found): Restored {
  if (checksums === undefined || !summary || !files.has(DATABASE)) throw new CommandError('the backup is not complete');
  const expected = readChecksums(checksums);
  for (const [name, sha256] of expected) {
    const file = files.get(name);
    if (!file) throw new CommandError(`the backup lacks ${name}`);
    if (file.sha256 !== sha256) throw new CommandError(`${name} of the backup is damaged: its SHA-256 differs`);
  }
  const extra = [...files.keys()].find((name) => !expected.has(name));
  if (extra !== undefined) throw new CommandError(`the backup contains ${extra}, which its checksums do not list`);
  return { ...summary, header };
}

async function checkDatabase(path: string, { header, rows }: Restored): Promise<void> {
  {
    using database = openForReading(path);
    const [{ integrity_check: state } = {}] = database.prepare('PRAGMA integrity_check').all();
    if (state !== 'ok') throw new CommandError(`the database of the backup is damaged: ${state}`);
    const [broken] = database.prepare('PRAGMA foreign_key_check').all();
    if (broken)
      throw new CommandError(`the database of the backup is damaged: rows of ${broken.table} refer to rows that are missing`);
  }
  await using query = queryFile(path);
  requireKnown(await readApplied(query), header.platen, await findChange(query));
  const counted = await countRows(path);
  for (const table of new Set([...Object.keys(rows), ...Object.keys(counted)]))
    if (rows[table] !== counted[table])
      throw new CommandError(`the database of the backup has ${counted[table]} rows in ${table} instead of ${rows[table]}`);
}

/** Checks the content, and removes content that was deleted during the backup but is still in the archive. */
async function checkContent(target: RestoreTarget, restored: Restored, { files }: Found): Promise<void> {
  if (restored.header.content === 'bucket') return;
  await using query = queryFile(target.databaseFile);
  const living = await livingContent(query, Date.parse(restored.content_as_of));
  const faults = new Set(restored.faults);
  for (const { blob, bytes, sha256 } of living.filter((each) => !faults.has(each.blob))) {
    const file = files.get(contentPath(blob));
    if (!file) throw new CommandError(`the backup lacks the content of ${blob}`);
    if ((bytes ?? file.bytes) !== file.bytes || (sha256 ?? file.sha256) !== file.sha256)
      throw new CommandError(`the content of ${blob} does not match the database`);
  }
  const named = new Set(living.map(({ blob }) => blob));
  const content = [...files.keys()].flatMap((name) => blobName(name) ?? []);
  const kept = content.filter((blob) => named.has(blob)).length;
  if (kept !== restored.files) throw new CommandError(`the backup has ${kept} files of content instead of ${restored.files}`);
  for (const blob of content.filter((each) => !named.has(each))) await target.remove(blob);
}

function digestText(read: string): Digest {
  return { bytes: Buffer.byteLength(read), sha256: hash('sha256', read) };
}

function parse(name: string, read: string): unknown {
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
