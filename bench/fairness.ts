/**
 * How much slower is a render of one account while another account occupies as many resources as it can, in each possible way?
 */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { invoice } from './documents.ts';
import { median, type Row, runClosedLoop, time } from './measure.ts';
import { type ServiceUnderTest, sendHalf, startService } from './service.ts';
import { listen } from './site.ts';

/** Concurrent requests of the occupying account. */
const REQUESTS = 16;
const SECONDS = 3;
const ROUNDS = 3;
/** The maximum ratio of render times. */
const MAX_RATIO = 3;
const TIMEOUT_MS = 60_000;
/** A template that uses all of its time limit. */
const SLOW_TEMPLATE = '{% for a in (1..99999) %}{% for b in (1..99999) %}{% assign c = a %}{% endfor %}{% endfor %}';

/** Number of items in the batch that is merged, with 75 pages each. */
const MERGED_ITEMS = 20;
const BODY_BYTES = 30_000_000;
/** The `Retry-After` of refusals. */
const RETRY_AFTER_MS = 1_000;
/** Number of items in the measured batches. */
const ITEMS = 4;

/** Objects that are prepared before the occupying account starts. */
interface Stage {
  site: string;
  /** A finished batch of the occupying account. */
  batchId: string;
}

type Way = (service: ServiceUnderTest, stage: Stage, signal: AbortSignal) => Promise<unknown>;

const options = { timeout: TIMEOUT_MS };
const renderAgain =
  (body: (site: string) => object, path = '/v1/pdf'): Way =>
  (service, { site }, signal) =>
    send(service, path, body(site), signal);

/** Noise, which takes longest to encode, at the largest size allowed for the format. */
const renderNoise = (type: string, width: number, height: number) =>
  renderAgain(
    () => ({
      html: `<canvas id="c" width="${width}" height="${height}"></canvas><script>
        const brush = c.getContext("2d"), image = brush.createImageData(${width}, ${height}), words = new Uint32Array(image.data.buffer);
        for (let i = 0, s = 1; i < words.length; i++) { s ^= s << 13; s ^= s >>> 17; s ^= s << 5; words[i] = s | 0xff000000 }
        brush.putImageData(image, 0, 0)</script>`,
      options: { ...options, type, selector: '#c' },
    }),
    '/v1/image',
  );

const WAYS: Record<string, Way> = {
  'waitForFunction: false': renderAgain(() => ({ html: '<p>x', options: { ...options, waitForFunction: 'false' } })),
  'waitForSelector that never matches': renderAgain(() => ({ html: '<p>x', options: { ...options, waitForSelector: '#x' } })),
  'waitForTimeout of a minute': renderAgain(() => ({ html: '<p>x', options: { ...options, waitForTimeout: TIMEOUT_MS - 1 } })),
  'image that never loads': renderAgain((site) => ({
    html: `<img src="${site}/">`,
    options: { ...options, resourceTimeout: TIMEOUT_MS },
  })),
  'url that never answers': renderAgain((site) => ({ url: site, options })),
  'script that never ends': renderAgain(() => ({ html: '<script>for (;;);</script>', options })),
  'documents of 150 pages': renderAgain(() => ({ html: invoice(5_000), options })),
  'passwords for documents of 30 pages': renderAgain(() => ({
    html: invoice(1_000),
    options: { ...options, password: 'x', compress: true },
  })),
  'PNG images of 8 million pixels': renderNoise('png', 4_000, 2_000),
  'WebP images of 2 million pixels': renderNoise('webp', 2_000, 1_000),
  'endless Liquid': async (service, _, signal) => {
    const { template_id } = await send<{ template_id: string }>(
      service,
      '/v1/templates',
      { name: 'x', engine: 'liquid', html: SLOW_TEMPLATE },
      signal,
    );
    while (!signal.aborted) await send(service, '/v1/pdf', { template_id, data: {} }, signal);
  },
  'batches of waiting items': async (service, _, signal) => {
    const items = Array.from({ length: 50 }, (_item, n) => ({
      html: `<p>${n}`,
      options: { ...options, waitForFunction: 'false' },
    }));
    const { batch_id } = await send<{ batch_id: string }>(service, '/v1/batches', { items }, signal);
    await once(signal, 'abort');
    await fetch(`${service.url}/v1/batches/${batch_id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${service.keys[0]}` },
    });
  },
  'merging of a batch of 1,500 pages': async (service, { batchId }, signal) => {
    const headers = { authorization: `Bearer ${service.keys[0]}` };
    await (await fetch(`${service.url}/v1/batches/${batchId}.pdf`, { headers, signal })).arrayBuffer();
  },
  'half-sent bodies of 30 MB': async (service, _, signal) => {
    const { socket } = sendHalf(service, BODY_BYTES);
    await Promise.race([once(socket, 'data'), once(signal, 'abort')]); // the refusal, or the end of the measurement
    socket.destroy();
    if (!signal.aborted) await wait(RETRY_AFTER_MS, undefined, { signal }); // this way only holds bodies; `floods` measures clients that do not wait
  },
  'browser storage': renderAgain((site) => ({ url: `${site}/storing`, options: { ...options, waitForFunction: 'false' } })),
};

