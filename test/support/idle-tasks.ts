/** Tasks that do nothing, for tests of a single task. */
import type { Task, Tasks } from '../../src/jobs/jobs.ts';

const IDLE: Task = { limit: 1, take: async () => undefined };

export const IDLE_TASKS: Tasks = { item: IDLE, webhook: IDLE, upload: IDLE, sweep: IDLE };

/** A job queue that discards everything added to it. */
export const NO_JOBS = { async add(): Promise<void> {} };
