/**
 * What do thousands of pages take? Renders a long table and a long text that a script makes, each once, and measures the processor
 * time and the proportional memory of the service and its browsers.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ProcessTree } from '../src/chromium/browser/process-tree.ts';
import { proportionalBytes } from '../src/host/proc.ts';
import { countPages } from '../src/pdf/objects/inspect.ts';
import { type Row, rowWithLimit } from './measure.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const SAMPLE_MS = 250;
const TIMEOUT_MS = 300_000;
const MEGABYTE = 1_048_576;
const MAX_MEGABYTES = 1_500;
/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const SETTINGS = { PLATEN_MAX_RENDER_TIMEOUT_MS: String(TIMEOUT_MS) };
const STYLE = '@page { size: A4; margin: 15mm; @bottom-center { content: counter(page) } }';

const CASES = [
  { name: 'a table of 100,000 rows', html: table(100_000), maxSeconds: 90 },
  { name: '10,000 pages of text that a script makes', html: scriptedText(80_000), maxSeconds: 60 },
];

export async function* measureLong(): AsyncGenerator<Row> {
  await using service = await startService(1, SETTINGS);
  for (const { name, html, maxSeconds } of CASES) {
    const { pages, seconds, peakMb } = await render(service, html);
    const [cpu, mb] = [`${seconds.toFixed(1)} s`, `${peakMb.toFixed(0)} MB`];
    const figures = { pages, seconds, peakMb };
    yield rowWithLimit(`${name}: processor time`, `${cpu} for ${pages} pages`, figures, {
      limited: seconds,
      most: maxSeconds,
      unit: ' s',
    });
    yield rowWithLimit(`${name}: memory in all`, mb, figures, { limited: peakMb, most: MAX_MEGABYTES, unit: ' MB' });
  }
}

async function render(service: ServiceUnderTest, html: string) {
  const tree = new ProcessTree(service.pid);
  const ended = new AbortController();
  const before = await sample(tree);
  const watching = watch(tree, ended.signal);
  const reply = service.request(service.keys[0] ?? '', 'POST', '/v1/pdf', { html, options: { timeout: TIMEOUT_MS } });
  const { status, bytes } = await reply.finally(() => ended.abort());
  if (status !== 200) throw new Error(`${status}: ${bytes.toString('utf8', 0, 500)}`);
  const { seconds, peakBytes } = await watching;
  const used = [...seconds].map(([pid, each]) => each - (before.seconds.get(pid) ?? 0));
  return { pages: countPages([bytes]), seconds: sum(used), peakMb: peakBytes / MEGABYTE };
}

/** Samples often enough, because the page of a large document is closed after its render. */
async function watch(tree: ProcessTree, ended: AbortSignal) {
  const all = { seconds: new Map<number, number>(), peakBytes: 0 };
  while (!ended.aborted) {
    const { seconds, bytes } = await sample(tree);
    for (const [pid, each] of seconds) all.seconds.set(pid, Math.max(each, all.seconds.get(pid) ?? 0)); // 0 if it has just ended
    all.peakBytes = Math.max(all.peakBytes, bytes);
    await delay(SAMPLE_MS);
  }
  return all;
}

/** The processor time of each process, and the memory of all. */
async function sample(tree: ProcessTree): Promise<{ seconds: Map<number, number>; bytes: number }> {
  await tree.look();
  const pids = [...tree.processes].map(({ pid }) => pid);
  const bytes = await Promise.all(pids.map((pid) => proportionalBytes(pid).catch(() => 0)));
  return { seconds: new Map(pids.map((pid) => [pid, secondsOf(pid)])), bytes: sum(bytes) };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0; // it has ended
  }
}

function table(count: number): string {
  const row = (n: number) =>
    `<tr><td>${n}<td>It${(n * 7_919) % 1_000}<td>${(n % 28) + 1}.<td>${n % 13}<td>${(n * 31) % 97}<td>${n % 973}`;
  const rows = Array.from({ length: count }, (_, n) => row(n)).join('');
  const style = 'table { width: 100%; border-collapse: collapse } td { border-bottom: 1px solid #ccc; padding: 2px 5px }';
  const head = '<tr><th>No<th>Item<th>Day<th>Kind<th>Price<th>Sum';
  return `<!doctype html><title>Table</title><style>${STYLE} ${style}</style><table><thead>${head}</thead><tbody>${rows}</table>`;
}

function scriptedText(blocks: number): string {
  const script = `const words = 'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt'.split(' ');
    const text = (n) => Array.from({ length: 40 + ((n * 37) % 90) }, (_, at) => words[(n * 7 + at * 3) % words.length]).join(' ');
    document.body.append(...Array.from({ length: ${blocks} }, (_, n) => {
      const block = document.createElement(n % 12 ? 'p' : 'h2');
      block.textContent = n % 12 ? text(n) : 'Chapter ' + n / 12;
      return block;
    }))`;
  return `<!doctype html><title>Text</title><style>${STYLE}</style><body><script>${script}</script>`;
}
