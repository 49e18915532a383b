/** The queue of screenshots in one browser: their order, how many are taken at once, and how they share it with PDFs. */
import { describe, expect, test } from 'vitest';
import { CaptureQueue } from '../../src/chromium/capture/capture-queue.ts';

describe('screenshots of one browser', () => {
  test('are taken one at a time, in order', async () => {
    const queue = new CaptureQueue();
    const events: string[] = [];
    const first = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const firstCapture = queue.capture(async () => {
      events.push('first begins');
      started.resolve();
      await first.promise;
      events.push('first ends');
    });
    const secondCapture = queue.capture(async () => events.push('second'));
    await started.promise;
    first.resolve();
    await Promise.all([firstCapture, secondCapture]);
    expect(events).toEqual(['first begins', 'first ends', 'second']);
  });

  test('continue after a failed one, which gets its own error', async () => {
    const queue = new CaptureQueue();
    const failed = queue.capture(async () => {
      throw new Error('the page is gone');
    });
    const next = queue.capture(async () => 'an image');
    await expect(failed).rejects.toThrow('the page is gone');
    expect(await next).toBe('an image');
  });

  test('are taken at the same time while they are small and no PDF is printed', async () => {
    const queue = new CaptureQueue(async () => {});
    const finish = Promise.withResolvers<void>();
    let running = 0;
    const take = (pixels: number) =>
      queue.capture(async () => {
        running++;
        await finish.promise;
        return running;
      }, pixels);
    const small = [take(1_000_000), take(1_000_000), take(1_000_000)];
    const large = take(4_000_000);
    const last = take(1_000_000);
    finish.resolve();
    expect(await Promise.all(small), 'the large one waits for the small ones, and the last one waits for the large one').toEqual([
      3, 3, 3,
    ]);
    expect([await large, await last]).toEqual([4, 5]);
    const print = Promise.withResolvers<void>();
    const printed = queue.print(() => print.promise);
    const counts: number[] = [];
    const captures = [1, 2].map(() =>
      queue.capture(async () => {
        counts.push(running++);
        await Promise.resolve();
        running--;
      }, 1_000_000),
    );
    await Promise.all(captures);
    expect(counts, 'one at a time while a PDF is printed').toEqual([5, 5]);
    print.resolve();
    await printed;
  });

  test('yield to a waiting PDF', async () => {
    const rested = Promise.withResolvers<void>();
    const resting = Promise.withResolvers<number>();
    const queue = new CaptureQueue((ms) => {
      resting.resolve(ms);
      return rested.promise;
    });
    const events: string[] = [];
    const print = queue.print(() => rested.promise);
    await queue.capture(async () => events.push('first'));
    const second = queue.capture(async () => events.push('second'));
    expect(await resting.promise).toBeGreaterThan(0);
    events.push('rested');
    rested.resolve();
    await Promise.all([print, second]);
    expect(events).toEqual(['first', 'rested', 'second']);
  });

  test('follow each other at once if no PDF is printed', async () => {
    const queue = new CaptureQueue(() => Promise.reject(new Error('no pause is needed')));
    await queue.print(async () => {});
    await queue.capture(async () => {});
    expect(await queue.capture(async () => 'an image')).toBe('an image');
  });
});
