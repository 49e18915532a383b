import { defineConfig } from 'vitest/config';

/** Rounds of `kill -9`, as many as `PLATEN_TEST_CRASH_ROUNDS` says, and backups of a service that is at work. */
export const CRASH_SUITES = ['test/crash/**/*.test.ts', 'test/cli/backup.test.ts'];

export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: CRASH_SUITES,
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
