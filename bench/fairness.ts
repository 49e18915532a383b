/** How long does a render of one account take while another holds as much as it can, in every way there is? */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { invoice } from './documents.ts';
import { closedLoop, type Figures, median } from './measure.ts';
import type { Row } from './report.ts';
import { type ServiceUnderTest, startService } from './service.ts';

/** Requests of the account that holds, at one time. */
const HOLDERS = 16;
const SECONDS = 3;
const ROUNDS = 3;
/** A render takes at most so many times as long. */
const MOST = 3;
const TIMEOUT_MS = 60_000;
/** A template that takes all the time it may have. */
const SLOW_TEMPLATE = '{% for a in (1..99999) %}{% for b in (1..99999) %}{% assign c = a %}{% endfor %}{% endfor %}';

type Way = (service: ServiceUnderTest, site: string, signal: AbortSignal) => Promise<unknown>;

const options = { timeout: TIMEOUT_MS };
const sending =
  (body: (site: string) => object): Way =>
  (service, site, signal) =>
    send(service, '/v1/pdf', body(site), signal);

const WAYS: Record<string, Way> = {
  'waitForFunction: false': sending(() => ({ html: '<p>x', options: { ...options, waitForFunction: 'false' } })),
  'waitForSelector that never comes': sending(() => ({ html: '<p>x', options: { ...options, waitForSelector: '#x' } })),
  'waitForTimeout of a minute': sending(() => ({ html: '<p>x', options: { ...options, waitForTimeout: TIMEOUT_MS - 1 } })),
  'image that never comes': sending((site) => ({
    html: `<img src="${site}/">`,
    options: { ...options, resourceTimeout: TIMEOUT_MS },
  })),
  'url that never answers': sending((site) => ({ url: site, options })),
  'script that never ends': sending(() => ({ html: '<script>for (;;);</script>', options })),
  'documents of 150 pages': sending(() => ({ html: invoice(5_000), options })),
  'passwords for documents of 30 pages': sending(() => ({
    html: invoice(1_000),
    options: { ...options, password: 'x', compress: true },
  })),
  'Liquid without end': async (service, _, signal) => {
    const { template_id } = await send<{ template_id: string }>(
      service,
      '/v1/templates',
      { name: 'x', engine: 'liquid', html: SLOW_TEMPLATE },
      signal,
    );
    while (!signal.aborted) await send(service, '/v1/pdf', { template_id, data: {} }, signal);
  },
  'batches of items that wait': async (service, _, signal) => {
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
};

export async function fairness(): Promise<Row[]> {
  const silent = createServer(() => {});
  const site = await listen(silent);
  const service = await startService(2, { PLATEN_OUTBOUND_ALLOW: new URL(site).host });
  const rows: Row[] = [];
  for (const way of Object.keys(WAYS)) rows.push(await measure(service, site, way));
  await service.stop();
  silent.closeAllConnections();
  silent.close();
  return rows;
}

async function measure(service: ServiceUnderTest, site: string, way: string): Promise<Row> {
  const rounds: Array<{ alone: Figures; beside: Figures }> = [];
  const readiness: number[] = [];
  let longestMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await idle(service);
    const alone = await plainRenders(service);
    const end = new AbortController();
    const holders = Array.from({ length: HOLDERS }, async () => {
      while (!end.signal.aborted) await WAYS[way]?.(service, site, end.signal).catch(() => {});
    });
    await full(service);
    const beside = await plainRenders(service, (milliseconds) => {
      longestMs = Math.max(longestMs, milliseconds);
    });
    readiness.push((await fetch(`${service.url}/readyz`)).status);
    end.abort();
    await Promise.all(holders);
    rounds.push({ alone, beside });
  }
  const times = median(rounds.map(({ alone, beside }) => beside.p50Ms / alone.p50Ms));
  const isReady = readiness.every((status) => status === 200);
  const p50 = (pick: (round: (typeof rounds)[number]) => Figures) => median(rounds.map((round) => pick(round).p50Ms));
  return {
    measure: `a plain render beside an account with ${HOLDERS} requests: ${way}`,
    value: `p50 ${times.toFixed(2)} times as long (${p50(({ alone }) => alone).toFixed(0)} ms alone, ${p50(({ beside }) => beside).toFixed(0)} ms beside it, longest ${longestMs.toFixed(0)} ms); /readyz ${readiness.join(' ')}`,
    target: `at most ${MOST} times; /readyz 200`,
    met: times <= MOST && isReady,
    figures: { times, longestMs, readiness },
  };
}

function plainRenders(service: ServiceUnderTest, note: (milliseconds: number) => void = () => {}): Promise<Figures> {
  const html = invoice(20);
  return closedLoop(
    1,
    SECONDS,
    async () => undefined,
    async () => {
      const begun = performance.now();
      const { status } = await service.render(service.keys[1] ?? '', html);
      if (status !== 200) throw new Error(`status ${status}`);
      note(performance.now() - begun);
    },
  );
}

async function send<T>(service: ServiceUnderTest, path: string, body: object, signal: AbortSignal): Promise<T> {
  const headers = { authorization: `Bearer ${service.keys[0]}`, 'content-type': 'application/json' };
  const reply = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  return reply.headers.get('content-type')?.includes('json') ? ((await reply.json()) as T) : ((await reply.arrayBuffer()) as T);
}

/** Until what holds has begun to: for a second, since Liquid and batches show in no figure. */
async function full(service: ServiceUnderTest): Promise<void> {
  const end = performance.now() + 1_000;
  while (performance.now() < end) await service.metric('platen_renders_running');
}

async function idle(service: ServiceUnderTest): Promise<void> {
  while ((await service.metric('platen_renders_running')) > 0) await new Promise((resolve) => setTimeout(resolve, 100));
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
