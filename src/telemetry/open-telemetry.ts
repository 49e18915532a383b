/** Sends spans by OTLP over HTTP: settings in, a tracer out. Only this module uses OpenTelemetry, which is loaded on demand. */
import { randomUUID } from 'node:crypto';
import type { Context, Span as OtelSpan, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { explainMissing } from '../errors.ts';
import type { Parent, Span, SpanKind, Tracer } from '../tracing.ts';

export interface TelemetrySettings {
  /** The URL that receives spans, such as `http://127.0.0.1:4318/v1/traces`. */
  tracesUrl: string;
  tracesPercent: number;
  version: string;
  /** Called when spans could not be sent, at most once a minute. The error is for the operator. */
  onFailure(error: unknown): void;
}

const PACKAGES =
  '@opentelemetry/api @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace-base';
/** Maximum number of spans in memory, a few megabytes. While the receiver is unreachable, further spans are dropped. */
const MAX_QUEUED = 4_096;
/** The delay after which finished spans are sent. */
const WAIT_MS = 2_000;
const SEND_MS = 5_000;
const REPORT_EVERY_MS = 60_000;
const MAX_ATTRIBUTES = 32;
const MAX_ATTRIBUTE_LENGTH = 256;

export async function openTracer(settings: TelemetrySettings): Promise<Tracer & { close(): Promise<void> }> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]).catch(explainMissing(PACKAGES, 'PLATEN_TRACES_URL'));
  const { RECORD_AND_SAMPLED, NOT_RECORD } = sdk.SamplingDecision;
  const isChosen = () => Math.random() * 100 < settings.tracesPercent;
  const exporter = new OTLPTraceExporter({ url: settings.tracesUrl, timeoutMillis: SEND_MS });
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'platen',
      'service.version': settings.version,
      'service.instance.id': randomUUID(),
    }),
    sampler: new sdk.ParentBasedSampler({
      root: { shouldSample: () => ({ decision: isChosen() ? RECORD_AND_SAMPLED : NOT_RECORD }), toString: () => 'percent' },
    }),
    spanLimits: { attributeCountLimit: MAX_ATTRIBUTES, attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [
      new sdk.BatchSpanProcessor(withFailureReports(exporter, settings.onFailure), {
        maxQueueSize: MAX_QUEUED,
        scheduledDelayMillis: WAIT_MS,
        exportTimeoutMillis: SEND_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('platen', settings.version);
  const toContext = (parent: Parent | undefined): Context => {
    if (!parent) return api.ROOT_CONTEXT;
    const spanContext = readTraceparent(parent.traceparent);
    if ('isCallers' in parent && parent.isCallers)
      spanContext.traceFlags = isChosen() ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext);
  };
  const toKind = (kind: SpanKind) => api.SpanKind[kind.toUpperCase() as Uppercase<SpanKind>];
  return {
    start: (name, { kind, attributes, parent }) =>
      recordSpan(tracer.startSpan(name, { kind: toKind(kind), attributes }, toContext(parent)), api.SpanStatusCode.ERROR),
    close: () => provider.shutdown().catch(settings.onFailure),
  };
}

/** `failed` is the code of the status of failed spans. */
function recordSpan(span: OtelSpan, failed: number): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
    isSampled: (traceFlags & 1) === 1,
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    end(failure) {
      if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: failed });
      span.end();
    },
  };
}

/** `text` is known to be a valid traceparent. */
function readTraceparent(text: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = text.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Reports failed exports, because OpenTelemetry drops spans that it cannot send without reporting them. */
function withFailureReports(exporter: SpanExporter, onFailure: (error: unknown) => void): SpanExporter {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        if (result.error && performance.now() - reportedAt >= REPORT_EVERY_MS) {
          reportedAt = performance.now();
          onFailure(result.error);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
