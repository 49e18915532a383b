/** The runner on a real queue: what becomes of items is told to those who follow their batch. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Leases } from '../../src/accounts/leases.ts';
import { Batches } from '../../src/batches/batches.ts';
import { DatabaseQueue } from '../../src/batches/database-queue.ts';
import { PayloadCipher } from '../../src/batches/payload-cipher.ts';
import { Progress } from '../../src/batches/progress.ts';
import { BatchRunner } from '../../src/batches/runner.ts';
import { ServiceError } from '../../src/errors.ts';
import { openTestDatabase } from '../support/storage-settings.ts';

const LIMITS = { renderTimeoutMs: 1_000, maxRenderTimeoutMs: 1_000 };
const PLAN = { name: 'x', documents: null, retentionMs: 86_400_000, requestsPerMinute: null, concurrency: null };
const OWNER = { keyId: 'key_a', accountId: 'acc_a', plan: PLAN, autoStore: false, scopes: null };
const IDLE = { hasRoomInBackground: () => true, capacity: 1, secondsFor: () => 1 };

test('an item that is put back into a cancelled batch is told as cancelled, though others are under way', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-test-'));
  const database = await openTestDatabase(dataDir);
  const leases = new Leases(Date.now);
  const [cipher, progress, announce] = [new PayloadCipher(Buffer.alloc(32)), new Progress(), async () => {}];
  const batches = new Batches(database, Date.now, { cipher, limits: LIMITS, progress, announce });
  const queue = new DatabaseQueue(database, Date.now, leases, announce);
  await database.query
    .insertInto('accounts')
    .values({ id: 'acc_a', name: '', plan: 'x', auto_store: 0, created_at: 1 })
    .execute();
  await database.query
    .insertInto('api_keys')
    .values({ id: 'key_a', account_id: 'acc_a', name: '', secret_hash: 'a', hint: '', created_at: 1, revoked_at: null })
    .execute();
  const renders: Array<(error: Error) => void> = [];
  const bothRender = Promise.withResolvers<void>();
  const runner = new BatchRunner({
    queue,
    cipher,
    limits: LIMITS,
    progress,
    principalOf: async () => OWNER,
    mayComeBack: async () => false,
    hasRoom: () => true,
    pool: IDLE,
    render: () =>
      new Promise((_, reject) => {
        if (renders.push(reject) === 2) bothRender.resolve();
      }),
    onRendered() {},
    onFault() {},
  });
  const outcomes: Array<[string, number]> = [];
  progress.watchOutcomes((outcome, items) => outcomes.push([outcome, items]));
  const sent = { items: [{ html: 'a' }, { html: 'a' }, { html: 'b' }], defaults: {}, webhookUrl: undefined, metadata: {} };
  const id = await batches.create(OWNER, sent, async () => {});
  runner.start();
  await bothRender.promise;
  await batches.cancel('key_a', id);
  {
    using watch = progress.watch(id, new AbortController().signal, 'outcomes');
    renders[0]?.(new ServiceError('queue_full', 'full'));
    expect(await watch.next(60_000)).toBe(true);
  }
  expect(await batches.summary('key_a', id)).toMatchObject({ status: 'running', cancelled: 2, unfinished: 1 });
  renders[1]?.(new ServiceError('print_failed', 'x'));
  await runner.drain();
  expect(outcomes).toEqual([
    ['cancelled', 2],
    ['print_failed', 1],
  ]);
  leases.stop();
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});
