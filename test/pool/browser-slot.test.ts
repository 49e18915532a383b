/** A slot replaces its browser if it uses too much memory. */
import { expect, test } from 'vitest';
import { BrowserSlot, type PooledBrowser } from '../../src/pool/browser-slot.ts';
import type { PooledPage } from '../../src/pool/page-cache.ts';
import { eventually } from '../support/service.ts';
import { FAKE_PAGE, NO_LIMITS } from './fake-page.ts';

const LIMITS = { ...NO_LIMITS, quietLoad: 0, browserMemoryBytes: 1_000 };

function browserUsing(memoryBytes: number): PooledBrowser<PooledPage> {
  return { ended: new Promise(() => {}), memoryBytes, openPage: async () => FAKE_PAGE, close: async () => {} };
}

/** Returns a slot whose first browser uses this much memory, and later ones almost none. */
function slotUsing(memoryBytes: number): BrowserSlot<PooledPage> {
  const browsers = [browserUsing(memoryBytes)];
  return new BrowserSlot(async () => browsers.shift() ?? browserUsing(10), LIMITS);
}

test('replaces an idle browser that uses more than three quarters of its limit', async () => {
  const slot = slotUsing(751);
  const before = await slot.ready();
  slot.sweep();
  await eventually('it is replaced', () => slot.replaced === 1);
  expect(slot.cache).not.toBe(before);
});

test('does not replace it while a page is in use', async () => {
  const slot = slotUsing(751);
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
  const slot = slotUsing(750);
  const cache = await slot.ready();
  slot.sweep();
  await settled();
  expect(slot.cache).toBe(cache);
});

/** Resolves after a replacement that has begun, because its steps only wait for resolved promises. */
const settled = () => new Promise(setImmediate);
