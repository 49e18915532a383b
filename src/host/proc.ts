/** Reads the memory, start time, threads, children and command line of a process from `/proc`. */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const MEMORY_PAGE_BYTES = 4_096;

/** Returns the resident set of a process in bytes, or undefined if it has ended. */
export function residentBytes(pid: number): number | undefined {
  const pages = Number(readProc(pid, 'statm')?.split(' ')[1]);
  return pages > 0 ? pages * MEMORY_PAGE_BYTES : undefined;
}

/**
 * Returns the proportional set size of a process in bytes, and 0 if it has ended. The kernel does not show it for a process in
 * Chromium's sandbox unless root asks, so that its memory which is not shared counts instead. See proc_pid_smaps(5).
 */
export async function proportionalBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const kilobytes = /^Pss: +(\d+) kB$/m.exec(rollup)?.[1];
  if (kilobytes !== undefined) return Number(kilobytes) * 1_024;
  const [, resident = 0, shared = 0] = (readProc(pid, 'statm') ?? '').split(' ').map(Number);
  return (resident - shared) * MEMORY_PAGE_BYTES;
}

/** Returns the start time of a process in ticks since boot, or undefined if it has ended. It is field 22 of proc(5) `stat`. */
export function readStart(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  if (!stat) return undefined;
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]); // the second field may contain spaces
}

export function listThreads(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch (error) {
    return unlessGone(error) ?? [];
  }
}

/** Returns the children that one thread of a process has started. */
export function listChildren(pid: number, thread: number): number[] {
  return (readProc(pid, `task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number);
}

/** Empty if the process has ended or is ending. The text is in the memory of the process, so that reading it may block. */
export async function readCommandLine(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(unlessGone)) ?? '';
}

/** Reads synchronously, because the kernel answers in 5 µs and the thread pool would take 100. */
function readProc(pid: number, file: 'statm' | 'stat' | `task/${number}/children`): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    return unlessGone(error);
  }
}

/** Rethrows other errors, such as a lack of file handles, which say nothing about the process. */
function unlessGone(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ESRCH') throw error;
  return undefined;
}
