/** Background jobs: retries, and places for each account. */
import { expect, test } from 'vitest';
import { type ErrorCode, ServiceError } from '../../src/errors.ts';
import { BackgroundJobs, retryWhileBusy } from '../../src/gotenberg/background.ts';

async function attemptsOf(...codes: ErrorCode[]): Promise<number> {
  let attempts = 0;
  const work = async () => {
    const code = codes[Math.min(attempts++, codes.length - 1)] as ErrorCode;
    throw new ServiceError(code, 'full', { retryAfterSeconds: 0 });
  };
  await expect(retryWhileBusy(work, new AbortController().signal)).rejects.toThrow('full');
  return attempts;
}

test('retries transient errors, and memory errors a few times', async () => {
  expect(await attemptsOf('overloaded')).toBe(1);
  expect(await attemptsOf('memory_limited')).toBe(4);
  expect(await attemptsOf(...Array<ErrorCode>(9).fill('queue_full'), 'concurrency_limited', 'invalid_request')).toBe(11);
});

test('limits an account to as many places as it leaves free', async () => {
  const jobs = new BackgroundJobs();
  const end = Promise.withResolvers<void>();
  const placesOf = (account: string) => {
    for (let places = 0; ; places++) {
      try {
        jobs.begin(account, () => end.promise);
      } catch {
        return places;
      }
    }
  };
  expect(['a', 'b', 'c', 'd', 'e'].map(placesOf)).toEqual([64, 64, 64, 32, 16]);
  end.resolve();
  await jobs.drain();
});
