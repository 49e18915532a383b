/** What an operator can read at `/metrics`, in Prometheus' format. Labels never hold anything a caller sent. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Phase } from '../deadline.ts';
import type { ErrorCode } from '../errors.ts';
import type { PoolStats } from '../pool/pool.ts';
import type { ByteBudget } from '../queue/byte-budget.ts';
import type { DeliveryOutcome } from '../webhooks/deliverer.ts';

export interface MetricSources {
  poolStats(): PoolStats;
  /** Resident bytes of the browsers and of all renderers. */
  browserMemory(): { browsers: number; renderers: number };
  refusedRequests(): number;
  requestMemory(): ByteBudget[];
  /** Items of batches that nobody has taken up. */
  waitingItems(): Promise<number>;
}

export interface Metrics {
  /** Images have no pages. */
  renderSucceeded(result: { bytes: number; pages?: number; timings: Record<Phase, number> }): void;
  renderFailed(code: ErrorCode): void;
  /** `ok`, or an error code. */
  playgroundEnded(outcome: string): void;
  documentStored(document: { bytes: number }): void;
  /** `ok`, `cancelled`, or an error code. */
  batchItemsEnded(outcome: string, items: number): void;
  /** What a sweep found and removed. */
  swept(what: 'content' | 'orphans', count: number): void;
  sweepFailed(): void;
  webhookAttempted(outcome: DeliveryOutcome): void;
  requestFinished(request: { method: string; route: string; status: number; milliseconds: number }): void;
  /** The exposition text and its content type. */
  expose(): Promise<{ text: string; type: string }>;
  /** Holds every metric, with its name, type, labels and help. */
  registry: Registry;
}

const STAGE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SIZE_BUCKETS = [1e4, 1e5, 1e6, 1e7, 1e8];

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  watchPool(registry, sources);
  const renders = new Counter({
    name: 'platen_renders_total',
    help: 'Renders by outcome: ok, or the error code.',
    labelNames: ['outcome'],
    registers,
  });
  const stages = new Histogram({
    name: 'platen_render_stage_seconds',
    help: 'Time successful renders spent in each stage.',
    labelNames: ['stage'],
    buckets: STAGE_BUCKETS,
    registers,
  });
  const pages = new Counter({ name: 'platen_rendered_pages_total', help: 'Pages of all PDFs rendered.', registers });
  const sizes = new Histogram({ name: 'platen_pdf_bytes', help: 'Size of the PDFs rendered.', buckets: SIZE_BUCKETS, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const stored = counter('platen_documents_stored_total', 'PDFs stored.');
  const storedBytes = counter('platen_documents_stored_bytes_total', 'Bytes of all PDFs stored.');
  const sweepFailures = counter(
    'platen_sweep_failures_total',
    'What sweeps could not remove or do, and tried again later; the log has the reason.',
  );
  const removed = new Counter({
    name: 'platen_swept_total',
    help: 'What sweeps removed: content whose time was over, and orphans that nothing named.',
    labelNames: ['what'],
    registers,
  });
  const webhooks = new Counter({
    name: 'platen_webhook_deliveries_total',
    help: 'Attempts to deliver a webhook by outcome: delivered, retried (it failed, another follows), failed (given up).',
    labelNames: ['outcome'],
    registers,
  });
  const items = new Counter({
    name: 'platen_batch_items_total',
    help: 'Items of batches by outcome: ok, cancelled, or the error code.',
    labelNames: ['outcome'],
    registers,
  });
  const visitors = new Counter({
    name: 'platen_playground_renders_total',
    help: 'Renders of the playground by outcome: ok, or the error code. They count nowhere else.',
    labelNames: ['outcome'],
    registers,
  });
  watchItems(registry, sources);
  watchMemory(registry, sources);
  const requests = new Histogram({
    name: 'platen_http_request_seconds',
    help: 'HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: STAGE_BUCKETS,
    registers,
  });
  return {
    renderSucceeded(result) {
      renders.inc({ outcome: 'ok' });
      if (result.pages !== undefined) {
        pages.inc(result.pages);
        sizes.observe(result.bytes);
      }
      for (const [stage, milliseconds] of Object.entries(result.timings)) stages.observe({ stage }, milliseconds / 1000);
    },
    playgroundEnded: (outcome) => visitors.inc({ outcome }),
    documentStored: ({ bytes }) => {
      stored.inc();
      storedBytes.inc(bytes);
    },
    batchItemsEnded: (outcome, count) => items.inc({ outcome }, count),
    swept: (what, count) => removed.inc({ what }, count),
    sweepFailed: () => sweepFailures.inc(),
    webhookAttempted: (outcome) => webhooks.inc({ outcome }),
    renderFailed: (code) => renders.inc({ outcome: code }),
    requestFinished: ({ milliseconds, ...labels }) => requests.observe(labels, milliseconds / 1000),
    expose: async () => ({ text: await registry.metrics(), type: registry.contentType }),
    registry,
  };
}

function watchItems(registry: Registry, sources: MetricSources): void {
  new Gauge({
    name: 'platen_batch_items_waiting',
    help: 'Items of batches that are to be rendered and have not begun; those that are the same count once.',
    registers: [registry],
    async collect() {
      this.set(await sources.waitingItems());
    },
  });
}

function watchMemory(registry: Registry, sources: MetricSources): void {
  const sum = (read: (budget: ByteBudget) => number) =>
    sources.requestMemory().reduce((total, budget) => total + read(budget), 0);
  new Gauge({
    name: 'platen_request_memory_bytes',
    help: 'Memory that requests hold, as it is counted towards PLATEN_REQUEST_MEMORY_MB.',
    registers: [registry],
    collect() {
      this.set(sum(({ held }) => held));
    },
  });
  new Counter({
    name: 'platen_request_memory_refused_total',
    help: 'Requests refused for want of memory: share (429, the account or visitor holds its share), whole (503, others hold too much).',
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

/** Read when they are asked for, so that nothing has to keep them up to date. */
function watchPool(registry: Registry, sources: MetricSources): void {
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
  gauge('platen_renders_running', 'Renders under way.', (stats) => stats.running);
  gauge('platen_renders_capacity', 'Renders that can be under way at one time.', (stats) => stats.capacity);
  gauge('platen_renders_waiting', 'Renders in the queue.', (stats) => stats.waiting);
  gauge('platen_browsers', 'Living browsers.', (stats) => stats.browsers);
  gauge('platen_pages_spare', 'Unused pages ready for any key.', (stats) => stats.pages.spare);
  gauge('platen_pages_primed', 'Spare pages that have rendered a first document of our own.', (stats) => stats.pages.primed);
  gauge('platen_pages_warm', 'Pages kept warm for the key they served.', (stats) => stats.pages.warm);
  gauge('platen_pages_busy', 'Pages at work.', (stats) => stats.pages.busy);
  gauge('platen_browser_memory_bytes', 'Resident memory of the browser processes.', () => sources.browserMemory().browsers);
  gauge('platen_renderer_memory_bytes', 'Resident memory of all renderers.', () => sources.browserMemory().renderers);
  total('platen_browser_crashes_total', 'Browsers that ended unasked and were started again.', (stats) => stats.crashes);
  total(
    'platen_browser_replacements_total',
    'Browsers replaced because of age, number of renders or memory.',
    (stats) => stats.replaced,
  );
  total('platen_render_retries_total', 'Renders done again because their page was lost.', (stats) => stats.retries);
  total('platen_outbound_refused_total', 'Connections of pages refused by the egress proxy.', () => sources.refusedRequests());
}
