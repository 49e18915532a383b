import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first, so that none of them is left alone at the end. */
const LONGEST = [
  'egress/canary',
  'egress/budgets',
  'api/lifecycle',
  'templates/liquid',
  'api/faults',
  'web/playground-look',
  'cli/cli',
  'web/playground',
  'api/finished',
  'api/webhooks',
  'api/allowance',
  'api/batches',
  'markdown/markdown',
  'web/playground-share',
  'api/batch-results',
  'api/pages',
  'webhooks/delivery',
  'api/url-redirects',
  'web/editor-typing',
  'chromium/wrapped-browser',
  'chromium/in-place',
  'crash/crash',
  'crash/batch-crash',
  'api/load-gates',
  'api/load-waits',
  'web/dashboard-looks',
  'api/playground-limits',
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
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/poppler/**',
      'test/visual/**',
      'test/corpus/**',
      'test/disk/**',
      'test/cluster/**',
      'test/conformance/**',
      'test/other-languages/**',
    ],
    sequence: { sequencer: LongestFirst },
    // Real browsers on two cores, so each test is patient. Tests wait more than half of their time, so four workers keep two cores busy.
    maxWorkers: 4,
    // In one file, where tests are marked as concurrent: they wait rather than work.
    maxConcurrency: 10,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
