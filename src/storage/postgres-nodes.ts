/**
 * Connects the nodes that share one PostgreSQL database: an advisory lock decides whether there may be other nodes, and notices go
 * from one node to all others. A lost connection is opened again.
 */
import pg from 'pg';
import { ServiceError, storageFailed } from '../errors.ts';
import type { Nodes, NodesOptions } from './engine.ts';

const CHANNEL = 'platen';
const PAUSE_MS = 1_000;
/** How often the connection is checked. A dead connection could otherwise go unnoticed for hours. */
const CHECK_MS = 10_000;
const ANSWER_MS = 5_000;
const LOCK = `hashtext('platen nodes'), 0`;

const UNREACHABLE = 'the database of the service cannot be reached, or does not answer';

/** Throws `storage_failed` if there is another node and one of the two must be alone. */
export async function joinNodes(connectionString: string, options: NodesOptions): Promise<NodesConnection> {
  const nodes = new NodesConnection(connectionString, options);
  await nodes.join().catch(async (error: unknown) => {
    await nodes.close();
    throw error;
  });
  return nodes;
}

class NodesConnection implements Nodes {
  readonly #connectionString: string;
  readonly #options: NodesOptions;
  readonly #checks: NodeJS.Timeout;
  #client: pg.Client | undefined;
  #refusal: ServiceError | undefined;
  #joined = false;
  /** The process of the server that serves this connection. A pooler gives the client another number. */
  backendId = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(connectionString: string, options: NodesOptions) {
    this.#connectionString = connectionString;
    this.#options = options;
    this.#checks = setInterval(() => this.#checkConnection(), CHECK_MS).unref();
  }

  async join(): Promise<void> {
    const client = new pg.Client({
      ...{ connectionString: this.#connectionString, application_name: 'platen nodes', keepAlive: true },
      ...{ connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS },
    });
    this.#client = client;
    client.on('error', () => this.#lose(client)).on('end', () => this.#lose(client));
    client.on('notification', ({ payload = '', processId }) => {
      if (processId !== this.backendId) this.#options.onNotice(payload);
    });
    try {
      await client.connect();
      this.backendId = await enter(client, this.#options.alone);
      if (this.#client !== client) throw storageFailed(UNREACHABLE); // the connection was lost in the meantime
      this.#joined = true;
      this.#refusal = undefined;
    } catch (error) {
      this.#lose(client);
      throw error;
    }
  }

  notify(notice: string): void {
    this.#client?.query('select pg_notify($1, $2)', [CHANNEL, notice]).catch(() => {});
  }

  check(): void {
    if (this.#refusal) throw this.#refusal;
    // The lock was lost with the connection, so another node may have joined. Only a node that must be alone needs the lock.
    if (this.#options.alone && !this.#joined && !this.#closed) throw storageFailed(UNREACHABLE);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#checks);
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  #checkConnection(): void {
    const client = this.#client;
    client?.query('select 1').catch(() => this.#lose(client));
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    this.#joined = false;
    client.end().catch(() => {});
    this.#timer = setTimeout(() => void this.join().catch((error: unknown) => this.#note(error)), PAUSE_MS).unref();
  }

  #note(error: unknown): void {
    if (!(error instanceof ServiceError)) return; // the database could not be reached; the node was not refused
    if (!this.#refusal) this.#options.onRefused?.(error);
    this.#refusal = error;
  }
}

/** Returns the id of the server process. */
async function enter(client: pg.Client, alone: boolean): Promise<number> {
  const lock = alone ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const { rows } = await client.query<{ taken: boolean; id: number }>(`select ${lock}(${LOCK}) as taken, pg_backend_pid() as id`);
  const [row] = rows;
  if (!row?.taken)
    throw storageFailed(
      'another node uses the database, and each keeps documents on its own disk: set PLATEN_BLOBS_URL to the same bucket for all nodes',
    );
  await client.query(`listen ${CHANNEL}`);
  return row.id;
}
