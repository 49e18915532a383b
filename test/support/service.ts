/** Starts the service as a child process and talks to it as its users do. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type IssuedKey, issueKey } from './issue-key.ts';
import { storageSettings } from './storage-settings.ts';
import { BROWSER_SETTINGS } from './test-browser.ts';

export type { IssuedKey };

const PROJECT = new URL('../..', import.meta.url).pathname;
const CLI = cliOf(PROJECT);
const START_TIMEOUT_MS = 240_000;

/** Plans without limits under the usual names, and plans with one limit each. */
export const PLANS = new URL('plans.json', import.meta.url).pathname;

export interface Service {
  url: string;
  key: string;
  /** Returns its output so far. */
  output(): string;
  child: ChildProcess;
  env: Record<string, string>;
  /** Its own folder for temporary files, which must be empty after it has exited. */
  tmp: string;
  /** Creates a key on a new account. Default plan: growth. */
  createKey(plan?: string): Promise<IssuedKey>;
  /** Runs a `platen` command on the same data folder and returns its output. */
  cli(...args: string[]): Promise<string>;
  /** POST /v1/pdf. */
  pdf(body: unknown, options?: { key?: string; headers?: Record<string, string>; signal?: AbortSignal }): Promise<Response>;
  /** Returns the sum of a metric over all matching labels. */
  metric(name: string, label?: string): Promise<number>;
  /** Sends SIGTERM, waits for the exit, and returns the exit code. */
  stop(): Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The parts of a service that a test may use when other suites share it: it can neither stop it nor read its output. */
export type SharedService = Pick<Service, 'url' | 'key' | 'env' | 'createKey' | 'cli' | 'pdf' | 'metric'>;

/** Starts the service on a free port with its own folders. */
export async function startService(
  settings: Record<string, string> = {},
  /** The key of an existing data folder, for which no first key is printed. */
  { firstKey, checkout }: { firstKey?: string /** Another copy of this project. */; checkout?: string } = {},
): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-test-'));
  const tmp = await mkdtemp(join(tmpdir(), 'platen-tmp-'));
  const env = {
    ...environment(),
    ...BROWSER_SETTINGS,
    TMPDIR: tmp,
    PLATEN_PORT: '0',
    PLATEN_DATA_DIR: dataDir,
    ...(await storageSettings(settings.PLATEN_DATA_DIR ?? dataDir)),
    PLATEN_PLANS_FILE: PLANS,
    ...settings,
  };
  const child = spawn(process.execPath, [...cliOf(checkout ?? PROJECT), 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const started = await readStart(child, firstKey);
  const stop = () => end(child);
  const shared = connect(started.url, started.key, env);
  const telling = <T>(reply: Promise<T>): Promise<T> => reply.catch((error) => tellEnd(error, child, started.output));
  const service: Service = {
    ...started,
    ...shared,
    pdf: (...request) => telling(shared.pdf(...request)),
    metric: (...request) => telling(shared.metric(...request)),
    child,
    tmp,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
      await rm(tmp, { recursive: true, force: true });
    },
  };
  return service;
}

const EXIT_EVENT_MS = 1_000;
const LAST_CHARACTERS = 4_000;

/** Throws how the service ended instead of a failed connection, if it has ended. The connection can fail before the event comes. */
async function tellEnd(error: Error, child: ChildProcess, output: () => string): Promise<never> {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  if (error.message !== 'fetch failed') throw error;
  if (isRunning()) await once(child, 'exit', { signal: AbortSignal.timeout(EXIT_EVENT_MS) }).catch(() => {});
  if (isRunning()) throw error;
  throw new Error(`the service ended with ${child.signalCode ?? child.exitCode}:\n${output().slice(-LAST_CHARACTERS)}`, {
    cause: error,
  });
}

/** Returns why the service does not start. */
export async function failedStart(settings: Record<string, string>): Promise<string> {
  try {
    await using _started = await startService(settings);
    return 'it started';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Connects to a running service, given one of its keys and the settings it was started with. */
export function connect(url: string, key: string, settings: Record<string, string>): SharedService {
  const env = { ...environment(), ...settings };
  return {
    url,
    key,
    env,
    createKey: (plan = 'growth') => issueKey(env, plan),
    cli: async (...args) => (await runCli(args, env)).stdout,
    pdf: (body, options = {}) => postPdf(url, options.key ?? key, body, options),
    metric: (name, label = '') => readMetric(url, name, label),
  };
}

/** Runs one `platen` command. Rejects if its exit status is not 0. */
export function runCli(args: string[], env: Record<string, string> = environment()): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [...CLI, ...args], {
    env: { ...BROWSER_SETTINGS, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
}

export function spawnCli(args: string[], env: Record<string, string> = environment()): ChildProcess {
  return spawn(process.execPath, [...CLI, ...args], { env: { ...BROWSER_SETTINGS, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
}

/**
 * Returns the processes of this service's browsers: the process groups whose environment names its folder for temporary files.
 */
export async function browserProcesses(service: Service): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = await Promise.all(pids.filter((pid) => pid !== service.child.pid).map(readProcess));
  const groups = new Set(processes.filter(({ environ }) => environ.includes(service.tmp)).map(({ group }) => group));
  return processes.filter(({ group, state }) => groups.has(group) && !'ZX'.includes(state)).map(({ pid }) => pid);
}

async function readProcess(pid: number): Promise<{ pid: number; environ: string; state: string; parent: number; group: number }> {
  const environ = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const [state = 'X', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, environ, state, parent: Number(parent), group: Number(group) };
}

/** Returns the processes of one type (`renderer`, `gpu-process`), or the browser itself for `browser`. */
export async function browserProcessesOfType(service: Service, type: string): Promise<number[]> {
  const matching: number[] = [];
  for (const pid of await browserProcesses(service)) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    const own = /--type=([a-z-]+)/.exec(commandLine)?.[1] ?? 'browser';
    if (own === type && (type !== 'browser' || (await isBrowserItself(pid)))) matching.push(pid);
  }
  return matching;
}

/** Returns false for the shell of a wrapper script, a new process with the command line of its parent, and one that has just ended. */
async function isBrowserItself(pid: number): Promise<boolean> {
  const { parent } = await readProcess(pid);
  const [own, parents] = await Promise.all([programOf(pid), programOf(parent)]);
  return own !== '' && own !== parents && !/\/(ba|da)?sh$/.test(own);
}

function programOf(pid: number): Promise<string> {
  return readlink(`/proc/${pid}/exe`).catch(() => '');
}

/** Polls, with growing pauses, until the condition holds. For states that no event announces. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean, timeoutMs = 40_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (let pause = 10; Date.now() < end; pause = Math.min(2 * pause, 250)) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`not within ${timeoutMs} ms: ${what}`);
}

function environment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name, value]) => value !== undefined && !name.startsWith('PLATEN_'));
  return Object.fromEntries(entries) as Record<string, string>;
}

function cliOf(checkout: string): string[] {
  return ['--disable-warning=ExperimentalWarning', join(checkout, 'src/cli.ts')];
}

type Started = Pick<Service, 'url' | 'key' | 'output'>;

async function readStart(child: ChildProcess, firstKey?: string): Promise<Started> {
  let output = '';
  let url: string | undefined;
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  if (!child.stdout) throw new Error('no standard output');
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  return new Promise<Started>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${output}`)));
    lines.on('line', (line) => {
      output += `${line}\n`;
      url = /listens on (\S+)/.exec(line)?.[1] ?? url;
      const key = firstKey ?? /"key":"(plt_\w+)"/.exec(line)?.[1];
      if (url && key) resolve({ url, key, output: () => output });
    });
  }).finally(() => clearTimeout(timer));
}

function postPdf(
  url: string,
  key: string,
  body: unknown,
  options: { headers?: Record<string, string>; signal?: AbortSignal },
): Promise<Response> {
  return fetch(`${url}/v1/pdf`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...options.headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    ...(options.signal && { signal: options.signal }),
  });
}

async function readMetric(url: string, name: string, label: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Sends a signal, waits for the exit, and returns the exit code. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  return child.exitCode;
}
