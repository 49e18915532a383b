/** Generates the page of metrics from the registry that `/metrics` exposes. */
import { Counter, Gauge, Histogram } from 'prom-client';
import { createMetrics, type MetricSources } from '../../src/http/metrics/metrics.ts';
import { code, page, table } from './markdown.ts';
import { standIn } from './stand-in.ts';

const INTRODUCTION = `\`GET /metrics\` returns metrics in the Prometheus format, including those of the Node process
(\`process_*\`, \`nodejs_*\`). No label contains data sent by a caller.
[Metrics, health and the log](../operate/metrics.md) describes which ones to watch.`;

interface Described {
  name: string;
  help: string;
  labelNames?: string[];
}

export function metricsPage(): string {
  const metrics = createMetrics(standIn<MetricSources>()).registry.getMetricsAsArray() as unknown as Described[];
  const rows = metrics
    .filter(({ name }) => name.startsWith('platen_'))
    .map((metric) => [code(metric.name), typeOf(metric), (metric.labelNames ?? []).map(code).join(', '), metric.help]);
  return page('Metrics', INTRODUCTION, table(['name', 'type', 'labels', 'meaning'], rows));
}

function typeOf(metric: object): string {
  const types = { counter: Counter, gauge: Gauge, histogram: Histogram };
  return Object.entries(types).find(([, type]) => metric instanceof type)?.[0] ?? 'other';
}
