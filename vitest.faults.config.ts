import { defineConfig } from 'vitest/config';

/** Documents and callers that attack, and browsers and services that fail: most suites use up time or memory on purpose. */
export const FAULT_SUITES = [
  'test/api/{browser-memory,fairness,faults,hostile-documents,hostile-text,lifecycle,playground-limits}.test.ts',
  'test/api/{replaced-built-ins,request-memory}.test.ts',
  'test/chromium/{launch,locate-browser,memory-watchdog,wrapped-browser}.test.ts',
  'test/{templates/liquid,markdown/markdown}-attacks.test.ts',
  'test/egress/{budgets,canary,slow-name-server,self-test}.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/unpack-first.ts', 'test/support/shared-services.ts'],
    include: FAULT_SUITES,
    isolate: false,
    maxWorkers: 3,
    maxConcurrency: 10,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
