/**
 * Kysely on a PostgreSQL server: a pool of connections in which none is waited for without end, and whose faults are those of
 * the storage.
 */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult, sql } from 'kysely';
import pg from 'pg';
import { invalidRequest, type ServiceError, storageFailed } from '../errors.ts';
import { type DatabaseState, type Engine, OutcomeUnknown } from './engine.ts';
import { joinNodes } from './postgres-nodes.ts';
import type { Query, Tables } from './tables.ts';

export interface PostgresSettings {
  databaseUrl: string;
  databaseConnections: number;
}

/** For a new connection, and for one of the pool to become free. */
const CONNECT_MS = 10_000;
/** The server gives up a statement, and a transaction that its node has left alone. */
const STATEMENT_MS = 15_000;
/** What the server has not said by then it will not say: the connection is given up. */
const ANSWER_MS = 20_000;
const IDLE_MS = 60_000;
const OLDEST_VERSION = 14;
const BIGINT = pg.types.builtins.INT8;
/** Two transactions that wait for each other, of which the server ends one. */
const COLLISIONS = ['40P01', '40001'];
const MAX_COLLISIONS = 5;
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: by code or by class. Others are defects of Platen. */
const STORAGE_FAULTS: Readonly<Record<string, string>> = {
  '08': 'has lost its connection',
  '25006': 'cannot be written',
  '25P03': 'has lost its connection',
  '28': 'refuses the user of the service',
  '3D': 'does not have the database of the service',
  '53': 'is full or has too many connections',
  '55P03': 'is locked',
  '57': 'was stopped, or takes too long',
  '58': 'fails',
  XX: 'fails',
};
/** After these nothing more can be asked over the same connection. */
const ENDING = ['08', '25006', '25P03', '57P'];
const NUL_CHARACTER = '22021';

/** Throws `storage_failed` where there is no server, or none that can be used. */
export async function openPostgres(settings: PostgresSettings): Promise<Engine> {
  const query = connect(settings.databaseUrl, { max: settings.databaseConnections });
  try {
    await requireVersion(query);
  } catch (error) {
    await query.destroy();
    throw error;
  }
  const turns = new Map<string, Promise<void>>();
  return {
    query,
    isShared: true,
    async migrate(migrate) {
      // Another node may be at it, and a large table takes its time: without the limits of requests.
      const patient = connect(settings.databaseUrl, { max: 2, statement_timeout: 0, query_timeout: 0 });
      await migrate(patient).finally(() => patient.destroy());
    },
    transaction: (work, name) =>
      name === undefined ? transaction(query, work, name) : inTurn(turns, name, () => transaction(query, work, name)),
    exclusively: (name, work) => exclusively(query, name, work),
    joinNodes: (options) => joinNodes(settings.databaseUrl, options),
    flush: async () => {}, // a commit is told once it outlives a loss of power, unless the operator gave that up
    scrub: async () => {}, // deleted rows go with the next vacuum of the server
    release: async () => {},
  };
}

/** See `inspectDatabase`. */
export async function inspectPostgres(databaseUrl: string, migrations: string[]): Promise<DatabaseState | undefined> {
  const query = connect(databaseUrl, { max: 1 });
  try {
    await requireVersion(query);
    const tables = (await query.introspection.getTables({ withInternalKyselyTables: true })).map(({ name }) => name);
    if (!tables.includes('kysely_migration')) return undefined;
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(query);
    const applied = rows.map(({ name }) => name);
    const keys = tables.includes('api_keys') ? await query.selectFrom('api_keys').select('id').execute() : [];
    const isNew = (name: string) => !applied.includes(name);
    return {
      keys: keys.length,
      pending: migrations.filter(isNew),
      unknown: applied.filter((name) => !migrations.includes(name)),
    };
  } finally {
    await query.destroy();
  }
}

