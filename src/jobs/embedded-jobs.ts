/** Background work of a process that has its database for itself: turns are kept in memory, and found again in the rows at the next start. */
import type { Clock } from '../accounts/leases.ts';
import { type Jobs, type TaskName, type Tasks, withRecovery } from './jobs.ts';
import { NOW, TaskWorker, type Waiting } from './task-worker.ts';

const TICK_MS = 250;

export class EmbeddedJobs implements Jobs {
  readonly #clock: Clock;
  /** By task and owner, in the order of their turns. */
  readonly #waiting = new Map<TaskName, Map<string, Waiting>>();
  #worker: TaskWorker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #woken = false;
  #draining = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The transaction may not be over yet: what looks for its rows waits for it. */
  async add(name: TaskName, owner: string): Promise<void> {
    this.#turnsOf(name).set(owner, { ...NOW }); // one that waits keeps its place
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

  /** One of each task at a time, so that much of one does not keep another waiting. */
  async #fill(worker: TaskWorker): Promise<void> {
    this.#woken = false;
    for (let begun = true; begun; ) {
      begun = false;
      for (const name of worker.names) if (await this.#beginNext(worker, name)) begun = true;
    }
  }

  /** Whether something was begun. */
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
    if (!begun && turns.get(owner) !== before) return false; // it was added anew
    if (begun || !next) turns.delete(owner); // the next turn is behind all others
    if (next) turns.set(owner, next);
    return begun;
  }

  #turnsOf(name: TaskName): Map<string, Waiting> {
    const turns = this.#waiting.get(name) ?? new Map<string, Waiting>();
    this.#waiting.set(name, turns);
    return turns;
  }
}
