/** Statements about jobs of graphile-worker that are turns, in a schema of their own; see `src/jobs/graphile-jobs.ts`. */
import { sql } from 'kysely';
import { prepared, preparedWrite } from './prepared.ts';

/** Turns follow from rows, so that a version that needs other tables of graphile-worker may use another schema beside this one. */
export const TURNS_SCHEMA = 'platen_jobs';

interface NewTurn {
  task: string;
  owner: string;
  /** There is one turn of a key that waits, whose time stays, or with `replace` becomes this one. */
  key: string;
  mode: 'preserve_run_at' | 'replace';
  flags: string[];
  /** From now; the past is before others. */
  delayMs: number;
  /** Whether one that waits already is left as it is, without a lock on it: only where one that is missed comes again. */
  unlessWaiting: boolean;
}

export const putTurn = preparedWrite((query, { task, owner, key, mode, flags, delayMs, unlessWaiting }: NewTurn) => ({
  compile: () =>
    sql`
      select from platen_jobs.add_job(
        identifier => ${task}, payload => json_build_object('owner', ${owner}::text), job_key => ${key}, job_key_mode => ${mode},
        flags => ${flags}::text[], run_at => now() + ${delayMs}::float8 * interval '1 millisecond')
      where not (${unlessWaiting} and exists (select from platen_jobs.jobs where key = ${key} and locked_at is null and attempts = 0))`.compile(
      query,
    ),
}));

/** Frees turns that were not given back for so long, and removes those that another one has replaced meanwhile. */
export const freeTurns = prepared((query, { olderThanMs }: { olderThanMs: number }) => ({
  compile: () =>
    sql<object>`
      select
        platen_jobs.force_unlock_workers(array(
          select distinct locked_by from platen_jobs.jobs
          where locked_at < now() - ${olderThanMs}::float8 * interval '1 millisecond')),
        platen_jobs.complete_jobs(array(
          select id from platen_jobs.jobs where attempts >= max_attempts and locked_at is null))`.compile(query),
}));
