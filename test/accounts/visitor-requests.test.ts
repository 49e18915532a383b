/** The number of requests of each playground visitor per minute, with clocks that differ or were wrong. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VisitorRequests } from '../../src/accounts/visitor-requests.ts';
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
