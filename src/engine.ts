/** Starts what renders: browsers, the egress proxy, and the threads that finish PDFs. A service adds accounts, storage and HTTP. */
import { Revocation } from './certificates/revocation.ts';
import { locateBrowser } from './chromium/browser/locate-browser.ts';
import { removeStaleProfiles } from './chromium/browser/temporary-profile.ts';
import { type Browser, launchBrowser } from './chromium/browser.ts';
import type { BrowserSettings } from './chromium/browser-settings.ts';
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
export type RenderEngine = Awaited<ReturnType<typeof startEngine>>;

/**
 * Throws `browser_unavailable` with the remedy. The keys of encrypted PDFs derive from `secret`, so that the same request gives the
 * same bytes as long as the secret stays the same.
 */
export async function startEngine(settings: EngineSettings, logger: Logger, secret: Uint8Array | Promise<Uint8Array>) {
  await removeStaleProfiles();
  await using opened = new AsyncDisposableStack(); // closes what is open if something throws
  const located = await locateBrowser(settings.location);
  const policy = new OutboundPolicy(settings.outbound);
  const revocation = opened.adopt(new Revocation(policy), (each) => each.close());
  const onRefused = (details: object) => logger.info({ ...details, ...currentOrigin() }, 'outbound connection refused');
  const proxy = opened.adopt(await startEgressProxy(policy, onRefused), (each) => each.close());
  const browsers = new Set<Browser>();
  /** Launches another browser, which the caller closes. */
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
  const pool = opened.adopt(new Pool(() => launch(settings.browser, proxy), settings.pool), (each) => each.close());
  const [known] = await Promise.all([secret, pool.start()]);
  const finishing = opened.adopt(openFinishing(settings.finishing, known), (each) => each.close());
  const all = opened.move();
  const close = () => all.disposeAsync();
  return { pool, finishing, browsers, policy, revocation, proxy, launch, close, [Symbol.asyncDispose]: close };
}

/** Opens the threads that finish PDFs, and the queue in front of them, which admits no more work than there are threads. */
export function openFinishing(
  { finishThreads, finishQueueLimit, finishQueueBytes, finishMemoryBytes }: FinishingSettings,
  secret: Uint8Array,
  options: { longestMs?: number } = {},
): FinishQueue {
  const threads = finishThreads + RESERVED_THREADS;
  const finisher = new Finisher({ threads, heapMb: finishMemoryBytes / 1_048_576, secret });
  const queue = new OwnerQueue({ capacity: finishThreads, limit: finishQueueLimit, reserved: RESERVED_THREADS, ...options });
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
