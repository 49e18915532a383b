/** Starts what renders: browsers, the egress proxy, and the threads that finish PDFs. A service adds accounts, storage and HTTP. */
import { Revocation } from './certificates/revocation.ts';
import { locateBrowser } from './chromium/browser/locate-browser.ts';
import { removeStaleProfiles } from './chromium/browser/temporary-profile.ts';
import { type Browser, launchBrowser } from './chromium/browser.ts';
import type { BrowserSettings } from './chromium/browser-settings.ts';
import type { Page } from './chromium/page.ts';
import { type EgressProxy, startEgressProxy } from './egress/egress-proxy.ts';
import { OutboundPolicy, type OutboundSettings } from './egress/policy.ts';
import { Finisher } from './pdf/finisher.ts';
import { Pool, type PoolOptions } from './pool/pool.ts';
import { OwnerQueue } from './queue/owner-queue.ts';
import { runEgressSelfTest } from './render/self-test.ts';
import { FinishQueue } from './render/steps/finish-queue.ts';
import { currentOrigin } from './work-log.ts';

/** Threads in addition to the configured ones, reserved for owners who have none. */
const RESERVED_THREADS = 1;

/** The settings of each part of the engine. */
export interface EngineSettings {
  location: Parameters<typeof locateBrowser>[0];
  browser: BrowserSettings;
  pool: PoolOptions;
  outbound: OutboundSettings;
  finishing: FinishingSettings;
}

export interface FinishingSettings {
  finishThreads: number;
  finishQueueLimit: number;
  finishQueueBytes: number;
  finishMemoryBytes: number;
}

export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Browsers that are ready to render, without an HTTP server. `platen render` uses nothing else. */
export interface RenderEngine {
  pool: Pool<Page>;
  finishing: FinishQueue;
  browsers: ReadonlySet<Browser>;
  policy: OutboundPolicy;
  revocation: Revocation;
  proxy: EgressProxy;
  /** Launches another browser, which the caller closes. */
  launch(settings: BrowserSettings, through: EgressProxy): Promise<Browser>;
  close(): Promise<void>;
}

/**
 * Throws `browser_unavailable` with the remedy. The keys of encrypted PDFs derive from `secret`, so that the same request gives the
 * same bytes as long as the secret stays the same.
 */
export async function startEngine(settings: EngineSettings, logger: Logger, secret: Uint8Array): Promise<RenderEngine> {
  await removeStaleProfiles();
  const located = await locateBrowser(settings.location);
  const policy = new OutboundPolicy(settings.outbound);
  const revocation = new Revocation(policy);
  const proxy = await startEgressProxy(policy, (details) =>
    logger.info({ ...details, ...currentOrigin() }, 'outbound connection refused'),
  );
  const browsers = new Set<Browser>();
  const launch = async (limits: BrowserSettings, through: EgressProxy) => {
    const browser = await launchBrowser(located, limits, through);
    await runEgressSelfTest(browser, policy).catch(async (error: unknown) => {
      logger.warn({ err: error, browser_pid: browser.pid }, 'a browser failed its self-test and is not used');
      await browser.close();
      throw error;
    });
    browsers.add(browser);
    void browser.closed.then(() => browsers.delete(browser));
    void browser.ended.then(() => logger.info({ browser_pid: browser.pid }, 'browser ended'));
    report(browser, located.path, logger);
    return browser;
  };
  const pool = new Pool(() => launch(settings.browser, proxy), settings.pool);
  const finisher = createFinisher(settings.finishing, secret);
  const close = async () => {
    await pool.close();
    await finisher.close();
    revocation.close();
    await proxy.close();
  };
  await pool.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { pool, finishing: createFinishQueue(settings.finishing, finisher), browsers, policy, revocation, proxy, launch, close };
}

export function createFinisher({ finishThreads, finishMemoryBytes }: FinishingSettings, secret: Uint8Array): Finisher {
  return new Finisher({
    threads: finishThreads + RESERVED_THREADS,
    heapMb: finishMemoryBytes / 1_048_576,
    secret,
  });
}

/** The queue in front of the finisher. It admits no more work than there are threads. */
export function createFinishQueue(
  { finishThreads, finishQueueLimit, finishQueueBytes }: FinishingSettings,
  finisher: Finisher,
  options: { longestMs?: number } = {},
): FinishQueue {
  const queue = new OwnerQueue({
    capacity: finishThreads,
    limit: finishQueueLimit,
    reserved: RESERVED_THREADS,
    ...options,
  });
  return new FinishQueue(finisher, queue, { maxBytes: finishQueueBytes });
}

function report(browser: Browser, path: string, logger: Logger): void {
  logger.info({ product: browser.product, path, sandbox: browser.sandboxed, browser_pid: browser.pid }, 'browser started');
  if (!browser.sandboxed)
    logger.warn(
      {},
      'Chromium runs without its sandbox. Run the service as an ordinary user on a kernel that allows user namespaces (sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0)',
    );
  if (browser.isFullBrowser)
    logger.warn(
      {},
      'the browser is a full browser, which is several times slower than a headless shell. Install chromium-headless-shell, or use the bundled browser',
    );
}
