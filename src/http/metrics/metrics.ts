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
import type { Delivery, ImageDelivery } from '../../render/render.ts';
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
  /** Bytes of all stored documents. */
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

export interface Metrics {
  /** `pages` is undefined for images. */
  renderSucceeded(result: { bytes: number; pages?: number; timings: Record<Phase, number> }): void;
  renderFailed(code: ErrorCode): void;
  /** `ok`, or an error code. */
  playgroundEnded(outcome: string): void;
  documentStored(document: { bytes: number }): void;
  /** Counts a render, and its document if it was stored. */
  delivered(delivery: Delivery | ImageDelivery): void;
  /** `ok`, `cancelled`, or an error code. */
  batchItemsEnded(outcome: string, items: number): void;
  /** Counts the objects that a sweep removed. */
  swept(what: 'content' | 'orphans', count: number): void;
  sweepFailed(): void;
  webhookAttempted(outcome: DeliveryOutcome): void;
  uploadAttempted(outcome: DeliveryOutcome): void;
  requestFinished(outcome: RequestOutcome): void;
  eventLoopDelayed(seconds: number): void;
  /** The exposition text and its content type. Only OpenMetrics has exemplars: the trace of a request that a bucket counts. */
  expose(format?: 'prometheus' | 'openmetrics'): Promise<{ text: string; type: string }>;
  /** Holds every metric, with its name, type, labels and help. */
  registry: OwnRegistry;
}

const ERROR_CODES = Object.keys(PROBLEMS);
const DELIVERY_OUTCOMES: readonly DeliveryOutcome[] = ['delivered', 'retried', 'failed'];
const STAGE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const STORED_KEPT_MS = 60_000;
const DELAY_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SIZE_BUCKETS = [1e4, 1e5, 1e6, 1e7, 1e8];

export function createMetrics(sources: MetricSources): Metrics {
  const registry: OwnRegistry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE); // only these have exemplars
  collectDefaultMetrics({ register: registry });
  tellVersions(registry, sources);
  watchPool(registry, sources);
  watchBrowserMemory(registry, sources);
  const renders = countRenders(registry);
  const storage = countStorage(registry);
  const outcomes = countOutcomes(registry);
  watchItems(registry, sources);
  watchMemory(registry, sources);
  watchStorage(registry, sources);
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
    ...renders,
    ...storage,
    delivered(delivery) {
      renders.renderSucceeded('pdf' in delivery ? delivery.pdf : delivery.image);
      if (delivery.document) storage.documentStored(delivery.document);
    },
    ...outcomes,
    eventLoopDelayed: (seconds) => delays.observe(seconds),
    requestFinished: ({ milliseconds, ...labels }) => observe(requests, labels, milliseconds / 1000),
    expose: (format) => expose(registry, format === 'openmetrics'),
    registry,
  };
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

function countRenders(registry: OwnRegistry): Pick<Metrics, 'renderSucceeded' | 'renderFailed'> {
  const registers = [registry];
  const renders = new Counter({
    name: 'platen_renders_total',
    help: 'Renders by outcome: ok, or the error code.',
    labelNames: ['outcome'],
    registers,
  });
  beginAtZero(renders, ['ok', ...ERROR_CODES]);
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
    renderSucceeded(result) {
      renders.inc({ outcome: 'ok' });
      if (result.pages !== undefined) {
        pages.inc(result.pages);
        observe(sizes, {}, result.bytes);
      }
      for (const [stage, milliseconds] of Object.entries(result.timings)) observe(stages, { stage }, milliseconds / 1000);
    },
    renderFailed: (code) => renders.inc({ outcome: code }),
  };
}

function countStorage(registry: OwnRegistry): Pick<Metrics, 'documentStored' | 'swept' | 'sweepFailed'> {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  const stored = counter('platen_documents_stored_total', 'Number of PDFs and images stored.');
  const storedBytes = counter('platen_documents_stored_bytes_total', 'Total size in bytes of all PDFs and images stored.');
  const sweepFailures = counter(
    'platen_sweep_failures_total',
    'Failures of sweeps. The next sweep tries again; the log has the reason.',
  );
  const removed = new Counter({
    name: 'platen_swept_total',
    help: 'Objects that sweeps removed: expired content, and orphaned files that no record refers to.',
    labelNames: ['what'],
    registers: [registry],
  });
  for (const what of ['content', 'orphans']) removed.inc({ what }, 0);
  return {
    documentStored: ({ bytes }) => {
      stored.inc();
      storedBytes.inc(bytes);
    },
    swept: (what, count) => removed.inc({ what }, count),
    sweepFailed: () => sweepFailures.inc(),
  };
}

