import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/**/*.test.ts'],
    exclude: ['test/poppler/**', 'test/visual/**', 'test/disk/**'],
    // Real browsers on two cores: few at a time, and patient.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
