import { defineConfig } from 'vitest/config';

/** Suites of `npm test`, as they are, on PostgreSQL with S3. */
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
      'test/api/{allowance,async-renders,batch-events,batch-results,batches,certificates,documents,downloads}.test.ts',
      'test/api/{dry-run,idempotency,keys,metadata,months,sources,template-assets,templates,test-keys,webhooks}.test.ts',
    ],
    maxWorkers: 3,
    maxConcurrency: 10,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
