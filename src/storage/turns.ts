/**
 * Statements for the jobs of graphile-worker that represent turns, in a schema of their own; see `src/jobs/graphile-jobs.ts`.
 */
import { sql } from 'kysely';
import { prepared, preparedWrite } from './prepared.ts';

/**
 * Turns can be derived from rows, so a version that needs a newer schema of graphile-worker can use another one next to this.
 */
export const TURNS_SCHEMA = 'platen_jobs';

interface NewTurn {
  task: string;
  owner: string;
  /** At most one turn with this key is queued. If one is, it keeps its time, or with `replace` gets the new one. */
  key: string;
  mode: 'preserve_run_at' | 'replace';
  flags: string[];
  /** The delay from now. A negative value puts the turn before others. */
  delayMs: number;
  /**
   * Whether to leave a queued turn alone without locking it. Use it only for turns that are repeated, because one can be missed.
   */
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

/**
 * Unlocks jobs that have been locked for longer than `olderThanMs`, and removes jobs that another one has replaced in the
 * meantime.
 */
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
