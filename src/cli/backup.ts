/** `platen backup` and `platen restore`: back up the database and the content, and restore them wherever the settings say. */
import { SecretKeyError } from '../certificates/secret-keys.ts';
import { type Config, loadConfig } from '../config.ts';
import { readInstallation } from '../documents/links.ts';
import { backUp } from '../storage/backup/back-up.ts';
import { type Restored, restore } from '../storage/backup/restore.ts';
import { inspectDatabase } from '../storage/database.ts';
import { VERSION } from '../version.ts';
import { countLostCertificates, describeLack, describeRemedy, secretKeyFile } from './lost-certificates.ts';

/** Maximum number of printed names; the summary in the backup contains all of them. */
const MAX_SHOWN = 20;

export async function createBackup(destination: string, { databaseOnly = false }: { databaseOnly?: boolean }): Promise<void> {
  const { services } = loadConfig();
  // Other commands succeed if the reader closes their output. An incomplete backup must fail, and remove its copy of the database.
  if (destination === '-') process.stdout.removeAllListeners('error');
  const settings = { ...services.storage, version: VERSION, databaseOnly, installationOf: readInstallation };
  const summary = await backUp(settings, destination, process.stdout);
  tell(`backed up ${describeSize(summary)}`);
  if (databaseOnly) tell('The content of documents is in the bucket and not part of this backup: back up the bucket after it.');
  await tellSecretKey(
    services,
    (file, { all }) =>
      `The secret key of the stored certificates (${all}) is not part of a backup: keep a copy of ${file} in another place, because they cannot sign without it.`,
  );
  if (!summary.faults.length) return;
  tell(`Content was missing or damaged: ${summary.faults.slice(0, MAX_SHOWN).join(', ')}`);
  process.exitCode = 1;
}

export async function restoreBackup(source: string): Promise<void> {
  const { services } = loadConfig();
  const restored = await restore(services.storage, source, process.stdin);
  tell(`restored ${describeSize(restored)} into ${describePlaces(services.storage)}, as they were at ${restored.as_of}`);
  await tellSecretKey(services);
  if (restored.faults.length) tell(`The backup lacks the content of ${restored.faults.length} documents, as its source did.`);
}

/** `always` is told if there are certificates; that some cannot sign, in any case. */
async function tellSecretKey(
  services: Config['services'],
  always?: (file: string, count: { all: number }) => string,
): Promise<void> {
  const certificates = (await inspectDatabase(services.storage))?.certificates ?? {};
  const all = Object.values(certificates).reduce((sum, each) => sum + each, 0);
  if (!all) return;
  const file = secretKeyFile(services);
  if (always) tell(always(file, { all }));
  const lost = countLost(services, certificates);
  if (lost instanceof SecretKeyError) return tell(`None of ${all} stored certificates can sign: ${lost.message}`);
  if (lost) tell(`${lost} of ${all} stored certificates cannot sign: ${describeLack(file)}; ${describeRemedy(file)}.`);
}

/** Returns the error if the file with the secret key cannot be used, because the backup or the restored data are complete. */
function countLost(services: Config['services'], certificates: Record<string, number>): number | SecretKeyError {
  try {
    return countLostCertificates(services, certificates).lost;
  } catch (error) {
    if (!(error instanceof SecretKeyError)) throw error;
    return error;
  }
}

/** URLs may have passwords. */
function describePlaces({ dataDir, databaseUrl, blobsUrl }: Config['services']['storage']): string {
  const places = [databaseUrl && 'the database of PLATEN_DATABASE_URL', blobsUrl && 'PLATEN_BLOBS_URL'].filter(Boolean);
  return [...places, ...(places.length < 2 ? [dataDir] : [])].join(' and ');
}

function describeSize({ rows, files, bytes }: Pick<Restored, 'rows' | 'files' | 'bytes'>): string {
  const all = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return `${all} rows and ${files} files with ${bytes} bytes`;
}

/** Writes to standard error, because standard output may be the backup. */
function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
