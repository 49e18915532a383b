/** How fast is the service compared with the floor? Floor and service alternate in rounds; each ratio is of one round. */
import { invoice, scriptedInvoice } from './documents.ts';
import { type Floor, startFloor } from './floor.ts';
import { alternate, type Comparison, type Figures, median, type Row, rowWithLimit, runClosedLoop } from './measure.ts';
import { type ServiceUnderTest, startService } from './service.ts';

export const INVOICES: Comparison[] = [
  { name: '1-page invoice', body: { html: invoice(20) }, pairs: 500 },
  { name: '1-page invoice with a script', body: { html: scriptedInvoice(20) }, pairs: 300 },
  { name: '16-page invoice', body: { html: invoice(560) }, pairs: 100 },
];
const HTML = invoice(20);
const KEYS = 1_500;
const RETURNING_KEYS = 200;
const ROUNDS = 7;
const SECONDS = 4;
/** The pause after each turn, because closing pages and opening spare ones takes processor time. */
const PAUSE_MS = 500;
const MAX_START_MS = 2_000;

export async function* measureThroughput(): AsyncGenerator<Row> {
  await using service = await startService(KEYS);
  const firstMs = service.startedInMs + (await service.render({ html: HTML }));
  const start = `${firstMs.toFixed(0)} ms (listening after ${service.startedInMs.toFixed(0)} ms)`;
  yield rowWithLimit('start to first PDF', start, { firstMs }, { limited: firstMs, most: MAX_START_MS, unit: ' ms' });
  await using floor = await startFloor();
  for (const { name, body } of INVOICES) yield await compareOneKey(name, body as { html: string }, floor, service);
  yield await compareManyKeys(floor, service);
  yield await compareReturningKeys(floor, service);
  yield await measureLatency(floor, service);
  for (const clients of [1, 2, 4, 8, 16]) yield await measureClients(clients, service);
}

async function compareOneKey(name: string, body: { html: string }, floor: Floor, service: ServiceUnderTest): Promise<Row> {
  await runClosedLoop(4, 1, () => service.render(body));
  const rounds = await takeTurns([() => floor.warm(body.html, 2, SECONDS), () => floor.warm(body.html, 4, SECONDS)], () =>
    runClosedLoop(4, SECONDS, () => service.render(body)),
  );
  return describeRatio(`one key, 4 clients, ${name}`, 'warm floor', 0.9, rounds);
}

async function compareManyKeys(floor: Floor, service: ServiceUnderTest): Promise<Row> {
  let next = 0;
  const rounds = await takeTurns([() => floor.fresh(HTML, 2, SECONDS), () => floor.fresh(HTML, 4, SECONDS)], () =>
    runClosedLoop(4, SECONDS, () => service.render({ html: HTML }, service.keys[next++ % KEYS])),
  );
  return describeRatio('every request from another key, 4 clients', 'fresh-context floor', 0.85, rounds);
}

/** The keys return in random order, as customers do. */
async function compareReturningKeys(floor: Floor, service: ServiceUnderTest): Promise<Row> {
  const serve = () =>
    runClosedLoop(4, SECONDS, () => service.render({ html: HTML }, service.keys[Math.floor(Math.random() * RETURNING_KEYS)]));
  for (const key of service.keys.slice(0, RETURNING_KEYS)) await service.render({ html: HTML }, key);
  const rounds = await takeTurns([() => floor.fresh(HTML, 2, SECONDS), () => floor.fresh(HTML, 4, SECONDS)], serve);
  return describeRatio(`${RETURNING_KEYS} keys in random order, 4 clients`, 'fresh-context floor', 1.3, rounds);
}

async function measureLatency(floor: Floor, service: ServiceUnderTest): Promise<Row> {
  const serve = () => runClosedLoop(1, SECONDS, () => service.render({ html: HTML }));
  const rounds = await takeTurns([() => floor.warm(HTML, 1, SECONDS)], serve);
  const addedMs = median(rounds.map(([bare, served]) => served.p50Ms - bare.p50Ms));
  const value = `${addedMs.toFixed(1)} ms (floor ${median(rounds.map(([bare]) => bare.p50Ms)).toFixed(1)} ms)`;
  return rowWithLimit('p50 latency added to the floor, 1 client', value, { addedMs }, { limited: addedMs, most: 4, unit: ' ms' });
}

async function measureClients(clients: number, service: ServiceUnderTest): Promise<Row> {
  const figures = await runClosedLoop(clients, SECONDS, () => service.render({ html: HTML }));
  const { perSecond, p50Ms, p99Ms } = figures;
  const value = `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  return { measure: `one key, ${clients} clients, 1-page invoice`, value, figures: { ...figures } };
}

/**
 * Compares the service with the fastest of several ways to run the floor. The fastest is chosen by the median, because the
 * fastest way of a single round depends on chance.
 */
async function takeTurns(
  bareWays: Array<() => Promise<Figures>>,
  serve: () => Promise<Figures>,
): Promise<Array<[Figures, Figures]>> {
  const rest = async (turn: () => Promise<Figures>) => {
    const figures = await turn();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return figures;
  };
  const results = await alternate(ROUNDS, Object.fromEntries([serve, ...bareWays].map((way, n) => [n, () => rest(way)])));
  const [served = [], ...bare] = Object.values(results);
  const speeds = bare.map((way) => median(way.map(({ perSecond }) => perSecond)));
  const fastest = bare[speeds.indexOf(Math.max(...speeds))] ?? [];
  return served.map((figures, round) => [fastest[round] as Figures, figures]);
}

function describeRatio(measure: string, floorName: string, least: number, rounds: Array<[Figures, Figures]>): Row {
  const ratios = rounds.map(([bare, served]) => served.perSecond / bare.perSecond);
  const ratio = median(ratios);
  const [floorPerSecond, servedPerSecond] = [0, 1].map((which) => median(rounds.map((round) => round[which]?.perSecond ?? 0)));
  const value = `${ratio.toFixed(2)} of the ${floorName} (${servedPerSecond?.toFixed(0)}/s against ${floorPerSecond?.toFixed(0)}/s; rounds ${ratios.map((each) => each.toFixed(2)).join(' ')})`;
  return rowWithLimit(measure, value, { ratio, servedPerSecond, floorPerSecond }, { limited: ratio, least });
}
