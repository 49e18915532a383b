/** What does waiting for a finished document cost: a chart whose animation is advanced, and rows fetched from a site? */
import { readFile } from 'node:fs/promises';
import { alternate, type Comparison, median, type Row, rowWithLimit } from './measure.ts';
import { startService } from './service.ts';
import { listRows, ROWS_DELAY_MS, type Site, startSite } from './site.ts';

const ROUNDS = 40;
const WARM_UP = 5;
const CHART_ADDS_MS = 40;
const FETCH_ADDS_MS = 60;
const CHART_LIBRARY = new URL('../node_modules/chart.js/dist/chart.umd.min.js', import.meta.url);

export async function* measureFinished(): AsyncGenerator<Row> {
  using site = await startSite();
  await using service = await startService(1, { PLATEN_OUTBOUND_ALLOW: site.host });
  const chart = await chartDocument();
  const bodies = {
    finish: { html: chart, options: { animations: 'finish' } },
    run: { html: chart, options: { animations: 'run' } },
    fetched: { html: fetchingDocument(site) },
    inline: { html: rowsDocument(`show(${JSON.stringify(listRows())})`), options: { waitUntil: 'load' } },
  };
  const renderBoth = async (one: keyof typeof bodies, other: keyof typeof bodies) => {
    const ways = { one: () => service.render(bodies[one]), other: () => service.render(bodies[other]) };
    const times = await alternate(ROUNDS, ways, { warmUp: WARM_UP });
    return [median(times.one), median(times.other)] as const;
  };
  const [finishMs, runMs] = await renderBoth('finish', 'run');
  yield rowWithLimit(
    'finished: p50 of a document with a chart, animations finish against run',
    `${(finishMs - runMs).toFixed(1)} ms more (${finishMs.toFixed(1)} ms against ${runMs.toFixed(1)} ms)`,
    { finishMs, runMs },
    { limited: finishMs - runMs, most: CHART_ADDS_MS, unit: ' ms more' },
  );
  const [fetchedMs, inlineMs] = await renderBoth('fetched', 'inline');
  const addedMs = fetchedMs - inlineMs - ROWS_DELAY_MS;
  yield rowWithLimit(
    `finished: p50 of a document that fetches its rows, ${ROWS_DELAY_MS} ms away`,
    `${addedMs.toFixed(1)} ms beyond the delay (${fetchedMs.toFixed(1)} ms; ${inlineMs.toFixed(1)} ms with the rows in the document)`,
    { addedMs, fetchedMs, inlineMs },
    { limited: addedMs, most: FETCH_ADDS_MS, unit: ' ms longer' },
  );
}

export async function listFinishedDocuments(site: Site): Promise<Comparison[]> {
  return [
    { name: 'a chart', body: { html: await chartDocument(), options: { animations: 'finish' } }, pairs: 60 },
    { name: 'fetched rows', body: { html: fetchingDocument(site) }, pairs: 40 },
  ];
}

async function chartDocument(): Promise<string> {
  return `<!doctype html><title>Chart</title><script>${await readFile(CHART_LIBRARY, 'utf8')}</script><canvas id="chart" width="600" height="300"></canvas><script>
new Chart(document.getElementById('chart'), { type: 'bar', data: { labels: ['a', 'b', 'c'], datasets: [{ label: 'x', data: [3, 7, 5] }] } })</script>`;
}

function fetchingDocument({ origin }: Site): string {
  return rowsDocument(`fetch("${origin}/rows").then((reply) => reply.json()).then(show)`);
}

function rowsDocument(script: string): string {
  return `<!doctype html><title>Rows</title><table></table><script>
const show = (rows) => { document.querySelector('table').innerHTML = rows.map((row) => '<tr><td>' + row).join('') }; ${script}</script>`;
}
