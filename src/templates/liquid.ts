/**
 * The interface of the Liquid engine: a template and data in, HTML or a `ServiceError` out. Templates run in child processes, so
 * that a template that loops or crashes does not affect the service. See docs/decisions/0012-liquid-in-child-processes.md.
 */
import { invalidRequest, ServiceError } from '../errors.ts';
import { type ProcessLimits, ProcessQueue } from '../queue/process-queue.ts';
import { type Fault, type LiquidAnswer, type LiquidTask, OUT_OF_MEMORY } from './liquid-messages.ts';
import { resultTooLarge } from './placeholders.ts';

export type LiquidLimits = ProcessLimits;

const LIQUID_LIMITS: Readonly<LiquidLimits> = {
  processes: 2,
  maxWaiting: 64,
  waitMs: 10_000,
  timeoutMs: 5_000,
  idleMs: 30_000,
  heapMb: 256,
};

/** The part of `timeoutMs` after which a slow template stops by itself, reports its line, and keeps its process. */
const FILL_TIME_SHARE = 0.6;

const WORKER = new URL('./liquid-worker.ts', import.meta.url);

export class LiquidEngine {
  readonly #limits: LiquidLimits;
  readonly #processes: ProcessQueue;

  /** Starts no process yet. */
  constructor(limits: Partial<LiquidLimits> = {}) {
    this.#limits = { ...LIQUID_LIMITS, ...limits };
    const { timeoutMs } = this.#limits;
    const work = {
      module: WORKER,
      libraries: ['liquidjs'],
      busy: 'too many templates are being filled',
      outOfTime: (cause: unknown) => templateError(`the template takes longer than ${timeoutMs} ms`, { cause }),
      outOfMemory: (cause: unknown) => templateError(OUT_OF_MEMORY, { cause }),
    };
    this.#processes = new ProcessQueue(work, this.#limits);
  }

  /** Returns the paths that a template reads from the data, such as `order.items[0].name`. Queued under `owner`. Throws `template_error`. */
  async parse(owner: string, html: string, signal?: AbortSignal): Promise<{ paths: string[] }> {
    return unwrap(await this.#run<{ paths: string[] }>(owner, { kind: 'parse', html }, signal));
  }

  /**
   * `key` identifies one version of one template, which the processes cache. Throws `template_error`, `content_too_large`,
   * `queue_full` or the reason of `signal`.
   */
  async fill(
    owner: string,
    key: string,
    html: string,
    data: Record<string, unknown>,
    limitBytes: number,
    signal?: AbortSignal,
  ): Promise<string> {
    const fillTimeMs = FILL_TIME_SHARE * this.#limits.timeoutMs;
    const task = { kind: 'fill', key, html, dataJson: toJson(data), limitBytes, fillTimeMs } as const;
    return unwrap(await this.#run<string>(owner, task, signal), limitBytes);
  }

  /** Ends all processes, including busy ones. Running, waiting and later work is refused. */
  async close(): Promise<void> {
    this.#processes.close();
  }

  async #run<T>(owner: string, task: LiquidTask, caller?: AbortSignal): Promise<LiquidAnswer<T>> {
    return (await this.#processes.run(owner, task, caller)) as LiquidAnswer<T>;
  }
}

/** Throws `invalid_request` for data nested thousands of levels deep, which overflows the stack of the serializer. */
function toJson(data: Record<string, unknown>): string {
  try {
    return JSON.stringify(data);
  } catch (error) {
    if (error instanceof RangeError) throw invalidRequest([{ path: 'data', message: 'is nested too deeply' }]);
    throw error;
  }
}

function unwrap<T>(answer: LiquidAnswer<T>, limitBytes = 0): T {
  if ('value' in answer) return answer.value;
  throw toServiceError(answer.fault, limitBytes);
}

function toServiceError(fault: Fault, limitBytes: number): ServiceError {
  if (fault.kind === 'size') return resultTooLarge(limitBytes, fault.actual);
  const { message, line, column } = fault;
  if (line === undefined) return templateError(message);
  return templateError(`${message} (line ${line}, column ${column})`, { members: { line, column } });
}

function templateError(message: string, extras: ConstructorParameters<typeof ServiceError>[2] = {}): ServiceError {
  return new ServiceError('template_error', message, extras);
}
