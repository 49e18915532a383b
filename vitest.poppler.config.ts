import { defineConfig } from 'vitest/config';

/** Suites that judge PDFs with poppler and qpdf, which `.ci/run` installs. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/poppler/**/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
