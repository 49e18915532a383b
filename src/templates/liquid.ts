/**
 * The Liquid engine as the rest of the service sees it: a template and data in, HTML or a `ServiceError` out. The work is done in
 * worker threads, which a template may block or break without anybody else noticing.
 */
import { invalidRequest, ServiceError } from '../errors.ts';
import type { Answer, Fault, FillTask, ParseTask } from './liquid-worker.ts';
import { resultTooLarge } from './placeholders.ts';
import { type ThreadLimits, Threads } from './threads.ts';

export type LiquidLimits = ThreadLimits;

export const LIQUID_LIMITS: Readonly<LiquidLimits> = {
  what: 'too many templates are being filled',
  threads: 2,
  maxWaiting: 16,
  waitMs: 10_000,
  timeoutMs: 5_000,
  idleMs: 30_000,
  heapMb: 768,
};

/** Of `timeoutMs`. A template that is merely slow ends by itself, says on which line it was, and keeps its thread. */
const FILL_TIME_SHARE = 0.6;

export class LiquidEngine {
  readonly #limits: LiquidLimits;
  readonly #threads: Threads;

  /** Starts no thread yet. */
  constructor(limits: Partial<LiquidLimits> = {}) {
    const all = { ...LIQUID_LIMITS, ...limits };
    this.#limits = all;
    this.#threads = new Threads(new URL('./liquid-worker.ts', import.meta.url), all, {
      outOfTime: () => templateError(`the template takes longer than ${all.timeoutMs} ms`),
      outOfMemory: (cause) => templateError('the template takes more memory than it may have', { cause }),
    });
  }

  /** `owner` is whose turn it takes. The paths a template takes from the data, such as `order.total` and `order.items[0].name`. Throws `template_error`. */
  async parse(owner: string, html: string, signal?: AbortSignal): Promise<{ paths: string[] }> {
    const task: ParseTask = { html };
    return unwrap(await this.#threads.run<Answer<{ paths: string[] }>>(owner, 'parse', task, signal));
  }

  /**
   * `key` names one version of one template, which the threads keep parsed. Throws `template_error`, `content_too_large`,
   * `queue_full`, and what `signal` was aborted with.
   */
  async fill(
    owner: string,
    key: string,
    html: string,
    data: Record<string, unknown>,
    limitBytes: number,
    signal?: AbortSignal,
  ): Promise<string> {
    const task: FillTask = { key, html, dataJson: toJson(data), limitBytes, timeoutMs: FILL_TIME_SHARE * this.#limits.timeoutMs };
    return unwrap(await this.#threads.run<Answer<string>>(owner, 'fill', task, signal), limitBytes);
  }

  /** Ends the threads, whatever they do. What runs or waits is refused, and so is what comes later. */
  async close(): Promise<void> {
    await this.#threads.close();
  }
}

/** Throws `invalid_request` for data nested some thousands of levels deep, where the stack of the serializer ends. */
function toJson(data: Record<string, unknown>): string {
  try {
    return JSON.stringify(data);
  } catch (error) {
    if (error instanceof RangeError) throw invalidRequest([{ path: 'data', message: 'is nested too deeply' }]);
    throw error;
  }
}

function unwrap<T>(answer: Answer<T>, limitBytes = 0): T {
  if ('value' in answer) return answer.value;
  throw errorOf(answer.fault, limitBytes);
}

function errorOf(fault: Fault, limitBytes: number): ServiceError {
  if (fault.kind === 'size') return resultTooLarge(limitBytes, fault.actual);
  const { message, line, column } = fault;
  if (line === undefined) return templateError(message);
  return templateError(`${message} (line ${line}, column ${column})`, { members: { line, column } });
}

function templateError(message: string, extras: ConstructorParameters<typeof ServiceError>[2] = {}): ServiceError {
  return new ServiceError('template_error', message, extras);
}
