/**
 * `npm run bench`: measures the service, and writes the results to `bench/results/latest.json`. Options after `--`:
 * `--only NAME` runs one scenario; those of `BY_NAME` run only so, because they need servers or much time;
 * `--soak` adds the long run (`--renders N`, default 10000);
 * `--only fairness --way batch` measures the ways whose name contains the word;
 * `--weasyprint COMMAND` compares the sizes of PDFs with those of WeasyPrint;
 * `--peers` compares with `--gotenberg URL`, `--jsreport URL` and `--weasyprint COMMAND`, measures how cost grows, each in
 * `--rounds N` (default 7), and writes `bench/results/peers.json`, from which `npm run docs` writes `docs/operate/benchmarks.md`;
 * `--features` prints the documents of `test/features` with Platen, Paged.js and `--weasyprint COMMAND`, and writes
 * `bench/results/features.json`, from which `npm run docs` writes `docs/guide/compatibility.md`; `--pictures FOLDER` shows the prints
 * side by side in a web page;
 * `--against FOLDER` compares with the tree of another commit, by the documents of `throughput`, `finished` or `conformance`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compareTrees } from './against.ts';
import { measureAssembly } from './assembly.ts';
import { measureAssets } from './assets.ts';
import { measureBatches } from './batches.ts';
import { measureConformance } from './conformance.ts';
import { measureFairness } from './fairness.ts';
import { measureFeatures } from './features.ts';
import { measureFinished } from './finished.ts';
import { measureFinishing } from './finishing.ts';
import { measureFirstVisit } from './first-visit.ts';
import { measureHostileDocuments } from './hostile.ts';
import { measureLetterhead } from './letterhead.ts';
import { measureLong } from './long.ts';
import { measureManyParts } from './many-parts.ts';
import type { Row } from './measure.ts';
import { measureOutbound } from './outbound.ts';
import { measureFloods, measureOverload } from './overload.ts';
import { measurePaged } from './paged.ts';
import { measurePeers } from './peers.ts';
import { measurePlayground } from './playground.ts';
import { measurePostgres } from './postgres.ts';
import { measureRest } from './rest.ts';
import { measureSizes } from './sizes.ts';
import { measureSizing } from './sizing.ts';
import { measureSoak } from './soak.ts';
import { measureThroughput } from './throughput.ts';

const SCENARIOS = {
  throughput: measureThroughput,
  overload: measureOverload,
  outbound: measureOutbound,
  assembly: measureAssembly,
  assets: measureAssets,
  finishing: measureFinishing,
  conformance: measureConformance,
  sizes: () => measureSizes(values.weasyprint),
  finished: measureFinished,
  batches: measureBatches,
  playground: measurePlayground,
  fairness: () => measureFairness(values.way),
  'first-visit': measureFirstVisit,
  floods: measureFloods,
  hostile: measureHostileDocuments,
  letterhead: measureLetterhead,
  long: measureLong,
  parts: measureManyParts,
  paged: measurePaged,
  postgres: measurePostgres,
  rest: measureRest,
  sizing: measureSizing,
  soak: () => measureSoak(Number(values.renders)),
};
const BY_NAME = ['assembly', 'long', 'paged', 'parts', 'postgres', 'rest', 'sizing', 'soak'];
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    soak: { type: 'boolean' },
    renders: { type: 'string', default: '10000' },
    only: { type: 'string' },
    way: { type: 'string' },
    against: { type: 'string' },
    peers: { type: 'boolean' },
    features: { type: 'boolean' },
    pictures: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    gotenberg: { type: 'string' },
    jsreport: { type: 'string' },
    weasyprint: { type: 'string' },
  },
});
const startedAt = new Date().toISOString();
const [load = 0] = loadavg();
const rows: Row[] = [];
for await (const row of measure()) {
  rows.push(row);
  const verdict = row.met === undefined ? '     ' : row.met ? 'met  ' : 'MISS ';
  process.stdout.write(`${verdict} ${row.measure}\n        ${row.value}${row.target ? `\n        target: ${row.target}` : ''}\n`);
}
const machine = { cores: availableParallelism(), model: cpus()[0]?.model, node: process.version, load };
const results = {
  startedAt,
  arguments: process.argv.slice(2),
  machine,
  rows: rows.map(({ measure, target, met, figures }) => ({ measure, target, met, ...figures })),
};
await mkdir(RESULTS, { recursive: true });
const file = values.peers ? 'peers.json' : values.features ? 'features.json' : 'latest.json';
await writeFile(new URL(file, RESULTS), `${JSON.stringify(results, null, 2)}\n`);
process.stdout.write(`\n${JSON.stringify(results)}\n`);

async function* measure(): AsyncGenerator<Row> {
  const { only, soak, against } = values;
  if (against) return yield* compareTrees(against, only);
  if (values.peers) return yield* measurePeers({ ...values, rounds: Number(values.rounds) });
  if (values.features) return yield* measureFeatures(values);
  if (only && !(only in SCENARIOS)) throw new Error(`There is no scenario ${only}, only ${Object.keys(SCENARIOS).join(', ')}.`);
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const isWanted = only ? only === name : !BY_NAME.includes(name);
    if (isWanted || (soak && name === 'soak')) yield* scenario();
  }
}
