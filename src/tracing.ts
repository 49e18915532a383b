/**
 * Spans of what is done for a request: other folders begin and end them here, and `telemetry` sends them. Until `useTracer` is
 * called nothing is recorded, and every function here does nothing but its work. There is one tracer for each process.
 *
 * Attributes are routes, codes, ids and numbers, and never addresses, names or data of callers.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Phase, PhaseObserver } from './deadline.ts';
import { ServiceError } from './errors.ts';

export type Attributes = Record<string, string | number | boolean>;

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** As the header of this name has it, see https://www.w3.org/TR/trace-context/. */
  readonly traceparent: string;
  /** Whether it will be sent. */
  readonly isSampled: boolean;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** `failure` is a code. */
  end(failure?: string): void;
}

/** `isCallers`: somebody else chose it, and does not decide what is recorded. */
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

/** Of a request that has arrived. Undefined while nothing is recorded. A header that is not valid is as good as none. */
export function startRequestSpan(traceparent: unknown): Span | undefined {
  const parent = isTraceparent(traceparent) ? { traceparent, isCallers: true } : undefined;
  return tracer?.start('request', { kind: 'server', attributes: {}, parent });
}

/** What `work` begins belongs to the span. */
export function inSpan<T>(span: Span | undefined, work: () => T): T {
  return span ? active.run(span, work) : work();
}

/** A step of what is done for a request. */
export function traced<T>(name: string, work: () => Promise<T>, attributes: Attributes = {}): Promise<T> {
  const parent = active.getStore();
  return tracer && parent ? recorded(tracer.start(name, { kind: 'internal', attributes, parent }), work) : work();
}

/** What a request has left to be done. `traceparent` is what `currentTraceparent` was then, null for none. */
export function tracedLater<T>(
  { name, kind, traceparent, attributes }: { name: string; kind: SpanKind; traceparent: string | null; attributes: Attributes },
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer) return work();
  const parent = isTraceparent(traceparent) ? { traceparent, isCallers: false } : undefined;
  return recorded(tracer.start(name, { kind, attributes, parent }), work);
}

/** Attributes for the step under way. */
export function describeSpan(attributes: Attributes): void {
  active.getStore()?.set(attributes);
}

/** For rows of what is to be done later. */
export function currentTraceparent(): string | undefined {
  return active.getStore()?.traceparent;
}

/** For requests to others. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}

/** For lines of the log. */
export function currentTraceId(): string | undefined {
  return active.getStore()?.traceId;
}

/** For metrics: one of the requests that a number counts, as far as its trace is sent. */
export function exemplar(): { trace_id: string } | Record<string, never> {
  const span = active.getStore();
  return span?.isSampled ? { trace_id: span.traceId } : {};
}

/** A span for each phase of a render. */
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

async function recorded<T>(span: Span, work: () => Promise<T>): Promise<T> {
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
