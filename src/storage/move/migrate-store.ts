/**
 * Copies the data of a data folder to the targets in the settings: rows to PostgreSQL, content to a bucket, or both. The source is
 * not changed. Content is copied before the rows that name it.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CommandError, hasCode } from '../../errors.ts';
import { livingContent } from '../backup/snapshot.ts';
import type { Blobs } from '../blobs.ts';
import { DiskBlobs } from '../blobs-disk.ts';
import { type Database, type DatabaseSettings, openDatabase, openOrCreateDatabase } from '../database.ts';
import { lockFolder } from '../folder-lock.ts';
import { namedBlobs } from '../named-blobs.ts';
import { openBlobs } from '../open-blobs.ts';
import { Journal } from './journal.ts';
import { type MovedContent, moveContent } from './move-content.ts';
import { compareRows, moveRows } from './move-rows.ts';

export interface MigrationSettings extends DatabaseSettings {
  databaseUrl: string;
  blobsUrl: string;
}

export interface MigrationOptions {
  /** See `openBlobs`. */
  installationOf(source: Database): Promise<string>;
  onProgress(done: number, total: number): void;
}

export interface Migrated extends MovedContent {
  /** Number of copied rows; null if the database is not moved, or the target already had all rows. */
  rows: number | null;
}

const DATABASE = 'platen.db';
const JOURNAL = 'migrate-store.journal';

/** Throws `CommandError` and `storage_failed`. It can be called again after any error or crash. */
export async function migrateStore(settings: MigrationSettings, options: MigrationOptions): Promise<Migrated> {
  const { dataDir, databaseUrl, blobsUrl } = settings;
  if (!databaseUrl && !blobsUrl)
    throw new CommandError('set PLATEN_DATABASE_URL, PLATEN_BLOBS_URL or both to the target of the data');
  if (!(await stat(join(dataDir, DATABASE)).catch(() => undefined)))
    throw new CommandError(`there is no database in ${dataDir}: set PLATEN_DATA_DIR to the folder of the installation to move`);
  await using open = new AsyncDisposableStack();
  const unlock = lockFolder(dataDir);
  if (!unlock) throw new CommandError(`a service uses the data folder ${dataDir}: stop it first`);
  open.defer(unlock);
  const source = await openDatabase({ dataDir });
  open.defer(() => source.close());
  const installation = await options.installationOf(source);
  const rows = new DatabaseSync(join(dataDir, DATABASE));
  open.defer(() => rows.close());
  rows.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE'); // blocks commands such as `platen keys` until the end, which time out
  const target = databaseUrl ? await openTarget(settings, rows, open) : undefined;
  const from = await DiskBlobs.open(join(dataDir, 'blobs'));
  const to = blobsUrl ? await openBlobs(settings, installation) : from;
  open.defer(() => to.close());
  const journal = Journal.open(join(dataDir, JOURNAL), blobsUrl);
  open.defer(() => journal.close());
  journal.keepOnly(to === from ? new Set() : await listOwn({ from, to }, source, journal));
  const content = livingContent(join(dataDir, DATABASE), Date.now());
  const moved = await moveContent({ from, to }, content, journal, (done) => options.onProgress(done, content.length));
  const count = target?.state === 'empty' ? await moveRows(rows, target.database) : null;
  journal.remove();
  return { ...moved, rows: count };
}

interface Target {
  database: Database;
  state: 'empty' | 'same';
}

/** Opens the target database and keeps other nodes out of it until the end. */
async function openTarget(settings: MigrationSettings, rows: DatabaseSync, open: AsyncDisposableStack): Promise<Target> {
  const database = await openOrCreateDatabase(settings);
  open.defer(() => database.close());
  const nodes = await database.joinNodes({ alone: true, onNotice() {} }).catch((error: unknown) => {
    if (hasCode(error, 'storage_failed') && !error.cause)
      throw new CommandError('a node uses the database of PLATEN_DATABASE_URL: stop it first');
    throw error;
  });
  open.defer(() => nodes.close());
  const state = await compareRows(rows, database.query);
  if (state === 'different')
    throw new CommandError(
      'the database of PLATEN_DATABASE_URL has rows of its own: use an empty one, or the one of this migration',
    );
  return { database, state };
}

async function namedIn(source: Database, names: string[]): Promise<Set<string>> {
  const named = await namedBlobs(source, names);
  if (!named) throw new CommandError('a newer version of Platen has migrated the data folder: use that version');
  return named;
}

/**
 * Lists the content that the bucket already has. A bucket that this installation used before may have content that no sweep has
 * removed yet. Content that this migration sent, and that was deleted or expired while a service ran in between, is removed.
 * Nothing else is removed, because the data folder may be outdated and the bucket in use with rows that are elsewhere.
 */
async function listOwn({ from, to }: { from: Blobs; to: Blobs }, source: Database, journal: Journal): Promise<Set<string>> {
  const soon = Date.now() + 60_000; // the clock of the bucket may differ
  const { value: first } = await from.names(soon)[Symbol.asyncIterator]().next();
  const present = new Set<string>();
  for await (const names of to.names(soon)) {
    const named = await namedIn(source, names);
    for (const name of names) {
      if (named.has(name) || (first === undefined && !journal.hasSent(name))) present.add(name);
      else if (journal.hasSent(name)) await to.remove(name);
      else
        throw new CommandError(
          `the bucket of PLATEN_BLOBS_URL has content that does not belong to this installation (${name}): use an empty bucket or prefix`,
        );
    }
  }
  return present;
}
