/** Puts the services together: the only file that knows them all. Starts in order, stops in reverse order. */
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { eraseDeletedAccounts } from './accounts/erase-deleted.ts';
import { Merging } from './batches/merging.ts';
import { BatchRunner } from './batches/runner.ts';
import type { Browser } from './chromium/browser.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { Sweep } from './documents/sweep.ts';
import { startEgressProxy } from './egress/egress-proxy.ts';
import type { OutboundPolicy } from './egress/policy.ts';
import { type Logger, openFinishing, type RenderEngine, startEngine } from './engine.ts';
import { BackgroundJobs } from './gotenberg/background.ts';
import { gotenbergPlugin } from './gotenberg/plugin.ts';
import type { GotenbergServices } from './gotenberg/routes.ts';
import { createMetrics, type MetricSources, type Metrics } from './http/metrics/metrics.ts';
import { releaseUnusedMemory } from './http/requests/release-memory.ts';
import type { RouteServices } from './http/routes/services.ts';
import { createServer } from './http/server.ts';
import { Markdown } from './markdown/markdown.ts';
import { playgroundBrowser } from './playground/browser-limits.ts';
import { Playground } from './playground/playground.ts';
import { VisitorTime } from './playground/visitor-time.ts';
import { ByteBudget } from './queue/byte-budget.ts';
import { OwnerQueue } from './queue/owner-queue.ts';
import { CombinedPrints } from './render/combining/combined-prints.ts';
import { dryRun, dryRunAssembly } from './render/dry-run.ts';
import { LookupLimit } from './render/lookup-limit.ts';
import { renderPreview } from './render/preview.ts';
import { createReadiness } from './render/readiness.ts';
import { findViolations, type RenderMemory, render } from './render/render.ts';
import type { RenderLimits } from './render/request/render-request.ts';
import { openServices, type Services } from './services.ts';
import { removeAbandonedWork } from './storage/backup/work-folder.ts';
import { diskSpace, requireFreeSpace } from './storage/disk-space.ts';
import { readNamedBlobs } from './storage/named-blobs.ts';
import { openTracer } from './telemetry/open-telemetry.ts';
import { currentTraceId, useTracer } from './tracing.ts';
import { UploadAssembly } from './uploads/assemble-uploads.ts';
import { PdfComparison } from './uploads/compare/compare-pdfs.ts';
import { PageDrawing } from './uploads/draw-pages.ts';
import { Letterheads } from './uploads/letterheads.ts';
import { UploadValidation } from './uploads/validate-uploads.ts';
import { VERSION } from './version.ts';
import { Pages } from './web-assets/pages.ts';
import {
  type AttemptDetails,
  Deliverer,
  type DelivererSettings,
  type DeliveryKind,
  type DeliveryOutcome,
} from './webhooks/deliverer.ts';
import { ResultUploads } from './webhooks/result-uploads.ts';
import { requireReachable } from './webhooks/webhook-url.ts';
import { currentOrigin } from './work-log.ts';

/** The folder of the sources of the web pages and of their build. */
const WEB_DIR = fileURLToPath(new URL('../web', import.meta.url));

/** Disk space for PDFs that clients have not read yet, as a multiple of the memory that requests may use. */
const REPLIES_ON_DISK = 4;
/** How long merging may run while others wait. Merging hundreds of documents takes longer than any other work. */
const LONGEST_MERGE_MS = 30_000;
/** Of a letterhead that a visitor of the playground sends, and of all that are remembered. */
const MAX_VISITOR_BYTES = 8_388_608;
/** Of all accounts together; an account has one at a time. */
const [MAX_PREVIEWS, MAX_WAITING_PREVIEWS] = [16, 256];

const COUNTED_BY_NODE =
  'the limits of open streams and of requests that do not render are counted by each node: with several nodes, they add up';

const LOST_CERTIFICATES =
  'some certificates cannot sign, because their secret key is missing: run `platen doctor`, and see docs/operate/backups.md';

export type App = Awaited<ReturnType<typeof startApp>>;

/** Starts the whole service. `clock` is for tests that cannot wait for the end of a month. */
export async function startApp(config: Config, clock: Clock = Date.now) {
  const parts = await buildApp(config, clock);
  const { server, services, engine, sweep, deliverer, runner } = parts;
  const tasks = { item: runner, webhook: deliverer.task('webhook'), upload: deliverer.task('upload'), sweep };
  let stopping: Promise<void> | undefined;
  /** Refuses new requests, completes the accepted ones, then stops everything. */
  const stop = () => (stopping ??= stopApp(parts, config.app.drainTimeoutMs));
  /** Writes lines that the operator needs whatever `PLATEN_LOG_LEVEL` is. */
  const notices = parts.logger.child({}, { level: 'info' });
  const url = await listen(parts, config.app).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  engine.policy.protect((server.server.address() as AddressInfo).port);
  services.jobs.start(tasks, (error) => parts.logger.warn({ err: error }, 'background work failed and will be tried again'));
  return { url, server, services, engine, sweep, notices, stop };
}

