/** Accounts that wait for a free slot: a node looks for one when a render ends, and every second. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AwaitedSlots } from '../../src/batches/awaited-slots.ts';
import { ownerOf, PLAN } from '../support/owners.ts';

const OWNER = ownerOf('key_a', { ...PLAN, concurrency: 2 });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function openSlots() {
  const state = { isFree: false, queries: 0, woken: 0 };
  const slots = new AwaitedSlots(async () => {
    state.queries++;
    return state.isFree;
  });
  slots.watch(() => state.woken++);
  return { state, slots };
}

test('wakes waiting keys immediately when a render of their account ends', async () => {
  const { state, slots } = openSlots();
  slots.wait(OWNER);
  expect(slots.isAwaited('acc_a')).toBe(true);
  state.isFree = true;
  slots.renderEnded('acc_b');
  expect(state.queries).toBe(0);
  slots.renderEnded('acc_a');
  await vi.advanceTimersByTimeAsync(0);
  expect(state).toMatchObject({ queries: 1, woken: 1 });
  expect(slots.isAwaited('acc_a')).toBe(false);
});

test('queries nothing unless an account waits', async () => {
  const { state, slots } = openSlots();
  slots.renderEnded('acc_a');
  slots.wait(OWNER);
  slots.close();
  await vi.advanceTimersByTimeAsync(60_000);
  slots.renderEnded('acc_a');
  expect(state.queries).toBe(0);
});

test('notices a slot that another node has freed within a second', async () => {
  const { state, slots } = openSlots();
  slots.wait(OWNER);
  slots.wait(OWNER);
  await vi.advanceTimersByTimeAsync(10_500);
  expect(state.queries).toBe(10);
  state.isFree = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state.woken).toBe(1);
});

test('does not miss a render that ends during the query', async () => {
  const answers: Array<(isFree: boolean) => void> = [];
  const slots = new AwaitedSlots(() => new Promise((resolve) => answers.push(resolve)));
  let woken = 0;
  slots.watch(() => woken++);
  slots.wait(OWNER);
  slots.renderEnded('acc_a');
  slots.renderEnded('acc_a');
  expect(answers).toHaveLength(1);
  answers[0]?.(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(answers).toHaveLength(2);
  answers[1]?.(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(woken).toBe(1);
});

test('queries again after the database was unavailable', async () => {
  let queries = 0;
  const failing = () => (++queries < 3 ? Promise.reject(new Error('away')) : Promise.resolve(true));
  const slots = new AwaitedSlots(failing);
  slots.wait(OWNER);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(queries).toBe(3);
  expect(slots.isAwaited('acc_a')).toBe(false);
});
