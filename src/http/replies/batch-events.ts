/** Streams the events of a batch. Events are read from the database whenever an outcome has been written to it. */
import type { Batch, Batches, FinishedItem } from '../../batches/batches.ts';
import { batchSummary } from './batch-record.ts';

/**
 * See https://html.spec.whatwg.org/multipage/server-sent-events.html. JSON has no line breaks, so that one `data` line is enough.
 */
export const SSE_FORMAT = {
  heartbeat: ':\n\n',
  event: (name: string, id: number, data: object) => `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`,
};

export const NDJSON_FORMAT: typeof SSE_FORMAT = {
  heartbeat: '{"event":"heartbeat"}\n',
  event: (event, id, data) => `${JSON.stringify({ event, id, data })}\n`,
};

interface EventStreamOptions {
  keyId: string;
  batchId: string;
  /** The number of the last event the client has. */
  after: number;
  format: typeof SSE_FORMAT;
  itemRecord(item: FinishedItem): object;
}

/** Heartbeats keep connections open through proxies and reveal clients that have gone. */
const HEARTBEAT_MS = 15_000;
/** Number of items that are looked up and held in memory at a time. */
const ITEMS_AT_ONCE = 50;

/** The number of the event that ends the stream. It follows the events of all items. */
export function endNumber({ total }: Batch): number {
  return total + 1;
}

/** Ends when the batch ends or the service stops. Nothing is looked up while the client does not read. */
export async function* readEvents(
  batches: Batches,
  { keyId, batchId, after, format, itemRecord }: EventStreamOptions,
  client: AbortSignal,
): AsyncGenerator<string> {
  using watch = batches.progress.watch(batchId, client, 'outcomes');
  yield format.heartbeat; // this sends the head of the reply
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
