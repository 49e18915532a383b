/** Generates the page of benchmarks and its plot from the last result of `npm run bench -- --peers`. */
import { readFile } from 'node:fs/promises';
import { type Cost, plotCosts } from './cost-plot.ts';
import { code, page, table } from './markdown.ts';

export const OPERATE = new URL('../../docs/operate/', import.meta.url).pathname;

const RESULT = new URL('../../bench/results/peers.json', import.meta.url);

export interface BenchmarkResult {
  startedAt: string;
  arguments: string[];
  machine: { cores: number; model?: string; node: string; load: number };
  rows: Array<{ measure: string } & Partial<Version & Speed & Cost>>;
}

interface Version {
  peer: string;
  version: string;
}

interface Speed {
  peer: string;
  document: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  renders: number;
  rounds: number;
  clients: number;
  seconds: number;
}

/** How each peer is asked, and what has to be known about its figures. */
const WAYS: Record<string, string> = {
  Platen: '`POST /v1/pdf` of the service in this repository, with its default settings and without the playground',
  Gotenberg: '`POST /forms/chromium/convert/html`, on A4',
  jsreport:
    '`POST /api/report` with the recipe `chrome-pdf` and no template engine, on A4; by default, it starts a browser for each render',
  WeasyPrint: 'a command for each document, because it has no server; it does not run scripts',
};

const INTRODUCTION = `How fast Platen is beside others, and how its cost grows. The figures are from one run on one machine, and only
comparable within it.`;

const COSTS = `The processor time of a render is that of the service, its browser and all their processes, divided by the renders. Each
figure is the median of the rounds, after one that is not counted. Renders follow one another, but items of a batch overlap,
and may be printed together. Keys take turns. The renders beside stored documents are stored too, so the number of documents
grows during the rounds.`;

/** Reads the committed result, and returns the files of `docs/operate` by name. */
export async function benchmarkFiles(): Promise<Map<string, string>> {
  return writeBenchmarks(JSON.parse(await readFile(RESULT, 'utf8')) as BenchmarkResult);
}

export function writeBenchmarks(result: BenchmarkResult): Map<string, string> {
  const costs = result.rows.filter((row): row is Cost & { measure: string } => 'grows' in row);
  const parts = [describeRun(result), '## Beside others', ...comparePeers(result), '## How cost grows'];
  const plot = '![Processor time against pages, items, keys and stored documents](benchmarks.svg)';
  const text = page('Benchmarks', INTRODUCTION, ...parts, COSTS, plot, tabulateCosts(costs), '## Measure it yourself', REPEAT);
  return new Map([
    ['benchmarks.md', text],
    ['benchmarks.svg', plotCosts(groupByGrowth(costs))],
  ]);
}

const REPEAT = `Start the peers that you want to compare, and leave out the options of the others:

\`\`\`sh
npm run bench -- --peers --gotenberg http://127.0.0.1:3000 --jsreport http://127.0.0.1:5488 --weasyprint weasyprint
npm run docs
\`\`\`

\`--rounds N\` changes the number of rounds. The first command writes \`bench/results/peers.json\`, and the second one this page
from it. \`bench/documents.ts\` has the documents.`;

function describeRun({ startedAt, machine, arguments: given }: BenchmarkResult): string {
  const cores = `${machine.cores} ${machine.cores === 1 ? 'core' : 'cores'}`;
  const busy = machine.load > machine.cores / 2 ? ' Other programs were running, so another run may differ much.' : '';
  return `${code(`npm run bench -- ${given.join(' ')}`)} measured them on ${startedAt.slice(0, 10)}, on ${cores} (${machine.model ?? 'unknown model'}).
The clients ran on the same cores. The load average at the start was ${machine.load.toFixed(1)}.${busy}`;
}

function comparePeers({ rows }: BenchmarkResult): string[] {
  const versions = rows.filter((row): row is Version & { measure: string } => 'version' in row);
  const speeds = rows.filter((row): row is Speed & { measure: string } => 'perSecond' in row);
  const [first] = speeds;
  const missing = Object.keys(WAYS).filter((name) => !versions.some(({ peer }) => peer === name));
  const absent = missing.length ? ` This run did not include ${new Intl.ListFormat('en-GB').format(missing)}.` : '';
  const how = `${first?.clients} clients render the same document for ${first?.seconds} seconds, each one render after the other, with each service in turn, in
${first?.rounds} rounds. A figure is the median of the rounds; with few renders, the p99 of a round is its longest render.
Servers are measured as they were started.${absent}`;
  const lines = speeds.map(({ document, peer, perSecond, p50Ms, p99Ms, renders }) => [
    ...[document, peer, perSecond.toFixed(1)],
    ...[`${p50Ms.toFixed(0)} ms`, `${p99Ms.toFixed(0)} ms`, `${renders}`],
  ]);
  return [
    how,
    table(['document', 'with', 'renders a second', 'p50', 'p99', 'renders in all'], lines),
    table(
      ['with', 'version', 'how it renders'],
      versions.map(({ peer, version }) => [peer, version, WAYS[peer] ?? '']),
    ),
  ];
}

function groupByGrowth(costs: Cost[]): Map<string, Cost[]> {
  return Map.groupBy(costs, ({ grows }) => grows);
}

function tabulateCosts(costs: Cost[]): string {
  const lines = costs.map(({ grows, size, processorMs, rounds }) => [
    ...[grows, size.toLocaleString('en-US'), `${processorMs.toFixed(1)} ms`, `${rounds}`],
  ]);
  return table(['what grows', 'size', 'processor time a render', 'rounds'], lines);
}
