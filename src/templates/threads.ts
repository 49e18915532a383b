/**
 * A few worker threads for work that may block or break them: a task and its owner in, what the worker returns out. Owners take
 * turns; a task that takes too long, or whose caller has left, ends with its thread.
 */
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { ServiceError } from '../errors.ts';
import { type TurnLimits, Turns } from './turns.ts';

export interface ThreadLimits extends TurnLimits {
  /** For one task, the start of its thread included. The thread of one that takes longer is ended. */
  timeoutMs: number;
  /** Threads without work end after this time. */
  idleMs: number;
  /** Of one thread. Tasks should stop well below: a thread that gets here may end the process. */
  heapMb: number;
}

/** What is said of a task that had to be stopped. */
export interface ThreadFaults {
  outOfTime(): ServiceError;
  outOfMemory(cause: unknown): ServiceError;
}

export class Threads {
  readonly #limits: ThreadLimits;
  readonly #faults: ThreadFaults;
  readonly #pool: Piscina;
  readonly #turns: Turns;
  #closed = false;

  /** Starts no thread yet. */
  constructor(worker: URL, limits: ThreadLimits, faults: ThreadFaults) {
    this.#limits = limits;
    this.#faults = faults;
    this.#turns = new Turns(limits);
    this.#pool = new Piscina({
      filename: worker.href,
      minThreads: 0,
      maxThreads: limits.threads,
      idleTimeout: limits.idleMs,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 48 },
    });
    // Of a thread that fails between two tasks. Nobody waits for it, and the next task starts another.
    this.#pool.on('error', () => {});
  }

  /** `name` is a function of the worker. Throws `queue_full`, `shutting_down`, a fault, and what `signal` was aborted with. */
  async run<T>(owner: string, name: string, task: object, signal?: AbortSignal): Promise<T> {
    const leave = await this.#turns.enter(owner, signal);
    const stop = new Stop(this.#pool, this.#limits.timeoutMs, this.#faults.outOfTime, signal);
    try {
      if (this.#closed) throw new ServiceError('shutting_down', 'the service is shutting down');
      return await this.#pool.run(task, { name, signal: stop.signal });
    } catch (error) {
      throw stop.reason ?? this.#translate(error);
    } finally {
      stop.clear();
      void stop.threadGone.then(leave);
    }
  }

  /** Ends the threads, whatever they do. What runs or waits is refused, and so is what comes later. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.destroy();
  }

  #translate(error: unknown): unknown {
    const { code, message } = error as NodeJS.ErrnoException;
    if (this.#closed) return new ServiceError('shutting_down', 'the service is shutting down', { cause: error });
    const isOutOfMemory = code === 'ERR_WORKER_OUT_OF_MEMORY' || message.startsWith('worker exited');
    return isOutOfMemory ? this.#faults.outOfMemory(error) : error;
  }
}

/** Ends the thread of one task when its time is over or its caller has left. */
class Stop {
  /** Until then the thread takes its share of the processor: it cannot be ended in the middle of a built-in function. */
  threadGone: Promise<unknown> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #pool: Piscina;
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;

  constructor(pool: Piscina, timeoutMs: number, outOfTime: () => ServiceError, caller?: AbortSignal) {
    this.#pool = pool;
    this.#caller = caller;
    this.#timer = setTimeout(() => this.#end(outOfTime()), timeoutMs);
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
    const before: Worker[] = this.#pool.threads;
    this.#controller.abort(reason);
    const ended = before.filter((thread) => !this.#pool.threads.includes(thread));
    this.threadGone = Promise.all(ended.map((thread) => new Promise((resolve) => thread.once('exit', resolve))));
  }
}
