/** What does finishing add to a render, and does it delay other renders? */
import { invoice } from './documents.ts';
import { median } from './measure.ts';
import type { Row } from './report.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const ROUNDS = 60;
const LARGE_ROUNDS = 8;
const MAX_ADDED_MS = 15;
const MAX_HELD_MS = 20;
/** Rows of an invoice of 157 pages. */
const LARGE_ROWS = 5_620;
const METADATA = { title: 'Invoice 42', author: 'ACME Ltd', keywords: ['invoice'] };

const CASES: Array<[name: string, options: object]> = [
  ['password and metadata', { metadata: METADATA, password: 's3cret' }],
  [
    'two passwords, permissions and metadata',
    { metadata: METADATA, password: { user: 'a', owner: 'b', permissions: ['print'] } },
  ],
  ['watermark', { watermark: { text: 'DRAFT' } }],
];

export async function finishing(): Promise<Row[]> {
  const service = await startService(1);
  try {
    const rows: Row[] = [];
    for (const [name, options] of CASES) rows.push(await added(service, name, options));
    rows.push(await longestHold(service));
    return rows;
  } finally {
    await service.stop();
  }
}

/** Alternates plain and finished renders, so that other load on the machine affects both. */
async function added(service: ServiceUnderTest, name: string, options: object): Promise<Row> {
  const plain: number[] = [];
  const finished: number[] = [];
  for (let round = -5; round < ROUNDS; round++) {
    const one = await timed(service, invoice(20));
    const other = await timed(service, invoice(20), options);
    if (round < 0) continue; // threads start, caches fill
    plain.push(one);
    finished.push(other);
  }
  const addedMs = median(finished) - median(plain);
  return {
    measure: `${name} on a 1-page PDF, added to p50`,
    value: `${addedMs.toFixed(1)} ms (${median(plain).toFixed(1)} ms without)`,
    target: `at most ${MAX_ADDED_MS} ms`,
    met: addedMs <= MAX_ADDED_MS,
    figures: { addedMs, plainMs: median(plain) },
  };
}

async function longestHold(service: ServiceUnderTest): Promise<Row> {
  const html = invoice(LARGE_ROWS);
  const options = { metadata: METADATA, password: 's3cret', compress: true };
  const holds: number[] = [];
  for (let round = -1; round < LARGE_ROUNDS; round++) {
    await service.longestHoldMs();
    await timed(service, html, options);
    const longest = await service.longestHoldMs();
    if (round >= 0) holds.push(longest);
  }
  const value = median(holds);
  return {
    measure: 'longest time the event loop is blocked while 157 pages are rendered and finished, median of renders',
    value: `${value.toFixed(1)} ms (${holds.map((hold) => hold.toFixed(1)).join(' ')})`,
    target: `at most ${MAX_HELD_MS} ms`,
    met: value <= MAX_HELD_MS,
    figures: { medianMs: value, holdsMs: holds },
  };
}

async function timed(service: ServiceUnderTest, html: string, options?: object): Promise<number> {
  const startedAt = performance.now();
  const { status } = await service.render(service.keys[0] ?? '', html, options);
  if (status !== 200) throw new Error(`status ${status}`);
  return performance.now() - startedAt;
}
