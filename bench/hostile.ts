/**
 * How much memory does a hostile document use, how long is it over its limit, how long does a neighbour wait meanwhile, and what
 * remains afterwards?
 */
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ProcessTree } from '../src/chromium/browser/process-tree.ts';
import { loadConfig } from '../src/config.ts';
import { residentBytes } from '../src/host/proc.ts';
import { HOSTILE_DOCUMENTS, type HostileDocument } from './hostile-documents.ts';
import { inMb, type Row, rowWithLimit } from './measure.ts';
import { type ServiceUnderTest, startService } from './service.ts';
import { listen } from './site.ts';

const SAMPLE_MS = 20;
const TIMEOUT_MS = 10_000;
/** A render that takes longer to end than this hangs. */
const SETTLE_MS = 10_000;
const MAX_OVER_MS = 300;
const LONGEST_WAIT_MS = 1_500;
const LATER_MS = 60_000;
const MAX_LEFT_MB = 150;
const MEGABYTE = 1_048_576;

interface Sample {
  /** The memory of the largest renderer. */
  renderer: number;
  browser: number;
  service: number;
  processes: number;
  handles: number;
}

interface Finding {
  name: string;
  answer: string;
  seconds: number;
  peak: Sample;
  overMs: number;
  longestWaitMs: number;
  /** Resources that the document leaves behind. */
  left: { processes: number; handles: number; serviceMb: number };
}

/** Prints a table of all documents as well. */
export async function* measureHostileDocuments(): AsyncGenerator<Row> {
  using site = await listen(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const served = HOSTILE_DOCUMENTS.find((document) => document.name === name)?.served;
    if (served) served(response);
    else response.end(name === 'data' ? Buffer.alloc(16 * MEGABYTE, 1) : undefined);
  });
  await using service = await startService(2, { PLATEN_OUTBOUND_ALLOW: '127.0.0.1', PLATEN_RENDER_MAX_NETWORK_MB: '400' });
  process.stdout.write(
    '| document | response | seconds | renderer MB | browser MB | service MB | ms over the limit | neighbour waits ms | left behind: processes, handles, service MB |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n',
  );
  for (const key of service.keys) await service.render({ html: '<p>first' }, key);
  const tree = new ProcessTree(service.pid);
  const before = await whenIdle(service, tree);
  const findings: Finding[] = [];
  for (const document of HOSTILE_DOCUMENTS) {
    const finding = await attack(service, document, site.origin);
    findings.push(finding);
    process.stdout.write(lineOf(finding));
  }
  await delay(LATER_MS);
  const later = await whenIdle(service, tree);
  const findWorst = (figure: 'overMs' | 'longestWaitMs') => findings.toSorted((a, b) => b[figure] - a[figure])[0] as Finding;
  const [over, wait] = [findWorst('overMs'), findWorst('longestWaitMs')];
  const all = `${findings.length} hostile documents`;
  yield rowWithLimit(
    `${all}: longest time over a memory limit`,
    `${over.overMs.toFixed(0)} ms (${over.name})`,
    { findings },
    { limited: over.overMs, most: MAX_OVER_MS, unit: ' ms' },
  );
  yield rowWithLimit(
    `${all}: longest wait of a neighbour`,
    `${wait.longestWaitMs.toFixed(0)} ms (${wait.name})`,
    {},
    { limited: wait.longestWaitMs, most: LONGEST_WAIT_MS, unit: ' ms' },
  );
  yield rowWithLimit(
    `growth of the service a minute after the ${all}`,
    `${inMb(later.service)} MB, ${inMb(before.service)} MB before them`,
    { before, later },
    { limited: inMb(later.service - before.service), most: MAX_LEFT_MB, unit: ' MB' },
  );
}

