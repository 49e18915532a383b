/**
 * Background jobs: tasks at which owners take turns. The work itself is in rows of the database, and a turn claims one of them. A
 * turn is only a hint that such a row may exist: a superfluous turn does nothing, and recovery replaces a lost one.
 */
import type { Query } from '../storage/database.ts';

export const TASK_NAMES = ['item', 'webhook', 'upload', 'sweep', 'recovery'] as const;
export type TaskName = (typeof TASK_NAMES)[number];

/** What a turn came to. */
export type ClaimResult =
  /** `work` resolves when it has its outcome. */
  | { kind: 'claimed'; work: () => Promise<void> }
  /** Nothing is due for that long. */
  | { kind: 'later'; afterMs: number }
  /** This process cannot take more work of the owner until `hasRoom` says so. */
  | { kind: 'full'; hasRoom: () => boolean }
  | { kind: 'none' };

export const NO_WORK: ClaimResult = { kind: 'none' };

export interface Task {
  /** How many jobs of this task may be in progress in this process. */
  readonly limit: number;
  /** Only for periodic tasks of the service: the time from one turn to the next. */
  readonly everyMs?: number;
  /** Claims the next row of the owner. */
  take(owner: string): Promise<ClaimResult>;
  /** Puts back the rows of processes that have died, and returns the owners that have due rows. */
  owners?(): Promise<string[]>;
}

export type Tasks = Readonly<Record<Exclude<TaskName, 'recovery'>, Task>>;

export interface Jobs {
  /** Queues a turn for the owner, unless one is already queued. It becomes visible when the transaction of `query` commits. */
  add(task: TaskName, owner: string, query?: Query): Promise<void>;
  start(tasks: Tasks, onFault: (error: unknown) => void): void;
  /** Call this when this process may have capacity again. */
  wake(): void;
  /** Starts no more jobs. Resolves when all jobs in progress, or those of the given tasks, have ended. */
  drain(names?: readonly TaskName[]): Promise<void>;
  close(): Promise<void>;
}

const RECOVER_MS = 5_000;

/** Adds the `recovery` task, which queues a turn for every owner that has due work. A task that fails does not keep others from it. */
export function withRecovery(tasks: Tasks, addAll: (task: TaskName, owners: string[]) => Promise<void>): Record<TaskName, Task> {
  const recoverOne = async ([name, task]: [string, Task]) => addAll(name as TaskName, (await task.owners?.()) ?? []);
  const recover = async () => {
    const recovered = await Promise.allSettled(Object.entries(tasks).map(recoverOne));
    for (const each of recovered) if (each.status === 'rejected') throw each.reason;
  };
  return { ...tasks, recovery: { limit: 1, everyMs: RECOVER_MS, take: async () => ({ kind: 'claimed', work: recover }) } };
}
