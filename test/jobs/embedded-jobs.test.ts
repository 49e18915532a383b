/** Background work in one process, on SQLite. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { EmbeddedJobs } from '../../src/jobs/embedded-jobs.ts';
import { type ClaimResult, NO_WORK } from '../../src/jobs/jobs.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { IDLE_TASKS } from '../support/idle-tasks.ts';
import { eventually } from '../support/service.ts';
import { describeJobs } from './contract.ts';

describeJobs(async () => {
  const dataDir = await makeTestFolder();
  const database = await openDatabase({ dataDir });
  const opened: EmbeddedJobs[] = [];
  return {
    database,
    async open() {
      const jobs = new EmbeddedJobs();
      opened.push(jobs);
      return jobs;
    },
    async [Symbol.asyncDispose]() {
      for (const jobs of opened) await jobs.close();
      await database.close();
    },
  };
});

test('runs a task of the service again after the clock was set back', async () => {
  const jobs = new EmbeddedJobs();
  let runs = 0;
  const take = async (): Promise<ClaimResult> => ({ kind: 'claimed', work: async () => void runs++ });
  jobs.start({ ...IDLE_TASKS, sweep: { limit: 1, everyMs: 100, take } }, () => {});
  await eventually('it has come', () => runs > 0);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  const before = runs;
  await eventually('it has come again', () => runs > before);
  await jobs.close();
});

test('runs other tasks if one cannot list its owners', async () => {
  const jobs = new EmbeddedJobs();
  const fault = new Error('the task cannot be queried');
  const faults: unknown[] = [];
  let taken = 0;
  const item = { ...IDLE_TASKS.item, owners: () => Promise.reject(fault) };
  const take = async () => {
    taken++;
    return NO_WORK;
  };
  jobs.start({ ...IDLE_TASKS, item, webhook: { limit: 1, take, owners: async () => ['a'] } }, (error) => faults.push(error));
  await eventually('the other has its turn', () => taken > 0 && faults.length > 0);
  expect(faults[0]).toBe(fault);
  await jobs.close();
});
