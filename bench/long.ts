/**
 * What do thousands of pages take? Renders a long table and a long text that a script makes, each once, and measures the processor
 * time and the proportional memory of the service and its browsers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Row, rowWithLimit } from './measure.ts';
import { descendants, processorMs, proportionalKb } from './processes.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const SAMPLE_MS = 250;
const TIMEOUT_MS = 300_000;
const KB_PER_MB = 1_024;
const MAX_MEGABYTES = 1_500;
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
  const ended = new AbortController();
  const before = processorMs(service.pid);
  const watching = watchMemory(service.pid, ended.signal);
  const reply = service.request(service.keys[0] ?? '', 'POST', '/v1/pdf', {
    html,
    store: true,
    options: { timeout: TIMEOUT_MS },
  });
  const { status, bytes } = await reply.finally(() => ended.abort());
  if (status !== 201) throw new Error(`${status}: ${bytes.toString('utf8', 0, 500)}`);
  const peakKb = await watching;
  const seconds = (processorMs(service.pid) - before) / 1_000;
  const { pages } = JSON.parse(bytes.toString()) as { pages: number };
  return { pages, seconds, peakMb: peakKb / KB_PER_MB };
}

/** Samples the memory of all processes, and returns the peak. */
async function watchMemory(pid: number, ended: AbortSignal): Promise<number> {
  let peak = 0;
  while (!ended.aborted) {
    const all = [pid, ...descendants(pid)].reduce((sum, each) => sum + proportionalKb(each), 0);
    peak = Math.max(peak, all);
    await delay(SAMPLE_MS);
  }
  return peak;
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
