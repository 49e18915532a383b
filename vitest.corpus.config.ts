import { defineConfig } from 'vitest/config';

/** Documents made of what documents are made of, against Chromium that waited long enough. Pages are painted by poppler. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/corpus/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
  },
});
