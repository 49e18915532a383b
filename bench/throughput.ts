/** How fast is the service compared with the floor? Floor and service alternate in rounds; each ratio is of one round. */
import { invoice, scriptedInvoice } from './documents.ts';
import type { Floor } from './floor.ts';
import { closedLoop, type Figures, median } from './measure.ts';
import type { Row } from './report.ts';
import type { ServiceUnderTest } from './service.ts';

const ROUNDS = 7;
const SECONDS = 4;
/** The pause after each turn, because closing pages and opening spare ones takes processor time. */
const PAUSE_MS = 500;

export async function throughput(floor: Floor, service: ServiceUnderTest): Promise<Row[]> {
  return [
    await oneKey('one key, 4 clients, 1-page invoice', invoice(20), floor, service),
    await oneKey('one key, 4 clients, the same with a script', scriptedInvoice(20), floor, service),
    await oneKey('one key, 4 clients, 16-page invoice', invoice(560), floor, service),
    await manyKeys(floor, service),
    await addedLatency(floor, service),
  ];
}

/** Throughput for 1 to 16 clients, without a target. */
export async function scaling(service: ServiceUnderTest): Promise<Row[]> {
  const rows: Row[] = [];
  for (const clients of [1, 2, 4, 8, 16]) {
    const { perSecond, p50Ms, p99Ms } = await renderLoop(service, invoice(20), clients, SECONDS);
    rows.push({
      measure: `one key, ${clients} clients, 1-page invoice`,
      value: `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
      figures: { perSecond, p50Ms, p99Ms },
    });
  }
  return rows;
}

async function oneKey(measure: string, html: string, floor: Floor, service: ServiceUnderTest): Promise<Row> {
  await renderLoop(service, html, 4, 1);
  const rounds = await takeTurns([() => floor.warm(html, 2, SECONDS), () => floor.warm(html, 4, SECONDS)], () =>
    renderLoop(service, html, 4, SECONDS),
  );
  return ratioRow(measure, 'warm floor', 0.9, rounds);
}

async function manyKeys(floor: Floor, service: ServiceUnderTest): Promise<Row> {
  const html = invoice(20);
  let next = 0;
  const rounds = await takeTurns([() => floor.fresh(html, 2, SECONDS), () => floor.fresh(html, 4, SECONDS)], () =>
    closedLoop(
      4,
      SECONDS,
      async () => undefined,
      () => expectPdf(service, service.keys[next++ % service.keys.length] ?? '', html),
    ),
  );
  return ratioRow('every request from another key, 4 clients', 'fresh-context floor', 0.85, rounds);
}

async function addedLatency(floor: Floor, service: ServiceUnderTest): Promise<Row> {
  const html = invoice(20);
  await renderLoop(service, html, 1, 1);
  const rounds = await takeTurns([() => floor.warm(html, 1, SECONDS)], () => renderLoop(service, html, 1, SECONDS));
  const added = median(rounds.map(([bare, served]) => served.p50Ms - bare.p50Ms));
  const [bare, served] = rounds[Math.floor(rounds.length / 2)] ?? [];
  return {
    measure: 'p50 latency added to the floor, 1 client',
    value: `${added.toFixed(1)} ms (floor ${bare?.p50Ms.toFixed(1)}, service ${served?.p50Ms.toFixed(1)})`,
    target: 'at most 4 ms',
    met: added <= 4,
    figures: { addedMs: added },
  };
}

function renderLoop(service: ServiceUnderTest, html: string, clients: number, seconds: number): Promise<Figures> {
  return closedLoop(
    clients,
    seconds,
    async () => undefined,
    () => expectPdf(service, service.keys[0] ?? '', html),
  );
}

async function expectPdf(service: ServiceUnderTest, key: string, html: string): Promise<void> {
  const { status, bytes } = await service.render(key, html);
  if (status !== 200 || bytes < 1_000) throw new Error(`status ${status}, ${bytes} bytes`);
}

/**
 * Compares the service with the fastest of several ways to run the floor. The fastest is chosen by the median, because the
 * fastest way of a single round depends on chance.
 */
async function takeTurns(
  bareWays: Array<() => Promise<Figures>>,
  served: () => Promise<Figures>,
): Promise<Array<[Figures, Figures]>> {
  const rounds: Array<{ bare: Figures[]; served: Figures }> = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare: Figures[] = [];
    for (const way of bareWays) bare.push(await alone(way));
    rounds.push({ bare, served: await alone(served) });
  }
  const speeds = bareWays.map((_, way) => median(rounds.map(({ bare }) => bare[way]?.perSecond ?? 0)));
  const fastest = speeds.indexOf(Math.max(...speeds));
  return rounds.map(({ bare, served }) => [bare[fastest] as Figures, served]);
}

async function alone(turn: () => Promise<Figures>): Promise<Figures> {
  const found = await turn();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  return found;
}

function ratioRow(measure: string, floorName: string, target: number, rounds: Array<[Figures, Figures]>): Row {
  const ratios = rounds.map(([bare, served]) => served.perSecond / bare.perSecond);
  const ratio = median(ratios);
  const bare = median(rounds.map(([floor]) => floor.perSecond));
  const served = median(rounds.map(([, service]) => service.perSecond));
  return {
    measure,
    value: `${ratio.toFixed(2)} of the ${floorName} (${served.toFixed(0)}/s against ${bare.toFixed(0)}/s; rounds ${ratios.map((r) => r.toFixed(2)).join(' ')})`,
    target: `at least ${target}`,
    met: ratio >= target,
    figures: { ratio, servedPerSecond: served, floorPerSecond: bare },
  };
}
