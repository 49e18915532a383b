import type { PooledPage } from '../../src/pool/page-cache.ts';

export const FAKE_PAGE: PooledPage = {
  alive: true,
  memoryBytes: 1,
  prime: async () => {},
  reset: async () => {},
  trim() {},
  lowerPriority() {},
  close: async () => {},
};

/** Limits that are never reached, and no spare pages. */
export const NO_LIMITS = {
  sparePages: 0,
  warmPages: 1,
  pageMaxRenders: 100,
  pageMaxAgeMs: 1e9,
  pageIdleMs: 1e9,
  pageMaxMemoryBytes: 1e9,
  browserMaxRenders: 100,
  browserMaxAgeMs: 1e9,
  browserMemoryBytes: 1e9,
};
