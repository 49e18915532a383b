/** Sends spans by OTLP over HTTP: a setting in, a tracer out. The only place that knows OpenTelemetry, which is loaded when it is used. */
import { randomUUID } from 'node:crypto';
import type { Context, Span as OtelSpan, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { explainMissing } from '../errors.ts';
import type { Attributes, Parent, Span, SpanKind, Tracer } from '../tracing.ts';

export interface TelemetrySettings {
  /** Address that takes spans, such as `http://127.0.0.1:4318/v1/traces`. */
  tracesUrl: string;
  /** Of 100 requests, how many are recorded. */
  tracesPercent: number;
  version: string;
  /** Spans could not be sent, for the operator. At most once a minute. */
  onFailure(error: unknown): void;
}

const PACKAGES =
  '@opentelemetry/api @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace-base';
/** Spans in memory: a receiver that is away costs a few megabytes, and then spans. */
const MAX_QUEUED = 4_096;
/** Until spans that are over are sent. */
const WAIT_MS = 2_000;
const SEND_MS = 5_000;
const TELL_EVERY_MS = 60_000;
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
      new sdk.BatchSpanProcessor(telling(exporter, settings.onFailure), {
        maxQueueSize: MAX_QUEUED,
        scheduledDelayMillis: WAIT_MS,
        exportTimeoutMillis: SEND_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('platen', settings.version);
  const contextOf = (parent: Parent | undefined): Context => {
    if (!parent) return api.ROOT_CONTEXT;
    const spanContext = readTraceparent(parent.traceparent);
    if ('isCallers' in parent && parent.isCallers)
      spanContext.traceFlags = isChosen() ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext);
  };
  const kinds: Record<SpanKind, number> = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    consumer: api.SpanKind.CONSUMER,
    internal: api.SpanKind.INTERNAL,
  };
  return {
    start: (name, { kind, attributes, parent }) =>
      new RecordedSpan(tracer.startSpan(name, { kind: kinds[kind], attributes }, contextOf(parent)), api.SpanStatusCode.ERROR),
    close: () => provider.shutdown().catch(settings.onFailure),
  };
}

class RecordedSpan implements Span {
  readonly traceId: string;
  readonly traceparent: string;
  readonly isSampled: boolean;
  readonly #span: OtelSpan;
  readonly #failed: number;

  constructor(span: OtelSpan, failed: number) {
    this.#span = span;
    this.#failed = failed;
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`;
    this.isSampled = (traceFlags & 1) === 1;
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  end(failure?: string): void {
    if (failure !== undefined) this.#span.setAttribute('error.type', failure).setStatus({ code: this.#failed });
    this.#span.end();
  }
}

/** It has been checked. */
function readTraceparent(text: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = text.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** OpenTelemetry drops what it cannot send without a word. */
function telling(exporter: SpanExporter, onFailure: (error: unknown) => void): SpanExporter {
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        if (result.error && performance.now() - toldAt >= TELL_EVERY_MS) {
          toldAt = performance.now();
          onFailure(result.error);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
