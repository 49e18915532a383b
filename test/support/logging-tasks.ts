/**
 * The child process of process pool tests: it logs the name of each task, and answers with its process id or kills itself. It can keep
 * memory.
 */
import { appendFileSync } from 'node:fs';
import { serveTasks } from '../../src/queue/serve-tasks.ts';

const kept: Buffer[] = [];

serveTasks(({ name, ends, keepsBytes = 0 }: { name: string; ends: boolean; keepsBytes?: number }) => {
  appendFileSync(process.env.NOTES ?? '', `${name}\n`);
  if (ends) process.kill(process.pid, 'SIGKILL');
  if (keepsBytes) kept.push(Buffer.alloc(keepsBytes, 'x'));
  return process.pid;
});
