/** What does finishing add to a render, and does it delay other renders? */
import { invoice } from './documents.ts';
import { alternate, median, type Row, rowWithLimit } from './measure.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const ROUNDS = 60;
const WARM_UP = 5;
const LARGE_ROUNDS = 8;
const MAX_ADDED_MS = 15;
const MAX_HELD_MS = 20;
/** Rows of an invoice of 157 pages. */
const LARGE_ROWS = 5_620;
const metadata = { title: 'Invoice 42', author: 'ACME Ltd', keywords: ['invoice'] };
const password = { user: 'a', owner: 'b', permissions: ['print'] };

const CASES: Array<[name: string, options: object]> = [
  ['metadata', { metadata }],
  ['password and metadata', { metadata, password: 's3cret' }],
  ['two passwords, permissions and metadata', { metadata, password }],
  ['watermark', { watermark: { text: 'DRAFT' } }],
];

export async function* measureFinishing(): AsyncGenerator<Row> {
  await using service = await startService(1);
  for (const [name, options] of CASES) yield await measureAdded(service, name, options);
  yield await measureLongestHold(service);
}

async function measureAdded(service: ServiceUnderTest, name: string, options: object): Promise<Row> {
  const html = invoice(20);
  const ways = { plain: () => service.render({ html }), finished: () => service.render({ html, options }) };
  const times = await alternate(ROUNDS, ways, { warmUp: WARM_UP });
  const plainMs = median(times.plain);
  const addedMs = median(times.finished) - plainMs;
  const value = `${addedMs.toFixed(1)} ms (${plainMs.toFixed(1)} ms without)`;
  const limit = { limited: addedMs, most: MAX_ADDED_MS, unit: ' ms' };
  return rowWithLimit(`${name} on a 1-page PDF, added to p50`, value, { addedMs, plainMs }, limit);
}

async function measureLongestHold(service: ServiceUnderTest): Promise<Row> {
  const attachments = [{ name: 'a.txt', content: Buffer.alloc(1_000_000, 7).toString('base64') }];
  const options = { metadata, password, compress: true, watermark: { text: 'DRAFT' }, attachments };
  const render = async () => {
    await service.longestHoldMs();
    await service.render({ html: invoice(LARGE_ROWS), options });
    return service.longestHoldMs();
  };
  const { holds } = await alternate(LARGE_ROUNDS, { holds: render }, { warmUp: 1 });
  const measure = 'longest time the event loop is blocked while 157 pages are rendered and finished, median of renders';
  const value = `${median(holds).toFixed(1)} ms (${holds.map((hold) => hold.toFixed(1)).join(' ')})`;
  return rowWithLimit(measure, value, { holds }, { limited: median(holds), most: MAX_HELD_MS, unit: ' ms' });
}
