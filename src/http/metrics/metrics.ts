/** The metrics that an operator reads at `/metrics`, in the Prometheus format. Labels never hold text that a caller sent. */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  Registry,
  type RegistryContentType,
} from 'prom-client';
import type { Phase } from '../../deadline.ts';
import type { ErrorCode } from '../../errors.ts';
import type { PoolStats } from '../../pool/pool.ts';
import type { ByteBudget } from '../../queue/byte-budget.ts';
import type { Delivery } from '../../render/render.ts';
import { exemplar } from '../../tracing.ts';
import type { DeliveryOutcome } from '../../webhooks/deliverer.ts';
import { PROBLEMS } from '../server/problem.ts';

export interface MetricSources {
  poolStats(): PoolStats;
  /** The versions of Platen and of what it runs on, by label. */
  versions(): Record<'version' | 'node' | 'browser', string>;
  /** Proportional set sizes of the browsers with their helper processes, and of all renderers, in bytes. */
  browserMemory(): Promise<{ browsers: number; renderers: number }>;
  refusedRequests(): number;
  requestMemory(): ByteBudget[];
  /** The file system of the data folder. */
  disk(): Promise<{ bytes: number; freeBytes: number }>;
  storedBytes(): Promise<number>;
  /** Number of batch items that are not being rendered yet. */
  waitingItems(): Promise<number>;
}

type OwnRegistry = Registry<OpenMetricsContentType>;

export interface RequestOutcome {
  method: string;
  route: string;
  status: number;
  milliseconds: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

const ERROR_CODES = Object.keys(PROBLEMS);
const DELIVERY_OUTCOMES: readonly DeliveryOutcome[] = ['delivered', 'retried', 'failed'];
const STAGE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const STORED_KEPT_MS = 60_000;
const DELAY_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SIZE_BUCKETS = [1e4, 1e5, 1e6, 1e7, 1e8];

export function createMetrics(sources: MetricSources) {
  const registry: OwnRegistry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE); // only these have exemplars
  collectDefaultMetrics({ register: registry });
  tellVersions(registry, sources);
  watchPool(registry, sources);
  watchBrowserMemory(registry, sources);
  const renders = countRenders(registry);
  const storage = countStorage(registry);
  const outcomes = countOutcomes(registry);
  const waiting = 'Batch items that wait to be rendered. Identical items of one batch count once.';
  watch(registry, 'platen_batch_items_waiting', waiting, sources.waitingItems);
  watchMemory(registry, sources);
  watchStorage(registry, sources);
  return {
    ...renders,
    ...storage,
    delivered({ file, document }: Delivery) {
      renders.renderSucceeded(file);
      if (document) storage.documentStored(document);
    },
    ...outcomes,
    ...timeRequests(registry),
    /** The exposition text and its content type. Only OpenMetrics has exemplars: the trace of a request that a bucket counts. */
    expose: (format?: 'prometheus' | 'openmetrics') => expose(registry, format === 'openmetrics'),
    /** Holds every metric, with its name, type, labels and help. */
    registry,
  };
}

/** Adds a metric that is read when Prometheus asks, so that nothing has to keep it up to date. */
function watch(registry: OwnRegistry, name: string, help: string, read: () => number | Promise<number>): void {
  const config = { name, help, registers: [registry] };
  if (!name.endsWith('_total')) {
    new Gauge({
      ...config,
      async collect() {
        this.set(await read());
      },
    });
    return;
  }
  new Counter({
    ...config,
    async collect() {
      const total = await read();
      this.reset();
      this.inc(total);
    },
  });
}

/**
 * Adds the current trace as an exemplar, if there is one. The types of the library allow no labels other than those of the
 * metric.
 */
function observe<T extends string>(histogram: Histogram<T>, labels: Partial<Record<T, string | number>>, value: number): void {
  histogram.observe({ labels, value, exemplarLabels: exemplar() as Partial<Record<T, string>> });
}

/**
 * Exposes the metrics through a second registry. The first one would otherwise remove `_total` from its counter names
 * permanently.
 */
async function expose(registry: OwnRegistry, isOpen: boolean): Promise<{ text: string; type: string }> {
  const writer = new Registry<RegistryContentType>();
  writer.setContentType(isOpen ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE);
  const texts = registry.getMetricsAsArray().map(async (metric) => {
    const read = await (metric as unknown as { get(): Promise<{ name: string; type: string }> }).get();
    const name = isOpen && read.type === 'counter' ? read.name.replace(/_total$/, '') : read.name;
    const renamed = { get: async () => ({ ...read, name }) };
    return (writer as unknown as { getMetricsAsString(metric: typeof renamed): Promise<string> }).getMetricsAsString(renamed);
  });
  const lines = await Promise.all(texts);
  return { text: isOpen ? `${lines.join('\n')}\n# EOF\n` : `${lines.join('\n\n')}\n`, type: writer.contentType };
}

