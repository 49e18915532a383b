/** Whether processes live, how they give way to others, and how they end. */
import { setPriority } from 'node:os';
import { threadsOf } from './proc.ts';

/** A third of the weight of other renderers, which have 5. */
const GIVING_WAY_NICENESS = 10;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** All threads of a process give way to others. Linux keeps a priority for each of them; new ones take their maker's. */
export function lowerPriority(pid: number): void {
  try {
    for (const thread of threadsOf(pid)) setThreadPriority(thread);
  } catch {
    // no file handles are left: rendering works without
  }
}

function setThreadPriority(thread: number): void {
  try {
    setPriority(thread, GIVING_WAY_NICENESS);
  } catch {
    // it has ended meanwhile
  }
}

/** Ends a process at once; with a negative number the whole process group. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it ended by itself meanwhile
  }
}

/** Asks a process to end, with the signal that says so in its exit code. */
export function terminateProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // it ended by itself meanwhile
  }
}
