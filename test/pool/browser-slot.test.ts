/** When a slot replaces its browser for the memory that it uses. */
import { expect, test } from 'vitest';
import { BrowserSlot, type PooledBrowser } from '../../src/pool/browser-slot.ts';
import type { PooledPage } from '../../src/pool/page-cache.ts';
import { eventually } from '../support/service.ts';
import { FAKE_PAGE, NO_LIMITS } from './fake-page.ts';

const LIMITS = { ...NO_LIMITS, quietLoad: 0, browserMemoryBytes: 1_000 };

function browserHolding(memoryBytes: number): PooledBrowser<PooledPage> {
  return { ended: new Promise(() => {}), memoryBytes, openPage: async () => FAKE_PAGE, close: async () => {} };
}

/** A slot whose first browser holds this much, and the next ones next to nothing. */
function seatHolding(memoryBytes: number): BrowserSlot<PooledPage> {
  const browsers = [browserHolding(memoryBytes)];
  return new BrowserSlot(async () => browsers.shift() ?? browserHolding(10), LIMITS);
}

test('replaces an idle browser that uses more than three quarters of its limit', async () => {
  const slot = seatHolding(751);
  const before = await slot.ready();
  slot.sweep();
  await eventually('it is replaced', () => slot.replaced === 1);
  expect(slot.cache).not.toBe(before);
});

test('does not replace it while a page is in use', async () => {
  const slot = seatHolding(751);
  const cache = await slot.ready();
  const entry = await cache.take('ada');
  slot.sweep();
  await settled();
  expect(slot.cache).toBe(cache);
  await cache.discard(entry);
  slot.sweep();
  await eventually('it is replaced', () => slot.replaced === 1);
});

test('keeps a browser that uses less', async () => {
  const slot = seatHolding(750);
  const cache = await slot.ready();
  slot.sweep();
  await settled();
  expect(slot.cache).toBe(cache);
});

/** A replacement that was begun is done by then: nothing of it waits for more than a promise. */
const settled = () => new Promise(setImmediate);
