/**
 * Opens the job runner for the database: graphile-worker on PostgreSQL, which is loaded only then; otherwise the embedded one.
 */
import type { Clock } from '../accounts/leases.ts';
import type { Database } from '../storage/database.ts';
import { EmbeddedJobs } from './embedded-jobs.ts';
import type { Jobs } from './jobs.ts';

export async function openJobs(database: Database, clock: Clock): Promise<Jobs> {
  if (!database.isShared) return new EmbeddedJobs(clock);
  return (await import('./graphile-jobs.ts')).openGraphileJobs(database, clock);
}
