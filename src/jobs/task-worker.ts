/** Runs the tasks of this process and keeps track of the jobs in progress. */
import { TASK_NAMES, type Task, type TaskName } from './jobs.ts';

/** The next turn of an owner, and whether this one began work; `hasRoom` as in `ClaimResult`. */
type NextTurn = { begun: boolean; afterMs: number; hasRoom?: () => boolean };

export class TaskWorker {
  readonly tasks: Readonly<Record<TaskName, Task>>;
  readonly #onFault: (error: unknown) => void;
  readonly #onEnd: () => void;
  readonly #underWay = new Map<Promise<void>, TaskName>();

  /** `onEnd` is called when a job has ended, so that there may be capacity again. */
  constructor(tasks: Record<TaskName, Task>, onFault: (error: unknown) => void, onEnd: () => void) {
    this.tasks = tasks;
    this.#onFault = onFault;
    this.#onEnd = onEnd;
  }

  hasRoom(name: TaskName): boolean {
    return this.#running([name]).length < this.tasks[name].limit;
  }

  /** Starts the claimed work. Returns undefined if the owner has no more work, or if the turn failed, which recovery repeats. */
  async take(name: TaskName, owner: string): Promise<NextTurn | undefined> {
    const result = await this.tasks[name].take(owner).catch((error) => void this.#onFault(error));
    if (!result || result.kind === 'none') return undefined;
    if (result.kind !== 'claimed') return { begun: false, afterMs: 0, ...result };
    this.#begin(name, result.work);
    return { begun: true, afterMs: this.tasks[name].everyMs ?? 0 };
  }

  /** Resolves when all jobs in progress, or those of the given tasks, have ended. */
  async ended(names: readonly TaskName[] = TASK_NAMES): Promise<void> {
    for (let left = this.#running(names); left.length; left = this.#running(names)) await Promise.all(left);
  }

  #begin(name: TaskName, work: () => Promise<void>): void {
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
