/** Follows a batch to its end: events while the connection holds, from where it broke off when it comes back. */
import { Problem } from '../shared/api.ts';
import { hasStatus } from './format.ts';
import { isAbort } from './loaded.ts';
import type { Batch, BatchItem, BatchSummary } from './records.ts';
import { call, read } from './session.ts';

export interface BatchNews {
  items: BatchItem[];
  /** Once the batch has ended. */
  summary?: BatchSummary;
}

export interface Follower {
  onNews(news: BatchNews): void;
  /** Whether the connection has broken off for now. */
  onConnection(broken: boolean): void;
}

/** Heartbeats have neither number nor data. */
type BatchEvent =
  | { event: 'item'; id: number; data: BatchItem }
  | { event: 'batch'; id: number; data: BatchSummary }
  | { event: 'heartbeat'; id?: undefined };

const NDJSON = 'application/x-ndjson';
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** Between two looks, where the service has no events. */
const POLL_SECONDS = 2;

/** Resolves once the batch has ended. Throws what cannot be mended by asking again. */
export async function followBatch(path: string, follower: Follower, signal: AbortSignal): Promise<void> {
  let lastId = '';
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const ended = await readEvents(path, lastId, signal, (news, id) => {
        lastId = id;
        pause = FIRST_PAUSE_MS;
        follower.onConnection(false);
        follower.onNews(news);
      });
      if (ended) return;
    } catch (error) {
      if (hasStatus(error, 404)) return poll(path, follower, signal);
      if (!isPassing(error)) throw error;
    }
    follower.onConnection(true);
    await rest(pause, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

/** Returns whether the batch has ended; false where the stream did. */
async function readEvents(
  path: string,
  lastId: string,
  signal: AbortSignal,
  onNews: (news: BatchNews, lastId: string) => void,
): Promise<boolean> {
  const headers = { accept: NDJSON, ...(lastId && { 'last-event-id': lastId }) };
  const response = await call(`${path}/events`, { headers, signal });
  let ended = false;
  for await (const lines of linesOf(response)) {
    const events = lines.map((line) => JSON.parse(line) as BatchEvent);
    const news: BatchNews = { items: [] };
    for (const event of events) {
      if (event.event === 'item') news.items.push(event.data);
      if (event.event === 'batch') news.summary = event.data;
    }
    const last = events.findLast(({ id }) => id !== undefined);
    if (last) onNews(news, String(last.id));
    ended ||= news.summary !== undefined;
  }
  return ended;
}

/** The whole lines of each piece that arrives. */
async function* linesOf(response: Response): AsyncGenerator<string[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield lines.filter((line) => line.trim() !== '');
  }
}

async function poll(path: string, follower: Follower, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const batch = await read<Batch>(path, { signal, headers: { prefer: `wait=${POLL_SECONDS}` } });
    const ended = batch.completed_at !== undefined;
    follower.onNews({ items: batch.items, ...(ended && { summary: batch }) });
    if (ended) return;
  }
}

/** No connection, or a service that is busy or about to end. */
function isPassing(error: unknown): boolean {
  if (isAbort(error)) return false;
  return !(error instanceof Problem) || error.body.status === 429 || error.body.status >= 500;
}

function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
