/**
 * Appends the processor time of each test file and of all processes it starts to the file named by `PLATEN_TEST_CPU`. Services
 * that workers share are not included. Needs root and control groups, which also count processes that have exited.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';

/** The root of cgroup v1 if it counts processor time, otherwise of v2. */
const ROOT = ['/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup'].find(existsSync) ?? '';

function secondsOf(group: string): number {
  if (existsSync(join(group, 'cpuacct.usage'))) return Number(readFileSync(join(group, 'cpuacct.usage'), 'utf8')) / 1e9;
  return Number(/usage_usec (\d+)/.exec(readFileSync(join(group, 'cpu.stat'), 'utf8'))?.[1]) / 1e6;
}

function enter(group: string): void {
  writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
}

const group = join(ROOT, `platen-test-${process.pid}-${Date.now()}`);
mkdirSync(group);
enter(group);

afterAll(() => {
  const file = expect.getState().testPath?.split('/test/').at(-1);
  appendFileSync(process.env.PLATEN_TEST_CPU ?? '', `${secondsOf(group).toFixed(1)}\t${file}\n`);
  enter(ROOT);
  try {
    rmdirSync(group);
  } catch {
    // a process of the file is still exiting
  }
});
