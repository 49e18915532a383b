/**
 * One browser: launch options in, pages out. It owns the started process, which may be a script around the browser, all its
 * descendants, the pipe, the temporary folder and the memory watchdog, and ends them together.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { EgressProxy, ProxyListener } from '../egress/egress-proxy.ts';
import { ServiceError } from '../errors.ts';
import { FontKnowledge } from '../fonts/font-knowledge.ts';
import { endProcess } from '../host/process-life.ts';
import { launchFlags } from './browser/launch-flags.ts';
import type { LocatedBrowser } from './browser/locate-browser.ts';
import { MemoryWatchdog } from './browser/memory-watchdog.ts';
import { ProcessTree } from './browser/process-tree.ts';
import { makeProfile, removeProfile } from './browser/temporary-profile.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { CaptureQueue } from './capture/capture-queue.ts';
import { Connection } from './devtools/connection.ts';
import { Page } from './page.ts';

const RENDERING_NICENESS = 5;
/** Gives the browser a third of the CPU weight. With much less, it would not render at all on a busy machine. */
const LOW_PRIORITY_NICENESS = 5;
const LAUNCH_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 3_000;
const STDERR_KEPT = 8_192;
const SAID_NOTHING = 'it wrote no output (a script must wait for the browser that it starts, best with `exec`)';
const NO_SANDBOX_POSSIBLE =
  /No usable sandbox|Failed to move to new namespace|sandbox_linux|setuid sandbox|Running as root without --no-sandbox/i;

/** Starts a browser. Throws `browser_unavailable` with the output of the browser and the remedy. */
export async function launchBrowser(located: LocatedBrowser, settings: BrowserSettings, proxy: EgressProxy): Promise<Browser> {
  if (settings.sandbox === 'off' || (settings.sandbox === 'auto' && process.getuid?.() === 0))
    return Browser.launch(located, settings, proxy, false);
  try {
    return await Browser.launch(located, settings, proxy, true);
  } catch (error) {
    const forbidden = error instanceof ServiceError && NO_SANDBOX_POSSIBLE.test(error.message);
    if (settings.sandbox === 'on' || !forbidden) throw error;
    return Browser.launch(located, settings, proxy, false);
  }
}

/** A browser that has answered, and the settings with which it was started. */
interface Started extends Pick<Browser, 'closed' | 'connection' | 'fonts' | 'product' | 'sandboxed' | 'settings'> {
  child: ChildProcess;
  tree: ProcessTree;
  proxy: EgressProxy;
}

export class Browser {
  /** For example `HeadlessChrome/153.0.8010.0`. */
  readonly product: string;
  readonly sandboxed: boolean;
  readonly connection: Connection;
  readonly settings: BrowserSettings;
  readonly memory: MemoryWatchdog;
  readonly fonts: FontKnowledge;
  readonly captureQueue = new CaptureQueue();
  /** Resolves when the browser cannot be used any more. */
  readonly ended: Promise<void>;
  /** Resolves when the process has ended and its descendants and its folder are removed. */
  readonly closed: Promise<void>;
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  readonly #proxy: EgressProxy;

