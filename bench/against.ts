/**
 * Is this tree as fast as another one? Run `npm run bench -- --against FOLDER` with a worktree of another commit in which `npm ci`
 * has run; `--only throughput|finished|conformance` takes the documents of one scenario. The two services render alternately, so
 * that other load on the machine affects both. Of the other tree, only `startService` in `bench/service.ts` is used.
 */
import { resolve } from 'node:path';
import { CONFORMANT_REPORTS } from './conformance.ts';
import { listFinishedDocuments } from './finished.ts';
import { alternate, type Comparison, median, type Row, rowWithLimit, time } from './measure.ts';
import { startService } from './service.ts';
import { startSite } from './site.ts';
import { INVOICES } from './throughput.ts';

/** The part of a service that all trees have. */
type Service = Pick<Awaited<ReturnType<typeof startService>>, 'keys' | 'request' | 'stop'>;

/** Concurrent renders. */
const CLIENTS = [1, 4];
const WARM_UP = 10;
const LEAST_SPEED = 0.98;

export async function* compareTrees(folder: string, only?: string): AsyncGenerator<Row> {
  using site = await startSite();
  const scenarios = { throughput: INVOICES, finished: await listFinishedDocuments(site), conformance: CONFORMANT_REPORTS };
  const wanted = Object.entries(scenarios).filter(([name]) => only === undefined || only === name);
  if (!wanted.length) throw new Error(`--against compares ${Object.keys(scenarios).join(', ')}.`);
  const other = (await import(resolve(folder, 'bench/service.ts'))) as { startService: (...args: unknown[]) => Promise<Service> };
  const settings = { PLATEN_OUTBOUND_ALLOW: site.host };
  await using now = await startService(1, settings);
  const before = await other.startService(1, settings);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => before.stop());
  for (const [name, documents] of wanted) {
    for (const document of documents)
      for (const clients of name === 'throughput' ? CLIENTS : [1])
        yield await compare(`${name}: ${document.name}, ${clients} at once`, document, clients, before, now);
  }
}

async function compare(name: string, { body, pairs }: Comparison, clients: number, before: Service, now: Service): Promise<Row> {
  const renderWith = (service: Service) => () =>
    time(() => Promise.all(Array.from({ length: clients }, () => render(service, body))));
  const ways = { before: renderWith(before), now: renderWith(now) };
  const times = await alternate(pairs, ways, { warmUp: Math.min(WARM_UP, pairs) });
  const [beforeMs, nowMs] = [median(times.before), median(times.now)];
  const speed = beforeMs / nowMs;
  const value = `${speed.toFixed(3)} times the speed of the other tree (medians ${beforeMs.toFixed(1)} and ${nowMs.toFixed(1)} ms)`;
  return rowWithLimit(name, value, { speed, beforeMs, nowMs }, { limited: speed, least: LEAST_SPEED });
}

async function render(service: Service, body: object): Promise<void> {
  const { status, bytes } = await service.request(service.keys[0] ?? '', 'POST', '/v1/pdf', body);
  if (status !== 200) throw new Error(`${status}: ${bytes}`);
}
