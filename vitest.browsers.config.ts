import { defineConfig } from 'vitest/config';
import { otherBrowsers } from './test/support/other-browsers.ts';

/** The suites of faults, once for each way in which a browser may be installed. Leaves out browsers that are not. */
export default defineConfig(async () => ({
  test: {
    maxWorkers: 2,
    projects: (await otherBrowsers()).map(({ name, path }) => ({
      test: {
        name,
        env: { PLATEN_TEST_BROWSER: path },
        include: ['test/api/{faults,hostile-documents,lifecycle}.test.ts', 'test/egress/{budgets,self-test}.test.ts'],
        globalSetup: 'test/support/unpack-first.ts',
        testTimeout: 120_000,
        hookTimeout: 120_000,
      },
    })),
  },
}));
