import { defineConfig } from 'vitest/config';

/** PDF/A and PDF/UA as veraPDF judges them, which needs Java, Maven and poppler. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/conformance/**/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
