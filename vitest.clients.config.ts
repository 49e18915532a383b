import { defineConfig } from 'vitest/config';

/** The clients in other languages, against the running service: with Python and Go, which the script of the suite installs. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/unpack-first.ts',
    include: ['test/other-languages/**/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
