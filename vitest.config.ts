import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST =
  /\/(faults|canary|budgets|lifecycle|fairness|webhooks|delivery|liquid|in-place|url-redirects|allowance|finished|cli|editor-typing|batch[\w-]*|playground[\w-]*|dashboard[\w-]*)\.test\.ts$/;

/** So that none of the long files is left alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => Number(LONGEST.test(moduleId));
    return (await super.sort(files)).toSorted((a, b) => isLong(b) - isLong(a));
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/unpack-first.ts', 'test/support/shared-services.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/poppler/**', 'test/visual/**', 'test/corpus/**', 'test/disk/**'],
    sequence: { sequencer: LongestFirst },
    // Real browsers on two cores: few at a time, and patient. One more than there are cores, since many tests wait.
    maxWorkers: 3,
    // In one file, where tests are marked as concurrent: they wait rather than work.
    maxConcurrency: 10,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
