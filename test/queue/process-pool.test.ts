/** Child processes: one that died unnoticed loses no task. */
import { access, appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProcessPool } from '../../src/queue/process-pool.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { eventually } from '../support/service.ts';

const IDLE_MS = 600_000;
const signal = new AbortController().signal;

let notes: string;
let pool: ProcessPool;

const folder = await makeFolder('pool');
beforeEach(async () => {
  notes = join(folder, crypto.randomUUID());
  await appendFile(notes, '');
  const module = new URL('../support/logging-tasks.ts', import.meta.url);
  pool = new ProcessPool({ module, execArgv: ['--disable-warning=ExperimentalWarning'], env: { NOTES: notes }, idleMs: IDLE_MS });
});
afterEach(() => pool.close());

const run = async (name: string, ends = false, keepsBytes = 0) =>
  Number(await pool.run({ task: { name, ends, keepsBytes }, timeoutMs: IDLE_MS }, signal));
const noted = async () => (await readFile(notes, 'utf8')).trim().split('\n');

const isRunning = (pid: number) =>
  access(`/proc/${pid}`).then(
    () => true,
    () => false,
  );

describe('a task', () => {
  test('runs in the process of the task before', async () => {
    expect(await run('first')).toBe(await run('second'));
    expect(await noted()).toEqual(['first', 'second']);
  });

  test('moves to another process if the idle one has died', async () => {
    const dead = await run('first');
    process.kill(dead, 'SIGKILL');
    const second = run('second'); // before the death can have been noticed
    expect(await second).not.toBe(dead);
    expect(await noted()).toEqual(['first', 'second']);
  });

  test('leaves no process that keeps its memory', async () => {
    const [small, large] = [16 * 1_048_576, 256 * 1_048_576];
    const first = await run('first', false, small);
    expect(await run('second', false, large)).toBe(first);
    await eventually('the process has ended', async () => !(await isRunning(first)));
    expect(await run('third')).not.toBe(first);
    expect(await noted()).toEqual(['first', 'second', 'third']);
  });

  test('is not lost if its process is about to end', async () => {
    await run('first', false, 256 * 1_048_576);
    await run('second');
    expect(await noted()).toEqual(['first', 'second']);
  });

  test('is not repeated if it ends its process', async () => {
    await run('first');
    await expect(run('second', true)).rejects.toMatchObject({ signal: 'SIGKILL' });
    expect(await noted()).toEqual(['first', 'second']);
    await run('third');
  });
});
