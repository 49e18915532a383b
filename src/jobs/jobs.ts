/**
 * Background work: tasks, at which owners take turns. What there is to do is in rows, and whoever takes a turn claims one of them. A
 * turn says only that there may be such a row, so that one too many does nothing, and one that was lost is given again.
 */
import type { Query } from '../storage/database.ts';

export type TaskName = 'item' | 'webhook' | 'upload' | 'sweep' | 'recovery';

/** Ends when what was taken up has its outcome. */
export type Work = () => Promise<void>;

/**
 * What came of a turn: work that was taken up; nothing before a time; nothing while this process has no room for the owner; or
 * nothing.
 */
export type Turn = { work: Work } | { dueAt: number } | { hasRoom: () => boolean } | undefined;

export interface Task {
  /** How much of it may be under way in this process. */
  readonly limit: number;
  /** Of a task of the service itself: how long after a turn the next one comes. */
  readonly everyMs?: number;
  /** Claims the next row of an owner. */
  take(owner: string): Promise<Turn>;
  /** Puts back what processes had that died, and tells who has rows for which it is time. */
  owners?(): Promise<string[]>;
}

export type Tasks = Readonly<Record<Exclude<TaskName, 'recovery'>, Task>>;

export interface Jobs {
  /** Gives an owner a turn once the transaction of `query` is committed, if it has none. */
  add(task: TaskName, owner: string, query?: Query): Promise<void>;
  start(tasks: Tasks, onFault: (error: unknown) => void): void;
  /** There may be room again. */
  wake(): void;
  /** Begins nothing more. Resolves when all that is under way has ended, or all of some tasks. */
  drain(names?: TaskName[]): Promise<void>;
  close(): Promise<void>;
}

const RECOVER_MS = 5_000;

/** All tasks, with one that gives turns to whoever has work. */
export function withRecovery(tasks: Tasks, add: Jobs['add']): Record<TaskName, Task> {
  const recover = async () => {
    for (const [name, task] of Object.entries(tasks) as Array<[TaskName, Task]>)
      for (const owner of (await task.owners?.()) ?? []) await add(name, owner);
  };
  return { ...tasks, recovery: { limit: 1, everyMs: RECOVER_MS, take: async () => ({ work: recover }) } };
}
