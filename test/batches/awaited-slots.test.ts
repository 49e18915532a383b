/** Accounts that wait for a free slot: nodes poll for one, and notify each other when a render ends. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AwaitedSlots } from '../../src/batches/awaited-slots.ts';
import { ownerOf, PLAN } from '../support/owners.ts';

const OWNER = ownerOf('key_a', { ...PLAN, concurrency: 2 });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Opens nodes that receive each other's notices, with a query that reports whether a slot is free. */
function openNodes(count: number) {
  const state = { isFree: false, queries: 0, notices: [] as string[], woken: [] as number[] };
  const hasFreeSlot = async () => {
    state.queries++;
    return state.isFree;
  };
  const nodes = Array.from({ length: count }, () => new AwaitedSlots(hasFreeSlot, Date.now));
  for (const [n, node] of nodes.entries()) {
    node.watch(() => state.woken.push(n));
    node.watchNotices((notice) => {
      state.notices.push(notice);
      for (const other of nodes) if (other !== node) other.receiveNotice(notice);
    });
  }
  return { state, nodes };
}

test('wakes waiting keys immediately when a render ends on another node', async () => {
  const { state, nodes } = openNodes(2);
  const [local, remote] = nodes;
  local?.wait(OWNER);
  expect(local?.isAwaited('acc_a')).toBe(true);
  state.isFree = true;
  remote?.renderEnded('acc_b');
  expect(state.notices).toEqual(['awaited acc_a']);
  remote?.renderEnded('acc_a');
  await vi.advanceTimersByTimeAsync(0);
  expect(state.notices).toEqual(['awaited acc_a', 'left acc_a']);
  expect(state.woken).toEqual([0]);
  expect(local?.isAwaited('acc_a')).toBe(false);
});

test('sends no notice unless a node has recently announced that it waits', async () => {
  const { state, nodes } = openNodes(2);
  const [local, remote] = nodes;
  remote?.renderEnded('acc_a');
  local?.wait(OWNER);
  local?.close();
  await vi.advanceTimersByTimeAsync(60_000);
  remote?.renderEnded('acc_a');
  expect(state.notices).toEqual(['awaited acc_a']);
  expect(state.queries).toBe(0);
});

test('polls at growing intervals without a notice', async () => {
  const { state, nodes } = openNodes(1);
  nodes[0]?.wait(OWNER);
  await vi.advanceTimersByTimeAsync(499);
  expect(state.queries).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state.queries).toBeGreaterThan(10);
  expect(state.queries).toBeLessThan(17);
  state.isFree = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(state.woken).toEqual([0]);
});

test('does not miss a render that ends during the query', async () => {
  const answers: Array<(isFree: boolean) => void> = [];
  const slots = new AwaitedSlots(() => new Promise((resolve) => answers.push(resolve)), Date.now);
  let woken = 0;
  slots.watch(() => woken++);
  slots.wait(OWNER);
  slots.renderEnded('acc_a');
  slots.renderEnded('acc_a');
  expect(answers).toHaveLength(1);
  answers[0]?.(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toHaveLength(2);
  answers[1]?.(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(woken).toBe(1);
});

test('queries again after the database was unavailable', async () => {
  let queries = 0;
  const failing = () => (++queries < 3 ? Promise.reject(new Error('away')) : Promise.resolve(true));
  const slots = new AwaitedSlots(failing, Date.now);
  slots.wait(OWNER);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(queries).toBe(3);
  expect(slots.isAwaited('acc_a')).toBe(false);
});
