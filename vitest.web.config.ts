import { defineConfig } from 'vitest/config';

/** The playground, the dashboard and the reference, in a browser. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/unpack-first.ts', 'test/support/shared-services.ts'],
    include: ['test/web/**/*.test.ts'],
    isolate: false,
    maxWorkers: 3,
    maxConcurrency: 10,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
