import { describe, expect, test } from 'vitest';
import { CaptureTurns } from '../../src/chromium/capture/capture-turns.ts';

describe('screenshots of one browser', () => {
  test('are taken one at a time, in the order in which they were asked for', async () => {
    const turns = new CaptureTurns();
    const events: string[] = [];
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const one = turns.run(async () => {
      events.push('first begins');
      begun.resolve();
      await first.promise;
      events.push('first ends');
    });
    const two = turns.run(async () => events.push('second'));
    await begun.promise;
    first.resolve();
    await Promise.all([one, two]);
    expect(events).toEqual(['first begins', 'first ends', 'second']);
  });

  test('go on after one that failed, which hears of its failure', async () => {
    const turns = new CaptureTurns();
    const failed = turns.run(async () => {
      throw new Error('the page is gone');
    });
    const next = turns.run(async () => 'an image');
    await expect(failed).rejects.toThrow('the page is gone');
    expect(await next).toBe('an image');
  });
});
