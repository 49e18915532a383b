import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { CRASH_SUITES } from './vitest.crash.config.ts';
import { FAULT_SUITES } from './vitest.faults.config.ts';

/** The longest first, so that none of them is left alone at the end. */
const LONGEST = [
  'cli/render',
  'cli/cli',
  'api/fail-conditions',
  'api/wait-until-finished',
  'api/webhooks',
  'api/pages',
  'api/batches',
  'chromium/page-reuse',
  'api/batch-results',
  'api/allowance',
  'api/url-redirects',
  'render/draw-pages',
  'api/tracing',
  'webhooks/delivery',
  'api/load-waits',
  'cli/batch',
  'api/signatures',
  'api/playground',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place < 0 ? LONGEST.length : place;
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/unpack-first.ts', 'test/support/shared-services.ts'],
    setupFiles: process.env.PLATEN_TEST_CPU ? ['test/support/cpu-time.ts'] : [],
    include: ['test/**/*.test.ts'],
    exclude: [
      ...FAULT_SUITES,
      'test/web/**',
      ...CRASH_SUITES,
      'test/poppler/**',
      'test/visual/**',
      'test/corpus/**',
      'test/disk/**',
      'test/cluster/**',
      'test/conformance/**',
      'test/other-languages/**',
    ],
    // A worker serves many files, with the same modules: a process for each would be a tenth of all the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Real browsers on two cores, so each test is patient. Tests wait more than half of their time, so four workers keep two cores busy.
    maxWorkers: 4,
    // In one file, where tests are marked as concurrent: they wait rather than work.
    maxConcurrency: 10,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
