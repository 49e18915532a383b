import { defineConfig } from 'vitest/config';

/** What documents look like, painted by poppler, which `.ci/run` installs. One after another: there is one service. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/visual/**/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
