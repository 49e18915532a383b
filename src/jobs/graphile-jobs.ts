/**
 * Background jobs for several nodes on PostgreSQL. A turn is a job of graphile-worker, which one node gets. The job ends as soon
 * as a row is claimed, and the next turn of the owner is queued behind all others. From then on the lease of the row protects the
 * work.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JobHelpers,
  Logger,
  runMigrations,
  runTaskList,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker';
import { storageFailed } from '../errors.ts';
import type { Database, Query } from '../storage/database.ts';
import { freeTurns, putTurns, TURNS_SCHEMA } from '../storage/turns.ts';
import { type Jobs, TASK_NAMES, type TaskName, type Tasks, withRecovery } from './jobs.ts';
import { TaskWorker } from './task-worker.ts';

type Pool = ReturnType<NonNullable<Database['connections']>>;

/** One connection listens for new jobs, one fetches them, and one completes them. */
const CONNECTIONS = 3;
const POLL_MS = 1_000;
/** The PostgreSQL error code of `insufficient_privilege`. */
const NOT_ALLOWED = '42501';
const RESTART_MS = 1_000;
const KEEP_MS = 10_000;
/** A job that has been locked for longer than this is considered lost, because no turn takes that long. */
const LOST_MS = 30_000;
/** Recovery adds the turns of so many owners by one statement. */
const OWNERS_AT_ONCE = 200;
/** How long to wait for the worker and its connections to close, in case the server does not answer. */
const END_MS = 10_000;

export async function openGraphileJobs(database: Database): Promise<Jobs> {
  const connections = database.connections?.('platen jobs', CONNECTIONS);
  if (!connections) throw new Error('graphile-worker needs a PostgreSQL server');
  connections.on('connect', (client) => client.on('error', () => {})); // the query that uses the connection gets the error
  const jobs = new GraphileJobs(database, connections);
  await jobs.migrate().catch(async (error: unknown) => {
    await jobs.close();
    throw error;
  });
  return jobs;
}

class GraphileJobs implements Jobs {
  readonly #database: Database;
  readonly #connections: Pool;
  /** Flags of turns for which this process is at its limit, with a function that tells whether it has capacity again. */
  readonly #full = new Map<string, () => boolean>();
  /** The forbidden flags that this process sent when it last fetched a job. */
  #withheld: string[] = [];
  #worker: TaskWorker | undefined;
  #pool: WorkerPool | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lost: Promise<unknown> = Promise.resolve();
  #draining = false;
  #onFault: (error: unknown) => void = () => {};

  constructor(database: Database, connections: Pool) {
    this.#database = database;
    this.#connections = connections;
  }

