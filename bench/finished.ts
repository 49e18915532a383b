/** What does waiting for a finished document cost: a chart whose animation is advanced, and rows fetched from a site? */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { median } from './measure.ts';
import type { Row } from './report.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const ROUNDS = 40;
const WARM_UP = 5;
const ROWS = 20;
const CHART_ADDS_MS = 40;
const FETCH_ADDS_MS = 60;
const CHART_LIBRARY = new URL('../node_modules/chart.js/dist/chart.umd.min.js', import.meta.url);
const SITE = new URL('delayed-site.ts', import.meta.url);

export async function finished(): Promise<Row[]> {
  const site = fork(SITE, [String(ROWS)]);
  const [{ port, delayMs }] = (await once(site, 'message')) as [{ port: number; delayMs: number }];
  const service = await startService(1, { PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${port}` });
  try {
    return [await chart(service), await fetched(service, port, delayMs)];
  } finally {
    await service.stop();
    site.kill();
  }
}

async function chart(service: ServiceUnderTest): Promise<Row> {
  const html = chartDocument(await readFile(CHART_LIBRARY, 'utf8'));
  const timed = (animations: string) => timeOf(service, html, { animations });
  const [finish, run] = await alternating(
    () => timed('finish'),
    () => timed('run'),
  );
  const addedMs = finish - run;
  return {
    measure: 'finished: p50 of a document with a chart, animations finish against run',
    value: `${addedMs.toFixed(1)} ms more (${finish.toFixed(1)} ms against ${run.toFixed(1)} ms)`,
    target: `at most ${CHART_ADDS_MS} ms more`,
    met: addedMs <= CHART_ADDS_MS,
    figures: { addedMs, finishMs: finish, runMs: run },
  };
}

/** Measures the time beyond the delay of the response, compared with a document that contains the rows. */
async function fetched(service: ServiceUnderTest, port: number, delayMs: number): Promise<Row> {
  const rows = Array.from({ length: ROWS }, (_, n) => `row ${n + 1}`);
  const late = rowsDocument(`fetch("http://127.0.0.1:${port}/rows").then((reply) => reply.json()).then(show)`);
  const early = rowsDocument(`show(${JSON.stringify(rows)})`);
  const [fetching, inline] = await alternating(
    () => timeOf(service, late),
    () => timeOf(service, early, { waitUntil: 'load' }),
  );
  const addedMs = fetching - inline - delayMs;
  return {
    measure: `finished: p50 of a document that fetches its rows, ${delayMs} ms away`,
    value: `${addedMs.toFixed(1)} ms beyond the delay (${fetching.toFixed(1)} ms; ${inline.toFixed(1)} ms with the rows in the document)`,
    target: `at most ${FETCH_ADDS_MS} ms longer`,
    met: addedMs <= FETCH_ADDS_MS,
    figures: { addedMs, fetchedMs: fetching, thereMs: inline },
  };
}

/** Returns the medians of two functions that are run alternately. */
async function alternating(...ways: [() => Promise<number>, () => Promise<number>]): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const spent = [await ways[0](), await ways[1]()] as const;
    if (round >= 0) for (const [way, time] of spent.entries()) times[way]?.push(time);
  }
  return [median(times[0]), median(times[1])];
}

async function timeOf(service: ServiceUnderTest, html: string, options?: object): Promise<number> {
  const startedAt = performance.now();
  const { status, bytes } = await service.render(service.keys[0] ?? '', html, options);
  if (status !== 200 || bytes < 1_000) throw new Error(`status ${status}, ${bytes} bytes`);
  return performance.now() - startedAt;
}

function chartDocument(library: string): string {
  return `<!doctype html><title>Chart</title><script>${library}</script><canvas id="chart" width="600" height="300"></canvas><script>
new Chart(document.getElementById('chart'), { type: 'bar', data: { labels: ['a', 'b', 'c'], datasets: [{ label: 'x', data: [3, 7, 5] }] } })</script>`;
}

function rowsDocument(script: string): string {
  return `<!doctype html><title>Rows</title><table></table><script>
const show = (rows) => { document.querySelector('table').innerHTML = rows.map((row) => '<tr><td>' + row).join('') }; ${script}</script>`;
}