type AppParts = Awaited<ReturnType<typeof buildApp>>;

/** If a later step fails, everything opened so far is closed, because remaining browsers would keep the process running. */
async function buildApp(config: Config, clock: Clock) {
  await using opened = new AsyncDisposableStack();
  const parts = await openParts(config, clock, opened);
  opened.move(); // from now on, `stopApp` closes them
  return parts;
}

async function openParts(config: Config, clock: Clock, opened: AsyncDisposableStack) {
  const { dataDir } = config.app;
  const logger = createLogger(config);
  const tracing = await openTracing(config.tracing, logger);
  opened.defer(() => tracing?.close());
  const { services, engine } = await openBase(config, clock, logger, opened);
  if (services.database.isShared) logger.warn({}, COUNTED_BY_NODE);
  services.requestLog.watchLost((err, entries) => logger.warn({ err, entries }, 'entries of the request log are lost'));
  const lost = await services.certificates.countLost();
  if (lost) logger.warn({ certificates: lost }, LOST_CERTIFICATES);
  const hasPlayground = config.playground.playground === 'on';
  const visitors = hasPlayground ? await openPlayground(services, engine, config, { clock, logger }) : undefined;
  opened.defer(() => visitors?.close());
  const pages = new Pages(WEB_DIR, (error) => logger.warn({ err: error }, 'the pages could not be built'));
  const budgets = createBudgets(config.app.requestMemoryBytes, hasPlayground);
  const metricSources: MetricSources = {
    requestMemory: () => [budgets.budgets.memory, budgets.playgroundBudgets.memory],
    poolStats: () => engine.pool.stats(),
    versions: () => ({ version: VERSION, node: process.versions.node, browser: [...engine.browsers][0]?.product ?? '' }),
    browserMemory: () => measureMemory(engine.browsers),
    refusedRequests: () => engine.proxy.refused + (visitors?.proxy.refused ?? 0),
    waitingItems: () => services.batchQueue.countWaiting(),
    storedBytes: () => services.documents.storedBytes(),
    disk: () => diskSpace(dataDir),
  };
  const metrics = createMetrics(metricSources);
  const pdfReaders = openPdfReaders(config.merging);
  const runner = createRunner({ ...services, ...pdfReaders }, engine, config.limits, metrics, logger);
  const merging = opened.use(createMerging(services, config));
  const backgroundJobs = new BackgroundJobs();
  const served: GotenbergServices = {
    ...services,
    limits: config.limits,
    playground: visitors?.playground,
    pages,
    ...{ metrics, metricSources },
    logger,
    ...budgets,
    ...rendering({ ...services, ...pdfReaders }, engine, visitors?.time),
    merging,
    backgroundJobs,
    gotenbergWebhooks: config.gotenberg.gotenbergWebhooks,
    ...pdfReaders,
    policy: engine.policy,
    resultUploads: new ResultUploads(engine.policy, config.uploads, (details) =>
      logger.info({ ...details, ...currentOrigin() }, 'webhook connection refused'),
    ),
    requireWebhook: (owner, url, path) => requireReachable(engine.policy, owner, url, path),
    secondsForItems: (unfinished) => runner.estimateSeconds(unfinished),
    checkReady: openReadiness(services, engine, dataDir),
  };
  const plugin = gotenbergPlugin(served, { ...config.gotenberg, version: VERSION });
  const server = await createServer({ ...config.http, version: VERSION }, served, plugin);
  const sweep = createSweep(services, config.app, clock, metrics, logger);
  const deliverer = createDeliverer({ ...services, policy: engine.policy, clock }, config.deliveries, metrics, logger);
  return {
    ...{ services, engine, visitors, pages, runner, merging, backgroundJobs, pdfReaders, server, sweep, deliverer },
    ...{ logger, tracing },
  };
}

