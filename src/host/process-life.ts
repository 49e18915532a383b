/** Checks whether processes live, lowers their CPU priority, and ends them. */
import { setPriority } from 'node:os';
import { listThreads } from './proc.ts';

/** Gives a third of the CPU weight of other renderers, whose niceness is 5. */
const LOW_PRIORITY_NICENESS = 10;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Lowers the CPU priority of all threads of a process. On Linux each thread has its own priority, which new threads inherit. */
export function lowerPriority(pid: number): void {
  try {
    for (const thread of listThreads(pid)) setThreadPriority(thread);
  } catch {
    // no file handles are left; rendering works without it
  }
}

function setThreadPriority(thread: number): void {
  try {
    setPriority(thread, LOW_PRIORITY_NICENESS);
  } catch {
    // it has ended in the meantime
  }
}

/** Ends a process, or a whole process group if the number is negative. The exit code of a process shows the signal. */
export function endProcess(pid: number, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended by itself
  }
}
