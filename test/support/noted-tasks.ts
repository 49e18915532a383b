/** What a child process of the tests runs: notes the name of each task, and answers with its own id, or ends itself. */
import { appendFileSync } from 'node:fs';
import { serveTasks } from '../../src/queue/serve-tasks.ts';

serveTasks(({ name, ends }: { name: string; ends: boolean }) => {
  appendFileSync(process.env.NOTES ?? '', `${name}\n`);
  if (ends) process.kill(process.pid, 'SIGKILL');
  return process.pid;
});
