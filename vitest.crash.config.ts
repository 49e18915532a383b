import { defineConfig } from 'vitest/config';

/** The suite of `kill -9` alone, for many rounds: `PLATEN_TEST_CRASH_ROUNDS=200`. `npm test` runs it too, for a few. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/crash/**/*.test.ts'],
    maxWorkers: 1,
    hookTimeout: 120_000,
  },
});
