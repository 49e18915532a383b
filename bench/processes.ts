/** The memory and processor time of the service and its browser, from `/proc`. */
import { readdirSync, readFileSync } from 'node:fs';

/** The unit of times in `/proc`, which is the same on every x64 Linux. */
const TICK_MS = 10;
/** The first of four times among the fields: of the process in user and system mode, and of its children that have exited. */
const FIRST_TIME = 11;

/** Returns the ids of all processes that a process started, and of those that they started. */
export function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : [];
    if (fields.length) parents.set(Number(name), Number(fields[1]));
  }
  const isBelow = (child: number): boolean => {
    const parent = parents.get(child);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

export function proportionalKb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

/** Returns the processor time of a process, its descendants, and the children of theirs that have exited. */
export function processorMs(pid: number): number {
  const ticks = [pid, ...descendants(pid)].flatMap((each) =>
    statOf(each)
      .slice(FIRST_TIME, FIRST_TIME + 4)
      .map(Number),
  );
  return ticks.reduce((sum, count) => sum + count, 0) * TICK_MS;
}

/** Returns the fields from the state on. */
function statOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat ? stat.slice(stat.lastIndexOf(')') + 2).split(' ') : [];
}

/** Returns an empty string if the process has just exited. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
