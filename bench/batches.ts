/**
 * How do batches and single calls affect each other? Measures the throughput of a batch of 500, whose results are stored,
 * against single calls with four clients; the latency of a single call beside a batch against its usual latency; and the memory
 * of the Node process, which must not hold all items at once.
 */
import { invoice } from './documents.ts';
import { closedLoop, median, quantile } from './measure.ts';
import type { Row } from './report.ts';
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

export async function batches(): Promise<Row[]> {
  const service = await startService(2);
  const [key = ''] = service.keys;
  const paceOf = async (body: object) => {
    const call = async () => void (await service.request(key, 'POST', '/v1/pdf', { html: invoice(20), ...body }));
    return (await closedLoop(4, SECONDS, async () => undefined, call)).perSecond;
  };
  await paceOf({});
  const paces: number[] = [];
  const pacesUnstored: number[] = [];
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [unstored, stored] = [await paceOf({}), await paceOf({ store: true })];
    await rest(REST_MS);
    const batch = await runBatch(service, key, small);
    paces.push(batch / stored);
    pacesUnstored.push(batch / unstored);
    const alone = await lonelyCalls(service, key, performance.now() + ALONE_SECONDS * 1000);
    const beside = await callsBeside(service, key);
    delays.push(quantile(beside, 0.5) / quantile(alone, 0.5));
  }
  const memory = await memoryOf(service, key);
  await service.stop();
  return [
    ratio('throughput of a batch of 500 against single calls that store, 4 clients', paces, 'at least 0.9', atLeast(0.9)),
    ratio('the same against calls without storing', pacesUnstored, 'at least 0.9', atLeast(0.9)),
    ratio('time of a single call beside a batch of the same key (p50)', delays, 'at most 2', (value) => value <= 2),
    memory,
  ];
}

const rest = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const small = (n: number) => invoice(20).replace('</body>', `<!-- ${n} --></body>`);
const large = (n: number) => small(n).replace('</body>', `<!-- ${'x'.repeat(LARGE_CHARACTERS)} --></body>`);

/** Returns the items per second since the batch was sent. */
async function runBatch(service: ServiceUnderTest, key: string, html: (n: number) => string, during?: () => Promise<void>) {
  const startedAt = performance.now();
  const id = await send(service, key, html);
  const beside = during?.();
  await whenEnded(service, key, id);
  const seconds = (performance.now() - startedAt) / 1000;
  await beside;
  return ITEMS / seconds;
}

async function send(service: ServiceUnderTest, key: string, html: (n: number) => string): Promise<string> {
  const items = Array.from({ length: ITEMS }, (_, n) => ({ html: html(n) }));
  const { status, bytes } = await service.request(key, 'POST', '/v1/batches', { items });
  if (status !== 202) throw new Error(`the batch was answered ${status}`);
  return (JSON.parse(bytes.toString()) as Batch).batch_id;
}

async function whenEnded(service: ServiceUnderTest, key: string, id: string): Promise<void> {
  for (;;) {
    const { bytes } = await service.request(key, 'GET', `/v1/batches/${id}`, undefined, { prefer: 'wait=60' });
    const { completed_at, succeeded } = JSON.parse(bytes.toString()) as Batch;
    if (completed_at === undefined) continue;
    if (succeeded !== ITEMS) throw new Error(`${succeeded} of ${ITEMS} items were rendered`);
    return;
  }
}

async function callsBeside(service: ServiceUnderTest, key: string): Promise<number[]> {
  let latencies: number[] = [];
  await runBatch(service, key, small, async () => {
    // The batch takes longer than this on any machine.
    latencies = await lonelyCalls(service, key, performance.now() + ALONE_SECONDS * 1000);
  });
  return latencies;
}

async function lonelyCalls(service: ServiceUnderTest, key: string, until: number): Promise<number[]> {
  const latencies: number[] = [];
  while (performance.now() < until) {
    const startedAt = performance.now();
    const { status } = await service.render(key, invoice(20));
    if (status !== 200) throw new Error(`a call was answered ${status}`);
    latencies.push(performance.now() - startedAt);
    await rest(PAUSE_MS);
  }
  return latencies;
}

/** Measures the memory of the process during a batch of 500 large items, compared with their size. */
async function memoryOf(service: ServiceUnderTest, key: string): Promise<Row> {
  await runBatch(service, key, large); // memory that grows only once has grown after this batch
  const before = (await service.memory()).heldBytes;
  let during = 0;
  await runBatch(service, key, large, async () => {
    for (let look = 0; look < 4; look++) {
      await rest(500);
      during = Math.max(during, (await service.memory()).heldBytes);
    }
  });
  const addedMb = (during - before) / 1_048_576;
  const sentMb = (ITEMS * large(0).length) / 1_048_576;
  return {
    measure: 'memory of the Node process for a batch of 500 large items',
    value: `${addedMb.toFixed(0)} MB at most after a garbage collection; the size of the items is ${sentMb.toFixed(0)} MB`,
    target: 'less than half of the request',
    met: addedMb < sentMb / 2,
    figures: { addedMb, sentMb },
  };
}

function atLeast(wanted: number): (value: number) => boolean {
  return (value) => value >= wanted;
}

function ratio(measure: string, rounds: number[], target: string, meets: (value: number) => boolean): Row {
  const value = median(rounds);
  return {
    measure,
    value: `${value.toFixed(2)} (rounds ${rounds.map((each) => each.toFixed(2)).join(' ')})`,
    target,
    met: meets(value),
    figures: { ratio: value },
  };
}
