/**
 * A connection by which nodes of one database know of each other: whether there may be others, and notices from one to all.
 * It is opened again when it is lost.
 */
import pg from 'pg';
import { ServiceError, storageFailed } from '../errors.ts';
import type { Nodes, NodesOptions } from './engine.ts';

const CHANNEL = 'platen';
const PAUSE_MS = 1_000;
/** A connection on which nothing is said could be dead for hours before anybody notices. */
const CHECK_MS = 10_000;
const ANSWER_MS = 5_000;
const LOCK = `hashtext('platen nodes'), 0`;

/** Throws `storage_failed` when there is another node, and one of the two has to be alone. */
export async function joinNodes(connectionString: string, { alone, onNotice, onRefused }: NodesOptions): Promise<Nodes> {
  let client: pg.Client | undefined;
  let refusal: ServiceError | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const lose = (lost: pg.Client) => {
    if (client !== lost || closed) return;
    client = undefined;
    lost.end().catch(() => {});
    timer = setTimeout(() => void join().catch(note), PAUSE_MS).unref();
  };

  const note = (error: unknown) => {
    if (!(error instanceof ServiceError)) return; // not refused, but out of reach
    if (!refusal) onRefused?.(error);
    refusal = error;
  };

  const join = async () => {
    const next = new pg.Client({
      ...{ connectionString, application_name: 'platen nodes', keepAlive: true },
      ...{ connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS },
    });
    client = next;
    next.on('error', () => lose(next)).on('end', () => lose(next));
    next.on('notification', ({ payload = '', processId }) => {
      if (processId !== (next as unknown as { processID: number }).processID) onNotice(payload);
    });
    try {
      await next.connect();
      await enter(next, alone);
      refusal = undefined;
    } catch (error) {
      lose(next);
      throw error;
    }
  };
  const check = setInterval(() => {
    const checked = client;
    checked?.query('select 1').catch(() => lose(checked));
  }, CHECK_MS).unref();
  const close = async () => {
    closed = true;
    clearInterval(check);
    clearTimeout(timer);
    await client?.end().catch(() => {});
  };
  await join().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    notify: (notice) => void client?.query('select pg_notify($1, $2)', [CHANNEL, notice]).catch(() => {}),
    check: () => {
      if (refusal) throw refusal;
    },
    close,
  };
}

async function enter(client: pg.Client, alone: boolean): Promise<void> {
  const lock = alone ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const { rows } = await client.query<{ taken: boolean }>(`select ${lock}(${LOCK}) as taken`);
  if (!rows[0]?.taken)
    throw storageFailed(
      'another node uses the database, and each keeps documents on its own disk: set PLATEN_BLOBS_URL to the same bucket for all nodes',
    );
  await client.query(`listen ${CHANNEL}`);
}