async function attack(service: ServiceUnderTest, { name, html, options }: HostileDocument, origin: string): Promise<Finding> {
  const tree = new ProcessTree(service.pid);
  const before = await whenIdle(service, tree);
  const watch = new Watch(service, tree);
  const neighbour = keepRendering(service);
  const source = html === undefined ? { url: `${origin}/${encodeURIComponent(name)}` } : { html };
  const startedAt = performance.now();
  const { status, bytes } = await service.request(service.keys[0] ?? '', 'POST', '/v1/pdf', {
    ...source,
    options: { timeout: TIMEOUT_MS, ...options },
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const code = status === 200 ? '' : ` ${(JSON.parse(bytes.toString()) as { code: string }).code}`;
  const longestWaitMs = await neighbour.stop();
  const { peak, overMs } = await watch.stop();
  const after = await whenIdle(service, tree);
  return {
    name,
    answer: `${status}${code}`,
    seconds,
    peak,
    overMs,
    longestWaitMs,
    left: {
      processes: after.processes - before.processes,
      handles: after.handles - before.handles,
      serviceMb: (after.service - before.service) / MEGABYTE,
    },
  };
}

/** Returns the state when no page is in use and the number of processes is stable. */
async function whenIdle(service: ServiceUnderTest, tree: ProcessTree): Promise<Sample> {
  const until = performance.now() + SETTLE_MS;
  let last = await sample(service, tree);
  for (;;) {
    await delay(1_000);
    const now = await sample(service, tree);
    const isQuiet = now.processes === last.processes && (await service.metric('platen_pages_busy')) === 0;
    if (isQuiet || performance.now() > until) return now;
    last = now;
  }
}

/** Takes samples until it is stopped. */
class Watch {
  readonly #sampling: Promise<void>;
  #stopped = false;
  #peak: Sample = { renderer: 0, browser: 0, service: 0, processes: 0, handles: 0 };
  #overMs = 0;

  constructor(service: ServiceUnderTest, tree: ProcessTree) {
    this.#sampling = this.#run(service, tree);
  }

  async stop(): Promise<{ peak: Sample; overMs: number }> {
    this.#stopped = true;
    await this.#sampling;
    return { peak: this.#peak, overMs: this.#overMs };
  }

  async #run(service: ServiceUnderTest, tree: ProcessTree): Promise<void> {
    const { rendererMemoryBytes, browserMemoryBytes } = loadConfig({}).engine.browser;
    let overSince: number | undefined;
    while (!this.#stopped) {
      const now = await sample(service, tree);
      for (const what of Object.keys(now) as Array<keyof Sample>) this.#peak[what] = Math.max(this.#peak[what], now[what]);
      const isOver = now.renderer > rendererMemoryBytes || now.browser > browserMemoryBytes;
      overSince = isOver ? (overSince ?? performance.now()) : undefined;
      if (overSince !== undefined) this.#overMs = Math.max(this.#overMs, performance.now() - overSince);
      await delay(SAMPLE_MS);
    }
  }
}

async function sample(service: ServiceUnderTest, tree: ProcessTree): Promise<Sample> {
  await tree.look();
  const found: Sample = { renderer: 0, browser: 0, service: residentBytes(service.pid) ?? 0, processes: 0, handles: 0 };
  for (const { pid, kind } of tree.processes) {
    const bytes = residentBytes(pid) ?? 0;
    found.processes++;
    if (kind === 'renderer') found.renderer = Math.max(found.renderer, bytes);
    else if (kind !== 'zygote' && pid !== service.pid) found.browser += bytes;
  }
  found.handles = readdirSync(`/proc/${service.pid}/fd`).length;
  return found;
}

/** Renders a plain document with another key in a loop. */
function keepRendering(service: ServiceUnderTest): { stop(): Promise<number> } {
  let isStopped = false;
  let longestMs = 0;
  const loop = (async () => {
    while (!isStopped) longestMs = Math.max(longestMs, await service.render({ html: '<p>neighbour' }, service.keys[1]));
  })();
  return {
    async stop() {
      isStopped = true;
      await loop;
      return longestMs;
    },
  };
}

function lineOf({ name, answer, seconds, peak, overMs, longestWaitMs, left }: Finding): string {
  const memory = [peak.renderer, peak.browser, peak.service].map(inMb);
  const leftOver = `${left.processes}, ${left.handles}, ${Math.round(left.serviceMb)}`;
  const cells = [name, answer, seconds.toFixed(1), ...memory, Math.round(overMs), Math.round(longestWaitMs), leftOver];
  return `| ${cells.join(' | ')} |\n`;
}
