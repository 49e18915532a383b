/**
 * What does the first render cost after the service has rested: of a key whose pages were closed, after the browsers have ended, and
 * after the start of the process? How much memory does the service take while its browsers rest?
 */
import { setTimeout as wait } from 'node:timers/promises';
import { invoice } from './documents.ts';
import { inMb, median, type Row, rowWithLimit } from './measure.ts';
import { descendants, proportionalKb } from './processes.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const ROUNDS = 9;
const LATER_RENDERS = 10;
const LOOK_AGAIN_MS = 200;
const SECOND = '1';
const html = invoice(20);

interface Rested {
  settings: Record<string, string>;
  /** What the metrics show once the service rests. */
  rests: Record<string, number>;
}

const CLOSED_PAGES: Rested = {
  settings: { PLATEN_PAGE_IDLE_SECONDS: SECOND },
  rests: { platen_pages_warm: 0, platen_pages_primed: 2 },
};
const ENDED_BROWSERS: Rested = { settings: { PLATEN_IDLE_STOP: SECOND }, rests: { platen_browsers: 0 } };

export async function* measureRest(): AsyncGenerator<Row> {
  yield await measureClosedPages();
  yield* measureEndedBrowsers();
  yield await measureStart();
}

async function measureClosedPages(): Promise<Row> {
  const { first, later } = await renderAfterRest(CLOSED_PAGES);
  const ratio = median(first.map((ms, round) => ms / (later[round] ?? Number.NaN)));
  const value = `${ratio.toFixed(2)} times (${median(first).toFixed(0)} ms against ${median(later).toFixed(0)} ms)`;
  const limit = { limited: ratio, most: 1.3, unit: ' times' };
  return rowWithLimit('first render of a key whose pages were closed against its later ones', value, { first, later }, limit);
}

async function* measureEndedBrowsers(): AsyncGenerator<Row> {
  const { first, later, restingKb } = await renderAfterRest(ENDED_BROWSERS);
  const addedMs = median(first.map((ms, round) => ms - (later[round] ?? Number.NaN)));
  const limit = { limited: addedMs, most: 400, unit: ' ms' };
  yield rowWithLimit(
    'first render after the browsers have ended, more than later ones',
    `${addedMs.toFixed(0)} ms`,
    { first, later },
    limit,
  );
  const mb = inMb(median(restingKb) * 1_024);
  yield rowWithLimit('memory while the browsers rest', `${mb} MB`, { restingKb }, { limited: mb, most: 120, unit: ' MB' });
}

async function measureStart(): Promise<Row> {
  const times: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    await using service = await startService(1);
    const ms = service.startedInMs + (await service.render({ html }));
    if (round >= 0) times.push(ms); // the round before the first one compiles
  }
  const ms = median(times);
  const limit = { limited: ms, most: 800, unit: ' ms' };
  return rowWithLimit('from the start of the process to the first PDF', `${ms.toFixed(0)} ms`, { times }, limit);
}

/** The first render after each rest, the median of those that follow, and the memory of all processes before it. */
async function renderAfterRest({ settings, rests }: Rested) {
  await using service = await startService(1, { PLATEN_PLAYGROUND: 'off', ...settings });
  const [first, later, restingKb]: [number[], number[], number[]] = [[], [], []];
  for (let round = -1; round < ROUNDS; round++) {
    if (round >= 0) {
      await untilMetrics(service, rests);
      restingKb.push([service.pid, ...descendants(service.pid)].reduce((sum, pid) => sum + proportionalKb(pid), 0));
      first.push(await service.render({ html }));
    }
    const others: number[] = [];
    for (let n = 0; n < LATER_RENDERS; n++) others.push(await service.render({ html }));
    if (round >= 0) later.push(median(others));
  }
  return { first, later, restingKb };
}

async function untilMetrics(service: ServiceUnderTest, wanted: Record<string, number>): Promise<void> {
  for (const [name, value] of Object.entries(wanted)) while ((await service.metric(name)) !== value) await wait(LOOK_AGAIN_MS);
}
