/**
 * How do batches and single calls affect each other? Measures the throughput of a batch of 500, whose results are stored,
 * against single calls with four clients; the latency of a single call beside a batch against its usual latency; and the memory
 * of the Node process, which must not hold all items at once.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { invoice } from './documents.ts';
import { inMb, median, type Row, rowWithLimit, runClosedLoop } from './measure.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const ITEMS = 500;
const ROUNDS = 5;
const SECONDS = 4;
const ALONE_SECONDS = 2;
/** The pause after calls: a batch leaves slots free for half a second after them, and closing pages takes processor time. */
const REST_MS = 1_000;
/** The pause between single calls, which are sent one at a time, like those of an occasional caller. */
const PAUSE_MS = 50;
/** The size of a large item: 500 at once would be visible in memory, and still fit in one request of 25 MB. */
const LARGE_CHARACTERS = 50_000;

interface Batch {
  batch_id: string;
  succeeded: number;
  completed_at?: string;
}

export async function* measureBatches(): AsyncGenerator<Row> {
  await using service = await startService(1);
  const pace = async (body: object) =>
    (await runClosedLoop(4, SECONDS, () => service.render({ html: invoice(20), ...body }))).perSecond;
  await pace({});
  const againstStored: number[] = [];
  const againstPlain: number[] = [];
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [plain, stored] = [await pace({}), await pace({ store: true })];
    await wait(REST_MS);
    const batch = await runBatch(service, smallItem);
    againstStored.push(batch / stored);
    againstPlain.push(batch / plain);
    const alone = await callNowAndThen(service);
    let beside: number[] = [];
    await runBatch(service, smallItem, async () => {
      beside = await callNowAndThen(service); // the batch takes longer than this on any machine
    });
    delays.push(median(beside) / median(alone));
  }
  const stored = 'throughput of a batch of 500 against single calls that store, 4 clients';
  yield describeRounds(stored, againstStored, { least: 0.9 });
  yield describeRounds('the same against calls without storing', againstPlain, { least: 0.9 });
  yield describeRounds('time of a single call beside a batch of the same key (p50)', delays, { most: 2 });
  yield await measureMemory(service);
}

export function smallItem(n: number): string {
  return invoice(20).replace('</body>', `<!-- ${n} --></body>`);
}

function largeItem(n: number): string {
  return smallItem(n).replace('</body>', `<!-- ${'x'.repeat(LARGE_CHARACTERS)} --></body>`);
}

/** Returns the items per second since the batch was sent. */
export async function runBatch(
  service: ServiceUnderTest,
  html: (n: number) => string,
  besides?: () => Promise<void>,
  count = ITEMS,
  defaults: object = {},
): Promise<number> {
  const [key = ''] = service.keys;
  const items = Array.from({ length: count }, (_, n) => ({ html: html(n) }));
  const startedAt = performance.now();
  const { status, bytes } = await service.request(key, 'POST', '/v1/batches', { items, defaults });
  if (status !== 202) throw new Error(`the batch was answered ${status}`);
  let batch = JSON.parse(bytes.toString()) as Batch;
  const done = besides?.();
  while (batch.completed_at === undefined) {
    const reply = await service.request(key, 'GET', `/v1/batches/${batch.batch_id}`, undefined, { prefer: 'wait=60' });
    batch = JSON.parse(reply.bytes.toString()) as Batch;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  if (batch.succeeded !== count) throw new Error(`${batch.succeeded} of ${count} items were rendered`);
  await done;
  return count / seconds;
}

async function callNowAndThen(service: ServiceUnderTest): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + ALONE_SECONDS * 1000; performance.now() < end; await wait(PAUSE_MS))
    times.push(await service.render({ html: invoice(20) }));
  return times;
}

/** Measures the memory of the process during a batch of 500 large items, compared with their size. */
async function measureMemory(service: ServiceUnderTest): Promise<Row> {
  await runBatch(service, largeItem); // memory that grows only once has grown after this batch
  const before = (await service.memory()).heldBytes;
  let during = 0;
  await runBatch(service, largeItem, async () => {
    for (let look = 0; look < 4; look++) {
      await wait(500);
      during = Math.max(during, (await service.memory()).heldBytes);
    }
  });
  const [addedMb, sentMb] = [inMb(during - before), inMb(ITEMS * largeItem(0).length)];
  const value = `${addedMb} MB at most after a garbage collection; the size of the items is ${sentMb} MB`;
  const limit = { limited: addedMb, most: sentMb / 2, unit: ' MB' };
  return rowWithLimit('memory of the Node process for a batch of 500 large items', value, { addedMb, sentMb }, limit);
}

function describeRounds(measure: string, rounds: number[], limit: { most: number } | { least: number }): Row {
  const ratio = median(rounds);
  const value = `${ratio.toFixed(2)} (rounds ${rounds.map((each) => each.toFixed(2)).join(' ')})`;
  return rowWithLimit(measure, value, { ratio }, { limited: ratio, ...limit });
}
