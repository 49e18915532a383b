/** Opens what a backup copies: the database and the content store that the settings name, without changing either. */
import { CommandError } from '../../errors.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { openBlobs } from '../blobs/open-blobs.ts';
import { type DatabaseSettings, openForInspection, requireUsable } from '../database.ts';
import { migrations } from '../migrations/index.ts';
import type { Query } from '../tables.ts';
import type { Header } from './format.ts';

export interface BackupSettings extends DatabaseSettings {
  databaseUrl: string;
  blobsUrl: string;
  version: string;
  /** Leaves the content in its bucket. */
  databaseOnly: boolean;
  /** See `openBlobs`. Returns an empty text for a service that was never started. */
  installationOf(query: Query): Promise<string>;
}

export interface BackupSource extends AsyncDisposable {
  query: Query;
  ofPostgres: boolean;
  /** Absent if the content is not part of the backup, or if there is none because the service was never started. */
  blobs: Blobs | undefined;
  content: Header['content'];
  version: string;
  installation: string;
  migrations: string[];
}

/** Throws `CommandError` and `storage_failed`. */
export async function openSource(settings: BackupSettings): Promise<BackupSource> {
  const { dataDir, databaseUrl, blobsUrl, databaseOnly, version } = settings;
  if (databaseOnly && !blobsUrl)
    throw new CommandError('--database-only needs PLATEN_BLOBS_URL: content in the data folder belongs to the backup');
  await using opened = new AsyncDisposableStack(); // closes what is open if something throws
  const query = await openForInspection(settings);
  if (!query) throw new CommandError(`there is no database in ${dataDir}`);
  opened.defer(() => query.destroy());
  const applied = await requireUsable(query);
  if (databaseUrl) requireCurrent(applied);
  const installation = await settings.installationOf(query);
  const blobs = databaseOnly || !installation ? undefined : await openBlobs(settings, installation);
  if (blobs) opened.defer(() => blobs.close());
  const all = opened.move();
  return {
    ...{ query, ofPostgres: databaseUrl !== '', blobs, content: databaseOnly ? 'bucket' : 'files' },
    ...{ version, installation, migrations: applied },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Rows of PostgreSQL are copied into the tables of this version. */
function requireCurrent(applied: string[]): void {
  if (!applied.length) throw new CommandError('the database of PLATEN_DATABASE_URL has no tables yet');
  if (!applied.includes(Object.keys(migrations).at(-1) ?? ''))
    throw new CommandError(
      'an older version of Platen made the database: use that version for the backup, or start this one first',
    );
}
