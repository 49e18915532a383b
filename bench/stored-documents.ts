/** Do lists and downloads stay fast with many documents, and what does storing cost? */
import { invoice } from './documents.ts';
import { median } from './measure.ts';
import type { Row } from './report.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const FEW = 100;
const MANY = 10_000;
const CLIENTS = 4;
const LOOKS = 300;
/** The maximum ratio of times with a hundred times as many documents. */
const GROWTH = 1.5;

interface Looks {
  firstPageMs: number;
  middlePageMs: number;
  fetchMs: number;
  usageMs: number;
}

export async function storedDocuments(print: (line: string) => void): Promise<Row[]> {
  const service = await startService(1);
  await store(service, FEW);
  const few = await look(service);
  print(`${FEW} documents: ${describe(few)}`);
  await store(service, MANY - FEW);
  const many = await look(service);
  print(`${MANY} documents: ${describe(many)}`);
  const rows = (Object.keys(few) as Array<keyof Looks>).map((name) => growth(name, few[name], many[name]));
  rows.push(await costOfStoring(service));
  await service.stop();
  return rows;
}

const MEASURES: Record<keyof Looks, string> = {
  firstPageMs: 'first page of the list',
  middlePageMs: 'a page from the middle of the list',
  fetchMs: 'fetch of a document',
  usageMs: 'GET /v1/usage, which adds up all documents',
};

function growth(name: keyof Looks, few: number, many: number): Row {
  const ratio = many / few;
  const counted = name === 'usageMs';
  return {
    measure: `p50 of ${MEASURES[name]} among ${MANY} documents against ${FEW}`,
    value: `${ratio.toFixed(2)} (${many.toFixed(2)} ms against ${few.toFixed(2)} ms)`,
    ...(!counted && { target: `at most ${GROWTH}`, met: ratio <= GROWTH }),
    figures: { ratio, fewMs: few, manyMs: many },
  };
}

async function look(service: ServiceUnderTest): Promise<Looks> {
  const ids = await allIds(service);
  const cursor = Buffer.from(`${ids.times[ids.times.length >> 1]} ${ids.ids[ids.ids.length >> 1]}`).toString('base64url');
  const any = () => ids.ids[Math.floor(Math.random() * ids.ids.length)];
  return {
    firstPageMs: await timed(service, () => '/v1/documents?limit=50'),
    middlePageMs: await timed(service, () => `/v1/documents?limit=50&cursor=${cursor}`),
    fetchMs: await timed(service, () => `/v1/documents/${any()}`),
    usageMs: await timed(service, () => '/v1/usage'),
  };
}

async function timed(service: ServiceUnderTest, path: () => string): Promise<number> {
  const spent: number[] = [];
  for (let n = 0; n < LOOKS; n++) {
    const startedAt = performance.now();
    const { status } = await service.request(service.keys[0] ?? '', 'GET', path());
    if (status !== 200) throw new Error(`status ${status}`);
    spent.push(performance.now() - startedAt);
  }
  return median(spent);
}

async function allIds(service: ServiceUnderTest): Promise<{ ids: string[]; times: number[] }> {
  const ids: string[] = [];
  const times: number[] = [];
  for (let cursor = ''; ; ) {
    const { bytes } = await service.request(
      service.keys[0] ?? '',
      'GET',
      `/v1/documents?limit=100${cursor && `&cursor=${cursor}`}`,
    );
    const page = JSON.parse(bytes.toString()) as {
      data: Array<{ document_id: string; created_at: string }>;
      next_cursor: string | null;
    };
    ids.push(...page.data.map((document) => document.document_id));
    times.push(...page.data.map((document) => Date.parse(document.created_at)));
    if (!page.next_cursor) return { ids, times };
    cursor = page.next_cursor;
  }
}

async function costOfStoring(service: ServiceUnderTest): Promise<Row> {
  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) {
    const plain = await perSecond(service, 300, {});
    ratios.push((await perSecond(service, 300, { store: true })) / plain);
  }
  const ratio = median(ratios);
  return {
    measure: 'renders per second with store: true against without',
    value: `${ratio.toFixed(2)} (rounds ${ratios.map((one) => one.toFixed(2)).join(' ')})`,
    figures: { ratio },
  };
}

async function perSecond(service: ServiceUnderTest, count: number, more: object): Promise<number> {
  const startedAt = performance.now();
  await renderMany(service, count, more);
  return (1000 * count) / (performance.now() - startedAt);
}

async function store(service: ServiceUnderTest, count: number): Promise<void> {
  await renderMany(service, count, { store: true });
}

async function renderMany(service: ServiceUnderTest, count: number, more: object): Promise<void> {
  const body = { html: invoice(20), ...more };
  let next = 0;
  const client = async () => {
    while (next++ < count) {
      const { status } = await service.request(service.keys[0] ?? '', 'POST', '/v1/pdf', body);
      if (status >= 300) throw new Error(`status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

function describe(looks: Looks): string {
  return (Object.keys(looks) as Array<keyof Looks>).map((name) => `${MEASURES[name]} ${looks[name].toFixed(2)} ms`).join(', ');
}