/** Adds a counter of events. All its labels are exposed at once, because only then is the first event an increase. */
function count<T extends string>(
  registry: OwnRegistry,
  name: string,
  help: string,
  label: T,
  values: readonly string[],
): Counter<T> {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  for (const value of values) counter.inc({ [label]: value } as Record<T, string>, 0);
  return counter;
}

function countRenders(registry: OwnRegistry) {
  const registers = [registry];
  const renders = count(registry, 'platen_renders_total', 'Renders by outcome: ok, or the error code.', 'outcome', [
    'ok',
    ...ERROR_CODES,
  ]);
  const stages = new Histogram({
    name: 'platen_render_stage_seconds',
    help: 'Time that successful renders spent in each stage.',
    labelNames: ['stage'],
    buckets: STAGE_BUCKETS,
    enableExemplars: true,
    registers,
  });
  const pages = new Counter({ name: 'platen_rendered_pages_total', help: 'Number of pages of all PDFs rendered.', registers });
  const sizes = new Histogram({
    name: 'platen_pdf_bytes',
    help: 'Size of the PDFs rendered.',
    buckets: SIZE_BUCKETS,
    enableExemplars: true,
    registers,
  });
  return {
    /** `pages` is undefined for images. */
    renderSucceeded(result: { bytes: number; pages?: number; timings: Record<Phase, number> }) {
      renders.inc({ outcome: 'ok' });
      if (result.pages !== undefined) {
        pages.inc(result.pages);
        observe(sizes, {}, result.bytes);
      }
      for (const [stage, milliseconds] of Object.entries(result.timings)) observe(stages, { stage }, milliseconds / 1000);
    },
    renderFailed: (code: ErrorCode) => renders.inc({ outcome: code }),
  };
}

function countStorage(registry: OwnRegistry) {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  const stored = counter('platen_documents_stored_total', 'Number of PDFs and images stored.');
  const storedBytes = counter('platen_documents_stored_bytes_total', 'Total size in bytes of all PDFs and images stored.');
  const sweepFailures = counter(
    'platen_sweep_failures_total',
    'Failures of sweeps. The next sweep tries again; the log has the reason.',
  );
  const removals = 'Objects that sweeps removed: expired content, and orphaned files that no record refers to.';
  const removed = count(registry, 'platen_swept_total', removals, 'what', ['content', 'orphans']);
  return {
    documentStored: ({ bytes }: { bytes: number }) => {
      stored.inc();
      storedBytes.inc(bytes);
    },
    swept: (what: 'content' | 'orphans', objects: number) => removed.inc({ what }, objects),
    sweepFailed: () => sweepFailures.inc(),
  };
}

/** Metrics that count events by outcome, and nothing else. */
function countOutcomes(registry: OwnRegistry) {
  const byOutcome = (name: string, help: string, outcomes: readonly string[]) => count(registry, name, help, 'outcome', outcomes);
  const webhooks = byOutcome(
    'platen_webhook_deliveries_total',
    'Attempts to deliver a webhook by outcome: delivered, retried (the attempt failed and another follows) or failed (given up).',
    DELIVERY_OUTCOMES,
  );
  const uploads = byOutcome(
    'platen_uploads_total',
    'Attempts to upload a result to `deliver_to`, by outcome as those of webhooks.',
    DELIVERY_OUTCOMES,
  );
  const items = byOutcome('platen_batch_items_total', 'Batch items by outcome: ok, cancelled, or the error code.', [
    'ok',
    'cancelled',
    ...ERROR_CODES,
  ]);
  const visitors = byOutcome(
    'platen_playground_renders_total',
    'Playground renders by outcome: ok, or the error code. No other metric of renders counts them.',
    ['ok', ...ERROR_CODES],
  );
  return {
    webhookAttempted: (outcome: DeliveryOutcome) => webhooks.inc({ outcome }),
    uploadAttempted: (outcome: DeliveryOutcome) => uploads.inc({ outcome }),
    /** `ok`, `cancelled`, or an error code. */
    batchItemsEnded: (outcome: string, ended: number) => items.inc({ outcome }, ended),
    /** `ok`, or an error code. */
    playgroundEnded: (outcome: string) => visitors.inc({ outcome }),
  };
}

function timeRequests(registry: OwnRegistry) {
  const requests = new Histogram({
    name: 'platen_http_request_seconds',
    help: 'Duration of HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: STAGE_BUCKETS,
    enableExemplars: true,
    registers: [registry],
  });
  const delays = new Histogram({
    name: 'platen_event_loop_delay_seconds',
    help: 'How long the thread that answers all requests was busy with something else, measured ten times a second.',
    buckets: DELAY_BUCKETS,
    registers: [registry],
  });
  return {
    eventLoopDelayed: (seconds: number) => delays.observe(seconds),
    requestFinished: ({ milliseconds, ...labels }: RequestOutcome) => observe(requests, labels, milliseconds / 1000),
  };
}

