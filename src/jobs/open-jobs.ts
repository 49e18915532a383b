/**
 * Opens the job runner for the database: graphile-worker on PostgreSQL, which is loaded only then; otherwise the embedded one.
 */
import { explainMissing } from '../errors.ts';
import { type Database, POSTGRES_PACKAGES } from '../storage/database.ts';
import { EmbeddedJobs } from './embedded-jobs.ts';
import type { Jobs } from './jobs.ts';

export async function openJobs(database: Database): Promise<Jobs> {
  if (!database.isShared) return new EmbeddedJobs();
  const { openGraphileJobs } = await import('./graphile-jobs.ts').catch(explainMissing(...POSTGRES_PACKAGES));
  return openGraphileJobs(database);
}
