/** Starts the service under test as a child process with its own data folder, and talks to it over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { Accounts } from '../src/accounts/accounts.ts';
import { loadPlans } from '../src/accounts/plans.ts';
import { openDatabase } from '../src/storage/database.ts';

export interface ServiceUnderTest extends AsyncDisposable {
  url: string;
  pid: number;
  /** Milliseconds from the start of the process until it logs that it is listening. */
  startedInMs: number;
  keys: string[];
  /** Renders a body and reads the whole reply, which must be a document. Returns milliseconds. */
  render(body: object, key?: string, path?: string): Promise<number>;
  /** Sends any request and reads the whole reply. */
  request(key: string, method: Method, path: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
  metric(name: string): Promise<number>;
  /**
   * Memory of the Node process: resident, resident after a garbage collection, the heap, and the memory in use including
   * buffers.
   */
  memory(): Promise<{ residentBytes: number; collectedBytes: number; heapBytes: number; heldBytes: number }>;
  /** The longest time that its event loop was blocked since the last call. Ignore the first result. */
  longestHoldMs(): Promise<number>;
  /** The same as disposing, for `--against` of other commits. */
  stop(): Promise<void>;
}

type Method = 'GET' | 'POST';

interface Reply {
  status: number;
  bytes: Buffer;
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
  const stop = async () => {
    await client.close();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    url,
    pid: child.pid ?? 0,
    startedInMs,
    keys,
    async render(body, key = keys[0] ?? '', path = '/v1/pdf') {
      const startedAt = performance.now();
      const { status, bytes } = await send(client, key, 'POST', path, body);
      if (status > 201) throw new Error(`${status}: ${bytes.subarray(0, 500)}`);
      return performance.now() - startedAt;
    },
    request: (...request) => send(client, ...request),
    metric: (name) => readMetric(url, name),
    memory: () => sendCommand(child, 'collect'),
    longestHoldMs: async () => (await sendCommand<{ longestHoldMs: number }>(child, 'hold')).longestHoldMs,
    stop,
    [Symbol.asyncDispose]: stop,
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
  ...[key, method, path, body, headers = {}]: Parameters<ServiceUnderTest['request']>
): Promise<Reply> {
  const reply = await client.request({
    path,
    method,
    headers: { ...headers, authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: reply.statusCode, bytes: Buffer.from(await reply.body.arrayBuffer()) };
}

/** Sends the first half of a body, and leaves the connection open. */
export function sendHalf({ url, keys }: ServiceUnderTest, bodyBytes: number): { socket: Socket; sent: Promise<unknown> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname)
    .on('error', () => {})
    .resume();
  const type = 'Content-Type: application/json';
  socket.write(
    `POST /v1/pdf HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys[0]}\r\n${type}\r\nContent-Length: ${bodyBytes}\r\n\r\n`,
  );
  const sent = new Promise((resolve) => socket.write(Buffer.alloc(bodyBytes / 2, ' '), resolve));
  return { socket, sent };
}

async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}
