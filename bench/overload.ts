/**
 * What happens when more arrives than the service can do? Requests at eight times the capacity, at a fixed rate that is
 * independent of the replies; and requests that occupy as much memory as they can: half-sent bodies, and queued renders.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { invoice } from './documents.ts';
import { inMb, quantile, type Row, runClosedLoop, time } from './measure.ts';
import { type ServiceUnderTest, sendHalf, startService } from './service.ts';

const QUEUE_LIMIT = 16;
const SECONDS = 8;
const TIMES_CAPACITY = 8;
const MAX_REFUSAL_MS = 50;

const CLIENTS = 60;
const BODY_BYTES = 30_000_000;
const LATER_MS = 60_000;
const SAMPLE_MS = 50;
const MAX_GROWTH_MB = 512;
const MAX_LEFT_MB = 150;
/** The allocator setting of `npm start`. */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '1048576' };

export async function* measureOverload(): AsyncGenerator<Row> {
  const body = { html: invoice(560) };
  await using service = await startService(4, { PLATEN_QUEUE_LIMIT: String(QUEUE_LIMIT) });
  const { perSecond: capacity } = await runClosedLoop(4, 3, () => service.render(body));
  const times: Record<number, number[]> = { 200: [], 429: [] };
  const send = async (n: number) => {
    let status = 0;
    const ms = await time(async () => {
      status = (await service.request(service.keys[n % 4] ?? '', 'POST', '/v1/pdf', body)).status;
    });
    if (!times[status]?.push(ms)) throw new Error(`status ${status}`);
  };
  const pending: Promise<void>[] = [];
  const perMs = (capacity * TIMES_CAPACITY) / 1000;
  const startedAt = performance.now();
  for (let n = 0; n < perMs * SECONDS * 1000; n++) {
    while (performance.now() < startedAt + n / perMs) await wait(1);
    pending.push(send(n));
  }
  await Promise.all(pending);
  const [served = [], refused = []] = [times[200], times[429]];
  const boundMs = ((QUEUE_LIMIT + 4) / capacity) * 1000;
  const [p99Ms, refusedP99Ms] = [quantile(served, 0.99), quantile(refused, 0.99)];
  yield {
    measure: `p99 at ${TIMES_CAPACITY} times the capacity, with a queue of ${QUEUE_LIMIT}`,
    value: `served p99 ${p99Ms.toFixed(0)} ms (a full queue takes ${boundMs.toFixed(0)} ms), refused p99 ${refusedP99Ms.toFixed(1)} ms; ${served.length} served, ${refused.length} refused`,
    target: `bounded by the queue; refusals within ${MAX_REFUSAL_MS} ms`,
    met: p99Ms <= 3 * boundMs && refusedP99Ms <= MAX_REFUSAL_MS,
    figures: { capacity, p99Ms, boundMs, refusedP99Ms, served: served.length, refused: refused.length },
  };
}

export async function* measureFloods(): AsyncGenerator<Row> {
  yield await measureFlood('half-sent bodies of 30 MB', sendHalfBodies);
  yield await measureFlood('queued renders with 22 MB of attachments', queueRenders);
}

/** Resolves when memory cannot grow any further, with a function that ends the flood. */
type Flood = (service: ServiceUnderTest) => Promise<() => Promise<unknown>>;

async function measureFlood(name: string, begin: Flood): Promise<Row> {
  await using service = await startService(1, ALLOCATOR);
  await service.render({ html: '<p>the first render' });
  const resident = async () => inMb(await service.metric('process_resident_memory_bytes'));
  const before = await resident();
  let peak = before;
  let isWatching = true;
  const watch = async () => {
    for (; isWatching; await wait(SAMPLE_MS)) peak = Math.max(peak, await resident());
  };
  const watching = watch();
  const end = await begin(service);
  const counted = inMb(await service.metric('platen_request_memory_bytes'));
  await end();
  isWatching = false;
  await watching;
  await wait(LATER_MS);
  const left = await resident();
  return {
    measure: `memory for ${CLIENTS} ${name} of one account`,
    value: `${before} MB before, ${peak} MB at most (${counted} MB counted), ${left} MB a minute later`,
    target: `grows by at most ${MAX_GROWTH_MB} MB, and by at most ${MAX_LEFT_MB} MB a minute later`,
    met: peak - before <= MAX_GROWTH_MB && left - before <= MAX_LEFT_MB,
    figures: { before, peak, counted, left },
  };
}

async function sendHalfBodies(service: ServiceUnderTest): Promise<() => Promise<unknown>> {
  const clients = Array.from({ length: CLIENTS }, () => sendHalf(service, BODY_BYTES));
  await Promise.all(clients.map(({ sent }) => sent));
  return async () => {
    for (const { socket } of clients) socket.destroy();
  };
}

async function queueRenders(service: ServiceUnderTest): Promise<() => Promise<unknown>> {
  const content = Buffer.alloc((BODY_BYTES / 4) * 3 - 300_000, 7).toString('base64');
  const options = { attachments: [{ name: 'a', content }], waitForFunction: 'false', timeout: 30_000 };
  let answered = 0;
  const send = () =>
    service.request(service.keys[0] ?? '', 'POST', '/v1/pdf', { html: '<p>x', options }).finally(() => answered++);
  const settled = Promise.allSettled(Array.from({ length: CLIENTS }, send));
  while (answered < CLIENTS / 2) await wait(SAMPLE_MS); // most are refused; the others are waiting
  return () => settled;
}
