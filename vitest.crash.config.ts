import { defineConfig } from 'vitest/config';

/** Rounds of `kill -9`, as many as `PLATEN_TEST_CRASH_ROUNDS` says. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/crash/**/*.test.ts'],
    maxWorkers: 1,
    hookTimeout: 120_000,
  },
});
