/** The runner on a real queue: it reports outcomes to clients that follow a batch, and limits its queries. */
import { expect, test, vi } from 'vitest';
import { concurrencyLimited } from '../../src/accounts/concurrency.ts';
import { Leases } from '../../src/accounts/leases.ts';
import { AwaitedSlots } from '../../src/batches/awaited-slots.ts';
import { Batches } from '../../src/batches/batches.ts';
import { DatabaseQueue } from '../../src/batches/database-queue.ts';
import { Progress } from '../../src/batches/progress.ts';
import { BatchRunner, type RunnerServices } from '../../src/batches/runner.ts';
import { ServiceError } from '../../src/errors.ts';
import { openJobs } from '../../src/jobs/open-jobs.ts';
import { RequestLog } from '../../src/request-log/request-log.ts';
import { PayloadCipher } from '../../src/storage/payload-cipher.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { IDLE_TASKS } from '../support/idle-tasks.ts';
import { NO_UPLOADS } from '../support/no-uploads.ts';
import { insertAccount, ownerOf, PLAN } from '../support/owners.ts';
import { openTestDatabase } from '../support/storage-settings.ts';

const LIMITS = { renderTimeoutMs: 1_000, maxRenderTimeoutMs: 1_000 };
const OWNER = ownerOf('key_a');
const IDLE = { hasRoomInBackground: () => true, capacity: 1, estimateSeconds: () => 1 };

const NO_MORE = { defaults: {}, webhookUrl: undefined, metadata: {} };

/** Opens a database with an account and a key, and the other services of a runner. */
async function openWorld() {
  const dataDir = await makeTestFolder();
  const database = await openTestDatabase(dataDir);
  const leases = new Leases(Date.now);
  const jobs = await openJobs(database);
  const [cipher, progress, announce] = [new PayloadCipher(Buffer.alloc(32)), new Progress(), async () => {}];
  const requestLog = new RequestLog(database, Date.now, { requestLogMs: 60_000 });
  const batches = new Batches(database, Date.now, { cipher, limits: LIMITS, progress, jobs, announce, requestLog });
  const queue = new DatabaseQueue(database, Date.now, leases, announce);
  await insertAccount(database, 'key_a');
  const services = {
    queue,
    cipher,
    limits: LIMITS,
    uploads: NO_UPLOADS,
    progress,
    requestLog,
    jobs,
    findPrincipal: async () => OWNER,
    pool: IDLE,
  };
  const errors: unknown[] = [];
  const slots = { wait() {}, isAwaited: () => false };
  const defaults = {
    awaitedSlots: slots,
    hasReservations: async () => false,
    hasRoom: () => true,
    onRendered() {},
    onFault() {},
  };
  return {
    ...{ batches, queue, progress, jobs },
    run(overrides: Pick<RunnerServices, 'render'> & Partial<RunnerServices>): void {
      const item = new BatchRunner({ ...services, ...defaults, ...overrides });
      jobs.start({ ...IDLE_TASKS, item }, (error) => errors.push(error));
    },
    async ended(id: string): Promise<void> {
      using watch = progress.watch(id, new AbortController().signal, 'end');
      while ((await batches.summary('key_a', id)).unfinished) await watch.next(60_000);
    },
    async [Symbol.asyncDispose]() {
      await jobs.close();
      expect(errors).toEqual([]);
      leases.stop();
      await database.close();
    },
  };
}

test('reports an item that is released into a cancelled batch as cancelled while others run', async () => {
  await using world = await openWorld();
  const { batches, progress } = world;
  const renders: Array<(error: Error) => void> = [];
  const bothRender = Promise.withResolvers<void>();
  const outcomes: Array<[string, number]> = [];
  progress.watchOutcomes((outcome, items) => outcomes.push([outcome, items]));
  const request = { ...NO_MORE, items: [{ html: 'a' }, { html: 'a' }, { html: 'b' }] };
  const id = await batches.create(OWNER, request, async () => {});
  world.run({
    render: () =>
      new Promise((_, reject) => {
        if (renders.push(reject) === 2) bothRender.resolve();
      }),
  });
  await bothRender.promise;
  await batches.cancel('key_a', id);
  {
    using watch = progress.watch(id, new AbortController().signal, 'outcomes');
    renders[0]?.(new ServiceError('queue_full', 'full'));
    expect(await watch.next(60_000)).toBe(true);
  }
  expect(await batches.summary('key_a', id)).toMatchObject({ status: 'running', cancelled: 2, unfinished: 1 });
  renders[1]?.(new ServiceError('print_failed', 'x'));
  await world.jobs.drain();
  expect(outcomes).toEqual([
    ['cancelled', 2],
    ['print_failed', 1],
  ]);
});

test('queries keys with due items at intervals, and not for every item', async () => {
  await using world = await openWorld();
  const keysWithWork = vi.spyOn(world.queue, 'keysWithWork');
  const failing = () => Promise.reject(new ServiceError('print_failed', 'x'));
  const create = (htmls: string[]) =>
    world.batches.create(OWNER, { ...NO_MORE, items: htmls.map((html) => ({ html })) }, async () => {});
  const [before, after] = [await create(['a', 'b', 'c', 'd', 'e', 'f']), async () => create(['g', 'h', 'i', 'j', 'k', 'l'])];
  world.run({ render: failing });
  await world.ended(before);
  await world.ended(await after());
  expect(keysWithWork.mock.calls.length).toBeLessThan(12); // only recovery queries them, every five seconds
});

test('leaves items of an account at its limit in the queue, without resolving their source again', async () => {
  await using world = await openWorld();
  const plan = { ...PLAN, concurrency: 1 };
  const owner = { ...OWNER, plan };
  let isFree = false;
  const queried = Promise.withResolvers<void>();
  const slots = new AwaitedSlots(async () => {
    queried.resolve();
    return isFree;
  });
  let renders = 0;
  const run = () =>
    world.run({
      findPrincipal: async () => owner,
      awaitedSlots: slots,
      render: () => {
        renders++;
        return Promise.reject(isFree ? new ServiceError('print_failed', 'x') : concurrencyLimited(1));
      },
    });
  slots.watch(() => world.jobs.wake());
  const items = ['a', 'b', 'c', 'd', 'e', 'f'].map((html) => ({ html }));
  const id = await world.batches.create(OWNER, { ...NO_MORE, items }, async () => {});
  run();
  await queried.promise;
  const before = renders;
  expect(before).toBeLessThanOrEqual(4); // the renders that started at once
  world.jobs.wake();
  slots.renderEnded('acc_a');
  await vi.waitUntil(() => slots.isAwaited('acc_a'));
  expect(renders).toBe(before);
  isFree = true;
  slots.renderEnded('acc_a');
  await world.ended(id);
  expect(renders).toBe(before + 6);
  expect(await world.batches.summary('key_a', id)).toMatchObject({ failed: 6 });
  await world.jobs.drain();
  slots.close();
});
