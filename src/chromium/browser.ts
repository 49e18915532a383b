/**
 * One browser process: launch options in, pages out. Owns the process group, its pipe, its temporary folder and the
 * watch on its memory; all of them go together.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { ServiceError } from '../errors.ts';
import type { EgressProxy, Gate } from '../outbound/egress-proxy.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { Connection } from './connection.ts';
import { FontKnowledge } from './font-knowledge.ts';
import { launchFlags } from './launch-flags.ts';
import type { LocatedBrowser } from './locate-browser.ts';
import { MemoryWatch } from './memory-watch.ts';
import { Page } from './page.ts';
import { endProcess } from './process-life.ts';
import { makeProfile, removeProfile } from './temporary-profile.ts';

const RENDERING_NICENESS = 5;
/** A third of the weight. Much less, and a machine that is busy with other things renders nothing at all. */
const GIVING_WAY_NICENESS = 5;
const LAUNCH_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 3_000;
const STDERR_KEPT = 8_192;
const NO_SANDBOX_POSSIBLE =
  /No usable sandbox|Failed to move to new namespace|sandbox_linux|setuid sandbox|Running as root without --no-sandbox/i;

/** Starts a browser. Throws `browser_unavailable` with what it said and the remedy. */
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

export class Browser {
  /** For example `HeadlessChrome/153.0.8010.0`. */
  readonly product: string;
  readonly sandboxed: boolean;
  readonly connection: Connection;
  readonly settings: BrowserSettings;
  readonly memory: MemoryWatch;
  readonly fonts: FontKnowledge;
  /** Resolves when the browser cannot be used any more. */
  readonly ended: Promise<void>;
  /** Resolves when the process has ended and nothing of it is left. */
  readonly closed: Promise<void>;
  readonly #child: ChildProcess;
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
      detached: true, // a process group of its own, so that all of it can be ended
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
    const connection = new Connection(child.stdio[3] as Writable, child.stdio[4] as Readable);
    const closed = ended.then(async () => {
      connection.close();
      if (child.pid) endProcess(-child.pid);
      await removeProfile(profileDir).catch(() => {}); // swept at the next start
    });
    const version = await awaitVersion(connection, closed, stderr).catch((error: unknown) => {
      if (child.pid) endProcess(-child.pid);
      throw error;
    });
    return new Browser(child, connection, settings, proxy, closed, version, sandbox, new FontKnowledge(located.families));
  }

  private constructor(
    child: ChildProcess,
    connection: Connection,
    settings: BrowserSettings,
    proxy: EgressProxy,
    closed: Promise<void>,
    product: string,
    sandboxed: boolean,
    fonts: FontKnowledge,
  ) {
    this.#child = child;
    this.connection = connection;
    this.settings = settings;
    this.#proxy = proxy;
    this.product = product;
    this.fonts = fonts;
    this.sandboxed = sandboxed;
    this.memory = new MemoryWatch(connection.browser, {
      browserPid: this.pid,
      limitBytes: settings.rendererMemoryBytes,
      onSilent: () => this.kill(),
    });
    this.closed = closed.then(() => this.memory.stop());
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    connection.onClose = () => {
      resolve();
      this.kill(); // without its pipe a browser is of no use
    };
  }

  /** A full browser prints several times slower than a headless shell. */
  get isFullBrowser(): boolean {
    return !this.product.startsWith('HeadlessChrome');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** A page in a browser context of its own. */
  openPage(): Promise<Page> {
    return Page.open(this);
  }

  /** A way out for one page. */
  openGate(): Promise<Gate> {
    return this.#proxy.openGate();
  }

  /** Makes all of it give way to other browsers, where Linux shares the processor between sessions: a browser is one. */
  giveWay(): void {
    try {
      writeFileSync(`/proc/${this.pid}/autogroup`, String(GIVING_WAY_NICENESS));
    } catch {
      // It has ended already, or the system does not know such groups: rendering works without.
    }
  }

  /** Ends the whole process group at once. */
  kill(): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.pid) endProcess(-this.pid);
  }

  /** Ends the browser in order, or at once when it does not answer. */
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
    throw new ServiceError('browser_unavailable', `the browser ${what}: ${stderr().trim() || 'it said nothing'}`);
  };
  const version = await Promise.race([
    connection.browser.send('Browser.getVersion').catch(() => closed.then(() => fail('ended at start'))),
    closed.then(() => fail('ended at start')),
    once(timeout, 'abort').then(() => fail(`did not answer within ${LAUNCH_TIMEOUT_MS} ms`)),
  ]);
  return version.product;
}

/** What serves requests comes before what renders: a busy browser must not delay refusals and health checks. */
function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, RENDERING_NICENESS);
  } catch {
    // It has ended already, which `ended` tells, or the system does not let us: rendering works without.
  }
}

function keepTail(stream: Readable): () => string {
  let tail = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_KEPT);
  });
  return () => tail;
}
