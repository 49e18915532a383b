import { describe, expect, test } from 'vitest';
import { CaptureQueue } from '../../src/chromium/capture/capture-queue.ts';

describe('screenshots of one browser', () => {
  test('are taken one at a time, in order', async () => {
    const turns = new CaptureQueue();
    const events: string[] = [];
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const one = turns.capture(async () => {
      events.push('first begins');
      begun.resolve();
      await first.promise;
      events.push('first ends');
    });
    const two = turns.capture(async () => events.push('second'));
    await begun.promise;
    first.resolve();
    await Promise.all([one, two]);
    expect(events).toEqual(['first begins', 'first ends', 'second']);
  });

  test('continue after a failed one, which gets its own error', async () => {
    const turns = new CaptureQueue();
    const failed = turns.capture(async () => {
      throw new Error('the page is gone');
    });
    const next = turns.capture(async () => 'an image');
    await expect(failed).rejects.toThrow('the page is gone');
    expect(await next).toBe('an image');
  });

  test('are taken at the same time while they are small and no PDF is printed', async () => {
    const turns = new CaptureQueue(async () => {});
    const held = Promise.withResolvers<void>();
    let underWay = 0;
    const take = (pixels: number) =>
      turns.capture(async () => {
        underWay++;
        await held.promise;
        return underWay;
      }, pixels);
    const small = [take(1_000_000), take(1_000_000), take(1_000_000)];
    const large = take(4_000_000);
    const late = take(1_000_000);
    held.resolve();
    expect(await Promise.all(small), 'the large one waits for these, and the late one for the large one').toEqual([3, 3, 3]);
    expect([await large, await late]).toEqual([4, 5]);
    const print = Promise.withResolvers<void>();
    const printed = turns.print(() => print.promise);
    const counts: number[] = [];
    const captures = [1, 2].map(() =>
      turns.capture(async () => {
        counts.push(underWay++);
        await Promise.resolve();
        underWay--;
      }, 1_000_000),
    );
    await Promise.all(captures);
    expect(counts, 'beside a PDF there is one at a time').toEqual([5, 5]);
    print.resolve();
    await printed;
  });

  test('yield to a waiting PDF', async () => {
    const rested = Promise.withResolvers<void>();
    const resting = Promise.withResolvers<number>();
    const turns = new CaptureQueue((ms) => {
      resting.resolve(ms);
      return rested.promise;
    });
    const events: string[] = [];
    const print = turns.print(() => rested.promise);
    await turns.capture(async () => events.push('first'));
    const second = turns.capture(async () => events.push('second'));
    expect(await resting.promise).toBeGreaterThan(0);
    events.push('rested');
    rested.resolve();
    await Promise.all([print, second]);
    expect(events).toEqual(['first', 'rested', 'second']);
  });

  test('follow each other at once if no PDF is printed', async () => {
    const turns = new CaptureQueue(() => Promise.reject(new Error('there is nothing to rest for')));
    await turns.print(async () => {});
    await turns.capture(async () => {});
    expect(await turns.capture(async () => 'an image')).toBe('an image');
  });
});
