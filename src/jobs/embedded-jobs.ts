/**
 * Background jobs for a process that is the only user of its database. Turns are kept in memory; after a restart, recovery
 * derives them from the rows.
 */
import type { Clock } from '../accounts/leases.ts';
import { type Jobs, type TaskName, type Tasks, withRecovery } from './jobs.ts';
import { NOW, TaskWorker, type Waiting } from './task-worker.ts';

const TICK_MS = 250;

export class EmbeddedJobs implements Jobs {
  readonly #clock: Clock;
  /** The turns of each task by owner, in the order in which they are taken. */
  readonly #waiting = new Map<TaskName, Map<string, Waiting>>();
  #worker: TaskWorker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #woken = false;
  #draining = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ignores the transaction of the caller, which may still be open: the query that looks for work waits for it. */
  async add(name: TaskName, owner: string): Promise<void> {
    this.#turnsOf(name).set(owner, { ...NOW }); // a Map keeps the position of a key that it already has
    this.wake();
  }

  start(tasks: Tasks, onFault: (error: unknown) => void): void {
    const all = withRecovery(tasks, (name, owner) => this.add(name, owner));
    this.#worker = new TaskWorker(all, this.#clock, onFault, () => this.wake());
    this.#timer = setInterval(() => this.wake(), TICK_MS).unref();
    for (const name of this.#worker.names) if (all[name].everyMs !== undefined) void this.add(name, '');
  }

  wake(): void {
    const worker = this.#worker;
    if (this.#draining || !worker) return;
    this.#woken = true;
    this.#filling ??= this.#fill(worker).finally(() => {
      this.#filling = undefined;
      if (this.#woken) this.wake();
    });
  }

  async drain(names?: TaskName[]): Promise<void> {
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
    this.#woken = false;
    for (let begun = true; begun; ) {
      begun = false;
      for (const name of worker.names) if (await this.#beginNext(worker, name)) begun = true;
    }
  }

  /** Returns whether a job was started. */
  async #beginNext(worker: TaskWorker, name: TaskName): Promise<boolean> {
    for (const [owner, { dueAt, hasRoom }] of [...this.#turnsOf(name)]) {
      if (this.#draining || !worker.hasRoom(name)) return false;
      if (this.#isDue(worker, name, dueAt) && hasRoom() && (await this.#take(worker, name, owner))) return true;
    }
    return false;
  }

  /** A task of the service that is further away than its period is due, too: the clock was set back. */
  #isDue(worker: TaskWorker, name: TaskName, dueAt: number): boolean {
    const leftMs = dueAt - this.#clock();
    return leftMs <= 0 || leftMs > (worker.tasks[name].everyMs ?? Infinity);
  }

  async #take(worker: TaskWorker, name: TaskName, owner: string): Promise<boolean> {
    const turns = this.#turnsOf(name);
    const before = turns.get(owner);
    const { begun, next } = await worker.take(name, owner);
    if (!begun && turns.get(owner) !== before) return false; // it was added again in the meantime
    if (begun || !next) turns.delete(owner); // the next turn comes after all others
    if (next) turns.set(owner, next);
    return begun;
  }

  #turnsOf(name: TaskName): Map<string, Waiting> {
    const turns = this.#waiting.get(name) ?? new Map<string, Waiting>();
    this.#waiting.set(name, turns);
    return turns;
  }
}
