/** `platen migrate-store`: copies the data folder to the PostgreSQL database and the bucket in the settings. */
import { loadConfig } from '../config.ts';
import { Links } from '../documents/links.ts';
import { migrateStore as migrate } from '../storage/move/migrate-store.ts';
import { print } from './terminal/print.ts';

/** Maximum number of printed names. */
const MAX_SHOWN = 20;
/** Progress is printed after this many files. */
const PROGRESS = 1_000;

export async function migrateStore(): Promise<void> {
  const config = loadConfig();
  const { files, bytes, rows, faults } = await migrate(config, {
    installationOf: async (source) => (await Links.open(source, Date.now)).secretFor('blobs').toString('hex'),
    onProgress: (done, total) => {
      if (done % PROGRESS === 0) process.stderr.write(`${done} of ${total} files\n`);
    },
  });
  const where = config.blobsUrl ? 'in the bucket' : 'in the data folder, where the content stays';
  print(`${files} files with ${bytes} bytes are ${where} and were verified.`);
  if (config.databaseUrl) print(rows === null ? 'The database had all rows already.' : `${rows} rows were copied and compared.`);
  if (!faults.length) return;
  process.stderr.write(`Content was missing or damaged before: ${faults.slice(0, MAX_SHOWN).join(', ')}\n`);
  process.exitCode = 1;
}
