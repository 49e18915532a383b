/** What the kernel tells of a process under `/proc`: its number in; its memory, age, threads, children and command line out. */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const MEMORY_PAGE_BYTES = 4_096;

/** Resident set of a process in bytes; undefined when it is gone. */
export function residentBytes(pid: number): number | undefined {
  const pages = Number(readProc(pid, 'statm')?.split(' ')[1]);
  return pages > 0 ? pages * MEMORY_PAGE_BYTES : undefined;
}

/** When a process was started, in ticks since the machine was; undefined when it is gone. Field 22 of proc(5) `stat`. */
export function startOf(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  if (!stat) return undefined;
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]); // the second field may hold spaces
}

export function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch (error) {
    return unlessGone(error) ?? [];
  }
}

/** Children that one thread of a process has started. */
export function childrenOf(pid: number, thread: number): number[] {
  return (readProc(pid, `task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number);
}

/** Empty when it is gone, or on its way out. It is in the memory of the process, which may have to be waited for. */
export async function commandLineOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(unlessGone)) ?? '';
}

/** At once: the kernel has these at hand and answers in 5 µs, where a way through the thread pool takes 100. */
function readProc(pid: number, file: 'statm' | 'stat' | `task/${number}/children`): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    return unlessGone(error);
  }
}

/** What cannot be read for another reason (no file handles are left) tells nothing of the process. */
function unlessGone(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ESRCH') throw error;
  return undefined;
}
