/** The memory limit of the browser: which page it ends, and whether it blames that page. The tests supply the times and amounts. */
import { beforeEach, expect, test } from 'vitest';
import { BrowserMemoryLimit, type RunningPage } from '../../src/chromium/browser/browser-memory-limit.ts';

const LIMIT = 1_000;
const PROOF_MS = 500;

/** What happened to each page and to the browser, in order. */
let calls: string[];
let limit: BrowserMemoryLimit;
beforeEach(() => {
  calls = [];
  limit = new BrowserMemoryLimit(LIMIT, async () => {
    calls.push('the browser ends');
  });
});

function begin(name: string, closed = Promise.resolve()): RunningPage {
  const page = {
    async endToFreeMemory(wasCause: Promise<boolean>) {
      calls.push(`${name} ends`);
      void wasCause.then((was) => calls.push(`${name} ${was ? 'was the cause' : 'was not the cause'}`));
      await closed;
    },
  };
  limit.begin(page);
  return page;
}

/** Measures each of these amounts of memory once, `everyMs` apart. */
async function measure(everyMs: number, ...amounts: number[]): Promise<void> {
  for (const [index, bytes] of amounts.entries()) {
    limit.look(bytes, index * everyMs);
    await new Promise(setImmediate);
  }
}

test('ends no page while the browser is within its limit', async () => {
  begin('a');
  await measure(100, 0, LIMIT);
  expect(calls).toEqual([]);
});

test('ends the longest running page, and blames it if memory is free afterwards', async () => {
  limit.end(begin('done'));
  begin('a');
  begin('b');
  await measure(100, 1_001, 1_001, 600, 600);
  expect(calls).toEqual(['a ends', 'a was the cause']);
  expect(limit.isBusy).toBe(true);
});

test('tries the next page if the end of one frees nothing', async () => {
  begin('a');
  begin('b');
  await measure(PROOF_MS, 1_001, 1_300, 1_300, 500);
  expect(calls).toEqual(['a ends', 'b ends', 'a was not the cause', 'b was the cause']);
});

test('decides nothing, and ends no other page, before the browser has closed the page', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  begin('a', promise);
  begin('b');
  await measure(PROOF_MS, 1_001, 1_300, 1_300, 1_300);
  expect(calls).toEqual(['a ends']);
  resolve();
  await measure(PROOF_MS, 1_300, 1_300, 1_300, 500);
  expect(calls).toEqual(['a ends', 'b ends', 'a was not the cause', 'b was the cause']);
});

test('does not blame a page whose end frees almost nothing, even if the browser is within its limit', async () => {
  begin('a');
  await measure(PROOF_MS, 1_001, 999, 999);
  expect(calls).toEqual(['a ends', 'a was not the cause']);
});

test('ends several causes one after the other', async () => {
  begin('a');
  begin('b');
  await measure(100, 2_000, 1_500, 900);
  expect(calls).toEqual(['a ends', 'b ends', 'a was the cause', 'b was the cause']);
});

test('ends the browser when no page is running any more, before the last suspect is informed', async () => {
  begin('a');
  await measure(PROOF_MS, 1_001, 1_001, 1_001);
  expect(calls).toEqual(['a ends', 'the browser ends', 'a was not the cause']);
});

test('ends an idle browser that uses too much memory', async () => {
  await measure(100, 1_001);
  expect(calls).toEqual(['the browser ends']);
});

test('informs a suspect also if the browser ends by itself', async () => {
  begin('a');
  await measure(100, 1_001);
  limit.stop();
  await new Promise(setImmediate);
  expect(calls).toEqual(['a ends', 'a was not the cause']);
});
