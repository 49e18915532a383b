/** Results of the playground: their limits of bytes and time. */
import { afterEach, expect, test, vi } from 'vitest';
import { PlaygroundResults } from '../../src/playground/results.ts';

const MEGABYTE = 1_048_576;

afterEach(() => {
  vi.useRealTimers();
});

const resultOf = (bytes: number) => ({ chunks: [Buffer.from('%PDF')], bytes, pages: 1 });

test('forgets a result after two minutes', () => {
  vi.useFakeTimers();
  const results = new PlaygroundResults();
  const id = results.keep(resultOf(MEGABYTE)) ?? '';
  vi.advanceTimersByTime(119_999);
  expect(results.find(id)?.pages).toBe(1);
  vi.advanceTimersByTime(1);
  expect(results.find(id)).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('holds 32 MB, makes room for new results, and keeps no large one', () => {
  const results = new PlaygroundResults();
  expect(results.keep(resultOf(4 * MEGABYTE + 1))).toBeUndefined();
  const ids = Array.from({ length: 9 }, () => results.keep(resultOf(4 * MEGABYTE)) ?? '');
  expect(ids.map((id) => results.find(id) !== undefined)).toEqual([false, ...Array(8).fill(true)]);
  results.clear();
  expect(ids.some((id) => results.find(id))).toBe(false);
  const later = Array.from({ length: 8 }, () => results.keep(resultOf(4 * MEGABYTE)) ?? '');
  expect(later.every((id) => results.find(id))).toBe(true);
});
