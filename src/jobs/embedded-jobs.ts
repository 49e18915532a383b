/**
 * Background jobs for a process that is the only user of its database. Turns are kept in memory; after a restart, recovery
 * derives them from the rows.
 */
import { type Jobs, TASK_NAMES, type TaskName, type Tasks, withRecovery } from './jobs.ts';
import { TaskWorker } from './task-worker.ts';

/** The owners who wait for a turn, in the order of their turns, and whether the turn may be taken now. */
type Turns = Map<string, () => boolean>;

const TICK_MS = 250;

export class EmbeddedJobs implements Jobs {
  readonly #waiting = Object.fromEntries(TASK_NAMES.map((name) => [name, new Map()])) as Record<TaskName, Turns>;
  #worker: TaskWorker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #woken = false;
  #draining = false;

  /** Ignores the transaction of the caller, which may still be open: the query that looks for work waits for it. */
  async add(name: TaskName, owner: string): Promise<void> {
    this.#waiting[name].set(owner, () => true); // a Map keeps the position of a key that it already has
    this.wake();
  }

  start(tasks: Tasks, onFault: (error: unknown) => void): void {
    const all = withRecovery(tasks, async (name, owners) => {
      for (const owner of owners) void this.add(name, owner);
    });
    this.#worker = new TaskWorker(all, onFault, () => this.wake());
    this.#timer = setInterval(() => this.wake(), TICK_MS).unref();
    for (const name of TASK_NAMES) if (all[name].everyMs !== undefined) void this.add(name, '');
  }

  wake(): void {
    this.#woken = true;
    if (this.#worker && !this.#draining) this.#filling ??= this.#fill(this.#worker);
  }

  async drain(names?: readonly TaskName[]): Promise<void> {
    this.#draining = true;
    clearInterval(this.#timer);
    await this.#filling;
    await this.#worker?.ended(names);
  }

  close(): Promise<void> {
    return this.drain();
  }

  /** Starts one job of each task in rotation, so that many jobs of one task do not delay the others. */
  async #fill(worker: TaskWorker): Promise<void> {
    while (this.#woken && !this.#draining) {
      this.#woken = false;
      for (const name of TASK_NAMES) if (await this.#beginNext(worker, name)) this.#woken = true;
    }
    this.#filling = undefined;
  }

  /** Returns whether a job was started. */
  async #beginNext(worker: TaskWorker, name: TaskName): Promise<boolean> {
    const turns = this.#waiting[name];
    for (const [owner, mayTake] of [...turns]) {
      if (this.#draining || !worker.hasRoom(name)) return false;
      if (!mayTake()) continue;
      turns.delete(owner); // if it is added in the meantime, that turn counts
      const next = await worker.take(name, owner);
      if (next && !turns.has(owner)) turns.set(owner, next.hasRoom ?? after(next.afterMs));
      if (next?.begun) return true;
    }
    return false;
  }
}

/** By a clock that nobody sets. */
function after(delayMs: number): () => boolean {
  const at = performance.now() + delayMs;
  return () => performance.now() >= at;
}
