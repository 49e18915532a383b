/**
 * Statements for the jobs of graphile-worker that represent turns, in a schema of their own; see `src/jobs/graphile-jobs.ts`.
 */
import { sql } from 'kysely';
import { prepareQuery, prepareWrite } from './prepared.ts';

/**
 * Turns can be derived from rows, so a version that needs a newer schema of graphile-worker can use another one next to this.
 */
export const TURNS_SCHEMA = 'platen_jobs';

interface NewTurns {
  task: string;
  owners: string[];
  /** Whether these are further turns, which a queued one does not stand for. They get the new time if they are queued already. */
  isLater: boolean;
  /** The delay from now. A negative value puts the turns before others. */
  delayMs: number;
  /**
   * Whether to leave queued turns alone without locking them. Use it only for turns that are repeated, because one can be missed.
   */
  unlessWaiting: boolean;
}

/** At most one turn of an owner is queued. If one is, it keeps its time. */
export const putTurns = prepareWrite((query, { task, owners, isLater, delayMs, unlessWaiting }: NewTurns) => ({
  compile: () =>
    sql`
      select count(platen_jobs.add_job(
        identifier => ${task}, payload => json_build_object('owner', owner), flags => array[${task}, flag], job_key => turn,
        job_key_mode => case when ${isLater}::boolean then 'replace' else 'preserve_run_at' end, run_at => now() + ${delayMs}::float8 * interval '1 millisecond'))
      from (
        select owner, flag, flag || case when ${isLater}::boolean then ' later' else '' end as turn
        from unnest(${owners}::text[]) as owner, lateral (select ${task} || ' ' || owner as flag) as flags
      ) as turns
      where not (${unlessWaiting} and exists (select from platen_jobs.jobs where key = turn and locked_at is null and attempts = 0))`.compile(
      query,
    ),
}));

/**
 * Unlocks jobs that have been locked for longer than `olderThanMs`, and removes jobs that another one has replaced in the
 * meantime. If the clock of the server was set back, also unlocks jobs that were locked in the future, and runs those that are
 * further away than their task puts them (`furthestMs`, a JSON object). Later turns stay: recovery adds others when work is due.
 */
export const freeTurns = prepareQuery((query, { olderThanMs, furthestMs }: { olderThanMs: number; furthestMs: string }) => ({
  compile: () =>
    sql<object>`
      select
        platen_jobs.force_unlock_workers(array(
          select distinct locked_by from platen_jobs.jobs
          where locked_at < now() - ${olderThanMs}::float8 * interval '1 millisecond' or locked_at > now())),
        platen_jobs.complete_jobs(array(
          select id from platen_jobs.jobs where attempts >= max_attempts and locked_at is null)),
        platen_jobs.reschedule_jobs(array(
          select id from platen_jobs.jobs
          where locked_at is null and key not like '% later'
          and run_at > now() + (${furthestMs}::jsonb ->> task_identifier)::float8 * interval '1 millisecond'), run_at => now())`.compile(
      query,
    ),
}));
