/** Follows the events of a batch to its end. After a lost connection it continues where it stopped. */
import { ProblemError } from '../shared/api.ts';
import { isAbort } from './loaded.ts';
import type { BatchItem, BatchSummary } from './records.ts';
import { call } from './session.ts';

export interface BatchUpdate {
  items: BatchItem[];
  /** Is set once the batch has ended. */
  summary?: BatchSummary;
}

export interface Follower {
  onUpdate(update: BatchUpdate): void;
  /** Is called when the connection is lost or restored. */
  onConnection(broken: boolean): void;
}

/** A heartbeat has neither a number nor data. */
type BatchEvent =
  | { event: 'item'; id: number; data: BatchItem }
  | { event: 'batch'; id: number; data: BatchSummary }
  | { event: 'heartbeat'; id?: undefined };

const NDJSON = 'application/x-ndjson';
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Resolves when the batch has ended. Throws errors that a retry cannot solve. */
export async function followBatch(path: string, follower: Follower, signal: AbortSignal): Promise<void> {
  let lastId = '';
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const ended = await readEvents(path, lastId, signal, (update, id) => {
        lastId = id;
        pause = FIRST_PAUSE_MS;
        follower.onConnection(false);
        follower.onUpdate(update);
      });
      if (ended) return;
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    follower.onConnection(true);
    await sleep(pause, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

/** Returns true if the batch has ended, and false if only the stream has. */
async function readEvents(
  path: string,
  lastId: string,
  signal: AbortSignal,
  onUpdate: (update: BatchUpdate, lastId: string) => void,
): Promise<boolean> {
  const headers = { accept: NDJSON, ...(lastId && { 'last-event-id': lastId }) };
  const response = await call(`${path}/events`, { headers, signal });
  let ended = false;
  for await (const lines of readLines(response)) {
    const events = lines.map((line) => JSON.parse(line) as BatchEvent);
    const update: BatchUpdate = { items: [] };
    for (const event of events) {
      if (event.event === 'item') update.items.push(event.data);
      if (event.event === 'batch') update.summary = event.data;
    }
    const last = events.findLast(({ id }) => id !== undefined);
    if (last) onUpdate(update, String(last.id));
    ended ||= update.summary !== undefined;
  }
  return ended;
}

/** Returns the complete lines of each chunk. */
async function* readLines(response: Response): AsyncGenerator<string[]> {
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

/** Whether the error is temporary: no connection, or a service that is busy or shutting down. */
function isPassing(error: unknown): boolean {
  if (isAbort(error)) return false;
  return !(error instanceof ProblemError) || error.body.status === 429 || error.body.status >= 500;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
