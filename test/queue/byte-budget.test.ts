/** Memory of requests: shares of owners, refusals and releases. */
import { expect, test } from 'vitest';
import { ByteBudget, type HeldBytes } from '../../src/queue/byte-budget.ts';

const SHARE = expect.objectContaining({ code: 'memory_limited', retryAfterSeconds: expect.any(Number) });
const WHOLE = expect.objectContaining({ code: 'overloaded', retryAfterSeconds: expect.any(Number) });

function hold(budget: ByteBudget, owner: string, bytes: number): HeldBytes {
  const held = budget.open(owner);
  held.resize(bytes);
  return held;
}

test('lets an owner hold half of what others leave', () => {
  const budget = new ByteBudget(1_000);
  hold(budget, 'a', 400);
  expect(() => hold(budget, 'a', 101)).toThrow(SHARE);
  hold(budget, 'a', 100);
  hold(budget, 'b', 250);
  expect(() => hold(budget, 'b', 1)).toThrow(SHARE);
  hold(budget, 'c', 125);
  expect(budget.held).toBe(875);
  expect(budget.refused).toEqual({ share: 2, whole: 0 });
});

test('explains for replies on the disk that they must be read', () => {
  const budget = new ByteBudget(1_000, 'replies');
  hold(budget, 'a', 500);
  for (const owner of ['a', 'b']) expect(() => hold(budget, owner, 251)).toThrow(/unread replies/);
});

test('tells an owner who holds nothing that others hold too much', () => {
  const budget = new ByteBudget(1_000);
  hold(budget, 'a', 500);
  expect(() => hold(budget, 'b', 251)).toThrow(WHOLE);
  expect(budget.refused).toEqual({ share: 0, whole: 1 });
  hold(budget, 'b', 250);
});

test('changes nothing on a refusal, and succeeds later when others have released bytes', () => {
  const budget = new ByteBudget(1_000);
  const first = hold(budget, 'a', 400);
  const second = hold(budget, 'a', 50);
  expect(() => second.resize(101)).toThrow(SHARE);
  expect(second.tryResize(101)).toBe(false);
  second.tryAtLeast(101);
  expect(budget.held).toBe(450);
  first.release();
  second.grow(400);
  expect(budget.held).toBe(450);
  second.atLeast(100);
  expect(budget.held).toBe(450);
});

test('lets a single owner exceed the limit, and refuses others meanwhile', () => {
  const budget = new ByteBudget(1_000);
  const large = hold(budget, 'a', 3_000);
  expect(() => hold(budget, 'b', 1)).toThrow(WHOLE);
  large.resize(500);
  hold(budget, 'b', 250);
});

test('counts nothing for a request after its release', () => {
  const budget = new ByteBudget(1_000);
  const held = hold(budget, 'a', 300);
  held.release();
  held.resize(200);
  held.release();
  expect(budget.held).toBe(0);
});