  /** Runs the migrations of graphile-worker, on one node at a time. */
  async migrate(): Promise<void> {
    await this.#database
      .transaction(() => runMigrations(this.#options()), 'migrations of jobs')
      .catch((error: unknown) => {
        if ((error as { code?: string }).code !== NOT_ALLOWED) throw error;
        throw storageFailed(
          `the user of PLATEN_DATABASE_URL may not create the schema ${TURNS_SCHEMA}: grant it the right to create schemas in the database`,
          error,
        );
      });
  }

  add(name: TaskName, owner: string, query?: Query): Promise<void> {
    return this.#put(name, [owner], 0, query && { query });
  }

  start(tasks: Tasks, onFault: (error: unknown) => void): void {
    this.#onFault = onFault;
    const all = withRecovery(tasks, (name, owners) => this.#recover(name, owners));
    this.#worker = new TaskWorker(all, onFault, () => this.wake());
    this.#timer = setInterval(() => void this.#keep().catch(onFault), KEEP_MS).unref();
    void this.#keep().catch(onFault);
    void this.#run(this.#worker);
  }

  /**
   * Fetches jobs immediately if one of the flags that were forbidden is allowed again. Without such a flag it does nothing, so
   * that the end of a synchronous render costs no query.
   */
  wake(): void {
    if (!this.#draining && this.#withheld.some((flag) => this.#hasRoom(flag))) this.#pool?.nudge(1);
  }

  async drain(names?: readonly TaskName[]): Promise<void> {
    this.#draining = true;
    clearInterval(this.#timer);
    this.#stop();
    await inTime(this.#lost);
    await this.#worker?.ended(names);
  }

  async close(): Promise<void> {
    await this.drain();
    await inTime(this.#connections.end());
  }

  /** Restarts the worker after it has lost its server. */
  async #run(worker: TaskWorker): Promise<void> {
    const takeTurn = (name: TaskName) => (payload: unknown, helpers: JobHelpers) =>
      this.#takeTurn(worker, name, (payload as { owner: string }).owner, helpers.job.run_at);
    const tasks: TaskList = Object.fromEntries(TASK_NAMES.map((name) => [name, takeTurn(name)]));
    while (!this.#draining) {
      this.#lost = this.#runUntilLost(tasks).catch(this.#onFault);
      await this.#lost;
      await sleep(RESTART_MS, undefined, { ref: false });
    }
  }

  async #runUntilLost(tasks: TaskList): Promise<void> {
    this.#database.checkNode?.();
    await this.#connections.query('select'); // a worker whose first query fails would wait forever
    if (this.#draining) return;
    const options = this.#options();
    options.events.on('worker:getJob:error', () => setImmediate(() => this.#stop())); // after the worker has handled the error
    options.events.on('worker:getJob:empty', () => this.wake()); // an owner that was withheld may have a turn
    options.events.on('pool:gracefulShutdown', () => {
      this.#pool = undefined; // a pool that is shutting down must not be nudged
    });
    this.#pool = runTaskList(options, tasks, this.#connections);
    await this.#pool.promise;
  }

  #stop(): void {
    if (this.#pool) Promise.resolve(this.#pool.gracefulShutdown()).catch(() => {}); // the promise of the pool reports it
  }

  #options() {
    const logger = new Logger(() => (level, message, meta) => {
      if (level === 'error') this.#onFault(new Error(message.split('\n')[0], { cause: meta?.error }));
    });
    const events: WorkerEvents = new EventEmitter();
    return {
      ...{ pgPool: this.#connections, schema: TURNS_SCHEMA, logger, events },
      ...{ noHandleSignals: true, pollInterval: POLL_MS, concurrency: 1 },
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      forbiddenFlags: () => {
        this.#database.checkNode?.(); // throws if this node has been refused, so that it takes no jobs
        this.#withheld = this.#forbiddenFlags();
        return this.#withheld;
      },
    };
  }

  async #takeTurn(worker: TaskWorker, name: TaskName, owner: string, runAt: Date): Promise<void> {
    if (this.#draining || !worker.hasRoom(name)) return this.#put(name, [owner], runAt.getTime() - Date.now());
    const next = await worker.take(name, owner);
    if (!next) return;
    if (!next.hasRoom) return this.#put(name, [owner], next.afterMs);
    this.#full.set(`${name} ${owner}`, next.hasRoom);
    await this.#put(name, [owner], runAt.getTime() - Date.now()); // keeps its position in the queue
  }

  /**
   * What there is no room for. Of owners for whom there is room again, one is asked for at a time: those of one account share it, and
   * would else be asked for one after the other, before all others.
   */
  #forbiddenFlags(): string[] {
    const [freed] = [...this.#full].find(([, hasRoom]) => hasRoom()) ?? [];
    if (freed !== undefined) this.#full.delete(freed);
    return [...TASK_NAMES.filter((name) => !this.#hasRoom(name)), ...this.#full.keys()];
  }

  #hasRoom(flag: string): boolean {
    return this.#full.get(flag)?.() ?? this.#worker?.hasRoom(flag as TaskName) ?? false;
  }

  /** A turn that is already queued keeps its time. A turn that is due later is a separate job. */
  async #put(
    name: TaskName,
    owners: string[],
    delayMs: number,
    how: { query?: Query; unlessWaiting?: true } = {},
  ): Promise<void> {
    const { query = this.#database.query, unlessWaiting = false } = how;
    const isLater = delayMs > 0 && this.#worker?.tasks[name].everyMs === undefined;
    await putTurns(query, { task: name, owners, isLater, delayMs, unlessWaiting });
  }

  /** In parts, because nobody else can add a turn of these owners before the statement has ended. */
  async #recover(name: TaskName, owners: string[]): Promise<void> {
    for (let from = 0; from < owners.length; from += OWNERS_AT_ONCE)
      await this.#put(name, owners.slice(from, from + OWNERS_AT_ONCE), 0, { unlessWaiting: true });
  }

  /**
   * Makes sure that each periodic task has a turn, and unlocks jobs of nodes that died or are suspended. If a suspended node
   * continues its job later, the lease of the row makes it roll back.
   */
  async #keep(): Promise<void> {
    const everyMs = (name: TaskName) => this.#worker?.tasks[name].everyMs;
    for (const name of TASK_NAMES) if (everyMs(name) !== undefined) await this.#put(name, [''], 0, { unlessWaiting: true });
    const furthest = Object.fromEntries(TASK_NAMES.map((name) => [name, (everyMs(name) ?? 0) + KEEP_MS]));
    await freeTurns(this.#database.query, { olderThanMs: LOST_MS, furthestMs: JSON.stringify(furthest) });
  }
}

async function inTime(work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => {}), sleep(END_MS, undefined, { ref: false })]);
}