  static async launch(
    located: LocatedBrowser,
    settings: BrowserSettings,
    proxy: EgressProxy,
    sandbox: boolean,
  ): Promise<Browser> {
    const profileDir = await makeProfile();
    const flags = launchFlags({ proxyUrl: proxy.url, profileDir, sandbox, heapBytes: settings.rendererHeapBytes });
    const child = spawn(located.path, flags, {
      detached: true, // it gets its own process group, so that all of it can be ended
      env: { ...located.env, HOME: profileDir, TMPDIR: profileDir, LANG: 'en_US.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
    if (!child.stderr) {
      await removeProfile(profileDir);
      throw new ServiceError('browser_unavailable', 'the browser could not be started: the process has too many files open');
    }
    if (child.pid) yieldToOthers(child.pid);
    const stderr = keepTail(child.stderr);
    const tree = new ProcessTree(child.pid ?? 0);
    const end = () => {
      if (child.pid) endProcess(-child.pid);
      tree.end();
    };
    const connection = new Connection(child.stdio[3] as Writable, child.stdio[4] as Readable);
    const closed = ended.then(async () => {
      connection.close();
      end();
      await removeProfile(profileDir).catch(() => {}); // the next start removes it
    });
    const product = await awaitVersion(connection, closed, stderr).catch(async (error: unknown) => {
      await tree.look().catch(() => {});
      end();
      throw error;
    });
    const fonts = new FontKnowledge(located.families);
    const browser = new Browser({ child, tree, connection, settings, proxy, closed, product, sandboxed: sandbox, fonts });
    child.stderr.on('data', (text: string) => browser.memory.crashes.readLog(text));
    return browser;
  }

  private constructor(started: Started) {
    this.#child = started.child;
    this.#tree = started.tree;
    this.connection = started.connection;
    this.settings = started.settings;
    this.#proxy = started.proxy;
    this.product = started.product;
    this.fonts = started.fonts;
    this.sandboxed = started.sandboxed;
    this.memory = new MemoryWatchdog(this.connection, this.#tree, {
      rendererLimitBytes: this.settings.rendererMemoryBytes,
      browserLimitBytes: this.settings.browserMemoryBytes,
      endBrowser: () => {
        this.kill();
        return this.ended;
      },
    });
    this.closed = started.closed.then(() => this.memory.stop());
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.connection.onClose = () => {
      resolve();
      this.kill(); // a browser cannot be used without its pipe
    };
    // These events report crashes with exit codes, and shared workers, which belong to no page.
    const discovery = { discover: true, filter: [{ type: 'page' }, { type: 'shared_worker' }] };
    this.connection.browser.send('Target.setDiscoverTargets', discovery).catch(() => {});
  }

  /** Whether this is a full browser, which prints several times slower than a headless shell. */
  get isFullBrowser(): boolean {
    return !this.product.startsWith('HeadlessChrome');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Opens a page in its own browser context. */
  openPage(): Promise<Page> {
    return Page.open(this);
  }

  /** Opens the proxy listener of one page. */
  openListener(): Promise<ProxyListener> {
    return this.#proxy.openListener();
  }

  /** Lowers the CPU priority of the whole browser. Linux shares the CPU between sessions, and each browser is one. */
  lowerPriority(): void {
    try {
      writeFileSync(`/proc/${this.pid}/autogroup`, String(LOW_PRIORITY_NICENESS));
    } catch {
      // The browser has ended, or the system does not support this. Rendering works without it.
    }
  }

  /** Kills all its processes. */
  kill(): void {
    const isRunning = this.#child.exitCode === null && this.#child.signalCode === null;
    if (isRunning && this.pid) endProcess(-this.pid);
    this.#tree.end();
  }

  /** Resident bytes of the browser and its helper processes at the last measurement, without renderers. */
  get memoryBytes(): number {
    return this.memory.browserBytes;
  }

  /** Asks the browser to close, and kills it if it does not answer. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.kill(), CLOSE_TIMEOUT_MS);
    this.connection.browser.send('Browser.close').catch(() => {});
    await this.closed;
    clearTimeout(timer);
  }
}

async function awaitVersion(connection: Connection, closed: Promise<void>, stderr: () => string): Promise<string> {
  const timeout = AbortSignal.timeout(LAUNCH_TIMEOUT_MS);
  const fail = (what: string) => {
    throw new ServiceError('browser_unavailable', `the browser ${what}: ${stderr().trim() || SAID_NOTHING}`);
  };
  const ended = closed.then(() => fail('ended at start'));
  const version = await Promise.race([
    connection.browser.send('Browser.getVersion').catch(() => ended),
    ended,
    once(timeout, 'abort').then(() => fail(`did not answer within ${LAUNCH_TIMEOUT_MS} ms`)),
  ]);
  return version.product;
}

/** Lowers the CPU priority below that of the service, so that a busy browser does not delay refusals and health checks. */
function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, RENDERING_NICENESS);
  } catch {
    // The browser has ended, or the system does not allow it. Rendering works without it.
  }
}

function keepTail(stream: Readable): () => string {
  let tail = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_KEPT);
  });
  return () => tail;
}
