/** Starts the service under test as a child process with its own data folder, and talks to it over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { Accounts } from '../src/accounts/accounts.ts';
import { loadPlans } from '../src/accounts/plans.ts';
import { openDatabase } from '../src/storage/database.ts';

export interface ServiceUnderTest {
  url: string;
  pid: number;
  /** Milliseconds from the start of the process until it logs that it is listening. */
  startedInMs: number;
  keys: string[];
  /** Renders once and reads the whole reply. */
  render(key: string, html: string, options?: object): Promise<{ status: number; bytes: number }>;
  /** Sends any other request and reads the whole reply. */
  request(
    key: string,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<{ status: number; bytes: Buffer }>;
  metric(name: string): Promise<number>;
  /**
   * Memory of the Node process: resident, resident after a garbage collection, the heap, and the memory in use including
   * buffers.
   */
  memory(): Promise<{ residentBytes: number; collectedBytes: number; heapBytes: number; heldBytes: number }>;
  /** The longest time that its event loop was blocked since the last call. Ignore the first result. */
  longestHoldMs(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Lets the bench request a garbage collection, so that only lasting growth counts, and the longest time in milliseconds that the
 * event loop was blocked since the last request.
 */
const OBSERVER = `import { monitorEventLoopDelay } from 'node:perf_hooks';
const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
process.on('message', (what) => {
  if (what === 'collect') {
    const before = process.memoryUsage.rss();
    gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send({ residentBytes: before, collectedBytes: rss, heapBytes: heapUsed, heldBytes: heapUsed + external });
  } else {
    process.send({ longestHoldMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) });
    delay.enable();
    delay.reset();
  }
})`;

const NODE_FLAGS = [
  '--disable-warning=ExperimentalWarning',
  '--expose-gc',
  `--import=data:text/javascript,${encodeURIComponent(OBSERVER)}`,
];

/** The bench needs more than any built-in plan allows. */
const PLANS_FILE = new URL('plans.json', import.meta.url).pathname;

const CLI = new URL('../src/cli.ts', import.meta.url).pathname;

/** Creates `keyCount` accounts with a key each, so that every request can use a different one. */
export async function startService(keyCount: number, settings: Record<string, string> = {}): Promise<ServiceUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  const keys = await makeKeys(dataDir, keyCount, settings.PLATEN_DATABASE_URL);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, CLI, 'serve'], {
    env: {
      ...process.env,
      PLATEN_PORT: '0',
      PLATEN_DATA_DIR: dataDir,
      PLATEN_LOG_LEVEL: 'warn',
      PLATEN_PLANS_FILE: PLANS_FILE,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await listening(child);
  const startedInMs = performance.now() - startedAt;
  const client = new Pool(url, { connections: 2048, bodyTimeout: 0, headersTimeout: 0 });
  return {
    url,
    pid: child.pid ?? 0,
    startedInMs,
    keys,
    async render(key, html, options) {
      const { status, bytes } = await send(client, key, 'POST', '/v1/pdf', options ? { html, options } : { html });
      return { status, bytes: bytes.length };
    },
    request: (...request) => send(client, ...request),
    metric: (name) => readMetric(url, name),
    memory: () => sendCommand(child, 'collect'),
    longestHoldMs: async () => (await sendCommand<{ longestHoldMs: number }>(child, 'hold')).longestHoldMs,
    async stop() {
      await client.close();
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function sendCommand<T>(child: ChildProcess, command: string): Promise<T> {
  const answer = once(child, 'message');
  child.send(command);
  return (await answer)[0] as T;
}

async function makeKeys(dataDir: string, count: number, databaseUrl?: string): Promise<string[]> {
  const database = await openDatabase({ dataDir, ...(databaseUrl !== undefined && { databaseUrl }) });
  const accounts = new Accounts(database, loadPlans({ plansFile: PLANS_FILE }));
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    const account = await accounts.createAccount('unlimited', 'bench');
    keys.push((await accounts.createKey(account.id)).secret);
  }
  await database.close();
  return keys;
}

async function listening(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens on (\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('the service did not start');
}

async function send(
  client: Pool,
  key: string,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; bytes: Buffer }> {
  const reply = await client.request({
    path,
    method,
    headers: { ...headers, authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: reply.statusCode, bytes: Buffer.from(await reply.body.arrayBuffer()) };
}

async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}
