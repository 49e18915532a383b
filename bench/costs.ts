/** How does the processor time of a render grow with pages, the items of a batch, keys and stored documents? */
import { runBatch, smallItem } from './batches.ts';
import { invoice } from './documents.ts';
import { alternate, median, type Row } from './measure.ts';
import { processorMs } from './processes.ts';
import { type ServiceUnderTest, startService } from './service.ts';

/** Rows of invoices that fill about 1, 4, 16 and 64 pages. How many they are exactly depends on the browser. */
const ROWS = [20, 130, 580, 2_410];
/** Pages of a round for each size, to which one render is added. */
const PAGES_PER_ROUND = 64;
const ITEMS = [10, 100, 500];
/** Batches with fewer items are sent until a round has so many. */
const ITEMS_PER_ROUND = 100;
const KEYS = [1, 20, 100];
const STORED = [0, 1_000, 5_000];
const BATCH = 500;
const RENDERS = 100;
const SETTINGS = { PLATEN_PLAYGROUND: 'off' };

/** Runs the work of a round, and returns how many renders that were. */
type Work = (service: ServiceUnderTest) => Promise<number>;

export async function* measureGrowth(rounds: number): AsyncGenerator<Row> {
  await using service = await startService(Math.max(...KEYS), SETTINGS);
  yield* measure('pages', rounds, await listPages(service), () => service);
  yield* measure(
    'items of a batch',
    rounds,
    ITEMS.map((items) => [items, renderBatches(items)]),
    () => service,
  );
  yield* measure(
    'keys',
    rounds,
    KEYS.map((keys) => [keys, renderWith(keys)]),
    () => service,
  );
  yield* measureStored(rounds);
}

/** Each number of stored documents has a service of its own. */
async function* measureStored(rounds: number): AsyncGenerator<Row> {
  await using stack = new AsyncDisposableStack();
  const services = new Map<number, ServiceUnderTest>();
  for (const stored of STORED) {
    const service = stack.use(await startService(1, SETTINGS));
    await storeDocuments(service, stored);
    services.set(stored, service);
  }
  const render = renderWith(1, { store: true });
  yield* measure(
    'stored documents',
    rounds,
    STORED.map((stored) => [stored, render]),
    (stored) => services.get(stored),
  );
}

/** The results of a batch are stored. */
async function storeDocuments(service: ServiceUnderTest, count: number): Promise<void> {
  for (let stored = 0; stored < count; stored += BATCH) await runBatch(service, (n) => `<p>${stored + n}</p>`, undefined, BATCH);
}

/** Labels each size of an invoice with the pages that it has. */
async function listPages({ request, keys: [key = ''] }: ServiceUnderTest): Promise<Array<[number, Work]>> {
  const listed: Array<[number, Work]> = [];
  for (const rows of ROWS) {
    const body = { html: invoice(rows) };
    const { bytes } = await request(key, 'POST', '/v1/pdf', { ...body, store: true });
    const { pages } = JSON.parse(bytes.toString()) as { pages: number };
    listed.push([pages, renderWith(1, body, Math.ceil(PAGES_PER_ROUND / pages) + 1)]);
  }
  return listed;
}

/** Renders one after the other, with a number of keys in turn. */
function renderWith(keys: number, body: object = {}, renders = RENDERS): Work {
  return async (service) => {
    for (let n = 0; n < renders; n++) await service.render({ html: invoice(20), ...body }, service.keys[n % keys]);
    return renders;
  };
}

function renderBatches(items: number): Work {
  return async (service) => {
    const batches = Math.ceil(ITEMS_PER_ROUND / items);
    for (let n = 0; n < batches; n++) await runBatch(service, smallItem, undefined, items);
    return batches * items;
  };
}

async function* measure(
  grows: string,
  rounds: number,
  steps: Array<[size: number, work: Work]>,
  serviceFor: (size: number) => ServiceUnderTest | undefined,
): AsyncGenerator<Row> {
  const ways = steps.map(([size, work]) => [size, () => measureProcessorTime(serviceFor(size), work)]);
  const results = await alternate<string, number>(rounds, Object.fromEntries(ways), { warmUp: 1 });
  for (const [size, times] of Object.entries(results)) {
    const processorMs = median(times);
    const figures = { grows, size: Number(size), processorMs, rounds };
    yield { measure: `${grows}: ${size}`, value: `${processorMs.toFixed(1)} ms of processor time a render`, figures };
  }
}

async function measureProcessorTime(service: ServiceUnderTest | undefined, work: Work): Promise<number> {
  if (!service) throw new Error('no service');
  const before = processorMs(service.pid);
  const renders = await work(service);
  return (processorMs(service.pid) - before) / renders;
}
