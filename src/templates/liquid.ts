/**
 * The Liquid engine as the rest of the service sees it: a template and data in, HTML or a `ServiceError` out. The work is done in
 * worker threads, which a template may block or break without anybody else noticing.
 */
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { invalidRequest, ServiceError } from '../errors.ts';
import type { Answer, Fault, FillTask, ParseTask } from './liquid-worker.ts';
import { resultTooLarge } from './placeholders.ts';
import { type TurnLimits, Turns } from './turns.ts';

export interface LiquidLimits extends TurnLimits {
  /** For one template, the start of its thread included. The thread of one that takes longer is ended. */
  timeoutMs: number;
  /** Threads without work end after this time. */
  idleMs: number;
  /** Of one thread. Templates are stopped well below: a thread that gets here may end the process. */
  heapMb: number;
}

export const LIQUID_LIMITS: Readonly<LiquidLimits> = {
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
  readonly #threads: Piscina;
  readonly #turns: Turns;
  #closed = false;

  /** Starts no thread yet. */
  constructor(limits: Partial<LiquidLimits> = {}) {
    this.#limits = { ...LIQUID_LIMITS, ...limits };
    this.#turns = new Turns(this.#limits);
    this.#threads = new Piscina({
      filename: new URL('./liquid-worker.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: this.#limits.threads,
      idleTimeout: this.#limits.idleMs,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb, maxYoungGenerationSizeMb: 48 },
    });
    // Of a thread that fails between two tasks. Nobody waits for it, and the next task starts another.
    this.#threads.on('error', () => {});
  }

  /** `owner` is whose turn it takes. The paths a template takes from the data, such as `order.total` and `order.items[0].name`. Throws `template_error`. */
  async parse(owner: string, html: string, signal?: AbortSignal): Promise<{ paths: string[] }> {
    const task: ParseTask = { html };
    return unwrap(await this.#run<{ paths: string[] }>(owner, 'parse', task, signal));
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
    return unwrap(await this.#run<string>(owner, 'fill', task, signal), limitBytes);
  }

  /** Ends the threads, whatever they do. What runs or waits is refused, and so is what comes later. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads.destroy();
  }

  async #run<T>(owner: string, name: string, task: object, signal?: AbortSignal): Promise<Answer<T>> {
    const leave = await this.#turns.enter(owner, signal);
    const stop = new Stop(this.#threads, this.#limits.timeoutMs, signal);
    try {
      if (this.#closed) throw new ServiceError('shutting_down', 'the service is shutting down');
      return await this.#threads.run(task, { name, signal: stop.signal });
    } catch (error) {
      throw stop.reason ?? this.#translate(error);
    } finally {
      stop.clear();
      void stop.threadGone.then(leave);
    }
  }

  #translate(error: unknown): unknown {
    const { code, message } = error as NodeJS.ErrnoException;
    if (this.#closed) return new ServiceError('shutting_down', 'the service is shutting down', { cause: error });
    if (code === 'ERR_WORKER_OUT_OF_MEMORY' || message.startsWith('worker exited'))
      return templateError('the template takes more memory than it may have', { cause: error });
    return error;
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

/** Ends the thread of one task when its time is over or its caller has left. */
class Stop {
  /** Until then the thread takes its share of the processor: it cannot be ended in the middle of a built-in function. */
  threadGone: Promise<unknown> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #threads: Piscina;
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;

  constructor(threads: Piscina, timeoutMs: number, caller?: AbortSignal) {
    this.#threads = threads;
    this.#caller = caller;
    this.#timer = setTimeout(() => this.#end(templateError(`the template takes longer than ${timeoutMs} ms`)), timeoutMs);
    if (caller?.aborted) this.#leave();
    caller?.addEventListener('abort', this.#leave, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What the task was stopped with. */
  get reason(): unknown {
    return this.signal.reason;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#leave);
  }

  readonly #leave = (): void => this.#end(this.#caller?.reason);

  #end(reason: unknown): void {
    const before: Worker[] = this.#threads.threads;
    this.#controller.abort(reason);
    const ended = before.filter((thread) => !this.#threads.threads.includes(thread));
    this.threadGone = Promise.all(ended.map((thread) => new Promise((resolve) => thread.once('exit', resolve))));
  }
}