/** The browser starts while the database is opened. */
async function openBase(config: Config, clock: Clock, logger: ReturnType<typeof createLogger>, opened: AsyncDisposableStack) {
  const opening = openServices(config.services, clock, (error) =>
    logger.error({ err: error }, 'another node has joined, and this one cannot run beside it'),
  );
  const secret = opening.then(({ links }) => links.secretFor('finishing'));
  secret.catch(() => {}); // `opening` reports the failure
  const starting = startEngine(config.engine, logger, secret);
  for (const each of [opening, starting])
    opened.defer(async () => {
      const isOpen = await each.catch(() => undefined); // it is reported below
      await isOpen?.close();
    });
  starting.catch(() => {}); // a fault of the database is reported first
  const services = await opening;
  return { services, engine: await starting };
}

function openReadiness({ checkNode, database, links, blobs }: Services, engine: RenderEngine, dataDir: string) {
  const checkRendering = createReadiness({ ...engine, pool: engine.pool.exempt });
  return async () => {
    await checkRendering();
    checkNode();
    await Promise.all([links.checkStorage(), database.checkSchema(), blobs.check(), requireFreeSpace(dataDir)]);
  };
}

/** The services that read uploaded and stored PDFs. */
function openPdfReaders({ maxPdfBytes }: Config['merging']) {
  const uploadAssembly = new UploadAssembly({ maxPdfBytes });
  return {
    uploadAssembly,
    letterheads: new Letterheads(uploadAssembly),
    uploadValidation: new UploadValidation(),
    pageDrawing: new PageDrawing(),
    pdfComparison: new PdfComparison(),
  };
}

type PdfReaders = ReturnType<typeof openPdfReaders>;

/** The functions with which the routes render. */
function rendering(services: Services & PdfReaders, engine: RenderEngine, time: VisitorTime | undefined) {
  const lookupLimit = new LookupLimit();
  const all = { ...services, revocation: engine.revocation };
  const within = (memory: RenderMemory | undefined) => ({ ...all, engine, memory });
  const turns = new OwnerQueue({ capacity: MAX_PREVIEWS, perOwner: 1, limit: MAX_WAITING_PREVIEWS });
  return {
    render: (request, principal, client, commitHook, held) => render(within(held), request, principal, client, commitHook),
    violationsOf: (request, principal, client, held) => findViolations(within(held), request, principal, client),
    preview:
      time && ((request, principal, client, held) => renderPreview({ ...within(held), time, turns }, request, principal, client)),
    dryRun(request, principal, client) {
      const services = { ...within(undefined), lookupLimit, policy: engine.policy };
      return 'parts' in request
        ? dryRunAssembly(services, request, principal, client)
        : dryRun(services, request, principal, client);
    },
  } satisfies Partial<RouteServices>;
}

/** Starts listening, and resolves to the address. */
async function listen({ pages, services, server }: AppParts, { host, port }: Config['app']): Promise<string> {
  await pages.open();
  await services.batchQueue.recover({ alone: !services.database.isShared }); // alone: the process that claimed items has ended
  return server.listen({ host, port });
}

/** Completes accepted requests within the shutdown time, then closes everything. */
async function stopApp(parts: AppParts, drainTimeoutMs: number): Promise<void> {
  const { services, engine, visitors, pages, runner, merging, backgroundJobs, pdfReaders, server, sweep, deliverer } = parts;
  const { jobs } = services;
  const begun = performance.now();
  parts.logger.info({ version: VERSION, drain_timeout_ms: drainTimeoutMs }, 'shutting down');
  const late = setTimeout(drainTimeoutMs, undefined, { ref: false });
  const delivered = Promise.race([jobs.drain(['webhook', 'upload']), late]).then(() => deliverer.abort());
  sweep.stop();
  services.batches.progress.close(); // clients that wait for a batch get its present state
  await Promise.race([
    Promise.all([jobs.drain(['item']), backgroundJobs.drain(), engine.pool.drain(), visitors?.playground.drain()]),
    late,
  ]);
  runner.abort();
  backgroundJobs.abort();
  const closing = server.close(); // waits for replies that are still being read
  await Promise.race([closing, late]);
  await visitors?.close();
  for (const each of Object.values(pdfReaders)) each.close();
  await Promise.all([engine.close(), merging[Symbol.asyncDispose]()]); // unfinished work fails now
  server.server.closeAllConnections();
  await closing;
  await pages.close();
  await delivered;
  await jobs.drain();
  await services.close();
  await parts.tracing?.close();
  parts.logger.info({ version: VERSION, milliseconds: Math.round(performance.now() - begun) }, 'shut down');
}

/** With tracing, each log line has the id of its trace. */
function createLogger({ app: { logLevel }, tracing: { tracesUrl } }: Config) {
  const mixin = () => {
    const trace_id = currentTraceId();
    return trace_id === undefined ? {} : { trace_id };
  };
  return pino({ level: logLevel, serializers: { err: errorFields }, ...(tracesUrl && { mixin }) });
}

