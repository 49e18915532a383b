/** A batch in, what happens to its items as a stream of events out: from the database, woken by whoever writes outcomes there. */
import { Readable } from 'node:stream';
import type { Batch, Batches, FinishedItem } from '../batches/batches.ts';
import { batchSummary } from './batch-record.ts';

/** How events look on the wire. */
export interface EventFormat {
  heartbeat: string;
  event(name: string, id: number, data: object): string;
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html; JSON has no line breaks. */
export const SSE_FORMAT: EventFormat = {
  heartbeat: ':\n\n',
  event: (name, id, data) => `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`,
};

/** One JSON object a line. */
export const NDJSON_FORMAT: EventFormat = {
  heartbeat: '{"event":"heartbeat"}\n',
  event: (event, id, data) => `${JSON.stringify({ event, id, data })}\n`,
};

export interface Following {
  keyId: string;
  batchId: string;
  /** The number of the last event the client has. */
  after: number;
  format: EventFormat;
  itemRecord(item: FinishedItem): object;
}

/** What keeps connections open through proxies, and finds those that have gone. */
const HEARTBEAT_MS = 15_000;
/** Looked up, and held for a reader, at a time. */
const ITEMS_AT_ONCE = 50;

/** The number of the event that says that the batch has ended: after those of all items. */
export function endNumber({ total }: Batch): number {
  return total + 1;
}

/** Ends with the batch, or with the service. Nothing is looked up for a client that does not read. */
export function eventsOf(batches: Batches, following: Following, client: AbortSignal): Readable {
  return Readable.from(frames(batches, following, client), { objectMode: false });
}

async function* frames(
  batches: Batches,
  { keyId, batchId, after, format, itemRecord }: Following,
  client: AbortSignal,
): AsyncGenerator<string> {
  using watch = batches.progress.watch(batchId, client, 'outcomes');
  yield format.heartbeat; // sends the head of the reply
  for (let last = after; ; ) {
    const isLast = watch.closed;
    const { batch, outcomes } = await batches.outcomesAfter(keyId, batchId, last, ITEMS_AT_ONCE);
    yield* outcomes.map((item) => format.event('item', item.number, itemRecord(item)));
    last = outcomes.at(-1)?.number ?? last;
    if (outcomes.length === ITEMS_AT_ONCE) continue;
    if (batch.completedAt !== null) return yield format.event('batch', endNumber(batch), batchSummary(batch));
    if (isLast) return;
    if (!(await watch.next(HEARTBEAT_MS)) && !watch.closed) yield format.heartbeat;
  }
}
