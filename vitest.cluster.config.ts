import { defineConfig } from 'vitest/config';

/** Suites that need servers beside the service, such as one that speaks S3: `test/cluster/run` fetches them. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/cluster/**/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
