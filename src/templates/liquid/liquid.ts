/**
 * The interface of the Liquid engine: a template and data in, HTML or a `ServiceError` out. Templates run in child processes, so
 * that a template that loops or crashes does not affect the service. See docs/decisions/0012-liquid-in-child-processes.md.
 */
import { invalidRequest, ServiceError } from '../../errors.ts';
import { type ProcessLimits, ProcessQueue } from '../../queue/process-queue.ts';
import { resultTooLarge } from '../placeholders.ts';
import { type Fault, type LiquidAnswer, type LiquidSource, type LiquidTask, OUT_OF_MEMORY } from './messages.ts';

const LIMITS: Readonly<ProcessLimits> = {
  processes: 2,
  maxWaiting: 64,
  waitMs: 10_000,
  timeoutMs: 5_000,
  idleMs: 30_000,
  heapMb: 256,
};

/** The part of `timeoutMs` after which a slow template stops by itself, reports its line, and keeps its process. */
const FILL_TIME_SHARE = 0.6;

export class LiquidEngine extends ProcessQueue {
  readonly #fillTimeMs: number;

  /** Starts no process yet. */
  constructor(limits: Partial<ProcessLimits> = {}) {
    const all = { ...LIMITS, ...limits };
    const { timeoutMs } = all;
    const work = {
      module: new URL('./worker.ts', import.meta.url),
      libraries: ['liquidjs'],
      busy: 'too many templates are being filled',
      outOfTime: (cause: unknown) => templateError(`the template takes longer than ${timeoutMs} ms`, { cause }),
      outOfMemory: (cause: unknown) => templateError(OUT_OF_MEMORY, { cause }),
    };
    super(work, all);
    this.#fillTimeMs = FILL_TIME_SHARE * timeoutMs;
  }

  /**
   * Returns the paths that a template reads from the data, such as `order.items[0].name`, with those that its parts read if it has
   * `parts`. Queued under `owner`. Throws `template_error`.
   */
  async parse(owner: string, source: LiquidSource, signal?: AbortSignal): Promise<{ paths: string[] }> {
    const task: LiquidTask = { kind: 'parse', ...source };
    return unwrap((await this.run(owner, task, signal)) as LiquidAnswer<{ paths: string[] }>);
  }

  /**
   * The processes cache parsed templates by their keys. Throws `template_error`, `content_too_large`, `queue_full` or the reason of
   * `signal`.
   */
  async fill(
    owner: string,
    source: LiquidSource,
    data: Record<string, unknown>,
    limitBytes: number,
    signal?: AbortSignal,
  ): Promise<string> {
    const task: LiquidTask = { kind: 'fill', ...source, dataJson: toJson(data), limitBytes, fillTimeMs: this.#fillTimeMs };
    return unwrap((await this.run(owner, task, signal)) as LiquidAnswer<string>, limitBytes);
  }
}

/** Throws `invalid_request` for data nested thousands of levels deep, which overflows the stack of the serializer. */
export function toJson(data: Record<string, unknown>): string {
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
  const { message, line, column, part } = fault;
  if (line === undefined) return templateError(message);
  const where = `(line ${line}, column ${column})`;
  if (part !== undefined) return templateError(`${part}: ${message} ${where}`, { members: { part } });
  return templateError(`${message} ${where}`, { members: { line, column } });
}

function templateError(message: string, extras: ConstructorParameters<typeof ServiceError>[2] = {}): ServiceError {
  return new ServiceError('template_error', message, extras);
}
