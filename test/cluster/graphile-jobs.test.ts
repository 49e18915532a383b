/** Background work of several nodes, on PostgreSQL. */
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { openGraphileJobs } from '../../src/jobs/graphile-jobs.ts';
import { type ClaimResult, type Jobs, NO_WORK, type TaskName } from '../../src/jobs/jobs.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { describeJobs } from '../jobs/contract.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { IDLE_TASKS } from '../support/idle-tasks.ts';
import { eventually } from '../support/service.ts';
import { startPostgres } from './postgres-server.ts';

const server = await startPostgres().then(closeAfterAll);

async function openWorld() {
  const databaseUrl = await server.createDatabase();
  const database = await openDatabase({ dataDir: '', databaseUrl, databaseConnections: 5 });
  const opened: Jobs[] = [];
  return {
    ...{ databaseUrl, database },
    async open() {
      const jobs = await openGraphileJobs(database);
      opened.push(jobs);
      return jobs;
    },
    async [Symbol.asyncDispose]() {
      for (const jobs of opened) await jobs.close();
      await database.close();
    },
  };
}

describe('graphile-worker', () => describeJobs(openWorld));

/** Counts how often each process took the job. */
function counted(name: TaskName, jobs: Jobs[], rows: Map<string, number>, everyMs?: number): number[] {
  const counts = jobs.map(() => 0);
  for (const [node, each] of jobs.entries()) {
    const take = async (owner: string): Promise<ClaimResult> => {
      const left = rows.get(owner) ?? 0;
      if (!left) return NO_WORK;
      rows.set(owner, left - 1);
      return { kind: 'claimed', work: async () => void counts.splice(node, 1, (counts[node] ?? 0) + 1) };
    };
    each.start({ ...IDLE_TASKS, [name]: { limit: 4, take, ...(everyMs && { everyMs }) } }, (error) => {
      throw error;
    });
  }
  return counts;
}

const sum = (counts: number[]) => counts.reduce((a, b) => a + b);

test('creates its tables once when nodes start together, and shares the turns of a key', async () => {
  await using world = await openWorld();
  const jobs = await Promise.all([1, 2, 3].map(() => world.open()));
  const rows = new Map([['key_a', 300]]);
  const counts = counted('item', jobs, rows);
  await jobs[0]?.add('item', 'key_a');
  await eventually('all are done', () => sum(counts) === 300);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});

test('runs a task of the service on one node only', async () => {
  await using world = await openWorld();
  const jobs = await Promise.all([1, 2, 3].map(() => world.open()));
  const startedAt = Date.now();
  const counts = counted('sweep', jobs, new Map([['', 1_000]]), 1_000);
  await eventually('it has come several times', () => sum(counts) >= 4);
  expect(sum(counts)).toBeLessThanOrEqual(Math.ceil((Date.now() - startedAt) / 1_000) + 1);
});

test('moves the turn of a dead node to another', async () => {
  await using world = await openWorld();
  const [died, left] = [await world.open(), await world.open()];
  await died.add('item', 'key_a');
  await server.query(
    world.databaseUrl,
    "update platen_jobs._private_jobs set locked_by = 'of a node that died', locked_at = now() - interval '31 seconds'",
  );
  const counts = counted('item', [left], new Map([['key_a', 1]]));
  await eventually('it was taken', () => sum(counts) === 1);
});

test('a turn at a task that only a newer version knows is left to its nodes', async () => {
  await using world = await openWorld();
  const jobs = await world.open();
  await server.query(world.databaseUrl, "select from platen_jobs.add_job('of_a_newer_version', '{}', job_key => 'newer')");
  const counts = counted('item', [jobs], new Map([['key_a', 20]]));
  await jobs.add('item', 'key_a');
  await eventually('what it knows is done', () => sum(counts) === 20);
  const left = "select attempts, locked_at from platen_jobs.jobs where key = 'newer'";
  expect(await server.query(world.databaseUrl, left)).toEqual([{ attempts: 0, locked_at: null }]);
});

test('turns go on when the clock of the server is set back', async () => {
  await using world = await openWorld();
  const [first, next] = [await world.open(), await world.open()];
  const before = counted('sweep', [first], new Map([['', 100]]), 60_000);
  await eventually('it has had its turn', () => sum(before) === 1);
  await eventually('its next one waits', async () => (await turns("task_identifier = 'sweep' and locked_at is null")) === 1);
  await first.close();
  for (const owner of ['key_a', 'key_b']) await next.add('item', owner);
  const jobs = 'platen_jobs._private_jobs';
  await server.query(world.databaseUrl, `update ${jobs} set run_at = run_at + interval '1 day'`);
  await server.query(
    world.databaseUrl,
    `update ${jobs} set locked_by = 'x', locked_at = now() + interval '1 day' where key = 'item key_b'`,
  );
  const taken = new Set<string>();
  const take = async (owner: string): Promise<ClaimResult> => {
    taken.add(owner);
    return NO_WORK;
  };
  next.start({ ...IDLE_TASKS, item: { limit: 1, take }, sweep: { limit: 1, everyMs: 60_000, take } }, (error) => {
    throw error;
  });
  await eventually('all have their turns', () => taken.size === 3); // the sweep and both keys

  async function turns(which: string): Promise<number> {
    return (await server.query(world.databaseUrl, `select from platen_jobs.jobs where ${which}`)).length;
  }
});

test('turns of thousands of owners are given by few statements', async () => {
  await using world = await openWorld();
  const jobs = await world.open();
  const owners = Array.from({ length: 1_000 }, (_, n) => `key_${n}`);
  const taken = new Set<string>();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const take = async (owner: string): Promise<ClaimResult> => {
    taken.add(owner);
    return NO_WORK;
  };
  jobs.start({ ...IDLE_TASKS, upload: { limit: 1, take, owners: async () => owners } }, () => {});
  await eventually('all have had their turn', () => taken.size === owners.length);
  expect(query.mock.calls.filter(([text]) => String(text).includes('add_job')).length).toBeLessThan(100);
  query.mockRestore();
});

test('reports a user who must not create the tables', async () => {
  const url = new URL(await server.createDatabase());
  await server.query(url.href, 'create role limited login');
  await server.query(url.href, 'grant all on schema public to limited');
  url.username = 'limited';
  const database = await openDatabase({ dataDir: '', databaseUrl: url.href, databaseConnections: 5 });
  await expect(openGraphileJobs(database)).rejects.toMatchObject({ code: 'storage_failed' });
  await database.close();
});

test('reconnects to a server that was unavailable, and leaves nothing behind', async () => {
  await using own = await startPostgres();
  const databaseUrl = await own.createDatabase();
  const database = await openDatabase({ dataDir: '', databaseUrl, databaseConnections: 5 });
  const jobs = await openGraphileJobs(database);
  const faults: unknown[] = [];
  let rows = 0;
  const take = async (): Promise<ClaimResult> => (rows ? { kind: 'claimed', work: async () => void rows-- } : NO_WORK);
  const owners = async () => (rows ? ['key_a'] : []);
  jobs.start({ ...IDLE_TASKS, item: { limit: 1, take, owners } }, (error) => faults.push(error));
  for (let n = 0; n < 2; n++) {
    rows = 20;
    await jobs.add('item', 'key_a');
    await own.kill();
    await own.start();
    await eventually('all are done', () => rows === 0);
  }
  await eventually(
    'no turn waits',
    async () => {
      const waiting = "select from platen_jobs.jobs where task_identifier = 'item'";
      return !(await own.query(databaseUrl, waiting)).length;
    },
    100_000,
  );
  await jobs.close();
  await database.close();
});
