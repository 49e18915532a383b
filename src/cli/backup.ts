/** `platen backup` and `platen restore`: back up the data folder, and restore it with a check of every file. */
import { type Config, loadConfig } from '../config.ts';
import { CommandError } from '../errors.ts';
import { backUp } from '../storage/backup/back-up.ts';
import { type Restored, restore } from '../storage/backup/restore.ts';
import { inspectDatabase } from '../storage/database.ts';
import { VERSION } from '../version.ts';
import { countLostCertificates, lackOf, remedyFor, secretKeyFile } from './lost-certificates.ts';

/** Maximum number of printed names; the summary in the backup contains all of them. */
const MAX_SHOWN = 20;

export async function createBackup(destination: string): Promise<void> {
  const config = loadConfig();
  refusePostgres(config);
  // Other commands succeed if the reader closes their output. An incomplete backup must fail, and remove its copy of the database.
  if (destination === '-') process.stdout.removeAllListeners('error');
  const summary = await backUp({ ...config, version: VERSION }, destination, process.stdout);
  tell(`backed up ${sizeOf(summary)}`);
  if (config.blobsUrl)
    tell('The content of documents is in the bucket and not part of this backup: back up the bucket after it.');
  await tellSecretKey(
    config,
    (file, { all }) =>
      `The secret key of the stored certificates (${all}) is not part of a backup: keep a copy of ${file} in another place, because they cannot sign without it.`,
  );
  if (!summary.faults.length) return;
  tell(`Content was missing or damaged in the data folder: ${summary.faults.slice(0, MAX_SHOWN).join(', ')}`);
  process.exitCode = 1;
}

export async function restoreBackup(source: string): Promise<void> {
  const config = loadConfig();
  refusePostgres(config);
  const target = { dataDir: config.dataDir, content: config.blobsUrl ? 'bucket' : 'files' } as const;
  const restored = await restore(target, source, process.stdin);
  tell(`restored ${sizeOf(restored)} into ${config.dataDir}, as they were at ${restored.as_of}`);
  await tellSecretKey(config);
  if (restored.faults.length) tell(`The backup lacks the content of ${restored.faults.length} documents, as its source did.`);
}

/** `always` is told if there are certificates; that some cannot sign, in any case. */
async function tellSecretKey(config: Config, always?: (file: string, count: { all: number }) => string): Promise<void> {
  const state = await inspectDatabase(config);
  const file = secretKeyFile(config);
  const { all, lost } = countLostCertificates(config, state?.certificates ?? {});
  if (all && always) tell(always(file, { all }));
  if (lost) tell(`${lost} of ${all} stored certificates cannot sign: ${lackOf(file)}; ${remedyFor(file)}.`);
}

function refusePostgres({ databaseUrl }: { databaseUrl: string }): void {
  if (databaseUrl)
    throw new CommandError(
      'PLATEN_DATABASE_URL is set: back up PostgreSQL with its own tools, as docs/operate/backups.md shows, or unset it',
    );
}

function sizeOf({ rows, files, bytes }: Pick<Restored, 'rows' | 'files' | 'bytes'>): string {
  const all = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return `${all} rows and ${files} files with ${bytes} bytes`;
}

/** Writes to standard error, because standard output may be the backup. */
function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
