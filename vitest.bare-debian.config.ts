import { defineConfig, mergeConfig } from 'vitest/config';
import faults from './vitest.faults.config.ts';

/** The suites for which the user, the sandbox and the programs of the machine matter. */
export default mergeConfig(
  faults,
  defineConfig({ test: { include: ['test/cli/{cli,faulty-start}.test.ts', 'test/web/dashboard-batches.test.ts'] } }),
);
