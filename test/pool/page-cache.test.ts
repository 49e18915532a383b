/** The cache of pages of a browser: pages that are reset, and a browser that is being replaced. */
import { expect, test } from 'vitest';
import { PageCache, type PooledPage } from '../../src/pool/page-cache.ts';

const LIMITS = {
  sparePages: 0,
  warmPages: 4,
  pageMaxRenders: 100,
  pageMaxAgeMs: 3_600_000,
  pageIdleMs: 3_600_000,
  pageMaxMemoryBytes: 1e9,
  quietLoad: 0,
};

/** A page whose reset ends when the test calls `emptied`. */
function slowPage(): PooledPage & { emptied: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    alive: true,
    memoryBytes: 0,
    emptied: resolve,
    prime: async () => {},
    reset: () => promise,
    trim() {},
    lowerPriority() {},
    close: async () => {},
  };
}

test('waits for a page that is being taken, and for its render, before the browser is closed', async () => {
  const page = slowPage();
  const cache = new PageCache(async () => page, LIMITS);
  const order: string[] = [];
  cache.release(await cache.take('owner'), true);
  const taken = cache.take('owner'); // the page is still being reset
  const retired = cache.retire().then(() => order.push('retired'));
  page.emptied();
  const entry = await taken;
  await new Promise((resolve) => setImmediate(resolve));
  order.push('rendered');
  cache.release(entry, true);
  await retired;
  expect(order).toEqual(['rendered', 'retired']);
});

test('frees the memory of a page once after each time that it was used', async () => {
  let trimmed = 0;
  const page = { ...slowPage(), reset: async () => {}, trim: () => void trimmed++ };
  const cache = new PageCache(async () => page, LIMITS);
  const later = () => cache.sweep(Date.now() + 60_000);
  for (const expected of [1, 2]) {
    cache.release(await cache.take('owner'), true);
    await new Promise((resolve) => setImmediate(resolve));
    cache.sweep();
    expect(trimmed, 'while it may soon be used again').toBe(expected - 1);
    later();
    later();
    expect(trimmed).toBe(expected);
  }
});

test('keeps an unsuitable page for later work, even while it is being reset', async () => {
  const pages = [slowPage(), slowPage(), slowPage()];
  const [first, second, third] = pages;
  const cache = new PageCache(async () => pages.shift() as PooledPage, LIMITS);
  cache.release(await cache.take('owner'), true);
  const suits = (page: PooledPage) => page !== first;
  expect(cache.countPages('owner', suits)).toBe(0);
  expect(cache.countPages('owner', () => true)).toBe(1);
  const other = await cache.take('owner', suits);
  expect(other.page).toBe(second);
  first?.emptied();
  expect((await cache.take('owner')).page).toBe(first);
  cache.release(other, true);
  second?.emptied();
  await new Promise((resolve) => setImmediate(resolve));
  expect((await cache.take('owner', (page) => page !== second)).page, 'a new page').toBe(third);
  expect((await cache.take('owner', suits)).page).toBe(second);
});

test('does not wait for a page that cannot be taken', async () => {
  const { promise, reject } = Promise.withResolvers<PooledPage>();
  const cache = new PageCache(() => promise, LIMITS);
  const taken = expect(cache.take('owner')).rejects.toThrow('no page');
  const retired = cache.retire();
  reject(new Error('no page'));
  await taken;
  await retired;
});