/** Metrics that count events by outcome, and nothing else. */
function countOutcomes(
  registry: OwnRegistry,
): Pick<Metrics, 'webhookAttempted' | 'uploadAttempted' | 'batchItemsEnded' | 'playgroundEnded'> {
  const byOutcome = (name: string, help: string, outcomes: readonly string[]) =>
    beginAtZero(new Counter({ name, help, labelNames: ['outcome'], registers: [registry] }), outcomes);
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
    webhookAttempted: (outcome) => webhooks.inc({ outcome }),
    uploadAttempted: (outcome) => uploads.inc({ outcome }),
    batchItemsEnded: (outcome, count) => items.inc({ outcome }, count),
    playgroundEnded: (outcome) => visitors.inc({ outcome }),
  };
}

/** The first event of an outcome is an increase only if the outcome was exposed before. */
function beginAtZero(counter: Counter<'outcome'>, outcomes: readonly string[]): Counter<'outcome'> {
  for (const outcome of outcomes) counter.inc({ outcome }, 0);
  return counter;
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
  const gauge = (name: string, what: string, read: (measured: Awaited<ReturnType<typeof measure>>) => number) => {
    new Gauge({
      name,
      help: `Memory of ${what}, in bytes, as proportional set size: memory that processes share is counted once.`,
      registers: [registry],
      async collect() {
        this.set(read(await measure()));
      },
    });
  };
  gauge('platen_browser_memory_bytes', 'the browser processes', ({ browsers }) => browsers);
  gauge('platen_renderer_memory_bytes', 'all renderer processes', ({ renderers }) => renderers);
}

function watchItems(registry: OwnRegistry, sources: MetricSources): void {
  new Gauge({
    name: 'platen_batch_items_waiting',
    help: 'Batch items that wait to be rendered. Identical items of one batch count once.',
    registers: [registry],
    async collect() {
      this.set(await sources.waitingItems());
    },
  });
}

/** Adding up the sizes of millions of documents takes a while, so that the sum is kept for a minute. */
function watchStorage(registry: OwnRegistry, { disk, storedBytes }: MetricSources): void {
  const gauge = (name: string, help: string, read: () => Promise<number>) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  };
  let [stored, readAt] = [0, Number.NEGATIVE_INFINITY];
  gauge('platen_stored_bytes', 'Size of all stored documents in bytes, read at most once a minute.', async () => {
    if (performance.now() < readAt + STORED_KEPT_MS) return stored;
    readAt = performance.now();
    stored = await storedBytes().catch(() => stored); // the database may be away for a moment
    return stored;
  });
  gauge('platen_disk_free_bytes', 'Free bytes on the disk of the data folder.', async () => (await disk()).freeBytes);
  gauge('platen_disk_size_bytes', 'Size of the disk of the data folder in bytes.', async () => (await disk()).bytes);
}

function watchMemory(registry: OwnRegistry, sources: MetricSources): void {
  const sum = (read: (budget: ByteBudget) => number) =>
    sources.requestMemory().reduce((total, budget) => total + read(budget), 0);
  new Gauge({
    name: 'platen_request_memory_bytes',
    help: 'Memory that requests use, as counted towards PLATEN_REQUEST_MEMORY_MB.',
    registers: [registry],
    collect() {
      this.set(sum(({ held }) => held));
    },
  });
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

/** These metrics are read when Prometheus asks, so that nothing has to keep them up to date. */
function watchPool(registry: OwnRegistry, sources: MetricSources): void {
  const gauge = (name: string, help: string, read: (stats: PoolStats) => number) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read(sources.poolStats()));
      },
    });
  };
  const total = (name: string, help: string, read: (stats: PoolStats) => number) => {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read(sources.poolStats()));
      },
    });
  };
  gauge('platen_renders_running', 'Renders that are running.', (stats) => stats.running);
  gauge('platen_renders_capacity', 'Number of renders that can run at the same time.', (stats) => stats.capacity);
  gauge('platen_renders_waiting', 'Renders that wait in the queue.', (stats) => stats.waiting);
  gauge('platen_browsers', 'Browsers that are running.', (stats) => stats.browsers);
  gauge('platen_pages_spare', 'Unused pages that are ready for any key.', (stats) => stats.pages.spare);
  gauge('platen_pages_primed', 'Unused pages that have rendered a warm-up document.', (stats) => stats.pages.primed);
  gauge('platen_pages_warm', 'Idle pages kept warm for the key they last served.', (stats) => stats.pages.warm);
  gauge('platen_pages_busy', 'Pages that are rendering.', (stats) => stats.pages.busy);
  total('platen_browser_crashes_total', 'Browsers that crashed and were started again.', (stats) => stats.crashes);
  total(
    'platen_browser_replacements_total',
    'Browsers replaced because of age, number of renders or memory.',
    (stats) => stats.replaced,
  );
  total(
    'platen_render_retries_total',
    'Renders repeated because their page crashed or its browser ended.',
    (stats) => stats.retries,
  );
  total('platen_outbound_refused_total', 'Connections that the egress proxy refused.', () => sources.refusedRequests());
}
