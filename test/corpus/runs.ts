/** Prints all documents: in three orders with one warm key, in a context of their own, from their address, and as references. */
import { Client, type Report } from '../support/client.ts';
import { withoutDates } from '../support/print-bytes.ts';
import { type Service, startService } from '../support/service.ts';
import type { Site } from '../support/site.ts';
import { addressOf, startCorpusSite } from './corpus-site.ts';
import type { CorpusDocument } from './page.ts';
import { ReferencePrinter } from './reference.ts';

/** The result of one request. */
export interface Print {
  pdf: Buffer;
  /** The bytes, which are equal in two prints of the same document. */
  bytes: string;
  warnings: Report['warnings'];
}

export const ORDERS = ['as listed', 'reversed', 'shuffled'] as const;
export const RUNS = [...ORDERS, 'again at once', 'in a fresh context', 'from its address'] as const;
export type Run = (typeof RUNS)[number];

export interface Prints {
  runs: Record<Run, Print | Error>;
  reference: Buffer | Error;
}

/** The prints by the name of their document. */
export type AllPrints = Map<string, Prints>;

/** More than the processors, because they mostly wait. */
const REFERENCES_AT_ONCE = 6;

interface Place {
  site: Site;
  service: Service;
  prints: Map<string, Partial<Prints['runs']> & { reference?: Prints['reference'] }>;
}

export async function printAll(documents: CorpusDocument[]): Promise<AllPrints> {
  using site = await startCorpusSite(documents);
  await using service = await startService({ PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`, PLATEN_CONCURRENCY: '2' });
  const prints: Place['prints'] = new Map(documents.map(({ name }) => [name, {}]));
  const place = { site, service, prints };
  await Promise.all([inThreeOrders(documents, place), elsewhere(documents, place), references(documents, place)]);
  return new Map([...prints].map(([name, { reference, ...runs }]) => [name, { runs, reference } as Prints]));
}

async function inThreeOrders(documents: CorpusDocument[], place: Place): Promise<void> {
  const orders: Record<(typeof ORDERS)[number], CorpusDocument[]> = {
    'as listed': documents,
    reversed: documents.toReversed(),
    shuffled: shuffled(documents),
  };
  for (const [run, order] of Object.entries(orders))
    for (const document of order) {
      await note(document, run as Run, fromHtml(document, place, place.service.key), place);
      if (run === 'as listed') await note(document, 'again at once', fromHtml(document, place, place.service.key), place);
    }
}

async function elsewhere(documents: CorpusDocument[], place: Place): Promise<void> {
  const { service, site } = place;
  const visitor = (await service.createKey()).key;
  for (const document of documents) {
    const { key } = await service.createKey();
    await note(document, 'in a fresh context', fromHtml(document, place, key), place);
    const url = site.origin + addressOf(document);
    await note(document, 'from its address', print({ url }, service.url, visitor), place);
  }
}

async function references(documents: CorpusDocument[], place: Place): Promise<void> {
  const printer = await ReferencePrinter.start();
  const left = [...documents];
  const work = async () => {
    for (let document = left.shift(); document; document = left.shift())
      await note(document, 'reference', printer.print(place.site.origin + addressOf(document), document), place);
  };
  await Promise.all(Array.from({ length: REFERENCES_AT_ONCE }, work)).finally(() => printer.close());
}

/** A failure affects only this document. */
async function note({ name }: CorpusDocument, run: Run | 'reference', printed: Promise<Print | Buffer>, { prints }: Place) {
  const outcome = await printed.catch((error: Error) => error);
  Object.assign(prints.get(name) ?? {}, { [run]: outcome });
}

function fromHtml(document: CorpusDocument, { site, service }: Place, key: string): Promise<Print> {
  const options = { baseUrl: site.origin + addressOf(document) };
  return print({ html: document.html, options }, service.url, key);
}

async function print(body: object, url: string, key: string): Promise<Print> {
  const response = await new Client(url, key).pdf(body, { accept: 'application/json' });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const { pdf: encoded, report } = (await response.json()) as { pdf: string; report: Report };
  const pdf = Buffer.from(encoded, 'base64');
  return { pdf, bytes: withoutDates(pdf), warnings: report.warnings };
}

/** The order is the same in every run. */
function shuffled<Item>(items: Item[]): Item[] {
  const rank = (index: number) => (index * 2_654_435_761) % 4_294_967_296;
  return items
    .map((item, index) => ({ item, rank: rank(index + 1) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