function tellVersions(registry: OwnRegistry, sources: MetricSources): void {
  new Gauge({
    name: 'platen_build_info',
    help: 'Always 1; the labels are the versions of Platen, Node and the browser.',
    labelNames: ['version', 'node', 'browser'],
    registers: [registry],
    collect() {
      this.reset();
      this.set(sources.versions(), 1);
    },
  });
}

/** Both metrics of one exposition share a measurement. */
function watchBrowserMemory(registry: OwnRegistry, sources: MetricSources): void {
  let measuring: ReturnType<MetricSources['browserMemory']> | undefined;
  const measure = () => {
    measuring ??= sources.browserMemory().finally(() => {
      measuring = undefined;
    });
    return measuring;
  };
  const help = (what: string) =>
    `Memory of ${what}, in bytes, as proportional set size: memory that processes share is counted once.`;
  watch(registry, 'platen_browser_memory_bytes', help('the browser processes'), async () => (await measure()).browsers);
  watch(registry, 'platen_renderer_memory_bytes', help('all renderer processes'), async () => (await measure()).renderers);
}

/** Adding up the sizes of millions of documents takes a while, so that the sum is kept for a minute. */
function watchStorage(registry: OwnRegistry, { disk, storedBytes }: MetricSources): void {
  let [stored, readAt] = [0, Number.NEGATIVE_INFINITY];
  watch(registry, 'platen_stored_bytes', 'Size of all stored documents in bytes, read at most once a minute.', async () => {
    if (performance.now() < readAt + STORED_KEPT_MS) return stored;
    readAt = performance.now();
    stored = await storedBytes().catch(() => stored); // the database may be away for a moment
    return stored;
  });
  const gauge = (name: string, help: string, read: (facts: Awaited<ReturnType<typeof disk>>) => number) =>
    watch(registry, name, help, async () => read(await disk()));
  gauge('platen_disk_free_bytes', 'Free bytes on the disk of the data folder.', ({ freeBytes }) => freeBytes);
  gauge('platen_disk_size_bytes', 'Size of the disk of the data folder in bytes.', ({ bytes }) => bytes);
}

function watchMemory(registry: OwnRegistry, sources: MetricSources): void {
  const sum = (read: (budget: ByteBudget) => number) =>
    sources.requestMemory().reduce((total, budget) => total + read(budget), 0);
  watch(registry, 'platen_request_memory_bytes', 'Memory that requests use, as counted towards PLATEN_REQUEST_MEMORY_MB.', () =>
    sum(({ held }) => held),
  );
  new Counter({
    name: 'platen_request_memory_refused_total',
    help: 'Requests refused because of PLATEN_REQUEST_MEMORY_MB: share (429, the account or visitor uses all of its share) or whole (503, all requests together use too much).',
    labelNames: ['used_up'],
    registers: [registry],
    collect() {
      this.reset();
      for (const used_up of ['share', 'whole'] as const)
        this.inc(
          { used_up },
          sum(({ refused }) => refused[used_up]),
        );
    },
  });
}

function watchPool(registry: OwnRegistry, sources: MetricSources): void {
  const pool = (name: string, help: string, read: (stats: PoolStats) => number) =>
    watch(registry, name, help, () => read(sources.poolStats()));
  pool('platen_renders_running', 'Renders that are running.', (stats) => stats.running);
  pool('platen_renders_capacity', 'Number of renders that can run at the same time.', (stats) => stats.capacity);
  pool('platen_renders_waiting', 'Renders that wait in the queue.', (stats) => stats.waiting);
  pool('platen_browsers', 'Browsers that are running.', (stats) => stats.browsers);
  pool('platen_pages_spare', 'Unused pages that are ready for any key.', (stats) => stats.pages.spare);
  pool('platen_pages_primed', 'Unused pages that have rendered a warm-up document.', (stats) => stats.pages.primed);
  pool('platen_pages_warm', 'Idle pages kept warm for the key they last served.', (stats) => stats.pages.warm);
  pool('platen_pages_busy', 'Pages that are rendering.', (stats) => stats.pages.busy);
  pool('platen_browser_crashes_total', 'Browsers that crashed and were started again.', (stats) => stats.crashes);
  pool(
    'platen_browser_replacements_total',
    'Browsers replaced because of age, number of renders or memory.',
    (stats) => stats.replaced,
  );
  pool(
    'platen_render_retries_total',
    'Renders repeated because their page crashed or its browser ended.',
    (stats) => stats.retries,
  );
  watch(registry, 'platen_outbound_refused_total', 'Connections that the egress proxy refused.', sources.refusedRequests);
}
