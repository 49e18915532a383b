/** The child process of process pool tests: it logs the name of each task, and answers with its process id or kills itself. */
import { appendFileSync } from 'node:fs';
import { serveTasks } from '../../src/queue/serve-tasks.ts';

serveTasks(({ name, ends }: { name: string; ends: boolean }) => {
  appendFileSync(process.env.NOTES ?? '', `${name}\n`);
  if (ends) process.kill(process.pid, 'SIGKILL');
  return process.pid;
});
