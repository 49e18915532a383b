import { defineConfig } from 'vitest/config';

/** Suites of `npm test`, as they are, on PostgreSQL with S3: the whole API, and what else speaks to the database or to content. */
export default defineConfig({
  test: {
    globalSetup: ['test/cluster/servers.ts', 'test/support/shared-services.ts'],
    include: [
      'test/accounts/**/*.test.ts',
      'test/batches/**/*.test.ts',
      'test/webhooks/**/*.test.ts',
      'test/documents/search.test.ts',
      'test/storage/prepared.test.ts',
      'test/templates/turns.test.ts',
      'test/api/**/*.test.ts',
    ],
    maxWorkers: 3,
    maxConcurrency: 10,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
