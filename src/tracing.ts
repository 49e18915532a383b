/**
 * Trace spans of requests: other folders start and end spans here, and `telemetry` exports them. Until `useTracer` is called,
 * nothing is recorded and these functions only run the work they are given. Each process has one tracer.
 *
 * Attributes hold routes, codes, ids and numbers, never the addresses, names or data of callers.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Phase, PhaseObserver } from './deadline.ts';
import { ServiceError } from './errors.ts';

export type Attributes = Record<string, string | number | boolean>;

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The value of the `traceparent` header, see https://www.w3.org/TR/trace-context/. */
  readonly traceparent: string;
  /** Whether the span will be exported. */
  readonly isSampled: boolean;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** `failure` is an error code. */
  end(failure?: string): void;
}

/** `isCallers` means that the traceparent came with the request. Its sampled flag is then ignored. */
export type Parent = Span | { traceparent: string; isCallers: boolean };

export interface Tracer {
  start(name: string, options: { kind: SpanKind; attributes: Attributes; parent: Parent | undefined }): Span;
}

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const active = new AsyncLocalStorage<Span>();
let tracer: Tracer | undefined;

export function useTracer(chosen: Tracer | undefined): void {
  tracer = chosen;
}

/** Starts the span of an incoming request. Returns undefined while nothing is recorded. Ignores an invalid `traceparent`. */
export function startRequestSpan(traceparent: unknown): Span | undefined {
  const parent = isTraceparent(traceparent) ? { traceparent, isCallers: true } : undefined;
  return tracer?.start('request', { kind: 'server', attributes: {}, parent });
}

/** Runs `work` with the span as the parent of the spans that it starts. */
export function inSpan<T>(span: Span | undefined, work: () => T): T {
  return span ? active.run(span, work) : work();
}

/** Runs `work` in a child of the current span. */
export function runTraced<T>(name: string, work: () => Promise<T>, attributes: Attributes = {}): Promise<T> {
  const parent = active.getStore();
  return tracer && parent ? recordSpan(tracer.start(name, { kind: 'internal', attributes, parent }), work) : work();
}

/** Runs work that a request left for later in a span of its trace. `traceparent` is the stored `currentTraceparent()`, or null. */
export function runTracedLater<T>(
  { name, kind, traceparent, attributes }: { name: string; kind: SpanKind; traceparent: string | null; attributes: Attributes },
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer) return work();
  const parent = isTraceparent(traceparent) ? { traceparent, isCallers: false } : undefined;
  return recordSpan(tracer.start(name, { kind, attributes, parent }), work);
}

export function describeSpan(attributes: Attributes): void {
  active.getStore()?.set(attributes);
}

/** The `traceparent` to store with work that is done later. */
export function currentTraceparent(): string | undefined {
  return active.getStore()?.traceparent;
}

export function traceHeaders(): { traceparent?: string } {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}

export function currentTraceId(): string | undefined {
  return active.getStore()?.traceId;
}

/** The exemplar of a metric: the trace of the current request, if it is exported. */
export function exemplar(): { trace_id: string } | Record<string, never> {
  const span = active.getStore();
  return span?.isSampled ? { trace_id: span.traceId } : {};
}

/** Returns an observer that records a span for each phase of a render. */
export function phaseSpans(): PhaseObserver | undefined {
  const parent = active.getStore();
  const own = tracer;
  if (!own || !parent) return undefined;
  let current: Span | undefined;
  return {
    enter(phase: Phase) {
      current?.end();
      current = own.start(phase, { kind: 'internal', attributes: {}, parent });
    },
    end(error) {
      current?.end(error?.code);
      current = undefined;
    },
  };
}

async function recordSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await active.run(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end(error instanceof ServiceError ? error.code : 'internal_error');
    throw error;
  }
}

function isTraceparent(given: unknown): given is string {
  return typeof given === 'string' && given.length === 55 && TRACEPARENT.test(given);
}
