/** Runs the tasks of this process and keeps track of the jobs in progress. */
import type { Clock } from '../accounts/leases.ts';
import type { Task, TaskName, Turn, Work } from './jobs.ts';

/** The next turn of an owner: the delay from now or, if this process has no capacity for it now, when it may have. */
export interface NextTurn {
  /** Whether this turn began work. */
  begun: boolean;
  afterMs: number;
  hasRoom?: () => boolean;
}

export class TaskWorker {
  readonly tasks: Readonly<Record<TaskName, Task>>;
  readonly #clock: Clock;
  readonly #onFault: (error: unknown) => void;
  readonly #onEnd: () => void;
  readonly #underWay = new Map<Promise<void>, TaskName>();

  /** `onEnd` is called when a job has ended, so that there may be capacity again. */
  constructor(tasks: Record<TaskName, Task>, clock: Clock, onFault: (error: unknown) => void, onEnd: () => void) {
    this.tasks = tasks;
    this.#clock = clock;
    this.#onFault = onFault;
    this.#onEnd = onEnd;
  }

  get names(): TaskName[] {
    return Object.keys(this.tasks) as TaskName[];
  }

  hasRoom(name: TaskName): boolean {
    return this.#running([name]).length < this.tasks[name].limit;
  }

  /**
   * Takes a turn and starts the claimed work. Returns undefined if the owner has no more work; recovery repeats a turn that failed.
   */
  async take(name: TaskName, owner: string): Promise<NextTurn | undefined> {
    const turn = await this.#takeTurn(name, owner);
    if (!turn) return undefined;
    if ('hasRoom' in turn) return { begun: false, afterMs: 0, ...turn };
    if ('dueAt' in turn) return { begun: false, afterMs: Math.max(0, turn.dueAt - this.#clock()) };
    this.#begin(name, turn.work);
    return { begun: true, afterMs: this.tasks[name].everyMs ?? 0 };
  }

  /** Resolves when all jobs in progress, or those of the given tasks, have ended. */
  async ended(names = this.names): Promise<void> {
    for (let left = this.#running(names); left.length; left = this.#running(names)) await Promise.all(left);
  }

  async #takeTurn(name: TaskName, owner: string): Promise<Turn> {
    try {
      return await this.tasks[name].take(owner);
    } catch (error) {
      this.#onFault(error);
      return undefined;
    }
  }

  #begin(name: TaskName, work: Work): void {
    const running = work()
      .catch(this.#onFault)
      .finally(() => {
        this.#underWay.delete(running);
        this.#onEnd();
      });
    this.#underWay.set(running, name);
  }

  #running(names: readonly TaskName[]): Array<Promise<void>> {
    return [...this.#underWay].filter(([, name]) => names.includes(name)).map(([running]) => running);
  }
}
