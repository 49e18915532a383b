/** The queue of batch items on a real database: each item is claimed once, claims have leases, and outcomes count once. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Leases } from '../../src/accounts/leases.ts';
import { Batches, MAX_OPEN_RENDERS } from '../../src/batches/batches.ts';
import { DatabaseQueue } from '../../src/batches/database-queue.ts';
import { Progress } from '../../src/batches/progress.ts';
import { type ClaimedItem, ClaimLostError, type Outcome } from '../../src/batches/queue.ts';
import { RequestLog } from '../../src/request-log/request-log.ts';
import type { Database } from '../../src/storage/database.ts';
import { PayloadCipher } from '../../src/storage/payload-cipher.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { NO_JOBS } from '../support/idle-tasks.ts';
import { insertAccount, ownerOf, PLAN } from '../support/owners.ts';
import { openTestDatabase } from '../support/storage-settings.ts';

const LIMITS = { renderTimeoutMs: 1_000, maxRenderTimeoutMs: 1_000 };
const LEASE_MS = 20_000;
const RETENTION_MS = PLAN.retentionMs;
const FAILED: Outcome = { status: 'failed', error: { code: 'print_failed', detail: 'x' } };
const document = (id: string): Outcome => ({
  status: 'succeeded',
  document: { id, pages: 1, bytes: 1, expiresAt: now + RETENTION_MS },
});

let now: number;
let database: Database;
let leases: Leases;
let batches: Batches;
let queue: DatabaseQueue;
beforeEach(async () => {
  now = 1_000_000;
  database = await openTestDatabase(await makeTestFolder());
  leases = new Leases(() => now);
  batches = new Batches(database, () => now, {
    cipher: new PayloadCipher(Buffer.alloc(32)),
    limits: LIMITS,
    progress: new Progress(),
    jobs: NO_JOBS,
    announce: async () => {},
    requestLog: new RequestLog(database, () => now, { requestLogMs: 1_000 }),
  });
  const announce = async () => {};
  queue = new DatabaseQueue(database, () => now, leases, announce);
  await insertAccount(database, 'key_a', 'key_b');
});
afterEach(async () => {
  leases.stop();
  await database.close();
});

const requestOf = (htmls: string[]) => ({
  items: htmls.map((html) => ({ html })),
  defaults: {},
  webhookUrl: undefined,
  metadata: {},
});

async function create(htmls: string[], keyId = 'key_a'): Promise<string> {
  return batches.create(ownerOf(keyId), requestOf(htmls), async () => {});
}

test('returns only keys that have a due item', async () => {
  expect(await queue.keysWithWork()).toEqual([]);
  await create(['a']);
  await create(['b'], 'key_b');
  await create(['c'], 'key_b');
  expect(await queue.keysWithWork()).toEqual(['key_a', 'key_b']);
  const [first, second] = [await claim('key_b'), await claim('key_b')];
  expect(await queue.keysWithWork()).toEqual(['key_a']);
  await queue.complete(first, FAILED);
  await queue.release(second, 1_000);
  expect(await queue.keysWithWork()).toEqual(['key_a']);
  now += 1_000;
  expect(await queue.keysWithWork()).toEqual(['key_a', 'key_b']);
});

test('leaves items of an unknown kind to newer versions, and claims the others', async () => {
  const newerBatch = await create(['of a newer version']);
  now += 1;
  await create(['of this version']);
  await database.query.updateTable('batches').set({ kind: 'of_a_newer_version' }).where('id', '=', newerBatch).execute();
  const claimed = await claim();
  expect(claimed.batchId).not.toBe(newerBatch);
  expect(await queue.claim('key_a')).toBeUndefined();
  expect(await queue.nextDue('key_a')).toEqual({ afterMs: 0, isOfKnownKind: false });
  expect(await queue.keysWithWork()).toEqual(['key_a']); // recovery creates jobs for newer nodes as well
  now -= 10;
  expect(await queue.nextDue('key_a')).toEqual({ afterMs: 9, isOfKnownKind: false });
  await queue.release(claimed, 8);
  expect(await queue.nextDue('key_a')).toEqual({ afterMs: 8, isOfKnownKind: true });
});

async function claim(keyId = 'key_a'): Promise<ClaimedItem> {
  const item = await queue.claim(keyId);
  if (!item) throw new Error('nothing to claim');
  return item;
}

async function requests(): Promise<number> {
  return (await database.query.selectFrom('batch_requests').select('position').execute()).length;
}

test('claims items once, in order, until the batch ends', async () => {
  const id = await create(['a', 'b']);
  expect(await queue.keysWithWork()).toEqual(['key_a']);
  expect(await queue.claim('key_b')).toBeUndefined();
  const [first, second] = [await claim(), await claim()];
  expect([first.position, second.position]).toEqual([0, 1]);
  expect(await queue.claim('key_a')).toBeUndefined();
  expect(await queue.complete(first, document('doc_1'))).toMatchObject({ items: 1, batchEnded: false });
  expect(await requests()).toBe(2); // one for the unfinished item, and one for the defaults
  expect(await queue.complete(second, FAILED)).toMatchObject({ items: 1, batchEnded: true });
  expect(await requests()).toBe(0);
  expect(await batches.find('key_a', id)).toMatchObject({ status: 'completed', succeeded: 1, failed: 1, unfinished: 0 });
  await expect(queue.complete(second, FAILED)).rejects.toThrow(ClaimLostError);
});

test('limits the unfinished renders of an account over all its keys', async () => {
  const render = (keyId: string) => batches.createRender(ownerOf(keyId), requestOf(['a']), async () => {});
  const first = await render('key_a');
  const row = await database.query.selectFrom('batches').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
  const others = Array.from({ length: MAX_OPEN_RENDERS - 1 }, (_, n) => ({ ...row, id: `ren_${n}` }));
  await database.query.insertInto('batches').values(others).execute();
  const written = await requests();
  await expect(render('key_b')).rejects.toMatchObject({ code: 'queue_full', retryAfterSeconds: 10 });
  expect(await requests()).toBe(written);
  await create(['a']); // batches do not count
  await batches.cancel('key_a', first);
  await render('key_b');
});

test('lets another process claim an item after its lease, and rejects the outcome of the first', async () => {
  const id = await create(['a']);
  const lost = await claim();
  await queue.recover();
  expect(await queue.claim('key_a')).toBeUndefined();
  now += LEASE_MS;
  await queue.recover();
  const reclaimed = await claim();
  expect([reclaimed.position, reclaimed.attempts]).toEqual([0, 2]);
  await expect(queue.complete(lost, document('doc_1'))).rejects.toThrow(ClaimLostError);
  await queue.release(lost, 0);
  expect(await queue.complete(reclaimed, document('doc_2'))).toMatchObject({ items: 1, batchEnded: true });
  expect((await batches.find('key_a', id)).items[0]?.document?.id).toBe('doc_2');
});

test('lets another process claim an item after its lease if its request could not be read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const failingLeases = new Leases(() => now);
  const failingQueue = new DatabaseQueue(
    database,
    () => now,
    failingLeases,
    async () => {},
  );
  await create(['a']);
  await sql`alter table batch_requests rename to out_of_reach`.execute(database.query);
  await expect(failingQueue.claim('key_a')).rejects.toThrow('batch_requests');
  await sql`alter table out_of_reach rename to batch_requests`.execute(database.query);
  now += LEASE_MS / 2;
  await vi.advanceTimersByTimeAsync(LEASE_MS / 2); // a process renews the leases it holds
  vi.useRealTimers();
  now += LEASE_MS / 2;
  await queue.recover();
  expect((await claim()).position).toBe(0);
});

test('requeues all claimed items at once when it is the only process', async () => {
  await create(['a']);
  await claim();
  await queue.recover({ alone: true });
  expect((await claim()).attempts).toBe(2);
});

test('makes a released item available after its pause', async () => {
  await create(['a', 'a', 'b']);
  const first = await claim();
  await queue.release(first, 500);
  expect(await queue.countWaiting()).toBe(2);
  expect((await claim()).position).toBe(2);
  expect(await queue.claim('key_a')).toBeUndefined();
  now += 500;
  expect((await claim()).position).toBe(0);
});

test('gives identical items the same outcome and document', async () => {
  const id = await create(['a', 'b', 'a', 'a']);
  expect(await queue.complete(await claim(), document('doc_1'))).toMatchObject({ items: 3, batchEnded: false });
  const { items, succeeded } = await batches.find('key_a', id);
  expect(items.map(({ status, document: stored }) => stored?.id ?? status)).toEqual(['doc_1', 'queued', 'doc_1', 'doc_1']);
  expect(succeeded).toBe(3);
});

test('cancels a released item of a cancelled batch', async () => {
  const id = await create(['a', 'b', 'c']);
  const [first, second] = [await claim(), await claim()];
  await batches.cancel('key_a', id);
  expect(await batches.find('key_a', id)).toMatchObject({ status: 'running', cancelled: 1, unfinished: 2 });
  expect(await queue.release(first, 0)).toEqual([{ batchId: id, items: 1, batchEnded: false }]);
  expect(await queue.complete(second, document('doc_1'))).toMatchObject({ items: 1, batchEnded: true });
  expect(await batches.find('key_a', id)).toMatchObject({ status: 'cancelled', succeeded: 1, cancelled: 2, unfinished: 0 });
  expect(await requests()).toBe(0);
});

test('cancels items of a dead process in a cancelled batch, and reports each batch', async () => {
  const cancelled = await create(['a', 'a', 'b']);
  await create(['a'], 'key_b');
  await claim();
  await claim();
  await claim('key_b');
  await batches.cancel('key_a', cancelled);
  now += LEASE_MS;
  expect(await queue.recover()).toEqual([{ batchId: cancelled, items: 3, batchEnded: true }]);
  expect(await queue.recover()).toEqual([]);
  expect(await queue.release(await claim('key_b'), 0)).toEqual([]);
});

test('numbers outcomes in the order in which they occur, and returns them in that order', async () => {
  const id = await create(['a', 'b', 'a', 'c', 'd']);
  const [a, b, c] = [await claim(), await claim(), await claim()];
  await queue.complete(b, FAILED);
  await queue.complete(a, document('doc_1'));
  await batches.cancel('key_a', id);
  await queue.complete(c, document('doc_2'));
  const { batch, outcomes } = await batches.outcomesAfter('key_a', id, 0, 100);
  expect(batch).toMatchObject({ total: 5, unfinished: 0 });
  expect(outcomes.map(({ number, position, status }) => [number, position, status])).toEqual([
    [1, 1, 'failed'],
    [2, 0, 'succeeded'],
    [3, 2, 'succeeded'],
    [4, 4, 'cancelled'],
    [5, 3, 'succeeded'],
  ]);
  const rest = await batches.outcomesAfter('key_a', id, 2, 3);
  expect(rest.outcomes.map(({ number }) => number)).toEqual([3, 4, 5]);
  await expect(batches.outcomesAfter('key_b', id, 0, 1)).rejects.toMatchObject({ code: 'not_found' });
});

test('deletes a batch with its last document, but not while an item is unfinished', async () => {
  const [done, open] = [await create(['a']), await create(['a'], 'key_b')];
  now += 1_000;
  await queue.complete(await claim(), document('doc_1'));
  now += RETENTION_MS - 1;
  await batches.removeExpired();
  expect((await batches.find('key_a', done)).status).toBe('completed');
  now += 1;
  await batches.removeExpired();
  await expect(batches.find('key_a', done)).rejects.toMatchObject({ code: 'not_found' });
  expect((await batches.find('key_b', open)).status).toBe('queued');
  const { items } = { items: await database.query.selectFrom('batch_items').select('batch_id').execute() };
  expect(items).toEqual([{ batch_id: open }]);
});
