/** Tasks at which there is nothing to do, for tests of one of them. */
import type { Task, Tasks } from '../../src/jobs/jobs.ts';

const IDLE: Task = { limit: 1, take: async () => undefined };

export const IDLE_TASKS: Tasks = { item: IDLE, webhook: IDLE, upload: IDLE, sweep: IDLE };

/** Where turns are added that nobody takes. */
export const NO_JOBS = { async add(): Promise<void> {} };