async function openTracing(
  { tracesUrl, tracesPercent }: Config['tracing'],
  logger: Logger,
): Promise<{ close(): Promise<void> } | undefined> {
  if (!tracesUrl) return undefined;
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'traces could not be sent');
  const tracer = await openTracer({ tracesUrl, tracesPercent, version: VERSION, onFailure });
  useTracer(tracer);
  return {
    async close() {
      useTracer(undefined);
      await tracer.close();
    },
  };
}

/** Visitors of the playground have a separate share, so that they take no memory from key holders. */
function createBudgets(requestMemoryBytes: number, hasPlayground: boolean) {
  const forVisitors = hasPlayground ? requestMemoryBytes / 4 : 0;
  const budgetsOf = (bytes: number) => ({
    memory: new ByteBudget(bytes),
    disk: new ByteBudget(REPLIES_ON_DISK * bytes, 'replies'),
  });
  const [budgets, playgroundBudgets] = [budgetsOf(requestMemoryBytes - forVisitors), budgetsOf(forVisitors)];
  releaseUnusedMemory([budgets.memory, playgroundBudgets.memory]);
  return { budgets, playgroundBudgets };
}

/** The playground has its own egress proxy: PLATEN_OUTBOUND_ALLOW is for key holders and not for anonymous visitors. */
async function openPlayground(
  { templateFiller, visitorRequests }: Services,
  engine: RenderEngine,
  config: Config,
  { clock, logger }: { clock: Clock; logger: Logger },
) {
  const { playgroundConcurrency, playgroundSecondsPerMinute, playgroundOutboundAllow } = config.playground;
  const policy = engine.policy.allowing(playgroundOutboundAllow);
  const proxy = await startEgressProxy(policy, (details) =>
    logger.info({ ...details, ...currentOrigin() }, 'outbound connection refused'),
  );
  const settings = playgroundBrowser(config.engine.browser);
  const time = new VisitorTime(playgroundSecondsPerMinute, clock, visitorRequests);
  const letterheads = openVisitorLetterheads();
  const markdown = new Markdown(OF_VISITORS);
  const playground = new Playground(
    {
      async launch() {
        const browser = await engine.launch(settings, proxy);
        browser.lowerPriority();
        return browser;
      },
      templateFiller,
      markdown,
      finishing: engine.finishing,
      keyHolders: engine.pool,
      time,
      letterheads,
    },
    { ...config.engine.pool, concurrency: playgroundConcurrency },
  );
  const close = async () => {
    await playground.close();
    await proxy.close();
    markdown.close();
    for (const each of Object.values(letterheads)) each.close();
  };
  return { playground, proxy, time, close };
}

/** Visitors have processes of their own for Markdown and PDFs, so that they take none from key holders. */
const OF_VISITORS = { processes: 1, timeoutMs: 10_000 };

function openVisitorLetterheads() {
  const limits = { ...OF_VISITORS, maxUnpackedBytes: 8 * MAX_VISITOR_BYTES };
  const uploads = new UploadAssembly({ maxPdfBytes: MAX_VISITOR_BYTES, ...limits });
  const letterheads = new Letterheads(uploads, MAX_VISITOR_BYTES);
  const close = () => {
    letterheads.close();
    uploads.close();
  };
  const prepare: Letterheads['prepare'] = (...order) => letterheads.prepare(...order);
  return { letterheads: { prepare, close }, uploadValidation: new UploadValidation(limits) };
}

/** The fields of an error that may be logged. Other properties may hold an address or part of a document. */
function errorFields(error: Error): object {
  const { name, message, stack } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { type: name, message, stack, ...(code !== undefined && { code }) };
}

