import { defineConfig } from 'vitest/config';

/** Suites that fill a disk of their own: they mount it, so they run as root, and not with `npm test`. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/disk/**/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
