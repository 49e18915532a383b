/**
 * The interface of the Liquid engine: a template and data in, HTML or a `ServiceError` out. Templates run in child processes, so
 * that one that loops or crashes does not affect the service. See docs/decisions/0012-liquid-in-child-processes.md.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Deadline } from '../deadline.ts';
import { invalidRequest, queueFull, ServiceError } from '../errors.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';
import { ProcessEndedError, ProcessPool } from '../queue/process-pool.ts';
import { type Answer, type Fault, type LiquidTask, OUT_OF_MEMORY } from './liquid-messages.ts';
import { resultTooLarge } from './placeholders.ts';

export interface LiquidLimits {
  /** Number of processes. If there is more than one, no owner uses all of them. */
  processes: number;
  /** How many templates may wait for a process, and for how long. */
  maxWaiting: number;
  waitMs: number;
  /** Time for one template, including the start of its process. The process is killed after this time. */
  timeoutMs: number;
  /** Idle processes end after this time. */
  idleMs: number;
  /** Heap limit of one process. */
  heapMb: number;
}

export const LIQUID_LIMITS: Readonly<LiquidLimits> = {
  processes: 2,
  maxWaiting: 64,
  waitMs: 10_000,
  timeoutMs: 5_000,
  idleMs: 30_000,
  heapMb: 256,
};

/** The stack size of Node threads, four times that of a process. Nested conditions need it. */
const STACK_KB = 3_900;

/** Share of `timeoutMs` after which a slow template stops by itself, so that it can report the line and its process survives. */
const FILL_TIME_SHARE = 0.6;

const WORKER = new URL('./liquid-worker.ts', import.meta.url);
/** The folders that the process may read: this project and its libraries. It may not write files or start processes. */
const READABLE = [
  fileURLToPath(new URL('..', import.meta.url)),
  ...(createRequire(import.meta.url).resolve.paths('liquidjs') ?? []),
  fileURLToPath(new URL('..', import.meta.resolve('liquidjs'))), // a package manager may link to a folder elsewhere
];

export class LiquidEngine {
  readonly #limits: LiquidLimits;
  readonly #processes: ProcessPool;
  readonly #queue: OwnerQueue;
  #closed = false;

  /** Starts no process yet. */
  constructor(limits: Partial<LiquidLimits> = {}) {
    this.#limits = { ...LIQUID_LIMITS, ...limits };
    const { processes, maxWaiting, idleMs, heapMb } = this.#limits;
    const reserved = processes > 1 ? 1 : 0;
    this.#queue = new OwnerQueue({ capacity: processes - reserved, reserved, limit: maxWaiting });
    this.#processes = new ProcessPool({ module: WORKER, execArgv: flags(heapMb), env: { TZ: 'UTC' }, idleMs });
  }

  /** Returns the paths that a template reads from the data, such as `order.items[0].name`. Queued under `owner`. Throws `template_error`. */
  async parse(owner: string, html: string, signal?: AbortSignal): Promise<{ paths: string[] }> {
    const { timeoutMs } = this.#limits;
    return unwrap(await this.#run<{ paths: string[] }>(owner, { kind: 'parse', html, timeoutMs }, signal));
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
    const { timeoutMs } = this.#limits;
    const fillTimeMs = FILL_TIME_SHARE * timeoutMs;
    const task = { kind: 'fill', key, html, dataJson: toJson(data), limitBytes, fillTimeMs, timeoutMs } as const;
    return unwrap(await this.#run<string>(owner, task, signal), limitBytes);
  }

  /** Ends all processes, including busy ones. Running, waiting and later work is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#processes.close();
  }

  async #run<T>(owner: string, task: LiquidTask, caller?: AbortSignal): Promise<Answer<T>> {
    using waiting = new Deadline(this.#limits.waitMs, caller);
    const leave = await this.#queue.acquire(owner, waiting).catch((error: ServiceError) => {
      caller?.throwIfAborted();
      throw error.code === 'render_timeout' ? queueFull('too many templates are being rendered', 1) : error;
    });
    try {
      if (this.#closed) throw shuttingDown();
      const over = AbortSignal.timeout(this.#limits.timeoutMs);
      return (await this.#processes.run(task, caller ? AbortSignal.any([caller, over]) : over)) as Answer<T>;
    } catch (error) {
      caller?.throwIfAborted();
      throw this.#translate(error);
    } finally {
      leave();
    }
  }

  #translate(error: unknown): unknown {
    if (this.#closed) return shuttingDown();
    if (error instanceof ProcessEndedError && error.signal) return templateError(OUT_OF_MEMORY, { cause: error });
    if (!(error instanceof DOMException)) return error;
    return templateError(`the template takes longer than ${this.#limits.timeoutMs} ms`, { cause: error });
  }
}

/** Flags for Node: the heap limit, and permission to read the given folders only. */
function flags(heapMb: number): string[] {
  const readable = READABLE.map((folder) => `--allow-fs-read=${folder}`);
  return [
    `--max-old-space-size=${heapMb}`,
    `--stack-size=${STACK_KB}`,
    '--disable-warning=ExperimentalWarning',
    '--permission',
    ...readable,
  ];
}

function shuttingDown(): ServiceError {
  return new ServiceError('shutting_down', 'the service is shutting down');
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
