/** The pool repeats work that loses its page or browser. The browsers are fakes. */
import { expect, test, vi } from 'vitest';
import { Deadline } from '../../src/deadline.ts';
import { ServiceError } from '../../src/errors.ts';
import type { PooledBrowser } from '../../src/pool/browser-slot.ts';
import type { PooledPage } from '../../src/pool/page-cache.ts';
import { Pool } from '../../src/pool/pool.ts';
import { FAKE_PAGE, NO_LIMITS } from './fake-page.ts';

const OPTIONS = { ...NO_LIMITS, browsers: 1, concurrency: 2, queueLimit: 10, isolation: 'key' as const, idleStopMs: 0 };

const crashed = () => new ServiceError('page_crashed', 'the page crashed');

/** Returns a browser that opens this many pages, and ends at the next request for one. */
function browserFor(pages: number): PooledBrowser<PooledPage> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let left = pages;
  const openPage = async () => {
    if (left-- > 0) return FAKE_PAGE;
    resolve();
    throw new ServiceError('browser_unavailable', 'the browser could not open a page');
  };
  return { ended, memoryBytes: 1, openPage, close: async () => {} };
}

async function use(browsers: Array<PooledBrowser<PooledPage>>, work: () => Promise<string>): Promise<string> {
  await using pool = Object.assign(new Pool(async () => browsers.shift() ?? browserFor(1), OPTIONS), {
    [Symbol.asyncDispose]: () => pool.close(),
  });
  return await pool.use('ada', new Deadline(60_000), work);
}

/** Returns work that loses its page this many times. */
function losing(times: number): () => Promise<string> {
  let left = times;
  return async () => {
    if (left-- > 0) throw crashed();
    return 'done';
  };
}

test('ends its browser after idle time, and starts another for the next work', async () => {
  const browsers = [browserFor(9), browserFor(9)].map((browser) => ({ ...browser, close: vi.fn(async () => {}) }));
  const launch = vi.fn(async () => browsers[launch.mock.calls.length - 1] ?? browserFor(9));
  const pool = new Pool(launch, { ...OPTIONS, idleStopMs: 50 });
  const work = () => pool.use('ada', new Deadline(60_000), async () => 'done');
  await work();
  const sweep = () => {
    pool.sweep();
    return pool.resting;
  };
  await expect.poll(sweep, { timeout: 60_000 }).toBe(true);
  await expect.poll(() => browsers[0]?.close.mock.calls.length).toBe(1);
  expect(launch).toHaveBeenCalledTimes(1);
  expect(pool.stats()).toMatchObject({ browsers: 0, crashes: 0, replaced: 0 });
  expect(await work()).toBe('done');
  expect(pool.resting).toBe(false);
  expect(launch).toHaveBeenCalledTimes(2);
  await pool.close();
});

test('repeats work that lost its page once', async () => {
  await expect(use([browserFor(9)], losing(1))).resolves.toBe('done');
  await expect(use([browserFor(9)], losing(2))).rejects.toThrow('the page crashed');
});

test('repeats it even if the browser ends while the second page is opened', async () => {
  await expect(use([browserFor(1)], losing(1))).resolves.toBe('done');
  await expect(use([browserFor(1)], losing(2))).rejects.toThrow('the page crashed');
});

test('does not retry forever if browsers open no page', async () => {
  const browsers = Array.from({ length: 9 }, () => browserFor(0));
  await expect(use(browsers, losing(0))).rejects.toThrow('the browser could not open a page');
});
