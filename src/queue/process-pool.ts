/**
 * A pool of child processes for work that may never end or use too much memory: a task in, its answer out. A process that
 * misbehaves is killed without affecting others. The queue in front of the pool limits how many run at the same time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { Question } from './serve-tasks.ts';

export interface ProcessPoolOptions {
  /**
   * The module that the process runs. It receives one task at a time, and sends any message when it begins, questions, and the
   * answer.
   */
  module: URL;
  /** Flags for Node, such as the heap limit. */
  execArgv: string[];
  env: Record<string, string>;
  /** A process without work ends after this time. */
  idleMs: number;
}

/** Replies to what a process asks during its task. */
export type Replies = (question: never) => Promise<unknown>;

/** The process ended before it answered. A signal means that it ran out of memory or was killed. */
export class ProcessEndedError extends Error {
  readonly signal: string | undefined;

  constructor(code: unknown, signal: unknown) {
    super(`the process ended before it had answered, with ${signal ?? code}`);
    this.signal = typeof signal === 'string' ? signal : undefined;
  }
}

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #children = new Set<ChildProcess>();
  /** Idle processes, each with the timer that ends it. The process used last is at the end. */
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout>();

  #closed = false;

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
  }

  /**
   * A task that an idle process did not begin, because it had died unnoticed, goes to a new one. Throws `ProcessEndedError` or the
   * reason of `signal`. In both cases the process has ended.
   */
  async run(task: object, signal: AbortSignal, replies?: Replies): Promise<unknown> {
    signal.throwIfAborted();
    const idle = this.#takeIdle();
    let hasBegun = false;
    const onBegin = () => {
      hasBegun = true;
    };
    try {
      return await this.#runOn(idle ?? this.#start(), task, signal, onBegin, replies);
    } catch (error) {
      if (!idle || hasBegun || this.#closed || signal.aborted) throw error;
      return this.#runOn(this.#start(), task, signal, onBegin, replies);
    }
  }

  async #runOn(
    child: ChildProcess,
    task: object,
    signal: AbortSignal,
    onBegin: () => void,
    replies: Replies | undefined,
  ): Promise<unknown> {
    const kill = () => child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    try {
      const answer = await awaitAnswer(child, task, onBegin, replies);
      if (!signal.aborted) this.#rest(child);
      return answer;
    } catch (error) {
      kill(); // only the channel may have ended
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  /** Kills all processes, including busy ones. */
  close(): void {
    this.#closed = true;
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #start(): ChildProcess {
    const { module, execArgv, env } = this.#options;
    const child = fork(module, { execArgv, env, serialization: 'advanced', stdio: 'ignore' });
    const forget = () => {
      this.#children.delete(child);
      this.#wake(child);
    };
    child.once('exit', forget);
    child.on('error', forget); // starting the process or sending to it failed
    this.#children.add(child);
    return child;
  }

  #takeIdle(): ChildProcess | undefined {
    const child = [...this.#idle.keys()].at(-1);
    if (child) this.#wake(child);
    child?.ref();
    child?.channel?.ref();
    return child;
  }

  #wake(child: ChildProcess): void {
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
  }

  /** An idle process does not keep the service alive, and a timer ends it unless work comes. */
  #rest(child: ChildProcess): void {
    const end = () => {
      this.#wake(child);
      child.disconnect();
    };
    this.#idle.set(child, setTimeout(end, this.#options.idleMs).unref());
    child.unref();
    child.channel?.unref();
  }
}

function awaitAnswer(
  child: ChildProcess,
  task: object,
  onBegin: () => void,
  replies: Replies = async () => undefined,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const end = (code: unknown, signal: unknown) => reject(new ProcessEndedError(code, signal));
  const receive = (message: unknown) => {
    if (!isQuestion(message)) return resolve(message);
    replies(message.question as never).then((reply) => child.connected && child.send({ reply }), reject);
  };
  const begin = () => {
    onBegin();
    child.on('message', receive);
  };
  child.once('message', begin);
  child.once('exit', end);
  child.once('error', reject);
  promise.catch(() => {}); // nothing waits for it if sending throws
  child.send(task);
  return promise.finally(() => {
    child.off('message', begin).off('message', receive);
    child.off('exit', end);
    child.off('error', reject);
  });
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'question' in message;
}