function createRunner(
  services: Services & PdfReaders,
  engine: RenderEngine,
  limits: RenderLimits,
  metrics: Metrics,
  logger: Logger,
): BatchRunner {
  const { accounts, allowance, batches, batchQueue, batchCipher, concurrency, jobs, awaitedSlots, uploads, requestLog } =
    services;
  const inBackground = {
    ...services,
    allowance: allowance.inBackground,
    concurrency: concurrency.background,
    engine: { pool: engine.pool.background, finishing: engine.finishing, combined: new CombinedPrints() },
    revocation: engine.revocation,
  };
  const runner = new BatchRunner({
    queue: batchQueue,
    cipher: batchCipher,
    limits,
    uploads,
    progress: batches.progress,
    requestLog,
    jobs,
    findPrincipal: (keyId) => accounts.findPrincipal(keyId),
    hasReservations: (accountId) => allowance.hasReservations(accountId),
    hasRoom: (principal) => concurrency.hasRoom(principal),
    awaitedSlots,
    pool: engine.pool,
    render: (...call) => render(inBackground, ...call),
    onRendered: metrics.delivered,
    onFault: (error) => logger.warn({ err: error, ...currentOrigin() }, 'a batch item failed because of an internal error'),
    onAttempt: (line) => logger.info(line, 'batch item'),
  });
  batches.progress.watchOutcomes((outcome, items) => metrics.batchItemsEnded(outcome, items));
  engine.pool.watchRoom(() => jobs.wake());
  awaitedSlots.watch(() => jobs.wake());
  concurrency.watchLeave((accountId) => {
    awaitedSlots.renderEnded(accountId);
    jobs.wake();
  });
  return runner;
}

/** Merges in a separate thread, so that no render waits for a batch of hundreds of documents. */
function createMerging({ documents, blobs, links }: Services, config: Config): Merging & AsyncDisposable {
  const { maxPdfBytes, maxRenderTimeoutMs: timeoutMs } = config.merging;
  const settings = { ...config.engine.finishing, finishThreads: 1 };
  const finishing = openFinishing(settings, links.secretFor('finishing'), { longestMs: LONGEST_MERGE_MS });
  const maxBytes = Math.min(maxPdfBytes, settings.finishQueueBytes);
  const merging = new Merging({ documents, blobs, finishing, maxBytes, maxPdfBytes, timeoutMs });
  return Object.assign(merging, { [Symbol.asyncDispose]: () => finishing.close() });
}

function createSweep(
  services: Services,
  { sweepMs, dataDir }: Config['app'],
  clock: Clock,
  metrics: Metrics,
  logger: Logger,
): Sweep {
  const { database, blobs, documents, idempotency, allowance, batches, templateChanges, accountAssets } = services;
  const { webhooks, webhookSecrets, visitorRequests, requestLog, accounts, auditLog } = services;
  const removeTemplate: typeof templateChanges.remove = (owner, id) => templateChanges.remove(owner, id);
  const removeFiles: typeof accountAssets.removeAll = (accountId) => accountAssets.removeAll(accountId);
  return new Sweep(database, blobs, {
    everyMs: sweepMs,
    prepare: () => eraseDeletedAccounts({ database, clock, removeTemplate, removeFiles }),
    expiringContent: [documents, idempotency, ...requestLog.expiringContent],
    cleanupTasks: [
      () => idempotency.removeExpired(),
      () => allowance.releaseExpired(),
      () => batches.forgetFailed(), // before the log forgets them
      () => requestLog.removeOld(),
      () => auditLog.removeOld(),
      () => batches.removeExpired(),
      () => webhooks.removeOld(),
      () => webhookSecrets.removeEnded(),
      () => accounts.sessions.removeEnded(),
      async () => visitorRequests?.removeEnded(),
      () => removeAbandonedWork(dataDir),
    ],
    named: (names) => readNamedBlobs(database, names),
    onOutdated: () =>
      logger.warn({}, 'a newer version has migrated the database: update this node, which leaves orphans to newer ones'),
    onRemoved(what, count) {
      metrics.swept(what, count);
      if (what === 'orphans') logger.info({ count }, 'content without a record removed');
    },
    onFailure(error) {
      metrics.sweepFailed();
      logger.warn({ err: error }, 'the sweep did not complete; the next one tries again');
    },
  });
}

function createDeliverer(
  opened: Services & { policy: OutboundPolicy; clock: Clock },
  settings: DelivererSettings,
  metrics: Metrics,
  logger: Logger,
): Deliverer {
  const services = {
    ...opened,
    onOutcome(outcome: DeliveryOutcome, details: AttemptDetails) {
      const isUpload = details.type === 'upload';
      if (isUpload) metrics.uploadAttempted(outcome);
      else metrics.webhookAttempted(outcome);
      logger.info({ ...details, outcome }, isUpload ? 'upload' : 'webhook');
    },
    onRefused: (kind: DeliveryKind, details: object) => logger.info(details, `${kind} connection refused`),
  };
  return new Deliverer(services, settings);
}

async function measureMemory(browsers: ReadonlySet<Browser>): Promise<{ browsers: number; renderers: number }> {
  const measured = await Promise.all([...browsers].map((browser) => browser.memory.measureProportional()));
  return {
    browsers: measured.reduce((sum, each) => sum + each.browser, 0),
    renderers: measured.reduce((sum, each) => sum + each.renderers, 0),
  };
}
