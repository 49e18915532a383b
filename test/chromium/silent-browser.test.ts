/** A browser is considered dead only if it sends nothing at all. The tests use fake timers. */
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryWatchdog } from '../../src/chromium/browser/memory-watchdog.ts';
import { ProcessTree } from '../../src/chromium/browser/process-tree.ts';
import { Connection } from '../../src/chromium/devtools/connection.ts';

const SECOND = 1_000;
const NO_PROCESS = 0;

let output: PassThrough;
let watchdog: MemoryWatchdog;
let ended: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  ended = 0;
  output = new PassThrough();
  const connection = new Connection(new PassThrough().resume(), output);
  watchdog = new MemoryWatchdog(connection, new ProcessTree(NO_PROCESS), {
    rendererLimitBytes: 1,
    browserLimitBytes: 1,
    endBrowser: async () => {
      ended++;
    },
  });
});
afterEach(() => {
  watchdog.stop();
  vi.useRealTimers();
});

test('ends a browser that sends nothing for a long time', async () => {
  await vi.advanceTimersByTimeAsync(20 * SECOND);
  expect(ended).toBeGreaterThan(0);
});

test('does not end a browser that answers late behind a flood of messages', async () => {
  for (let second = 0; second < 20; second++) {
    output.write('{"method":"Runtime.consoleAPICalled","params":{},"sessionId":"of a page"}\0');
    await vi.advanceTimersByTimeAsync(SECOND);
  }
  expect(ended).toBe(0);
});
