/** Background work in one process, on SQLite. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedJobs } from '../../src/jobs/embedded-jobs.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { describeJobs } from './contract.ts';

describeJobs(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-test-'));
  const database = await openDatabase({ dataDir });
  const opened: EmbeddedJobs[] = [];
  return {
    database,
    async open() {
      const jobs = new EmbeddedJobs(Date.now);
      opened.push(jobs);
      return jobs;
    },
    async [Symbol.asyncDispose]() {
      for (const jobs of opened) await jobs.close();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
});
