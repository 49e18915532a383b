/** Tasks that do nothing, for tests of a single task. */
import { NO_WORK, type Task, type Tasks } from '../../src/jobs/jobs.ts';

const IDLE: Task = { limit: 1, take: async () => NO_WORK };

export const IDLE_TASKS: Tasks = { item: IDLE, webhook: IDLE, upload: IDLE, sweep: IDLE };

/** A job queue that discards everything added to it. */
export const NO_JOBS = { async add(): Promise<void> {} };