/** Fills the storage of an origin again and again. */
const STORING = `<script>(async () => { const part = new Uint8Array(16 << 20).fill(7); for (let n = 0; ; n++) {
  await (await caches.open('c')).put('/' + n % 8, new Response(part)).catch(() => {});
} })()</script>`;

/** The ways that could delay a batch, which runs in the background. */
const HARD_ON_BATCHES = ['waitForFunction: false', 'documents of 150 pages', 'batches of waiting items', 'browser storage'];

/** Measures each way whose name contains `filter`. */
export async function* measureFairness(filter = ''): AsyncGenerator<Row> {
  using site = await listen((request, response) => {
    if (request.url === '/storing') response.setHeader('content-type', 'text/html').end(STORING);
  });
  await using service = await startService(2, { PLATEN_OUTBOUND_ALLOW: site.host });
  const isWanted = (way: string) => way.includes(filter);
  const merges = Object.keys(WAYS).some((way) => isWanted(way) && way.startsWith('merging'));
  const stage = { site: site.origin, batchId: merges ? await makeBatchToMerge(service) : '' };
  for (const way of Object.keys(WAYS).filter(isWanted)) yield await measure(service, stage, way, 'a plain render', renderPlain);
  for (const way of HARD_ON_BATCHES.filter(isWanted))
    yield await measure(service, stage, way, `a batch of ${ITEMS}`, renderBatch);
}

/** The work of the measured account, which returns milliseconds. */
type Victim = (service: ServiceUnderTest) => Promise<number>;

async function measure(service: ServiceUnderTest, stage: Stage, way: string, what: string, victim: Victim): Promise<Row> {
  const rounds: Array<{ aloneMs: number; besideMs: number }> = [];
  const readiness: number[] = [];
  let longestMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await waitUntilIdle(service);
    const alone = await runClosedLoop(1, SECONDS, () => victim(service));
    const end = new AbortController();
    const holders = Array.from({ length: REQUESTS }, async () => {
      while (!end.signal.aborted) await WAYS[way]?.(service, stage, end.signal).catch(() => {});
    });
    await wait(1_000); // the other account occupies the slots; no metric shows Liquid and batches
    const beside = await runClosedLoop(1, SECONDS, async () => {
      longestMs = Math.max(longestMs, await victim(service));
    });
    readiness.push((await fetch(`${service.url}/readyz`)).status);
    end.abort();
    await Promise.all(holders);
    rounds.push({ aloneMs: alone.p50Ms, besideMs: beside.p50Ms });
  }
  const times = median(rounds.map(({ aloneMs, besideMs }) => besideMs / aloneMs));
  const [aloneMs, besideMs] = [median(rounds.map((round) => round.aloneMs)), median(rounds.map((round) => round.besideMs))];
  return {
    measure: `${what} beside an account with ${REQUESTS} requests: ${way}`,
    value: `p50 ${times.toFixed(2)} times as long (${aloneMs.toFixed(0)} ms alone, ${besideMs.toFixed(0)} ms beside it, longest ${longestMs.toFixed(0)} ms); /readyz ${readiness.join(' ')}`,
    target: `at most ${MAX_RATIO} times; /readyz 200`,
    met: times <= MAX_RATIO && readiness.every((status) => status === 200),
    figures: { times, longestMs, readiness },
  };
}

function renderPlain(service: ServiceUnderTest): Promise<number> {
  return service.render({ html: invoice(20) }, service.keys[1]);
}

/** Measures the time from sending a batch to its last item, or to the longest wait of a request. */
function renderBatch(service: ServiceUnderTest): Promise<number> {
  const items = Array.from({ length: ITEMS }, (_, n) => ({ html: `${invoice(20)}<p>${n}` }));
  return time(async () => {
    const { status, succeeded } = await sendBatch(service, service.keys[1], items);
    if (status !== 'running' && succeeded !== ITEMS)
      throw new Error(`the batch is ${status} with ${succeeded} of ${ITEMS} items`);
  });
}

async function makeBatchToMerge(service: ServiceUnderTest): Promise<string> {
  const items = Array.from({ length: MERGED_ITEMS }, (_, n) => ({ html: `${invoice(2_500)}<p>${n}`, options }));
  const { batch_id, succeeded } = await sendBatch(service, service.keys[0], items);
  if (succeeded !== MERGED_ITEMS) throw new Error(`${succeeded} of ${MERGED_ITEMS} items of the batch to merge succeeded`);
  return batch_id;
}

async function sendBatch(service: ServiceUnderTest, key = '', items: object[]) {
  const { bytes } = await service.request(key, 'POST', '/v1/batches', { items }, { prefer: `wait=${TIMEOUT_MS / 1_000}` });
  return JSON.parse(bytes.toString()) as { batch_id: string; status: string; succeeded: number };
}

async function send<T>(service: ServiceUnderTest, path: string, body: object, signal: AbortSignal): Promise<T> {
  const headers = { authorization: `Bearer ${service.keys[0]}`, 'content-type': 'application/json' };
  const reply = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  return reply.headers.get('content-type')?.includes('json') ? ((await reply.json()) as T) : ((await reply.arrayBuffer()) as T);
}

async function waitUntilIdle(service: ServiceUnderTest): Promise<void> {
  while ((await service.metric('platen_renders_running')) > 0) await wait(100);
}