function connect(connectionString: string, limits: pg.PoolConfig): Query {
  const pool = new pg.Pool({
    connectionString,
    application_name: 'platen',
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: { getTypeParser: (oid, format) => (oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) },
    ...limits,
  });
  pool.on('error', () => {}); // an unused connection has ended; the next statement opens another
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new GuardedPool(pool) }) });
}

async function requireVersion(query: Query): Promise<void> {
  const { rows } = await sql<{ server_version_num: string }>`show server_version_num`.execute(query);
  const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (version < OLDEST_VERSION)
    throw storageFailed(`the server of PLATEN_DATABASE_URL is PostgreSQL ${version}; use ${OLDEST_VERSION} or later`);
}

/** Waits before it takes a connection, so that all work of one name has one at most. */
function inTurn<T>(turns: Map<string, Promise<void>>, name: string, work: () => Promise<T>): Promise<T> {
  const result = (turns.get(name) ?? Promise.resolve()).then(work);
  const over = () => {
    if (turns.get(name) === turn) turns.delete(name);
  };
  const turn = result.then(over, over);
  turns.set(name, turn);
  return result;
}

async function transaction<T>(query: Query, work: (query: Query) => Promise<T>, name: string | undefined): Promise<T> {
  for (let collisions = 0; ; collisions++) {
    try {
      return await query.transaction().execute(async (own) => {
        if (name !== undefined)
          await sql`select pg_advisory_xact_lock(hashtext('platen one by one'), hashtext(${name}))`.execute(own);
        return work(own);
      });
    } catch (error) {
      if (!COLLISIONS.includes((error as { code?: string }).code ?? '')) throw error;
      if (collisions === MAX_COLLISIONS) throw storageFailed('the storage of the service is overloaded', error);
    }
  }
}

/** The lock belongs to the connection, and ends with it when the process dies. */
async function exclusively(query: Query, name: string, work: () => Promise<void>): Promise<void> {
  await query.connection().execute(async (own) => {
    const lock = sql`hashtext('platen one node'), hashtext(${name})`;
    const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_lock(${lock}) as taken`.execute(own);
    if (!rows[0]?.taken) return;
    try {
      await work();
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(own);
    }
  });
}

class GuardedPool implements PostgresPool {
  readonly options = {};
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      return new GuardedClient(await this.#pool.connect());
    } catch (error) {
      throw explained(error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** A connection that is not used again once it has failed. */
class GuardedClient {
  readonly #client: pg.PoolClient;
  #failed = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    client.on('error', this.#onError); // without a listener, an end between two statements would end the process
  }

  get processID(): number {
    return (this.#client as unknown as { processID: number }).processID;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query(...asked: never[]): never;
  async query(text: string, parameters: readonly unknown[]): Promise<unknown> {
    if (this.#failed && text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] }; // the server has done it
    if (this.#failed) throw storageFailed('the database of the service has lost its connection');
    try {
      return await this.#client.query(text, parameters as unknown[]);
    } catch (error) {
      this.#failed ||= isEnding(error);
      throw explained(text === 'commit' && this.#failed ? new OutcomeUnknown('no answer to a commit', { cause: error }) : error);
    }
  }

  release(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(this.#failed);
  }

  readonly #onError = (): void => {
    this.#failed = true;
  };
}

/** Whatever the server did not say itself comes from the connection. */
function isEnding(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return !(error instanceof pg.DatabaseError) || ENDING.some((start) => code.startsWith(start));
}

/** The same error where it is a defect of Platen. */
function explained(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return unreachable(error);
  const { code = '' } = error;
  if (code === NUL_CHARACTER) return invalidRequest([{ path: '', message: 'must not contain the character U+0000' }]);
  const what = STORAGE_FAULTS[code] ?? STORAGE_FAULTS[code.slice(0, 2)];
  return what ? storageFailed(`the database of the service ${what}`, error) : error;
}

function unreachable(error: unknown): ServiceError {
  return storageFailed('the database of the service cannot be reached, or does not answer', error);
}
