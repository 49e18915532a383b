/**
 * All tests, as projects: `npm test` runs the project `default`, and `npx vitest run --project NAME` any other.
 * Vitest starts the longest files first: it remembers how long each took, and on a new machine it goes by their size.
 */
import { configDefaults, defineConfig, type TestProjectInlineConfiguration, type TestUserConfig } from 'vitest/config';
import { compiledFolder } from './src/cache-folder.ts';

type Project = NonNullable<TestProjectInlineConfiguration['test']>;

const UNPACK = 'test/support/unpack-first.ts';
const SHARED_SERVICES = 'test/support/shared-services.ts';

/** Threads and services that tests start use compiled code, as those of `platen` do. */
const env = { NODE_COMPILE_CACHE: compiledFolder() };

/** Each test has much time, because browsers and tests share two cores. */
const ALL: Project = {
  env,
  globalSetup: UNPACK,
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 90_000 } },
  maxWorkers: 1,
};

/** Most suites use the service of their worker. A worker serves many files: a process for each would take a tenth of the time. */
const SHARED: Project = {
  globalSetup: [UNPACK, SHARED_SERVICES],
  isolate: false,
  maxWorkers: 3,
  maxConcurrency: 10, // tests that run concurrently wait rather than work
};

/** Documents and clients that attack, and failures of browsers and services. Most use up time or memory on purpose. */
const FAULTS = [
  'test/api/{browser-memory,fairness,faults,hostile-documents,hostile-text,lifecycle,playground-limits}.test.ts',
  'test/api/{replaced-built-ins,request-memory}.test.ts',
  'test/chromium/{launch,locate-browser,memory-watchdog,wrapped-browser}.test.ts',
  'test/{templates/liquid,templates/schema,markdown/markdown}-attacks.test.ts',
  'test/egress/{budgets,canary,slow-name-server,self-test}.test.ts',
  'test/uploads/hostile-pdfs.test.ts',
];

/** Tests that need time, programs or rights which `npm test` does without. CONTRIBUTING.md says what. */
const APART: Record<string, Project> = {
  faults: { ...SHARED, include: FAULTS },
  web: { ...SHARED, include: ['test/web/**/*.test.ts'] },
  crash: { include: ['test/crash/**/*.test.ts', 'test/cli/backup.test.ts'], maxWorkers: 2 },
  cluster: { include: ['test/cluster/**/*.test.ts'], maxWorkers: 2 },
  conformance: { include: ['test/conformance/**/*.test.ts'], testTimeout: 900_000, hookTimeout: 1_800_000 },
  clients: { include: ['test/other-languages/**/*.test.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
  corpus: { include: ['test/corpus/**/*.test.ts'], hookTimeout: 1_800_000 },
  disk: { include: ['test/disk/**/*.test.ts'] },
  poppler: { include: ['test/poppler/**/*.test.ts'] },
  visual: { include: ['test/visual/**/*.test.ts'] },
};

/** Projects that run suites of others once more. They run only if they are named, so that `npx vitest run FILE` runs a file once. */
const AGAIN: Record<string, Project> = {
  // Where the user, the sandbox and the programs of the machine matter.
  'bare-debian': { ...SHARED, include: [...FAULTS, 'test/cli/{cli,faulty-start}.test.ts', 'test/web/dashboard-batches.test.ts'] },
  // The browser of a Linux distribution, or a wrapper script like its.
  browsers: {
    globalSetup: ['test/support/other-browser.ts', UNPACK],
    include: ['test/api/{faults,hostile-documents,lifecycle}.test.ts', 'test/egress/{budgets,self-test}.test.ts'],
    maxWorkers: 2,
  },
  // The pages in another browser.
  firefox: {
    ...SHARED,
    include: ['test/web/**/*.test.ts'],
    env: { ...env, PLATEN_TEST_VISITOR: 'firefox' },
    setupFiles: ['test/support/firefox.ts'],
  },
  // On PostgreSQL with S3: the whole API, and what else uses the database or stored content.
  'cluster-api': {
    ...SHARED,
    globalSetup: ['test/cluster/servers.ts', SHARED_SERVICES],
    include: [
      'test/{accounts,api,batches,webhooks}/**/*.test.ts',
      'test/{documents/search,storage/prepared,templates/turns}.test.ts',
    ],
    isolate: true,
  },
};

const DEFAULT: Project = {
  ...SHARED,
  include: ['test/**/*.test.ts'],
  exclude: [...configDefaults.exclude, ...Object.values(APART).flatMap(({ include = [] }) => include)],
  setupFiles: process.env.PLATEN_TEST_CPU ? ['test/support/cpu-time.ts'] : [],
  maxWorkers: 4, // tests wait more than half of their time, so four keep two cores busy
};

const test: TestUserConfig = {
  projects: Object.entries({ default: DEFAULT, ...APART, ...AGAIN }).map(([name, project], groupOrder) => ({
    test: { ...ALL, ...project, name, sequence: { groupOrder } },
  })),
  project: Object.keys(AGAIN).map((name) => `!${name}`), // unless `--project` is given
};

export default defineConfig({ test });
