/** Accounts without a free slot: nodes poll for them, and notify each other. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AwaitedSlots } from '../../src/batches/awaited-slots.ts';

const PLAN = { name: 'x', documents: null, retentionMs: 1, requestsPerMinute: null, concurrency: 2 };
const OWNER = { keyId: 'key_a', accountId: 'acc_a', plan: PLAN, autoStore: false, scopes: null, isTest: false };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Nodes that hear each other, and a database that counts places. */
function openNodes(count: number) {
  const world = { isFree: false, looks: 0, notices: [] as string[], woken: [] as number[] };
  const hasFreeSlot = async () => {
    world.looks++;
    return world.isFree;
  };
  const nodes = Array.from({ length: count }, () => new AwaitedSlots(hasFreeSlot, Date.now));
  for (const [n, node] of nodes.entries()) {
    node.watch(() => world.woken.push(n));
    node.watchNotices((notice) => {
      world.notices.push(notice);
      for (const other of nodes) if (other !== node) other.receiveNotice(notice);
    });
  }
  return { world, nodes };
}

test('wakes waiting keys immediately when a render ends on another node', async () => {
  const { world, nodes } = openNodes(2);
  const [local, remote] = nodes;
  local?.wait(OWNER);
  expect(local?.isAwaited('acc_a')).toBe(true);
  world.isFree = true;
  remote?.renderEnded('acc_b');
  expect(world.notices).toEqual(['awaited acc_a']);
  remote?.renderEnded('acc_a');
  await vi.advanceTimersByTimeAsync(0);
  expect(world.notices).toEqual(['awaited acc_a', 'left acc_a']);
  expect(world.woken).toEqual([0]);
  expect(local?.isAwaited('acc_a')).toBe(false);
});

test('sends no notices unless a node has recently announced that it waits', async () => {
  const { world, nodes } = openNodes(2);
  const [local, remote] = nodes;
  remote?.renderEnded('acc_a');
  local?.wait(OWNER);
  local?.close();
  await vi.advanceTimersByTimeAsync(60_000);
  remote?.renderEnded('acc_a');
  expect(world.notices).toEqual(['awaited acc_a']);
  expect(world.looks).toBe(0);
});

test('polls at growing intervals without a notice', async () => {
  const { world, nodes } = openNodes(1);
  nodes[0]?.wait(OWNER);
  await vi.advanceTimersByTimeAsync(499);
  expect(world.looks).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(world.looks).toBeGreaterThan(10);
  expect(world.looks).toBeLessThan(17);
  world.isFree = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(world.woken).toEqual([0]);
});

test('does not miss a render that ends during the query', async () => {
  const answers: Array<(isFree: boolean) => void> = [];
  const places = new AwaitedSlots(() => new Promise((resolve) => answers.push(resolve)), Date.now);
  let woken = 0;
  places.watch(() => woken++);
  places.wait(OWNER);
  places.renderEnded('acc_a');
  places.renderEnded('acc_a');
  expect(answers).toHaveLength(1);
  answers[0]?.(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toHaveLength(2);
  answers[1]?.(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(woken).toBe(1);
});

test('queries again after the database was unavailable', async () => {
  let looks = 0;
  const failing = () => (++looks < 3 ? Promise.reject(new Error('away')) : Promise.resolve(true));
  const places = new AwaitedSlots(failing, Date.now);
  places.wait(OWNER);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(looks).toBe(3);
  expect(places.isAwaited('acc_a')).toBe(false);
});
