/** The requests and the rendering time of each playground visitor per minute, with clocks that differ or were wrong. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { VisitorRequests } from '../../src/accounts/visitor-requests.ts';
import type { ServiceError } from '../../src/errors.ts';
import { VisitorTime } from '../../src/playground/visitor-time.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { makeTestFolder } from '../support/close-after-all.ts';

const START = 1_900_000_000_000;
let now: number;
let folder: string;
let database: Database;
let visitors: VisitorRequests;
beforeEach(async () => {
  now = START;
  folder = await makeTestFolder('visitors');
  database = await openDatabase({ dataDir: folder });
  visitors = new VisitorRequests(database, () => now);
});
afterEach(async () => {
  await database.close();
});

const visitorsLeft = async () => (await database.query.selectFrom('visitor_requests').select('visitor').execute()).length;

test('begins a new minute when the last one has ended', async () => {
  expect(await visitors.count('192.0.2.1')).toEqual({ requests: 1, endsInMs: 60_000 });
  now += 59_999;
  expect(await visitors.count('192.0.2.1')).toEqual({ requests: 2, endsInMs: 1 });
  expect(await visitors.count('192.0.2.2')).toEqual({ requests: 1, endsInMs: 60_000 });
  now += 1;
  expect(await visitors.count('192.0.2.1')).toEqual({ requests: 1, endsInMs: 60_000 });
});

test('continues the minute that a node with a faster clock has begun', async () => {
  await visitors.count('192.0.2.1');
  now -= 1_000;
  expect(await visitors.count('192.0.2.1')).toEqual({ requests: 2, endsInMs: 61_000 });
});

test('does not refuse a visitor until a wrong clock is caught up', async () => {
  now = START + 86_400_000;
  for (let n = 0; n < 9; n++) await visitors.count('192.0.2.1');
  await visitors.count('192.0.2.2');
  now = START;
  expect(await visitors.count('192.0.2.1')).toEqual({ requests: 1, endsInMs: 60_000 });
  await visitors.removeEnded();
  expect(await visitorsLeft()).toBe(1);
});

describe('rendering time', () => {
  /** 30 seconds a minute, so a second is forgotten after two. */
  const onNode = () => new VisitorTime(30, () => now, visitors);
  const retryAfter = (time: VisitorTime, visitor: string): number => {
    try {
      time.requireTime(visitor);
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' });
      return (error as ServiceError).retryAfterSeconds ?? 0;
    }
  };

  test('is refused when all of it is used, and is available again bit by bit', async () => {
    const time = onNode();
    await time.add('192.0.2.1', 30_000);
    expect(retryAfter(time, '192.0.2.1')).toBe(0);
    await time.add('192.0.2.1', 1_000);
    expect(retryAfter(time, '192.0.2.1')).toBe(2);
    expect(retryAfter(time, '192.0.2.2')).toBe(0);
    now += 2_000;
    expect(retryAfter(time, '192.0.2.1')).toBe(0);
    await time.add('192.0.2.1', 3_600_000);
    expect(retryAfter(time, '192.0.2.1')).toBe(30);
  });

  test('counts on all nodes, and the sweep removes it when it is forgotten', async () => {
    const [here, there] = [onNode(), onNode()];
    await Promise.all([here.add('192.0.2.1', 16_000), there.add('192.0.2.1', 16_000)]);
    expect(retryAfter(here, '192.0.2.1')).toBe(0);
    await Promise.all([here.refresh('192.0.2.1'), there.refresh('192.0.2.1')]);
    expect([retryAfter(here, '192.0.2.1'), retryAfter(there, '192.0.2.1')]).toEqual([4, 4]);
    await there.add('192.0.2.1', 3_600_000);
    await here.refresh('192.0.2.1');
    expect(retryAfter(here, '192.0.2.1')).toBe(30);
    await visitors.removeEnded();
    expect(await visitorsLeft()).toBe(1);
    now += 90_000;
    expect(retryAfter(here, '192.0.2.1')).toBe(0);
    await visitors.removeEnded();
    expect(await visitorsLeft()).toBe(0);
  });

  test('does not refuse a visitor until a wrong clock is caught up', async () => {
    const time = onNode();
    now = START + 86_400_000;
    await time.add('192.0.2.1', 60_000);
    now = START;
    await time.refresh('192.0.2.1');
    expect(retryAfter(time, '192.0.2.1')).toBe(0);
    await time.add('192.0.2.1', 30_500);
    await time.refresh('192.0.2.1');
    expect(retryAfter(time, '192.0.2.1')).toBe(1);
  });
});
